"""Outlook's message files: every kind of body, attachments, messages within, damaged ones."""

from __future__ import annotations

import re
from pathlib import Path

import compressed_rtf
import pytest
from msg_files import BODY, SENDER, SUBJECT, TO, write_msg

from drac.adapters.outlook_mail import read_msg
from drac.errors import DocumentError
from drac.stages.normalize import detect

TEXTS = {SUBJECT: "Größe", SENDER: "Anna", TO: "Bo"}
RTF = rb"{\rtf1\ansi\ansicpg1252 Plain {\b bold} with \'e9 and \u8364?.\par Second line.}"
WRAPPED = (
    rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}"
    rb"Hello \htmlrtf {\b\htmlrtf0 "
    rb"{\*\htmltag84 <b>}bold\htmlrtf }\htmlrtf0 {\*\htmltag92 </b>}{\*\htmltag72 </p>}}"
)


def bodies(path: Path) -> list[str]:
    return [" ".join(re.sub("<[^>]+>", " ", page).split()) for page in read_msg(path).body]


def test_headers_body_and_attachments(tmp_path: Path) -> None:
    message = {"texts": {**TEXTS, BODY: "One\r\nTwo"}, "attachments": [("ä.txt", b"hi"), ("b.bin", b"")]}
    path = write_msg(tmp_path / "a.msg", message)
    assert detect(path).name == "msg"
    found = read_msg(path)
    assert (found.subject, found.headers) == ("Größe", (("From", "Anna"), ("To", "Bo")))
    assert bodies(path) == ["One Two"]
    assert [(one.name, one.data) for one in found.attachments] == [("ä.txt", b"hi"), ("b.bin", b"")]


@pytest.mark.parametrize(
    ("rtf", "expected"),
    [(RTF, "Plain bold with é and €. Second line."), (WRAPPED, "Hello bold"), (WRAPPED[:-40], "Hello bold")],
)
def test_bodies_that_are_rtf_only(tmp_path: Path, rtf: bytes, expected: str) -> None:
    streams = {"__substg1.0_10090102": compressed_rtf.compress(rtf)}
    assert bodies(write_msg(tmp_path / "a.msg", {"texts": TEXTS, "streams": streams})) == [expected]


def test_html_goes_before_other_bodies(tmp_path: Path) -> None:
    page = "<meta charset='windows-1252'><p>Größe".encode("cp1252")
    streams = {"__substg1.0_10130102": page, "__substg1.0_10090102": compressed_rtf.compress(RTF)}
    path = write_msg(tmp_path / "a.msg", {"texts": {**TEXTS, BODY: "plain"}, "streams": streams})
    assert bodies(path) == ["Größe"]


def test_a_message_within_is_the_same_file_each_time(tmp_path: Path) -> None:
    inner = {"texts": {SUBJECT: "Inner", BODY: "Within."}, "attachments": [("deep.txt", b"deep")]}
    path = write_msg(tmp_path / "a.msg", {"texts": {**TEXTS, BODY: "x"}, "attachments": [("Inner", inner)]})
    (first,), (second,) = read_msg(path).attachments, read_msg(path).attachments
    assert (first.name, first.data) == ("Inner.msg", second.data)
    (tmp_path / "b.msg").write_bytes(first.data)
    assert bodies(tmp_path / "b.msg") == ["Within."]
    assert [one.name for one in read_msg(tmp_path / "b.msg").attachments] == ["deep.txt"]


def test_damaged_files_are_named(tmp_path: Path) -> None:
    data = write_msg(tmp_path / "a.msg", {"texts": {**TEXTS, BODY: "x" * 9000}}).read_bytes()
    for size in range(512, len(data), 512):
        (tmp_path / "cut.msg").write_bytes(data[:size])
        try:
            read_msg(tmp_path / "cut.msg")
        except DocumentError as error:
            assert "cut.msg" in error.message
