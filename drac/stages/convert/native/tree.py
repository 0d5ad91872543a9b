"""What the elements of a web page are to a reader."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

SHOWN_AS = "drac-shown-as"
"""Attribute that the parser sets by the page's style: `block`, or `apart` from the text beside it."""
BREAK = "drac-break"
"""Attribute that the parser sets: a page ends `before` or `after` the element, or both."""

_BLOCKS = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption
figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html legend li listing main menu nav ol option p
plaintext pre search section summary table tbody td textarea tfoot th thead tr ul xmp
"""
BLOCKS = frozenset(_BLOCKS.split())
"""Elements that stand apart from the text before and after them (WHATWG HTML, 15.3)."""
_SKIPPED = """
area audio base basefont bgsound canvas col colgroup datalist embed frame head iframe img link meta noembed
noframes param script source style template title track video
"""
SKIPPED = frozenset(_SKIPPED.split())
"""Elements of which nothing is text on the page."""
LINE_BREAK = "\u2028"
"""What `br` becomes in running text, until white space is collapsed."""
_SPACE = re.compile(r"[ \t\n\r\f\v\u00a0\u2028\u2029]+")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff]")


def name_of(node: Element) -> str:
    """The element's name in small letters; empty for comments. Names of SVG and MathML lose their space."""
    return node.tag.rpartition("}")[2].lower() if isinstance(node.tag, str) else ""


def is_block(node: Element) -> bool:
    """Whether the element stands apart from the text before and after it."""
    return name_of(node) in BLOCKS or node.get(SHOWN_AS) == "block"


def collapse(text: str) -> str:
    """Running text with one space for any white space, without characters that nobody sees."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()
