"""Makes slides whole whose text or tables run off their lower edge: smaller type, then another slide.

Loaded by `libreoffice_bridge` into the Python that can `import uno`; it stands alone. PowerPoint shrinks text
that is too long when a slide is opened; LibreOffice lets it run off. Where smaller type is not enough, the
slide goes on, under its title, on a continuation.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

_SCALES = (0.9, 0.8, 0.7, 0.6)
"""Scales of the type tried, the largest that fits first; past the last a slide goes on to another."""
_SMALLEST = 9.0
"""Points below which type is not shrunk."""
_MARGIN = 300
"""1/100 mm left free at the lower edge and beside tables."""
_SLACK = 400
"""1/100 mm by which a frame may pass the lower edge: the text in it does not."""
_SHORT = 0.3
"""Share of the slide's height up to which a text is moved up, not shrunk or parted."""
_MOST = 200
"""Continuations of a slide at most."""
_POINT = 35.28
"""1/100 mm of a typographic point."""
_PADDING = 520
"""1/100 mm of a cell that are not text."""
_NUMBERS = frozenset((0, 1, 2, 3, 4, 9, 10))
"""com.sun.star.style.NumberingType of letters, Roman and Arabic numbers."""
_EMPTY = 20
"""Layout of a slide without placeholders (sd/source/ui/inc/strings: AUTOLAYOUT_NONE)."""
_EDGE = 1500
"""1/100 mm left free around notes."""
_NOTES_POINTS = 14.0
"""Size of the type of notes."""
_NOTES = "com.sun.star.presentation.NotesShape"
_TITLE = "com.sun.star.presentation.TitleTextShape"
_TABLE = "com.sun.star.drawing.TableShape"
_GROUP = "com.sun.star.drawing.GroupShape"


class _GivenUp(Exception):
    """A slide could not be parted; its copy, which is whole, has taken its place."""


