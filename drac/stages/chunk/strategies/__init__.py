"""Chunkers to compare with (`ports.Chunker`), those that need no outside library.

A strategy over text is a `Cut`: text to stretches. `spans.SpanChunker` makes a chunker of it.
"""
