"""The few things of a page's style that are asked for without drawing it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

import cssselect2
import tinycss2

_SCREEN = 1_200.0
"""Pixels that media queries about width are answered with."""
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*([\d.]+)\s*(px|em|rem)\s*\)")
Declared = Mapping[str, tuple[str, bool]]
"""Value and whether it is important, by property."""


class Styles:
    """Values of some properties by the page's own `style` elements and attributes (CSS Cascade 4, 6.1).

    `wanted` is what a property is asked for as, by its name in the page; of two that are asked for alike the
    later one counts. `on_paper` are those that count in styles for print too.
    """

    def __init__(
        self, root: Element, wanted: Mapping[str, str], on_paper: frozenset[str] = frozenset()
    ) -> None:
        self._wanted, self._on_paper = wanted, on_paper
        self._speaks = re.compile("|".join({name.partition("-")[0] for name in wanted}), re.IGNORECASE)
        self._matcher = cssselect2.Matcher()
        self._rules = 0
        for style in root.iter("style"):
            self._add_sheet(style.text or "", style.get("media", ""))

    def say_nothing(self, root: Element) -> bool:
        """Whether no rule and no attribute below `root` speaks of what is asked for."""
        return not self._rules and not any("style" in one.attrib for one in root.iter())

    def of(self, wrapper: Any) -> dict[str, str]:
        """Values for one element, given as a `cssselect2.ElementWrapper`; nothing is inherited."""
        matched = sorted(self._matcher.match(wrapper), key=lambda one: one[:2])
        layers = [one[3] for one in matched]
        inline = wrapper.etree_element.get("style")
        if inline and self._speaks.search(inline):
            layers.append(self._declared(inline, True))
        ranked = [(name, *one) for layer in layers for name, one in layer.items()]
        return {name: value for name, value, _ in sorted(ranked, key=lambda one: one[2])}

    def _add_sheet(self, css: str, media: str) -> None:
        screen, paper = _applies(media)
        if (screen or paper) and self._speaks.search(css):
            rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
            self._add_rules(rules, screen, paper)

    def _add_rules(self, rules: Iterable[Any], screen: bool, paper: bool) -> None:
        for rule in rules:
            if rule.type == "qualified-rule":
                self._add_rule(rule, screen)
            elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
                on_screen, on_paper = _applies(tinycss2.serialize(rule.prelude))
                inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
                if (screen and on_screen) or (paper and on_paper):
                    self._add_rules(inner, screen and on_screen, paper and on_paper)

    def _add_rule(self, rule: Any, screen: bool) -> None:
        declared = self._declared(rule.content, screen)
        if not declared:
            return
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError:
            return
        for selector in selectors:
            if selector.pseudo_element is None:
                self._matcher.add_selector(selector, declared)
                self._rules += 1

    def _declared(self, content: Any, screen: bool) -> Declared:
        found: dict[str, tuple[str, bool]] = {}
        for one in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
            name = self._wanted.get(one.lower_name) if one.type == "declaration" else None
            if name is None or not (screen or name in self._on_paper):
                continue
            if name not in found or one.important or not found[name][1]:
                found[name] = (tinycss2.serialize(one.value).strip().lower(), one.important)
        return found


def _applies(media: str) -> tuple[bool, bool]:
    """Whether a list of media queries holds on the screen, and on paper."""
    queries = [one.strip().lower() for one in media.split(",")]
    return any(_holds(one, "screen") for one in queries), any(_holds(one, "print") for one in queries)


def _holds(query: str, medium: str) -> bool:
    widths = _WIDTH.findall(query)
    words = re.findall(r"[a-z-]+", _WIDTH.sub("", query))
    other = [word for word in words if word not in ("and", "only", "all", medium)]
    return not other and all(_wide(*one) for one in widths)


def _wide(bound: str, number: str, unit: str) -> bool:
    pixels = float(number) * (1 if unit == "px" else 16)
    return pixels <= _SCREEN if bound == "min" else pixels >= _SCREEN