class SlideFitter:
    """`tables` and `shapes` are the modules `libreoffice_tables` and `libreoffice_shapes`."""

    def __init__(self, document: Any, tables: Any, shapes: Any) -> None:
        self._document, self._longest_word, self._fit = document, tables.longest_word, tables.fit
        self._bring_in, self._may_run_off = shapes.bring_in, shapes.may_run_off
        self._held: list[Any] = []

    def run(self, *, hidden: bool = False, notes: bool = False) -> list[int]:
        """Change the slides; returns the original number, from 1, of each slide that is shown now.

        `hidden`: hidden ones are shown; `notes`: speaker notes follow their slide.
        """
        pages, numbers, at, number, waiting, made = self._document.getDrawPages(), [], 0, 0, 0, 0
        for index in range(pages.getCount()):
            self._hold(pages.getByIndex(index))
        noted = ""
        while at < pages.getCount():
            page, fresh = pages.getByIndex(at), not waiting
            if fresh:
                number, made = number + 1, 0
                if hidden and not page.Visible:
                    page.Visible = True
                self._bring_in(page)
                noted = _notes(page) if notes and page.Visible else ""
            else:
                waiting -= 1
            new = self._continue(page, fresh) if made < _MOST else 0
            waiting, made = waiting + new, made + new
            if page.Visible:
                numbers.append(number)
            if noted and not waiting:
                waiting, made = self._add_notes(at, noted), 0
                noted = ""
            at += 1
        return numbers

    def _hold(self, page: Any) -> None:
        """Keep the slide's shapes referenced until the end.

        LibreOffice lets go of a shape's UNO object in a thread of its own. One that is asked for at that
        moment may come back as a frame of 1 by 1 mm, and text that is whole is then cut off.
        """
        self._held.append(page)
        waiting = [page]
        while waiting:
            group = waiting.pop()
            shapes = [group.getByIndex(index) for index in range(group.getCount())]
            self._held += shapes
            waiting += [shape for shape in shapes if shape.supportsService(_GROUP)]

    def _add_notes(self, at: int, notes: str) -> int:
        """A slide behind the one at `at` that holds nothing but its notes; returns how many came."""
        page = self._document.getDrawPages().insertNewByIndex(at)
        page.Layout, page.IsBackgroundVisible, page.IsBackgroundObjectsVisible = _EMPTY, False, False
        shape = self._document.createInstance("com.sun.star.drawing.TextShape")
        place, size = shape.Position, shape.Size
        place.X = place.Y = _EDGE
        size.Width, size.Height = page.Width - 2 * _EDGE, page.Height - 2 * _EDGE
        page.add(shape)
        self._held += (page, shape)
        shape.setPosition(place)
        shape.setSize(size)
        shape.setString(notes)
        shape.CharHeight, shape.CharColor = _NOTES_POINTS, 0
        return 1

    def _continue(self, page: Any, fresh: bool) -> int:
        """How many new slides follow this one, each with the rest of one of its shapes.

        One that is not `fresh` is such a slide itself: its type is small and its columns are wide already.
        Last shapes first: a new slide comes right behind, so that the first shape's is the first.
        """
        new = 0
        for index in reversed(range(page.getCount())):
            try:
                new += self._shape_goes_on(page, index, fresh)
            except _GivenUp:
                return new
            except Exception:  # a shape that has no text, or no size of its own
                continue
        return new

    def _shape_goes_on(self, page: Any, index: int, fresh: bool) -> bool:
        shape = page.getByIndex(index)
        room = page.Height - shape.Position.Y - _MARGIN
        if shape.ShapeType == _TABLE:
            if fresh:
                self._widen_columns(shape, page)
            height, cut, texts = _table_height, _cut_table, _cells(shape.Model)
            if shape.BoundRect.Height <= room:
                return False
        elif hasattr(shape, "getString") and shape.getString().strip():
            height, cut, texts = _text_height, _cut_text, [shape]
            if not self._may_run_off(shape, room) or _text_fits(shape, room) or _moved_up(shape, page):
                return False
        else:
            return False
        if fresh and _shrink(shape, texts, room, height):
            return False
        copy = self._document.duplicate(page)
        self._hold(copy)
        try:
            cut(shape, copy.getByIndex(index), room)
            _keep_title_and(copy, index)
        except Exception as error:
            self._document.getDrawPages().remove(page)
            raise _GivenUp from error
        return True

    def _widen_columns(self, shape: Any, page: Any) -> None:
        """Room for the longest words, as far as the slide is wide."""
        model = shape.Model
        columns = [model.getColumns().getByIndex(n) for n in range(model.getColumns().getCount())]
        widths = [float(column.Width) for column in columns]
        rows = range(model.getRows().getCount())
        least = []
        for n in range(len(columns)):
            cells = [model.getCellByPosition(n, row) for row in rows]
            words = [self._longest_word(cell.getString()) for cell in cells]
            longest = max(range(len(words)), key=words.__getitem__)
            # type is asked for in two cells only, as each call takes up to a millisecond
            width = max(words[row] * _size(cells[row]) for row in {0, longest})
            least.append(width * _POINT + _PADDING)
        most = page.Width - max(shape.Position.X, 0) - _MARGIN
        total = min(max(sum(widths), sum(least)), most)
        fitted = self._fit([width * total / sum(widths) for width in widths], least)
        for column, width in zip(columns, fitted[0] if fitted else (), strict=False):
            column.Width = round(width)
        if fitted and fitted[1] < 1.0:
            _scale(list(_sizes(_cells(model))), fitted[1])


def _notes(page: Any) -> str:
    """The speaker notes of a slide under a word that says so; empty where there are none."""
    notes = page.getNotesPage()
    shapes = (notes.getByIndex(index) for index in range(notes.getCount()))
    texts = [
        one.getString() for one in shapes if one.ShapeType == _NOTES and not one.IsEmptyPresentationObject
    ]
    text = "\n".join(texts).strip()
    return f"Notes\n{text}" if text else ""


