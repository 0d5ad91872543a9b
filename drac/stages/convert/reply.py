"""The one check between a model's reply and a page's text; nothing in a reply is trusted.

The steps: how the reply ended, the wrapper around it, the markers against the pages asked for, and
then page by page what the model must not write (tables, loops, refusals) and what the pixels and the
text layer say against it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from drac.ports import ChatReply
from drac.stages.convert.reply_chatter import is_chatter, is_closing, is_refusal, strip_chatter
from drac.stages.convert.reply_clean import clean, drop_blank_token, drop_images
from drac.stages.convert.reply_fences import code_lines, drop_end, is_wrapper, unclosed, unwrap
from drac.stages.convert.reply_markers import Piece, has_stray, in_place, marker_faults, split_pages
from drac.stages.convert.reply_verdict import (
    Fault,
    PageFacts,
    PageVerdict,
    ReplyVerdict,
    all_bad,
)
from drac.stages.convert.reply_words import find_loop, same_words, share_in, words

__all__ = ["Fault", "PageFacts", "PageVerdict", "ReplyVerdict", "check_reply"]

_CUT = {"max_tokens", "length", "max_output_tokens", "model_context_window_exceeded"}
"""Stop reasons that only break the text off; after any other one nothing that was sent is believed."""
_PIPE_RULE = re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$")
_PIPE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$")
_HTML_TABLE = re.compile(r"<(?:table|thead|tbody|tr|td|th)\b[^>]*>", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_OTHER_PAGE = 0.6
"""Share of a page's words in another page's text layer from which it may be that page."""
_TELLING, _AGAINST = 1, 4
"""Different words that only the other layer has, at least, and how many for each that only its own has."""
_LAYER = 40
"""Different words from which a text layer is compared with a reply."""
_OWN = 0.25
"""Share of the layer's different words below which a reply is doubted."""
_FEW = 10
"""Words below which a text is not compared with layers."""


def check_reply(reply: ChatReply, pages: Sequence[PageFacts], *, lenient: bool = False) -> ReplyVerdict:
    """Judge the reply to a request for `pages`, which are in the order of the request.

    `lenient` is for another try at a single page: one image was sent, so that a marker with another
    number or a fence without an end is let pass with a note. A line that may be chatter is let pass only
    where the page said it before.
    """
    cut = reply.stop_reason.casefold() in _CUT
    if not reply.finished and not cut:
        return all_bad(pages, Fault.STOPPED, reply.stop_reason)
    before, pieces, notes = _open(reply.text)
    if not pieces:
        return _without_markers(before, pages, reply, lenient)
    if before.strip() and not is_chatter(before):
        return all_bad(pages, Fault.OUTSIDE, _quoted(before))
    if before.strip():
        notes = (*notes, f"left out: {_quoted(before)}")
    verdict = _with_markers(pieces, pages, reply, lenient and len(pages) == 1)
    return ReplyVerdict(tuple(replace(one, notes=(*notes, *one.notes)) for one in verdict))


