"""Natively structured text to retrieval-aware Markdown, without a rendered page in between.

`html` walks the tree of a web page, `table` makes the grid of a table, `inline` the running text, `markdown`
reads Markdown, `pages` says where a page ends. Row sentences, list items and escapes are those of the local
engine. Nothing here knows a parser of HTML.
"""
