"""Web pages and Markdown as text of a known encoding."""

from __future__ import annotations

import codecs
import re
from html import escape

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from drac.stages.normalize.text import decode

_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_SCANNED = 1_024
"""Bytes in which a page declares its encoding (WHATWG HTML, 4.2.5.4)."""
_READ_AS = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **{"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "iso8859-9": "cp1254"},
}
"""Encodings that browsers read as another one (WHATWG Encoding, 4.2), by Python's names."""
_DEEPEST = 400
"""Levels of nested Markdown that are parsed, two for each list."""
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)

_SELF_CLOSED = re.compile(r"""<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*/>""")
_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_NAMES.split())
"""Elements that never have an end tag (WHATWG HTML, 13.1.2)."""


def html_text(data: bytes) -> str:
    """A web page's text: by byte order mark, by what it declares, else by `text.decode`."""
    has_mark = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = None if has_mark else _declared(data[:_SCANNED])
    if declared is None:
        return decode(data)
    try:
        return data.decode(declared)
    except UnicodeDecodeError:
        return decode(data)


def markdown_to_html(text: str) -> str:
    """A web page of CommonMark with tables, strikethrough, footnotes; YAML in front is shown as it stands.

    A text with lists or quotes nested deeper than the parser goes, which it would drop, is shown as it is.
    """
    body = _FRONT_MATTER.sub(lambda found: f"```\n{found[1]}\n```\n\n", text)
    options = {"html": True, "maxNesting": _DEEPEST}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).use(footnote_plugin)
    parser.add_render_rule("footnote_anchor", lambda *_: "")  # an arrow back, which says nothing
    try:
        rendered = parser.render(body) if _is_shallow(parser, body) else f"<pre>{escape(body)}</pre>"
    except RecursionError:
        rendered = f"<pre>{escape(body)}</pre>"
    return f"<!doctype html>\n<html><head><meta charset='utf-8'></head><body>\n{rendered}</body></html>\n"


def _is_shallow(parser: MarkdownIt, body: str) -> bool:
    return all(token.level < _DEEPEST - 2 for token in parser.parse(body))


def xhtml_to_html(text: str) -> str:
    """XHTML as text that an HTML parser reads alike: an element that closes itself gets its end tag."""
    return _SELF_CLOSED.sub(
        lambda tag: tag[0] if tag[1].lower() in _VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>", text
    )


def _declared(head: bytes) -> str | None:
    found = _DECLARED.search(head)
    if found is None:
        return None
    name = codec_named((found[1] or found[2]).decode("latin-1"))
    return {"utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8"}.get(name or "", name)


def codec_named(charset: str) -> str | None:
    """The codec that browsers read a declared charset with, or None for a name that is none."""
    try:
        b"ab".decode(charset.strip(), "replace")
        name = codecs.lookup(charset.strip()).name
    except (LookupError, ValueError):
        return None
    return _READ_AS.get(name, name)
