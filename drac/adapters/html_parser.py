"""Text to the tree that browsers make of it, in bounded time.

Elements deeper than 150 stand beside each other at that depth: their text and order stay, how they lie within
each other does not (browsers do so at 512). An element of more than 1,000 attributes is past the limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from tinyhtml5.constants import namespaces
from tinyhtml5.parser import HTMLParser
from tinyhtml5.tokenizer import HTMLTokenizer
from tinyhtml5.treebuilder import TreeBuilder

from drac.errors import LimitExceeded
from drac.stages.convert.native.inline import NOT_DRAWN
from drac.stages.convert.native.tree import SKIPPED, name_of

MOST_DEEP = 150
"""Elements within each other that the tree keeps; those who read it need a few calls for each."""
MOST_ATTRIBUTES = 1_000
"""Attributes of one element; the time to read them grows with their square."""
_HELD = frozenset(("table", "thead", "tbody", "tfoot", "tr", "colgroup", "dl", "select", "optgroup"))
"""Elements whose children mean nothing outside them: they are not the ones that are taken apart."""
_OPAQUE = SKIPPED | NOT_DRAWN | {"select"}


def parse(html: str) -> Element:
    """The `html` element; raises LimitExceeded."""
    root: Element = _Parser().parse(html)
    return root


def flatten(root: Element, most: int = MOST_DEEP) -> None:
    """Set elements that are deeper than `most` beside each other; hidden ones must be gone before."""
    waiting = [(root, 1)]
    while waiting:
        element, depth = waiting.pop()
        name = name_of(element)
        if name in _OPAQUE:
            continue
        if depth >= most and name not in _HELD:
            _take_apart(element)
        else:
            waiting += ((child, depth + 1) for child in element)


def _take_apart(parent: Element) -> None:
    """Make everything within an element its child, in the order in which it is read."""
    flat: list[Element] = []
    open_ones: list[tuple[Iterator[Element], str | None]] = [(iter(list(parent)), None)]
    while open_ones:
        children, after = open_ones[-1]
        child = next(children, None)
        if child is None:
            open_ones.pop()
            if flat and after:
                flat[-1].tail = (flat[-1].tail or "") + after
            continue
        tail, child.tail = child.tail, None
        flat.append(child)
        within = [] if name_of(child) in _OPAQUE else list(child)
        if within:
            child[:] = []
        open_ones.append((iter(within), tail))
    parent[:] = flat


class _Open(list[Any]):
    """Elements that are open, counted by name: to ask for one that is not there must not take a walk."""

    def __init__(self) -> None:
        super().__init__()
        self.named: Counter[Any] = Counter()

    def append(self, node: Any) -> None:
        self.named[node.name_tuple] += 1
        super().append(node)

    def insert(self, at: Any, node: Any) -> None:
        self.named[node.name_tuple] += 1
        super().insert(at, node)

    def pop(self, *at: Any) -> Any:
        node = super().pop(*at)
        self.named[node.name_tuple] -= 1
        return node

    def remove(self, node: Any) -> None:
        self.named[node.name_tuple] -= 1
        super().remove(node)


class _Builder(TreeBuilder):  # type: ignore[misc]
    def reset(self) -> None:
        super().reset()
        self.open_elements = _Open()

    def element_in_scope(self, target: Any, variant: str | None = None) -> bool:
        name = (namespaces["html"], target) if isinstance(target, str) else target
        if isinstance(name, tuple) and not self.open_elements.named[name]:
            return False
        return bool(super().element_in_scope(target, variant))


class _Tokenizer(HTMLTokenizer):  # type: ignore[misc]
    def attribute_name_state(self) -> bool:
        if len(self.current_token["data"]) > MOST_ATTRIBUTES:
            raise LimitExceeded(
                f"an element <{self.current_token['name'][:40]}> of more than {MOST_ATTRIBUTES:,} attributes",
                remedy="Take the attributes out of the page; no page that is read needs so many.",
            )
        return bool(super().attribute_name_state())


class _Parser(HTMLParser):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(namespace_html_elements=False)
        self.tree = _Builder(False)
        for phase in self.phases.values():
            phase.tree = self.tree

    def _parse(self, stream: str) -> None:
        self.container, self.scripting = None, False
        self.tokenizer = _Tokenizer(stream, parser=self)
        self.reset()
        self.main_loop()