def _keep_title_and(page: Any, index: int) -> None:
    for other in reversed(range(page.getCount())):
        shape = page.getByIndex(other)
        if other != index and shape.ShapeType != _TITLE:
            page.remove(shape)


def _shrink(shape: Any, texts: list[Any], room: int, height: Callable[[Any], int]) -> bool:
    """Whether the shape fits in smaller type."""
    portions = list(_sizes(texts))
    for share in _SCALES:
        _scale(portions, share)
        if height(shape) <= room:
            return True
    return False


def _scale(portions: list[tuple[Any, float]], share: float) -> None:
    """Set type to a share of the sizes given, down to what can be read."""
    for portion, size in portions:
        portion.CharHeight = max(min(size, _SMALLEST), size * share)


def _sizes(texts: list[Any]) -> Iterator[tuple[Any, float]]:
    """Each stretch of text of one look, and its type's size in points."""
    for text in texts:
        for paragraph in _paragraphs(text):
            portions = paragraph.createEnumeration()
            while portions.hasMoreElements():
                portion = portions.nextElement()
                yield portion, float(portion.CharHeight)


def _size(text: Any) -> float:
    return max((size for _, size in _sizes([text])), default=18.0)


def _paragraphs(text: Any) -> list[Any]:
    found, paragraphs = [], text.createEnumeration()
    while paragraphs.hasMoreElements():
        found.append(paragraphs.nextElement())
    return found


def _text_fits(shape: Any, room: int) -> bool:
    """Whether it ends above the slide's lower edge; a frame that does stays as it is."""
    size, place, grows = shape.Size, shape.Position, shape.TextAutoGrowHeight
    shape.TextAutoGrowHeight = True
    height = _text_height(shape)
    if height > room + _MARGIN + _SLACK:
        return False
    shape.TextAutoGrowHeight = grows or height > size.Height
    size.Height = max(size.Height, height)
    shape.setSize(size)
    shape.setPosition(place)
    return True


def _moved_up(shape: Any, page: Any) -> bool:
    """Whether it is a short text that begins low, such as a footer, and is whole a little higher."""
    height, place = _text_height(shape), shape.Position
    if height > _SHORT * page.Height:
        return False
    place.Y = max(0, page.Height - height - _MARGIN)
    shape.setPosition(place)
    return True


def _text_height(shape: Any) -> int:
    """Of the frame, which grows with its text; first made flat, since it does not shrink by itself.

    It grows from the upper edge: text at the middle or the lower edge would move it.
    """
    place, size = shape.Position, shape.Size
    size.Height = 100
    shape.setSize(size)
    shape.TextAutoGrowHeight = True
    height = int(shape.Size.Height)
    shape.setPosition(place)
    return height


def _cut_text(shape: Any, copy: Any, room: int) -> None:
    """Leave the paragraphs that fit in `shape`, the others in its copy."""
    kept, height = len(_paragraphs(shape)), _text_height(shape)
    while kept > 1 and height > room:
        kept = max(1, min(kept - 1, round(kept * room / height * 1.1)))
        cursor = shape.createTextCursorByRange(_paragraphs(shape)[kept - 1].getEnd())
        cursor.gotoEnd(True)
        cursor.setString("")
        height = _text_height(shape)
    if kept == 1 and height > room:
        return _cut_paragraph(shape, copy, room)
    return _begin_with(copy, kept)


def _begin_with(text: Any, kept: int) -> None:
    """Take out the first `kept` paragraphs; numbered ones after them keep their numbers.

    An empty paragraph is left in their place: the next one would take over the look of the first.
    """
    paragraphs = _paragraphs(text)
    _number_on(paragraphs, kept)
    cursor = text.createTextCursor()
    cursor.gotoStart(False)
    cursor.gotoRange(paragraphs[kept - 1].getEnd(), True)
    cursor.setString("")
    left = _paragraphs(text)[0]
    left.CharHeight = 1.0
    if left.NumberingLevel is not None:
        left.NumberingIsNumber = False


