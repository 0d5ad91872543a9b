"""What a model must not write, and what looks like it but stands in the document."""

from __future__ import annotations

import pytest
from model_pages import reply

from drac.stages.convert.reply import Fault, PageFacts, PageVerdict, check_reply

PROSE = " ".join(
    f"Sentence {number} tells of the harbour and its {number * 3} boats." for number in range(40)
)


def judge(
    text: str, *, layer: str = "", ink: bool | None = True, lenient: bool = False, marker: bool = True,
    before: str = "",
) -> PageVerdict:  # fmt: skip
    """One page's verdict."""
    text = f"<!-- Page 1 -->\n\n{text}" if marker else text
    return check_reply(reply(text), [PageFacts(1, ink, layer, frozenset([before]))], lenient=lenient).pages[0]


@pytest.mark.parametrize(
    "text",
    [
        "| Fuel | Price |\n|---|---|\n| Petrol | 9 |",
        "Fuel | Price\n--- | ---\nPetrol | 9",
        "| Petrol | 9 |\n| Diesel | 8 |",
        "Before.\n\n<table>\n<tr><td>Petrol</td></tr>\n</table>",
        "Fees\n|:--|:-:|",
    ],
)
def test_leaked_tables(text: str) -> None:
    assert judge(text).fault is Fault.TABLE


@pytest.mark.parametrize(
    "text",
    [
        "Home | About | Contact",
        "The norm |x| of a vector.",
        "Total 5\n\n---\n\nmore",
        "```\n| a | b |\n|---|---|\n```",
        "Write `<table>` to begin.",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert judge(text).markdown == text


def test_a_tag_that_the_page_prints_is_text() -> None:
    text = "A row begins with <tr> in HTML."
    assert judge(text, layer=text).fault is None
    assert judge(text).fault is Fault.TABLE


def test_pictures_are_left_out_with_a_note() -> None:
    verdict = judge(
        "![logo](a.png)\n\nText ![x](data:image/png;base64,AAAA) here.\n\n[Image: a ship]\n\nEnd."
    )
    assert verdict.markdown == "Text  here.\n\nEnd."
    assert "3 image links" in verdict.notes[0]
    assert judge("![only a picture](p.png)").fault is Fault.NO_TEXT
    assert judge("[Figure 3]", layer="see [Figure 3] there").markdown == "[Figure 3]"
    assert judge("```\n![a](b)\n```").markdown == "```\n![a](b)\n```"


class TestLoops:
    def test_the_same_line_to_the_end(self) -> None:
        assert judge(PROSE + "\n\n" + "\n".join(["The harbour is closed."] * 30)).fault is Fault.LOOP

    def test_the_same_words_in_one_line(self) -> None:
        assert judge(PROSE + " and the crew said that" * 12).fault is Fault.LOOP

    def test_a_paragraph_of_several_sentences(self) -> None:
        unit = "The ferry left. It came back at noon with nine cars and a horse.\n\n"
        assert judge(unit * 10).fault is Fault.LOOP

    def test_a_long_run_within_a_page(self) -> None:
        assert judge("no entry here " * 25 + PROSE).fault is Fault.LOOP

    def test_chinese_without_spaces(self) -> None:
        assert judge("合同" * 40).fault is Fault.LOOP

    def test_rows_that_differ_in_a_number(self) -> None:
        rows = "\n\n".join(f"Berth: {number}; Status: open." for number in range(40))
        assert judge(rows).fault is None

    def test_equal_rows_that_the_text_layer_confirms(self) -> None:
        rows = "\n\n".join(["Status: open; Owner: none."] * 40)
        by_row = "Status Owner\n" + "open none\n" * 40
        by_column = "Status\n" + "open\n" * 40 + "Owner\n" + "none\n" * 40
        assert judge(rows, layer=by_row).fault is None
        assert judge(rows, layer=by_column).fault is None
        assert judge(rows).fault is Fault.LOOP
        assert judge(rows, layer="Status Owner\n" + "open none\n" * 5).fault is Fault.LOOP

    def test_common_words_in_the_layer_confirm_nothing(self) -> None:
        text = PROSE + " of the harbour" * 12
        assert judge(text, layer=PROSE).fault is Fault.LOOP

    def test_leaders_and_short_forms_are_no_loop(self) -> None:
        text = "Name " + "." * 400 + "\n\nDate " + "_" * 200 + "\n\nYes No\n\nYes No\n\nYes No"
        assert judge(text).fault is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "I can't transcribe the text of this image because it may be protected by copyright.",
        "As an AI language model, I am not able to read this.",
        "I am unable to process this image.",
        "Unfortunately, I cannot provide the contents of this page.",
        "I apologize, but I won't be able to do that.",
        "No image was provided.",
    ],
)
@pytest.mark.parametrize("marker", [True, False])
def test_refusals(text: str, marker: bool) -> None:
    assert judge(text, marker=marker).fault is Fault.REFUSAL


def test_a_refusal_that_breaks_a_page_off() -> None:
    assert (
        judge(PROSE + "\n\nI'm sorry, I cannot transcribe the rest of this document.").fault is Fault.REFUSAL
    )


def test_an_apology_in_a_document_survives() -> None:
    clerk = "\"I cannot help with that,\" said the clerk.\n\nI'm sorry, I can't help with that."
    quoted = f"{PROSE}\n\n{clerk}\n\nEnd."
    assert judge(quoted).markdown == quoted
    letter = f"{PROSE}\n\nUnfortunately we cannot provide the document that you asked for."
    assert judge(letter).markdown == letter
    short = "I'm sorry, but I can't help with that."
    assert judge(short, layer=f"Sample replies\n{short}").markdown == short


