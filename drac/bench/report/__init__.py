"""An experiment as one HTML page that needs nothing else: table, effects, Pareto front, every query.

Everything that comes from documents, questions or names is escaped.
"""

from drac.bench.report.shown import Configuration, Experiment
from drac.bench.report.writing import write

__all__ = ["Configuration", "Experiment", "write"]
