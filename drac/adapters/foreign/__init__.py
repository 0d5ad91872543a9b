"""Scripts for the Python of another environment, in which a parser lives whose packages clash with ours.

They import nothing of D-RAC. `worker.py` is what is run; see `drac.adapters.foreign_parser`.
"""
