"""D-RAC: any document becomes page-true, retrieval-ready chunks."""

__version__ = "0.1.0"
