"""The text of elements inside a line."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from drac.stages.convert.native.tree import LINE_BREAK, SHOWN_AS, SKIPPED, collapse, is_block, name_of

_AROUND = {"q": ("“", "”")}
"""What browsers draw before and after an element."""
NOT_DRAWN = frozenset(("desc", "metadata", "annotation", "annotation-xml"))
"""Elements of drawings and formulas that are not drawn."""
_TICKED = {True: "[x] ", False: "[ ] "}
_NO_TEXT = frozenset(("checkbox", "radio", "image", "file", "color", "range", "password"))


def text_of(element: Element) -> str:
    """All text in the element as one line."""
    return collapse("".join(pieces(element)))


def pieces(element: Element) -> Iterator[str]:
    """The text in the element as it stands; a space where a block begins or ends."""
    yield element.text or ""
    for child in element:
        yield from around(child)
        yield child.tail or ""


def around(node: Element) -> Iterator[str]:
    """The text of one element, with what sets it apart from its neighbours."""
    name = name_of(node)
    value = own_text(node)
    if not name or name in SKIPPED or name in NOT_DRAWN:
        return
    space = " " if is_block(node) or node.get(SHOWN_AS) == "apart" else ""
    before, after = _AROUND.get(name, ("", ""))
    yield space + before
    if value is None:
        yield from pieces(node)
    else:
        yield value
    yield after + space


def own_text(node: Element) -> str | None:
    """What is shown in place of the element's content, or None where its content is shown."""
    match name_of(node):
        case "br":
            return LINE_BREAK
        case "hr" | "wbr":
            return " " if name_of(node) == "hr" else ""
        case "input":
            return _input(node)
        case "select":
            return f" {' '.join(_chosen(node))} "
        case "meter" | "progress":
            return ""
        case _:
            return None


def _input(node: Element) -> str:
    kind = node.get("type", "text").lower()
    if kind in ("checkbox", "radio"):
        return _TICKED["checked" in node.attrib]
    shown = node.get("value") or {"submit": "Submit", "reset": "Reset"}.get(kind, node.get("placeholder", ""))
    return "" if kind in _NO_TEXT else f" {shown} "


def _chosen(node: Element) -> Iterator[str]:
    """Labels that a closed list of choices shows: the selected one, else the first; all of an open one."""
    options = list(node.iter("option"))
    if "multiple" not in node.attrib:
        options = [one for one in options if "selected" in one.attrib][-1:] or options[:1]
    return (text_of(one) for one in options)


def alternative(element: Element) -> str:
    """Texts that stand for the pictures in an element; for one that shows nothing else."""
    return collapse(" ".join(one.get("alt", "") for one in element.iter("img")))
