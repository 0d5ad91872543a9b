"""Pages to PageTexts by a model, with a way down for every page that a reply does not settle.

    tiles                         a page whose print is too small in one image; else straight to `local`
    batch of 5 -> 2 -> 1          good pages are kept, only bad ones are asked again
    alone, smaller image          only where the server says too large
    alone, higher temperature
    alone, with its text layer    --text-hint auto
    as two overlapping halves
    read by `local`               state `fallback`
    given up                      state `failed`

A page whose request is rejected goes on with the halves (another image), one whose server stays busy
goes to `local` at once: its request was sent again often enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from drac.config import ModelReadSettings
from drac.errors import DocumentError, ModelBusy, ModelError, RequestRejected
from drac.ports import ChatReply, ImagePart
from drac.records import Attempt, Page, PageState, PageText, Usage
from drac.stages.convert.model_reading import Look, ReadingModel, Tile, share, total
from drac.stages.convert.model_request import PageImage, build_request
from drac.stages.convert.model_tiles import merge_halves, merge_tiles
from drac.stages.convert.reply import Fault, PageFacts, PageVerdict, check_reply
from drac.stages.convert.reply_clean import row_regions
from drac.stages.convert.reply_words import words

_CONTEXT = 300
"""Characters of the upper half's end that go with the lower half, so that its rows keep their headers."""


class _Trouble(Enum):
    """Why the last request for a page brought no reply."""

    LARGE = "too large"
    REJECTED = "rejected"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class _Step:
    """How one request differs from the first."""

    name: str = ""
    """For the page's record; empty for the first requests."""
    temperature: float = 0.0
    """Sampling temperature."""
    hint: bool = False
    """Whether text layers are sent."""
    lenient: bool = False
    """See check_reply."""


def read_batch(
    pages: Sequence[Page], model: ReadingModel, look: Look, settings: ModelReadSettings
) -> list[PageText]:
    """Read `pages` of one document, ascending: one PageText a page, in order, whatever the model says.

    Raises what `model.ask` raises beyond ModelError (credentials, budget, interruption) and what `look`
    raises beyond DocumentError.
    """
    ladder = _Ladder(pages, model, look, settings)
    waiting = [page for page in pages if ladder.opens(page)]
    waiting = [page for page in waiting if not ladder.ask_tiles(page)]
    for size in _sizes(settings.batch_pages, model.images_per_request):
        waiting = ladder.ask_together(waiting, size)
    for page in waiting:
        ladder.ask_alone(page)
    return [ladder.done[page] for page in pages]


def _sizes(batch_pages: int, images: int) -> list[int]:
    first = max(1, min(batch_pages, images))
    return [first, *(size for size in (2, 1) if size < first)]


