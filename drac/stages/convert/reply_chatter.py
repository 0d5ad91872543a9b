"""What a model says about its work instead of what the page says: chatter and refusals.

A document may say such things itself. What its text layer holds is the document's, and where there is
no text layer only words about the task itself ("Here is the Markdown") are taken for the model's.
"""

from __future__ import annotations

import re

from drac.stages.convert.reply_words import share_in, stands_in, words

_OPENING = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely|understood|got it|here(?:['’]s| is| are)"
    r"|below (?:is|are)|the following (?:is|are)|this is the|as requested"
    r"|i(?:['’]ve| have) (?:transcribed|converted)|i(?:['’]ll| will)|let me|let['’]s)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:markdown|transcri(?:be|bed|bing|pts?|ptions?)|conver(?:t|ted|ting|sion)|(?:page )?images?"
    r"|retrieval-aware)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\bmarkdown\b"
    r"|\b(?:transcribed|transcription|converted)\b.{0,40}?\b(?:pages?|images?|documents?|content|text)\b"
    r"|\b(?:pages?|images?|documents?|content|text)\b.{0,40}?\b(?:transcribed|transcription|converted)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^.\n]{0,40}[!,.:] ?)?"
    r"(?:here(?:['’]s| is| are)|below (?:is|are)|the following (?:is|are)|this is) (?:the|a|your)\b[^\n]*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:please |just )?let me know if|i hope this (?:helps|transcription)|hope this helps"
    r"|(?:please )?feel free to (?:ask|let me|reach out)|is there anything else|would you like me to"
    r"|if you (?:need|would like|['’]d like|want) (?:me|any|anything|further|more|additional|other)"
    r"|please note that i|i(?:['’]ve| have) (?:transcribed|converted)|this (?:completes|concludes) the)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:(?:i['’]m|i am|we['’]re|we are)?[ ]?(?:(?:very|so|really|truly) )?(?:sorry|afraid)\b"
    r"[^.\n]{0,20}?[,;:.!]?[ ]?"
    r"|i apologi[sz]e\b[^.\n]{0,40}?[,;:.!]?[ ]?|unfortunately,?[ ]?|my apologies[,.;:]?[ ]?)?"
    r"(?:but |however,? |that )?"
    r"(?:as an ai\b"
    r"|(?:i|we)(?:['’]m| am| are)? ?(?:can['’]?t|cannot|can not|won['’]t|will not|could not|couldn['’]t"
    r"|(?:am )?(?:unable|not able) to|must decline|do not feel comfortable|don['’]t feel comfortable"
    r"|do not have the ability|don['’]t have the ability)\b"
    r"|no (?:image|page|text) (?:was|were|is|has been) (?:provided|attached|visible|given)\b)",
    re.IGNORECASE,
)
_OWN_WORK = re.compile(
    r"\b(?:transcri|continu|convert|reproduc|extract|read)\w*\b.*"
    r"\b(?:page|image|document|text|content|request|rest|remaining|remainder|transcription)\b",
    re.IGNORECASE,
)
_SHORT = 60
"""Words of a page that can be a refusal as a whole."""
_HEAD = 40
"""Words of a paragraph of chatter at most."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_KNOWN = 0.5
"""Share of a page's words in its text layer from which what the layer lacks is not on the page."""


def is_chatter(text: str) -> bool:
    """Whether all that stands before the first marker is a model's opening words."""
    return all(_opens(one.strip()) for one in _PARAGRAPH.split(text) if one.strip())


def _opens(paragraph: str) -> bool:
    few = len(words(paragraph)) <= _HEAD
    return few and not paragraph.startswith("#") and bool(_OPENING.match(paragraph))


def is_closing(text: str) -> bool:
    """Whether what follows a wrapper's end is nothing, or a model's closing words."""
    return not text.strip() or _closes(text.strip())


def strip_chatter(text: str, layer: str) -> tuple[str, str, bool]:
    """(text without chatter, the chatter, whether it was left in) of one page.

    Taken off is a first line that announces the Markdown, and a last paragraph that closes the talk.
    Left in is what may be either.
    """
    text = text.strip()
    first, _, rest = text.partition("\n")
    if not stands_in(first, layer):
        if _announces(first):
            return rest.strip("\n"), first, False
        if _opens(first) and _TASK.search(first) and first.endswith(":"):
            return text, first, True
    return _strip_closing(text, layer)


def _strip_closing(text: str, layer: str) -> tuple[str, str, bool]:
    *others, last = _PARAGRAPH.split(text)
    if not _closes(last.strip()) or stands_in(last, layer):
        return text, "", False
    if not others or _TASK.search(last) or share_in("\n".join(others), layer) >= _KNOWN:
        return text[: -len(last)].rstrip(), last.strip(), False
    return text, last.strip(), True


def _announces(paragraph: str) -> bool:
    """One line such as `Here is the Markdown transcription of page 3:`."""
    told = bool(_ANNOUNCES.fullmatch(paragraph)) and len(words(paragraph)) <= _HEAD
    return told and bool(_RESULT.search(paragraph)) and paragraph.endswith((":", "."))


def _closes(paragraph: str) -> bool:
    return bool(_CLOSING.match(paragraph)) and len(words(paragraph)) <= _HEAD


def is_refusal(text: str, layer: str) -> bool:
    """Whether the page's text is a refusal as a whole, or ends in one that breaks it off.

    A page of a document that quotes an apology has other text around it, or the text layer has it.
    """
    paragraphs = [one.strip() for one in _PARAGRAPH.split(text) if one.strip()]
    if not paragraphs:
        return False
    whole = len(words(text)) <= _SHORT and _refuses(paragraphs[0]) and not stands_in(paragraphs[0], layer)
    return whole or _breaks_off(paragraphs[-1], layer)


def _refuses(paragraph: str) -> bool:
    return bool(_REFUSAL.match(paragraph.lstrip("*_\"'“ ")))


def _breaks_off(paragraph: str, layer: str) -> bool:
    start = _REFUSAL.match(paragraph)
    if start is None or len(words(paragraph)) > _HEAD or stands_in(paragraph, layer):
        return False
    return bool(_OWN_WORK.search(paragraph, start.end()))
