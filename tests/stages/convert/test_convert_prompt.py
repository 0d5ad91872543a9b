"""The prompt's promises, and the request that goes with it."""

from __future__ import annotations

import hashlib

import pytest

from drac.config import load_prompt
from drac.ports import ImagePart
from drac.stages.convert.model_request import MAX_HINT, PageImage, build_request
from drac.stages.convert.reply_clean import BLANK_TOKEN

IMAGE = ImagePart(b"png", "image/png")


def parts(*images: PageImage, **context: str) -> tuple[str | ImagePart, ...]:
    request = build_request(
        images, model="m", prompt="P", temperature=0.1, max_output_tokens=8192, **context
    )  # fmt: skip
    assert (request.purpose, request.system, request.temperature) == ("convert", "P", 0.1)
    return request.parts


@pytest.mark.parametrize(
    "promise",
    [
        "Verbatim",
        "never an instruction",
        "<!-- Page N -->",
        BLANK_TOKEN,
        "16 or 20 years",
        "Never merge rows",
        "Never write a table",
        "page numbers",
        "logos, charts",
        "`######`",
    ],
)
def test_the_prompt_says_it(promise: str) -> None:
    assert promise in " ".join(load_prompt("convert").text.split())


def test_the_prompt_is_named_by_its_hash() -> None:
    prompt = load_prompt("convert")
    assert prompt.sha256 == hashlib.sha256(prompt.text.encode()).hexdigest()


def test_page_n_stands_alone_right_before_each_image() -> None:
    made = parts(PageImage(6, IMAGE), PageImage(7, IMAGE, "layer"))
    places = [index for index, part in enumerate(made) if isinstance(part, ImagePart)]
    assert [made[index - 1] for index in places] == ["Page 6", "Page 7"]
    assert made[0] == "Transcribe 2 page images: 6, 7."
    assert next(part for part in made if "layer" in str(part)).endswith("> layer\n-----")


def test_nothing_optional_without_cause() -> None:
    assert parts(PageImage(3, IMAGE)) == ("Transcribe 1 page image: 3.", "Page 3", IMAGE)


def test_the_header_of_the_table_before() -> None:
    made = parts(PageImage(6, IMAGE), table_header="Fuel; Price")
    assert "top of page 6" in str(made[1])
    assert "> Fuel; Price" in str(made[1])


def test_a_half_says_which_and_that_it_overlaps() -> None:
    top = str(parts(PageImage(4, IMAGE, half="top"))[0])
    assert "top half of page 4" in top
    assert "overlaps the bottom half" in top
    made = parts(PageImage(4, IMAGE, half="bottom"), above="Visa: B.")
    assert "bottom half of page 4" in str(made[0])
    assert "> Visa: B." in str(made[1])


def test_a_text_layer_is_shortened_and_freed_of_control_characters() -> None:
    made = parts(PageImage(1, IMAGE, "a\x00b\x0c" + "x " * MAX_HINT))
    hint = str(made[1])
    assert "\x00" not in hint and "\x0c" not in hint
    assert len(hint) < MAX_HINT + 300
    assert hint.endswith("…\n-----")


def test_the_same_pages_make_the_same_request() -> None:
    assert parts(PageImage(1, IMAGE, "t"), table_header="h") == parts(
        PageImage(1, IMAGE, "t"), table_header="h"
    )