def _open(text: str) -> tuple[str, list[Piece], tuple[str, ...]]:
    """(text before the first marker, pieces, notes) with a wrapper around the whole reply taken off."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\ufeff \n")
    before, pieces = split_pages(text)
    head = before.rstrip().split("\n")
    if not pieces or not is_wrapper(head[-1]):
        return before, pieces, ()
    *others, last = pieces
    pieces = [*(_without_end(piece, True) for piece in others), _without_end(last, False)]
    return "\n".join(head[:-1]), pieces, ("a fence around the reply was taken off",)


def _without_end(piece: Piece, more: bool) -> Piece:
    """A page in a wrapper without the fence that ends it; `more`: one that opens again may follow."""
    text = piece.text.rstrip()
    if more:
        text, _, opening = text.rpartition("\n")
        if not is_wrapper(opening):
            return piece
    ended = drop_end(text)
    return replace(piece, text=ended[0]) if ended and is_closing(ended[1]) else piece


def _without_markers(text: str, pages: Sequence[PageFacts], reply: ChatReply, lenient: bool) -> ReplyVerdict:
    """A reply without a marker: only one page, asked for alone, may be in it."""
    if not text.strip():
        return all_bad(pages, Fault.EMPTY)
    if not reply.finished:
        return all_bad(pages, Fault.STOPPED, reply.stop_reason)
    if is_refusal(text, "\n".join(page.text_layer for page in pages)):
        return all_bad(pages, Fault.REFUSAL, _quoted(text))
    if len(pages) > 1:
        return all_bad(pages, Fault.MISSING, "no page marker in the reply")
    verdict = _judge(text, pages[0], lenient)
    return ReplyVerdict((replace(verdict, notes=("the reply has no page marker", *verdict.notes)),))


def _with_markers(
    pieces: Sequence[Piece], pages: Sequence[PageFacts], reply: ChatReply, lenient: bool
) -> list[PageVerdict]:
    numbers = [piece.number for piece in pieces]
    expected = [page.number for page in pages]
    if len(pages) == len(pieces) == 1 and numbers != expected and reply.finished:
        return [_other_number(pieces[0], pages[0], lenient)]
    faults = marker_faults(numbers, expected)
    texts = {piece.number: piece.text for piece in pieces}
    verdicts = []
    for page in pages:
        if not reply.finished and (page.number not in numbers or page.number == numbers[-1]):
            verdicts.append(PageVerdict(page.number, "", Fault.STOPPED, reply.stop_reason))
            continue
        fault = faults[page.number]
        if fault is None or _confirmed(page, texts, numbers, pages):
            verdicts.append(_judge(texts[page.number], page, lenient, pages))
        else:
            verdicts.append(PageVerdict(page.number, "", fault, _listed(numbers)))
    return verdicts


def _other_number(piece: Piece, page: PageFacts, lenient: bool) -> PageVerdict:
    """One image was sent and one page came back, but it is called by another number."""
    if not lenient:
        return PageVerdict(page.number, "", Fault.MISMATCH, _listed([piece.number]))
    verdict = _judge(piece.text, page, lenient)
    return replace(verdict, notes=(f"marker mismatch: the reply says page {piece.number}", *verdict.notes))


def _confirmed(
    page: PageFacts,
    texts: dict[int, str],
    numbers: Sequence[int],
    pages: Sequence[PageFacts],
) -> bool:
    """Whether a page after a wrong marker is in place, and of all text layers has the words of its own."""
    if not in_place(page.number, numbers, [one.number for one in pages]):
        return False
    if any(not words(one.text_layer) for one in pages):
        return False
    text = texts[page.number]
    own = share_in(text, page.text_layer)
    others = (share_in(text, one.text_layer) for one in pages if one.number != page.number)
    return len(set(words(text))) >= _FEW and own >= 0.8 and own > max(others, default=0.0)


def _judge(text: str, page: PageFacts, lenient: bool, pages: Sequence[PageFacts] = ()) -> PageVerdict:
    """One page's own text: mended, or given its fault."""
    text, notes = unwrap(text), []
    text, pictures = drop_images(text, page.text_layer)
    if pictures:
        notes.append(f"{pictures} image links or stand-ins for pictures were left out")
    text, chatter, some_left = strip_chatter(drop_blank_token(text), page.text_layer)
    if chatter:
        notes.append(f"{'may be chatter' if some_left else 'left out'}: {_quoted(chatter)}")
    if some_left and _quoted(chatter) not in page.said_before:
        said = _quoted(chatter)
        return PageVerdict(page.number, "", Fault.CHATTER, said, doubted=said)
    found = _fault(text, page, lenient) or _fault_of_place(text, page, pages)
    if found is not None:
        return PageVerdict(page.number, "", *found)
    if _is_foreign(text, page):
        if not any(same_words(text, said) for said in page.said_before):
            return PageVerdict(page.number, "", Fault.FOREIGN, _quoted(text), doubted=text)
        notes.append("another text than the text layer's, in two replies")
    return PageVerdict(page.number, clean(text), None, "", tuple(notes))


def _is_foreign(text: str, page: PageFacts) -> bool:
    """Whether the text lacks nearly all of a text layer that says enough to judge by.

    It need not be wrong: a layer may be garbage, or that of charts, which are left out. Half a page is not
    judged: the other half may hold the words.
    """
    if page.has_ink is None:
        return False
    return len(set(words(page.text_layer))) >= _LAYER and share_in(page.text_layer, text) < _OWN


def _fault(text: str, page: PageFacts, lenient: bool) -> tuple[Fault, str] | None:
    if not words(text):
        return (Fault.NO_TEXT, "") if page.has_ink else None
    if page.has_ink is False:
        return Fault.INVENTED, _quoted(text)
    if has_stray(text):
        return Fault.STRAY, ""
    if is_refusal(text, page.text_layer):
        return Fault.REFUSAL, _quoted(text)
    if unclosed(text.split("\n")) is not None and not lenient:
        return Fault.FENCE, ""
    if table := _table_syntax(text, page.text_layer):
        return Fault.TABLE, _quoted(table)
    if run := find_loop(text, page.text_layer):
        return Fault.LOOP, f"{run.times} times: {_quoted(' '.join(run.unit))}"
    return None


def _fault_of_place(text: str, page: PageFacts, pages: Sequence[PageFacts]) -> tuple[Fault, str] | None:
    """Whether the words are clearly those of another page of the request.

    A false alarm costs one more request, for that page alone.
    """
    said, own = set(words(text)), set(words(page.text_layer))
    if not own or len(said) < _FEW:
        return None
    for other in pages:
        layer = set(words(other.text_layer)) if other.number != page.number else set()
        telling, against = len(said & layer - own), len(said & own - layer)
        alike = len(said & layer) >= _OTHER_PAGE * len(said)
        if alike and telling >= _TELLING and telling >= _AGAINST * against:
            return Fault.WRONG_PAGE, f"it reads like page {other.number}"
    return None


def _table_syntax(text: str, layer: str) -> str:
    """The first line of a leaked table, or nothing; code, and tags that the page prints, do not count."""
    lines, rows = text.split("\n"), 0
    for line, is_code in zip(lines, code_lines(lines), strict=True):
        bare = "" if is_code else _CODE_SPAN.sub("", line)
        tag = _HTML_TABLE.search(bare)
        rows = rows + 1 if _PIPE_ROW.match(bare) else 0
        if _PIPE_RULE.match(bare) or rows > 1 or (tag and tag[0] not in layer):
            return line.strip()
    return ""


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def _listed(numbers: Sequence[int]) -> str:
    return f"markers {', '.join(map(str, numbers[:12]))}"