class TestChatter:
    @pytest.mark.parametrize(
        "line",
        [
            "Here is the Markdown:",
            "Sure! Here is the transcribed text of the page:",
            "Here's the transcription of page 1:",
        ],
    )
    def test_an_announcement_is_left_out(self, line: str) -> None:
        verdict = judge(f"{line}\n\n# Title")
        assert verdict.markdown == "# Title"
        assert line in verdict.notes[0]
        assert judge(f"{line}\n# Title", marker=False).markdown == "# Title"

    def test_what_may_be_the_pages_own_is_asked_again_and_then_let_pass(self) -> None:
        text = "Here are the images from the harbour:\n\nA list."
        first = judge(text, lenient=True)
        assert first.fault is Fault.CHATTER
        assert judge(text, before=first.detail).markdown == text
        assert judge(text, layer=text).markdown == text

    def test_closing_words(self) -> None:
        own = "Let me know if you'd like me to transcribe more pages!"
        assert judge(f"{PROSE}\n\n{own}").markdown == PROSE
        polite = "Please let me know if you have any questions."
        first = judge(f"{PROSE}\n\n{polite}", lenient=True)
        assert first.fault is Fault.CHATTER
        assert judge(f"{PROSE}\n\n{polite}", before="something else").fault is Fault.CHATTER
        assert judge(f"{PROSE}\n\n{polite}", before=first.detail).markdown == f"{PROSE}\n\n{polite}"
        assert judge(polite).fault is Fault.NO_TEXT
        assert judge(f"{PROSE}\n\n{polite}", layer=PROSE).markdown == PROSE
        assert judge(f"{PROSE}\n\n{polite}", layer=f"{PROSE} {polite}").markdown == f"{PROSE}\n\n{polite}"

    def test_documents_that_speak_so(self) -> None:
        for text in (
            "Here is the list of fees:\n\nA fee.",
            "This is a conversion table of units.\n\nOne.",
            "Rules.\n\nIf you have questions at any time, please contact the office.",
        ):
            assert judge(text).markdown == text


def test_f20_text_on_a_page_without_ink() -> None:
    assert judge("Call me Ishmael.", ink=False).fault is Fault.INVENTED
    assert judge("[blank page]", ink=False).markdown == ""


def test_ink_without_text() -> None:
    assert judge("[blank page]").fault is Fault.NO_TEXT
    assert judge("*[Blank page]*").fault is Fault.NO_TEXT
    assert judge("").fault is Fault.NO_TEXT
    assert judge("", marker=False).fault is Fault.EMPTY
    assert judge("[blank page]", ink=None).fault is None
    assert judge("---").fault is Fault.NO_TEXT


def test_a_page_that_reads_like_another() -> None:
    one = "The lighthouse keeper wrote his log each evening and counted eleven passing steamers."
    two = "Fares for vehicles over six metres rise by four percent from October on all crossings."
    facts = [PageFacts(1, True, one), PageFacts(2, True, two)]
    swapped = reply(f"<!-- Page 1 -->\n\n{two}\n\n<!-- Page 2 -->\n\n{one}")
    assert [page.fault for page in check_reply(swapped, facts).pages] == [Fault.WRONG_PAGE] * 2
    right = reply(f"<!-- Page 1 -->\n\n{one}\n\n<!-- Page 2 -->\n\n{two}")
    assert [page.fault for page in check_reply(right, facts).pages] == [None] * 2
    alike = [PageFacts(1, True, one), PageFacts(2, True, f"{one} Again.")]
    same = reply(f"<!-- Page 1 -->\n\n{one}\n\n<!-- Page 2 -->\n\n{one}")
    assert [page.fault for page in check_reply(same, alike).pages] == [None] * 2


def test_words_of_a_picture_that_another_page_has_in_its_layer_are_no_sign() -> None:
    common = "Northwind Ferries reports on the year and thanks all crews for their work at sea"
    facts = [PageFacts(1, True, f"{common} annually herein"), PageFacts(2, True, f"{common} Skerrow Holm")]
    text = reply(f"<!-- Page 1 -->\n\n{common} annually herein Skerrow Holm\n\n<!-- Page 2 -->\n\n{common}")
    assert [page.fault for page in check_reply(text, facts).pages] == [None, None]


class TestForeign:
    LAYER = " ".join(f"word{n} of page" for n in range(60))
    OTHER = " ".join(f"other{n} on sheet" for n in range(60))

    def test_a_reply_that_lacks_the_text_layer_is_doubted_until_it_is_said_twice(self) -> None:
        first = judge(self.OTHER, layer=self.LAYER, lenient=True)
        assert first.fault is Fault.FOREIGN
        assert judge(self.OTHER, layer=self.LAYER, before="something else").fault is Fault.FOREIGN
        again = judge(self.OTHER, layer=self.LAYER, before=first.doubted)
        assert again.markdown == self.OTHER
        assert "text layer" in again.notes[0]

    def test_a_fraction_of_the_page_is_doubted(self) -> None:
        tenth = " ".join(self.LAYER.split()[:18])
        assert judge(tenth, layer=self.LAYER).fault is Fault.FOREIGN
        half = " ".join(self.LAYER.split()[:90])
        assert judge(half, layer=self.LAYER).markdown == half

    def test_a_layer_that_says_little_and_half_a_page_are_no_judges(self) -> None:
        assert judge(self.OTHER, layer="Page 3 of 9").markdown == self.OTHER
        assert judge(self.OTHER, layer=self.LAYER, ink=None).markdown == self.OTHER
