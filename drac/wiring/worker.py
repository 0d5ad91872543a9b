"""What worker processes do: one document to a PDF or to its parts, some pages to text.

PyMuPDF lives there. Adapters are imported inside the functions: a worker loads only what it uses.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from drac.config import ConvertSettings
from drac.errors import CorruptDocument, DocumentError, EncryptedDocument, LimitExceeded
from drac.pipeline.tasks import Normalized, NormalizeTask, ReadPages, ReadTask, Unpacked, UnpackTask
from drac.ports import PageReader, PdfConverter
from drac.records import Fonts, Parity
from drac.stages import normalize
from drac.store.keys import file_digest


def start_worker() -> None:
    """First thing in a worker: nothing that a library prints may reach stdout."""
    os.dup2(2, 1)


def normalize_task(task: NormalizeTask) -> Normalized:
    """Make one PDF, check it; runs in a worker."""
    from drac.adapters.pymupdf_pdf import inspect

    began = time.perf_counter()
    _convert_with_passwords(_converter(task.converter), task)
    numbers = _numbers(task)
    pages = _native_pages(task) if task.converter == "native" else inspect(task.target).pages
    if pages > task.settings.max_pages:
        raise LimitExceeded(f"{pages:,} pages, more than the limit of {task.settings.max_pages:,}")
    fonts, parity = _compared(task)
    said = (*_remarks(task), _withheld(task))
    seconds = time.perf_counter() - began
    return Normalized(pages, file_digest(task.target), seconds, fonts, parity, numbers, *said)


def _native_pages(task: NormalizeTask) -> int:
    from drac.adapters.native_reader import written_pages

    try:
        return len(written_pages(task.target))
    except RecursionError as error:
        raise CorruptDocument(f"{task.source}: its elements are nested too deeply to be read") from error


def unpack_task(task: UnpackTask) -> Unpacked:
    """Write the parts of a mail or archive; runs in a worker."""
    from drac.adapters.archives import Limits
    from drac.adapters.unpacking import unpack

    began, set_to = time.perf_counter(), task.settings
    limits = Limits(set_to.max_parts, set_to.max_unpacked, set_to.max_ratio, set_to.max_depth, task.passwords)
    parts = unpack(task.source, task.folder, task.kind, limits, set_to.archives)
    return Unpacked(tuple(parts), time.perf_counter() - began)


def _numbers(task: NormalizeTask) -> tuple[int | str, ...]:
    """Numbers of the pages in the original, where the PDF's are others; written into it where it has none."""
    from drac.adapters.libreoffice import numbers_file
    from drac.adapters.pymupdf_pdf import label_pages, page_labels

    if task.converter == "pdf":
        return page_labels(task.target)
    file = numbers_file(task.source)
    if task.converter != "finish" or not file.exists():
        return ()
    numbers = tuple(json.loads(file.read_text("utf-8")))
    label_pages(task.target, numbers)
    return numbers


def _remarks(task: NormalizeTask) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is to be known of the PDF that was made, and which parts of the document it lacks."""
    from drac.adapters.remarks import take_remarks

    made = {"finish": task.source, "mail": task.target}.get(task.converter)
    return take_remarks(made) if made else ((), ())


def _withheld(task: NormalizeTask) -> str:
    """What policy leaves out of an Office document."""
    from drac.adapters.source_withheld import withheld

    if task.converter != "finish" or not task.original:
        return ""
    beside = task.target.with_name("decrypted")
    return withheld(task.original, task.suffix, task.settings, task.passwords, beside)


def _compared(task: NormalizeTask) -> tuple[Fonts, Parity]:
    """The fonts, and how much of the document's text the PDF has; CorruptDocument where it has none."""
    if task.converter not in ("finish", "html", "epub"):
        return Fonts(), Parity()
    from drac.adapters.fonts import replaced
    from drac.adapters.pymupdf_pdf import fonts_and_text
    from drac.adapters.source_text import Reading as SourceReading

    original = task.original or task.source
    used, text = fonts_and_text(task.target)
    asked = normalize.asked_fonts(original, task.suffix)
    reading = SourceReading(original, task.suffix, task.settings)
    parity, different = normalize.compare(reading.passages(), text)
    if parity.words is not None and different >= normalize.ENOUGH and parity.words < normalize.IMPLAUSIBLE:
        raise CorruptDocument(
            f"{original}: the PDF made of it has {parity.words:.0%} of its words",
            remedy="Open it in its own program and export it to PDF there.",
        )
    return Fonts(asked, used, replaced(asked, used)), replace(parity, note=reading.note)


def _convert_with_passwords(converter: PdfConverter, task: NormalizeTask) -> None:
    for password in (None, *task.passwords):
        try:
            return converter.convert(task.source, task.target, suffix=task.suffix, password=password)
        except EncryptedDocument as error:
            failure: DocumentError = error
    raise failure


@cache
def _converter(name: str) -> PdfConverter:
    if name == "image":
        from drac.adapters.images import ImageConverter

        return ImageConverter()
    if name == "html":
        from drac.adapters.weasyprint_html import HtmlConverter

        return HtmlConverter()
    if name == "epub":
        from drac.adapters.weasyprint_epub import EpubConverter

        return EpubConverter()
    if name == "mail":
        from drac.adapters.mail_pdf import MailConverter

        return MailConverter()
    if name == "native":
        from drac.adapters.native_reader import NativeConverter

        return NativeConverter()
    from drac.adapters.pymupdf_pdf import PdfPassthrough

    return PdfPassthrough()


@cache
def converter_fingerprint(name: str) -> Mapping[str, str]:
    """Tools and versions of the converter of that name."""
    if name == "office":
        from drac.adapters.libreoffice import fingerprint

        return fingerprint()
    if name == "unpack":
        from drac.adapters import unpacking

        return unpacking.fingerprint()
    return _converter(name).fingerprint


def read_task(task: ReadTask) -> ReadPages:
    """Read some pages; runs in a worker."""
    began = time.perf_counter()
    texts = local_reader(task.settings).read(task.pdf, task.pages)
    return ReadPages(tuple(texts), time.perf_counter() - began)


@cache
def local_reader(settings: ConvertSettings) -> PageReader:
    """The engine `local` under these settings, one a process."""
    from drac.adapters.pymupdf_reader import LocalReader

    return LocalReader(settings)


def native_task(task: ReadTask) -> ReadPages:
    """Read some pages of a document as it stands; runs in a worker."""
    began = time.perf_counter()
    texts = native_reader().read(task.pdf, task.pages)
    return ReadPages(tuple(texts), time.perf_counter() - began)


@cache
def native_reader() -> PageReader:
    """The reader of documents as they stand, one a process."""
    from drac.adapters.native_reader import NativeReader

    return NativeReader()
