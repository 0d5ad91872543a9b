"""An evaluation as one HTML page that needs nothing else: tables, charts as inline SVG, wins and losses.

Everything that comes from documents, questions or names is escaped.
"""

from drac.evaluate.report.page import Shown, html

__all__ = ["Shown", "html"]
