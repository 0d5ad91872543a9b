"""The texts of the documents, in a small Markdown, as blocks that each format lays out in its own way.

Blocks stand between blank lines: `# title` (the next line is a line under it), `## heading`,
`### lower heading`, a list, `---` for a new page, `label :: value` for a form, a table, or a paragraph.
A table may have its caption in the line above. The cells of its rule line, `|===|==|` where it is ruled
and `|---|--|` where it is not, are as long as its columns are wide; rows above the rule line are
headers, and `<` in one goes on with the cell to its left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
MARK = re.compile(r"- |\d+\. ")
RULE = re.compile(r"\|([=-]+\|)+")
Row = tuple[str, ...]


@dataclass(frozen=True)
class Title:
    text: str
    under: str


@dataclass(frozen=True)
class Heading:
    text: str
    level: int
    """1 for `##`, 2 for `###`."""


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Items:
    texts: tuple[str, ...]
    numbered: bool


@dataclass(frozen=True)
class Form:
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    caption: str
    heads: tuple[Row, ...]
    rows: tuple[Row, ...]
    shares: tuple[int, ...]
    """Widths of the columns, against each other."""
    ruled: bool


Block = Title | Heading | Paragraph | Items | Form | Table


@cache
def pages(name: str) -> tuple[tuple[Block, ...], ...]:
    """The blocks of a text, apart for each page that is begun on purpose."""
    parts = (TEXTS / f"{name}.md").read_text(encoding="utf-8").strip().split("\n\n---\n\n")
    return tuple(tuple(_block(lines) for lines in _apart(part)) for part in parts)


def _apart(text: str) -> Iterator[list[str]]:
    for blank, lines in groupby(text.split("\n"), key=lambda line: not line.strip()):
        if not blank:
            yield list(lines)


def _block(lines: list[str]) -> Block:
    first = lines[0]
    if first.startswith("# "):
        return Title(first[2:], " ".join(lines[1:]))
    if first.startswith("##"):
        marks, text = first.split(" ", 1)
        return Heading(text, len(marks) - 1)
    if any(line.startswith("|") for line in lines):
        return _table(lines)
    if MARK.match(first):
        return _items(lines)
    if " :: " in first:
        return Form(tuple(_field(line) for line in lines))
    return Paragraph(" ".join(lines))


def _items(lines: list[str]) -> Items:
    texts: list[str] = []
    for line in lines:
        if mark := MARK.match(line):
            texts.append(line[mark.end() :])
        else:
            texts[-1] += f" {line.strip()}"
    return Items(tuple(texts), numbered=lines[0][0] != "-")


def _field(line: str) -> tuple[str, str]:
    label, value = line.split(" :: ")
    return label, value


def _table(lines: list[str]) -> Table:
    caption = "" if lines[0].startswith("|") else lines.pop(0)
    rule = next(number for number, line in enumerate(lines) if RULE.fullmatch(line))
    shares = tuple(len(cell) for cell in lines[rule].strip("|").split("|"))
    rows = [tuple(cell.strip() for cell in line[1:-1].split("|")) for line in lines]
    return Table(caption, tuple(rows[:rule]), tuple(rows[rule + 1 :]), shares, "=" in lines[rule])
