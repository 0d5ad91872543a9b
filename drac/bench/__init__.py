"""Experiments: every choice of parser, chunker and retriever as a variable."""
