"""A web page as the tree that its reader sees: parsed as browsers parse it, hidden elements taken out.

Of the page's style three things count: what is not shown (`display: none`, `visibility: hidden`), what stands
apart from the text beside it (`display`), and where a printed page ends (`break-before`, `break-after`).
Styles are those for a screen of 1,200 pixels; page breaks count in those for print too.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

import cssselect2

from drac.adapters.html_parser import flatten, parse
from drac.adapters.html_style import Styles
from drac.stages.convert.native.tree import BREAK, SHOWN_AS

_BLOCK = frozenset(
    (
        "block",
        "flex",
        "grid",
        "table",
        "list-item",
        "flow-root",
        "table-row",
        "table-caption",
        "table-row-group",
    )
)
_APART = frozenset(("inline-block", "inline-flex", "inline-grid", "inline-table", "table-cell"))
_FLEX = frozenset(("flex", "grid", "inline-flex", "inline-grid"))
_BREAKS = frozenset(("page", "always", "left", "right", "recto", "verso", "all"))
_SIDES = ("before", "after")
_PROPERTIES = {
    "display": "display",
    "visibility": "visibility",
    **{f"{name}break-{side}": f"break-{side}" for name in ("", "page-") for side in _SIDES},
}
_PRINTED = frozenset(f"break-{side}" for side in _SIDES)
_UNSEEN = {"hidden": True, "collapse": True, "visible": False}
"""Whether a value of `visibility` hides."""


def shown_tree(html: str) -> Element:
    """The `html` element without what is not shown.

    Raises LimitExceeded as `html_parser.parse`. Elements carry what `stages.convert.native.tree` reads of
    their style as attributes.
    """
    root = parse(html)
    prune(root)
    flatten(root)
    return root


def prune(root: Element) -> None:
    """Take out what is not shown below `root`, and note what else counts of the style."""
    styles = Styles(root, _PROPERTIES, _PRINTED)
    if styles.say_nothing(root):
        for element in list(root.iter()):
            _remove(element, {child for child in element if _is_hidden(child)})
        return
    waiting = [(cssselect2.ElementWrapper.from_html_root(root), False, "")]
    hidden: dict[Element, set[Element]] = {}
    while waiting:
        parent, unseen, display = waiting.pop()
        for child in parent.iter_children():
            element, style = child.etree_element, styles.of(child)
            if _is_hidden(element) or style.get("display") == "none":
                hidden.setdefault(parent.etree_element, set()).add(element)
                continue
            gone = _UNSEEN.get(style.get("visibility", ""), unseen)
            _note(element, style, display in _FLEX)
            element.text = None if gone else element.text
            element.tail = None if unseen else element.tail
            waiting.append((child, gone, style.get("display", "")))
    for element, gone_children in hidden.items():
        _remove(element, gone_children)


def _is_hidden(element: Element) -> bool:
    if not isinstance(element.tag, str):
        return False
    closed = element.tag == "dialog" and "open" not in element.attrib
    typed = element.tag == "input" and element.get("type", "").lower() == "hidden"
    return closed or typed or ("hidden" in element.attrib and element.get("hidden") != "until-found")


def _note(element: Element, style: Mapping[str, str], in_flex: bool) -> None:
    display = style.get("display", "")
    if display in _BLOCK or in_flex:
        element.set(SHOWN_AS, "block")
    elif display in _APART:
        element.set(SHOWN_AS, "apart")
    ends = [side for side in _SIDES if style.get(f"break-{side}") in _BREAKS]
    if ends:
        element.set(BREAK, " ".join(ends))


def _remove(element: Element, gone: set[Element]) -> None:
    """Take children out; the text after each stays."""
    if not gone:
        return
    kept: list[Element] = []
    for child in list(element):
        if child not in gone:
            kept.append(child)
        elif kept:
            kept[-1].tail = (kept[-1].tail or "") + (child.tail or "")
        else:
            element.text = (element.text or "") + (child.tail or "")
    element[:] = kept
