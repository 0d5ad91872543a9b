"""The command line: typer commands; the one place that turns an error into a message and an exit code."""

from drac.cli.entry import main

__all__ = ["main"]