def _number_on(paragraphs: list[Any], kept: int) -> None:
    places = places_in_lists([_numbered_level(one) for one in paragraphs])
    first: dict[int, int] = {}
    for paragraph, (run, place) in zip(paragraphs[kept:], places[kept:], strict=True):
        if run is None:
            continue
        gone = first.setdefault(run, place)
        if gone:
            _start_later(paragraph, gone)


def places_in_lists(levels: list[int | None]) -> list[tuple[int | None, int]]:
    """(which list, place in it from 0) of paragraphs; `levels` has the depth of those that are numbered."""
    open_lists: dict[int, tuple[int, int]] = {}
    found: list[tuple[int | None, int]] = []
    for at, level in enumerate(levels):
        if level is None:
            found.append((None, 0))
            continue
        open_lists = {depth: state for depth, state in open_lists.items() if depth <= level}
        run, place = open_lists.get(level, (at, -1))
        open_lists[level] = (run, place + 1)
        found.append((run, place + 1))
    return found


def _numbered_level(paragraph: Any) -> int | None:
    """Depth of a paragraph that shows a number; None for one with a bullet or nothing."""
    level = paragraph.NumberingLevel
    if level is None or level < 0 or not paragraph.NumberingIsNumber:
        return None
    kinds = {one.Name: one.Value for one in paragraph.NumberingRules.getByIndex(level)}
    return int(level) if kinds["NumberingType"] in _NUMBERS else None


def _start_later(paragraph: Any, by: int) -> None:
    uno: Any = importlib.import_module("uno")  # there only where LibreOffice's own Python runs
    rules, level = paragraph.NumberingRules, int(paragraph.NumberingLevel)
    properties = rules.getByIndex(level)
    for one in properties:
        if one.Name == "StartWith":
            one.Value = int(one.Value) + by
    uno.invoke(rules, "replaceByIndex", (level, uno.Any("[]com.sun.star.beans.PropertyValue", properties)))
    paragraph.NumberingRules = rules


def _cut_paragraph(shape: Any, copy: Any, room: int) -> None:
    """Words are taken off the only paragraph's end until it fits."""
    text = whole = _paragraphs(shape)[0].getString()
    while _text_height(shape) > room and " " in text.strip():
        text = text[: int(len(text) * 0.9)].rpartition(" ")[0]
        cursor = shape.createTextCursor()
        cursor.gotoStart(False)
        cursor.goRight(len(text), False)
        cursor.gotoEnd(True)
        cursor.setString("")
    start = copy.createTextCursor()
    start.gotoStart(False)
    start.goRight(min(len(text) + 1, len(whole)), False)
    _drop_before(copy, start.getStart())


def _drop_before(text: Any, place: Any) -> None:
    cursor = text.createTextCursor()
    cursor.gotoStart(False)
    cursor.gotoRange(place, True)
    cursor.setString("")


def _cells(model: Any) -> list[Any]:
    return [
        model.getCellByPosition(column, row)
        for row in range(model.getRows().getCount())
        for column in range(model.getColumns().getCount())
    ]


def _table_height(shape: Any) -> int:
    """Of all rows, each as flat as its text allows; the shape's own size says nothing about it."""
    rows = shape.Model.getRows()
    for n in range(rows.getCount()):
        rows.getByIndex(n).Height = 100
    size = shape.Size
    size.Height = 100
    shape.setSize(size)
    return int(shape.BoundRect.Height)


def _cut_table(shape: Any, copy: Any, room: int) -> None:
    """Leave the rows that fit in `shape`; the copy has the header and the others."""
    rows = shape.Model.getRows()
    kept, height = rows.getCount(), _table_height(shape)
    while kept > 2 and height > room:
        had, kept = kept, max(2, min(kept - 1, round(kept * room / height * 1.1)))
        rows.removeByIndex(kept, had - kept)
        height = _table_height(shape)
    if kept < copy.Model.getRows().getCount():
        copy.Model.getRows().removeByIndex(1, kept - 1)