class _Ladder:
    """One batch on its way down."""

    def __init__(
        self, pages: Sequence[Page], model: ReadingModel, look: Look, settings: ModelReadSettings
    ) -> None:
        self._model, self._look, self._settings = model, look, settings
        self._place = {page: index for index, page in enumerate(pages)}
        self._facts: dict[Page, PageFacts] = {}
        self._trail: dict[Page, list[Attempt]] = {page: [] for page in pages}
        self._trouble: dict[Page, _Trouble | None] = {}
        self._blanks: Counter[Page] = Counter()
        self._local: dict[Page, PageText] = {}
        self._small: set[Page] = set()
        self._asked: set[tuple[Page, ...]] = set()
        self.done: dict[Page, PageText] = {}
        hint = settings.text_hint == "on"
        self._first = _Step(temperature=settings.temperature, hint=hint)
        self._again = replace(self._first, lenient=True)

    # What is known before anything is paid for.

    def opens(self, page: Page) -> bool:
        """Whether the page is to be sent: it can be drawn, and has ink."""
        try:
            ink, layer = self._look.ink(page), self._look.text_layer(page)
        except DocumentError as error:
            self._note(page, f"not sent: {error.message}")
            self._fall_back(page)
            return False
        if not ink:
            self.done[page] = self._text(page, PageState.BLANK, "", ("no ink; not sent",))
            return False
        self._facts[page] = PageFacts(page.number, True, layer)
        return True

    # Several pages in a request.

    def ask_together(self, waiting: Sequence[Page], size: int) -> list[Page]:
        """Ask for neighbours in groups; returns the pages that are still without text."""
        left: list[Page] = []
        for group in self._groups(waiting, size):
            if tuple(group) not in self._asked:
                self._ask(group, self._first)
            left += [page for page in group if page not in self.done]
        return left

    def _groups(self, waiting: Sequence[Page], size: int) -> Iterator[list[Page]]:
        """Runs of neighbours, cut to `size`."""
        group: list[Page] = []
        for page in waiting:
            if group and (len(group) == size or self._is_apart(group[-1], page)):
                yield group
                group = []
            group.append(page)
        if group:
            yield group

    def _is_apart(self, page: Page, other: Page) -> bool:
        """Whether a page that was read stands between; blank ones do not part."""
        between = list(self._place)[self._place[page] + 1 : self._place[other]]
        return any(self.done[one].state is not PageState.BLANK for one in between if one in self.done)

    def _ask(self, group: Sequence[Page], step: _Step) -> None:
        """One request for `group`; accepts what is good and records the rest."""
        images = [image for page in group for image in self._images(page, step)]
        sent = [page for page in group if page not in self.done]
        self._asked.add(tuple(sent))
        reply = self._send(sent, images, step) if sent else None
        if reply is None:
            return
        verdict = check_reply(reply, [self._facts[page] for page in sent], lenient=step.lenient)
        usages = share(self._model.cost(reply), len(sent))
        for page, judged, usage in zip(sent, verdict.pages, usages, strict=True):
            self._settle(page, judged, usage, step, len(sent))

    def _images(self, page: Page, step: _Step) -> list[PageImage]:
        """The page's image; none if it cannot be drawn, in which case `local` has read the page."""
        try:
            image = (self._look.smaller if page in self._small else self._look.image)(page)
        except DocumentError as error:
            self._note(page, f"not sent: {error.message}")
            self._fall_back(page)
            return []
        layer = self._facts[page].text_layer if step.hint else ""
        return [PageImage(page.number, image, layer)]

    def _send(
        self, pages: Sequence[Page], images: Sequence[PageImage], step: _Step, above: str = ""
    ) -> ChatReply | None:
        """The reply, or None where the request failed, which is then in each page's trail."""
        request = build_request(
            images,
            model=self._model.model,
            prompt=self._model.prompt,
            temperature=step.temperature,
            max_output_tokens=self._settings.max_output_tokens,
            table_header="" if above else self._header_before(pages[0]),
            above=above,
        )
        try:
            reply = self._model.ask(request)
        except ModelError as error:
            self._failed(pages, error, step)
            return None
        self._trouble.update(dict.fromkeys(pages))
        return reply

    def _header_before(self, page: Page) -> str:
        try:
            return self._look.header_before(page) if page.number > 1 else ""
        except DocumentError:
            return ""

    # What a request came to.

    def _failed(self, pages: Sequence[Page], error: ModelError, step: _Step) -> None:
        trouble = _trouble_of(error)
        usages = share(self._model.cost(error), len(pages))
        for page, usage in zip(pages, usages, strict=True):
            self._trouble[page] = trouble
            self._note(page, f"{trouble.value}: {error.message}", usage, step, len(pages))

    def _settle(self, page: Page, verdict: PageVerdict, usage: Usage, step: _Step, together: int) -> None:
        if verdict.fault is Fault.NO_TEXT:
            self._blanks[page] += 1
        if verdict.doubted:
            facts = self._facts[page]
            self._facts[page] = replace(facts, said_before=facts.said_before | {verdict.doubted})
        if verdict.fault is not None:
            self._note(page, verdict.outcome, usage, step, together)
            return
        self._trail[page].append(Attempt(self._model.engine, "ok", usage))
        notes = (f"accepted {step.name}",) if step.name else ()
        self._accept(page, verdict.markdown, (*notes, *verdict.notes))

    def _note(
        self,
        page: Page,
        outcome: str,
        usage: Usage | None = None,
        step: _Step | None = None,
        together: int = 1,
    ) -> None:
        """Record a try that did not count, and under which circumstances."""
        how = step.name if step and step.name else f"in a batch of {together}" if together > 1 else ""
        text = f"{outcome} ({how})" if how else outcome
        self._trail[page].append(Attempt(self._model.engine, text, usage or Usage()))

    def _accept(self, page: Page, markdown: str, notes: tuple[str, ...]) -> None:
        text = self._text(page, PageState.OK, markdown, notes)
        self.done[page] = replace(text, regions=row_regions(markdown))

    def _text(self, page: Page, state: PageState, markdown: str, notes: tuple[str, ...]) -> PageText:
        trail = tuple(self._trail[page])
        usage = total(one.usage for one in trail)
        return PageText(
            page, state, markdown, self._model.engine, "image", notes=notes, attempts=trail, usage=usage
        )

    # One page by itself.

    def ask_alone(self, page: Page) -> None:
        """Try what is left for a page that failed by itself; it ends up in `done`."""
        rungs: tuple[Callable[[Page], None], ...] = (
            self._smaller,
            self._warmer,
            self._without_text,
            self._hinted,
            self._halved,
        )
        for rung in rungs:
            if page in self.done or self._trouble.get(page) is _Trouble.BUSY:
                break
            rung(page)
        if page not in self.done:
            self._fall_back(page)

    def _smaller(self, page: Page) -> None:
        if self._trouble.get(page) is _Trouble.LARGE:
            self._small.add(page)
            self._ask([page], replace(self._again, name="with a smaller image"))

    def _warmer(self, page: Page) -> None:
        if self._trouble.get(page) is None:
            temperature = self._settings.retry_temperature
            name = f"at temperature {temperature:g}"
            self._ask([page], replace(self._again, name=name, temperature=temperature))

    def _without_text(self, page: Page) -> None:
        """A page of pictures, or a page number alone: two replies and `local` agree that it says nothing."""
        if self._blanks[page] < 2:
            return
        read = self._by_local(page)
        left_out = Counter(words("\n".join(read.furniture)))
        unread = Counter(words(self._facts[page].text_layer)) - left_out
        if read.state is not PageState.FAILED and not words(read.markdown) and not unread:
            self._accept(page, "", ("ink but no text: the model twice, and `local`, found none",))

    def _hinted(self, page: Page) -> None:
        auto = self._settings.text_hint == "auto" and words(self._facts[page].text_layer)
        if auto and self._trouble.get(page) is None:
            self._ask([page], replace(self._again, name="with its text layer", hint=True))

    def _halved(self, page: Page) -> None:
        try:
            top, bottom = self._look.halves(page)
        except DocumentError as error:
            self._note(page, f"no halves: {error.message}")
            return
        upper = self._half(page, top, "top")
        if upper is None:
            return
        lower = self._half(page, bottom, "bottom", _end_of(upper))
        merged = merge_halves(upper, lower) if lower is not None else ""
        if words(merged):
            self._accept(page, merged, ("accepted as two halves",))
        else:
            self._trail[page] = [_uncounted(one) for one in self._trail[page]]

    def _half(
        self, page: Page, image: ImagePart, half: Literal["top", "bottom"], above: str = ""
    ) -> str | None:
        """The half's Markdown, which may be empty; None where it could not be read."""
        step = replace(self._again, name=f"{half} half")
        layer = self._facts[page].text_layer
        sent = [PageImage(page.number, image, layer if step.hint else "", half)]
        facts = PageFacts(page.number, None, layer, self._facts[page].said_before)
        return self._piece(page, sent, step, facts, above)

    def _piece(
        self, page: Page, sent: Sequence[PageImage], step: _Step, facts: PageFacts, above: str
    ) -> str | None:
        """The Markdown of a part of the page; None where it could not be read."""
        reply = self._send([page], sent, step, above)
        if reply is None:
            return None
        verdict = check_reply(reply, [facts], lenient=True).pages[0]
        usage = self._model.cost(reply)
        if verdict.fault is not None:
            self._note(page, verdict.outcome, usage, step)
            return None
        self._trail[page].append(Attempt(self._model.engine, "ok", usage))
        return verdict.markdown

    # One page in tiles.

    def ask_tiles(self, page: Page) -> bool:
        """Whether the page comes in tiles; if so it ends up in `done`."""
        try:
            tiles = self._look.tiles(page)
        except DocumentError as error:
            self._note(page, f"no tiles: {error.message}")
            return False
        if not tiles:
            return False
        texts: dict[tuple[int, int], str] = {}
        for tile in tiles:
            above = _end_of(texts.get((tile.row - 1, tile.column), ""))
            text = self._tile(page, tile, tiles, above)
            if text is None:
                self._trail[page] = [_uncounted(one) for one in self._trail[page]]
                self._fall_back(page)
                return True
            texts[tile.row, tile.column] = text
        merged = merge_tiles(tiles, list(texts.values()))
        if words(merged):
            self._accept(page, merged, (f"read in {len(tiles)} tiles: {_places(tiles)}",))
        else:
            self._fall_back(page)
        return True

    def _tile(self, page: Page, tile: Tile, tiles: Sequence[Tile], above: str) -> str | None:
        """The tile's Markdown, which may be empty; a second try is warmer. None where neither was good."""
        rows, columns = tiles[-1].row + 1, max(one.column for one in tiles) + 1
        name = f"tile {tile.name} (of {rows} rows and {columns} columns)"
        hint = tile.text_layer if self._first.hint else ""
        sent = [PageImage(page.number, tile.image, hint, tile=name)]
        facts = PageFacts(page.number, None, tile.text_layer)
        for temperature in (self._settings.temperature, self._settings.retry_temperature):
            step = replace(self._again, name=f"tile {tile.name}", temperature=temperature)
            text = self._piece(page, sent, step, facts, above)
            if text is not None or self._trouble.get(page) is not None:
                return text
        return None

    # Without the model.

    def _by_local(self, page: Page) -> PageText:
        if page not in self._local:
            try:
                self._local[page] = self._look.local(page)
            except DocumentError as error:
                attempt = Attempt("local", error.message)
                self._local[page] = PageText(page, PageState.FAILED, "", "local", attempts=(attempt,))
        return self._local[page]

    def _fall_back(self, page: Page) -> None:
        read = self._by_local(page)
        usable = read.state is not PageState.FAILED and words(read.markdown)
        tries = read.attempts or (Attempt("local", "ok" if usable else "no text"),)
        if not usable and read.state is not PageState.FAILED:
            tries = (*tries[:-1], replace(tries[-1], outcome="no text"))
        self._trail[page] += tries
        text = self._text(page, PageState.FAILED, "", ())
        if usable:
            notes = (*read.notes, f"read by {read.engine}, not by {self._model.engine}")
            text = replace(
                read, state=PageState.FALLBACK, notes=notes, attempts=text.attempts, usage=text.usage
            )
        self.done[page] = text


def _trouble_of(error: ModelError) -> _Trouble:
    if isinstance(error, RequestRejected):
        return _Trouble.LARGE if error.too_large else _Trouble.REJECTED
    return _Trouble.BUSY if isinstance(error, ModelBusy) else _Trouble.REJECTED


def _places(tiles: Sequence[Tile]) -> str:
    """`1.1 at 0, 0, 595, 420` and so on, in page points."""
    return "; ".join(f"{one.name} at {', '.join(f'{edge:.0f}' for edge in one.box)}" for one in tiles)


def _uncounted(attempt: Attempt) -> Attempt:
    """A half or tile that was read in vain."""
    return replace(attempt, outcome="part of a page") if attempt.outcome == "ok" else attempt


def _end_of(markdown: str) -> str:
    """The last whole lines of a half, as context for the other."""
    kept = ""
    for line in reversed([line for line in markdown.split("\n") if line.strip()]):
        if len(kept) + len(line) > _CONTEXT:
            break
        kept = f"{line}\n{kept}"
    return kept.strip()
