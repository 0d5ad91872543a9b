"""A web page as the tree that its reader sees: parsed as browsers parse it, hidden elements taken out.

Of the page's style three things count: what is not shown (`display: none`, `visibility: hidden`), what stands
apart from the text beside it (`display`), and where a printed page ends (`break-before`, `break-after`).
Styles are those for a screen of 1,200 pixels; page breaks count in those for print too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import cssselect2
import tinycss2
import tinyhtml5

from drac.stages.convert.native.tree import BREAK, SHOWN_AS

_SCREEN = 1_200.0
"""Pixels that media queries about width are answered with."""
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
_WANTED = re.compile(r"display|visibility|break", re.IGNORECASE)
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*([\d.]+)\s*(px|em|rem)\s*\)")
_PROPERTIES = {
    "display": "display",
    "visibility": "visibility",
    **dict.fromkeys(("break-before", "page-break-before"), "break-before"),
    **dict.fromkeys(("break-after", "page-break-after"), "break-after"),
}
_PRINTED = frozenset(("break-before", "break-after"))
Declared = Mapping[str, tuple[str, bool]]
"""Value and whether it is important, by property."""


@dataclass(slots=True)
class _Sheet:
    """Rules that say something of `_PROPERTIES`."""

    matcher: Any = field(default_factory=cssselect2.Matcher)
    rules: int = 0


def shown_tree(html: str) -> Element:
    """The `html` element without what is not shown, its names in small letters without name spaces.

    Elements carry what `drac.stages.convert.native.tree` reads of their style as attributes.
    """
    root: Element = tinyhtml5.parse(html, namespace_html_elements=False)
    sheet = _Sheet()
    for style in root.iter("style"):
        _add_rules(sheet, style.text or "", style.get("media", ""))
    _Pruning(sheet).prune(root)
    return root


def _add_rules(sheet: _Sheet, css: str, media: str) -> None:
    screen, paper = _applies(media)
    if (screen or paper) and _WANTED.search(css):
        rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        _add_list(sheet, rules, screen, paper)


def _add_list(sheet: _Sheet, rules: Iterable[Any], screen: bool, paper: bool) -> None:
    for rule in rules:
        if rule.type == "qualified-rule":
            _add_rule(sheet, rule, screen)
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
            on_screen, on_paper = _applies(tinycss2.serialize(rule.prelude))
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if (screen and on_screen) or (paper and on_paper):
                _add_list(sheet, inner, screen and on_screen, paper and on_paper)


def _add_rule(sheet: _Sheet, rule: Any, screen: bool) -> None:
    declared = _declared(rule.content, screen)
    if not declared:
        return
    try:
        selectors = cssselect2.compile_selector_list(rule.prelude)
    except cssselect2.SelectorError:
        return
    for selector in selectors:
        if selector.pseudo_element is None:
            sheet.matcher.add_selector(selector, declared)
            sheet.rules += 1


def _declared(content: Any, screen: bool = True) -> Declared:
    found: dict[str, tuple[str, bool]] = {}
    for one in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        name = _PROPERTIES.get(one.lower_name) if one.type == "declaration" else None
        stands = name in found and found[name][1] and not one.important
        if name and not stands and (screen or name in _PRINTED):
            found[name] = (tinycss2.serialize(one.value).strip().lower(), one.important)
    return found


def _applies(media: str) -> tuple[bool, bool]:
    """Whether a list of media queries holds on the screen, and on paper."""
    queries = [one.strip().lower() for one in media.split(",")]
    return any(_holds(one, "screen") for one in queries), any(_holds(one, "print") for one in queries)


def _holds(query: str, medium: str) -> bool:
    widths = _WIDTH.findall(query)
    words = re.findall(r"[a-z-]+", _WIDTH.sub("", query).replace("(", " ("))
    other = [word for word in words if word not in ("and", "only", "all", medium)]
    return not other and all(_wide(*one) for one in widths)


def _wide(bound: str, number: str, unit: str) -> bool:
    pixels = float(number) * (1 if unit == "px" else 16)
    return pixels <= _SCREEN if bound == "min" else pixels >= _SCREEN


class _Pruning:
    """Takes hidden elements out of a tree and notes what is left of the style."""

    def __init__(self, sheet: _Sheet) -> None:
        self._sheet = sheet

    def prune(self, root: Element) -> None:
        """Change the tree below `root`."""
        if not self._sheet.rules and not any("style" in one.attrib for one in root.iter()):
            _prune_plain(root)
            return
        wrapper = cssselect2.ElementWrapper.from_html_root(root)
        waiting = [(wrapper, False, "")]
        hidden: dict[Element, set[Element]] = {}
        while waiting:
            parent, unseen, display = waiting.pop()
            for child in parent.iter_children():
                style = self._style(child)
                if _is_hidden(child.etree_element) or style.get("display") == "none":
                    hidden.setdefault(parent.etree_element, set()).add(child.etree_element)
                    continue
                gone = {"hidden": True, "collapse": True, "visible": False}.get(
                    style.get("visibility", ""), unseen
                )
                _note(child.etree_element, style, display in _FLEX)
                if gone:
                    child.etree_element.text = None
                if unseen:
                    child.etree_element.tail = None
                waiting.append((child, gone, style.get("display", "")))
        for element, gone_children in hidden.items():
            _remove(element, gone_children)

    def _style(self, wrapper: Any) -> dict[str, str]:
        """Computed from the rules and the `style` attribute (CSS Cascade 4, 6.1)."""
        matched = sorted(self._sheet.matcher.match(wrapper), key=lambda one: one[:2])
        layers = [one[3] for one in matched]
        inline = wrapper.etree_element.get("style")
        if inline and _WANTED.search(inline):
            layers.append(_declared(inline))
        ranked = [(name, *one) for layer in layers for name, one in layer.items()]
        return {name: value for name, value, _ in sorted(ranked, key=lambda one: one[2])}


def _prune_plain(root: Element) -> None:
    for element in list(root.iter()):
        _remove(element, {child for child in element if _is_hidden(child)})


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
    ends = [side for side in ("before", "after") if style.get(f"break-{side}") in _BREAKS]
    if ends:
        element.set(BREAK, " ".join(ends))


def _remove(element: Element, gone: set[Element]) -> None:
    """Take children out; the text after each stays."""
    if not gone:
        return
    kept: list[Element] = []
    for child in _children(element):
        if child not in gone:
            kept.append(child)
        elif kept:
            kept[-1].tail = (kept[-1].tail or "") + (child.tail or "")
        else:
            element.text = (element.text or "") + (child.tail or "")
    element[:] = kept


def _children(element: Element) -> Iterator[Element]:
    yield from list(element)
