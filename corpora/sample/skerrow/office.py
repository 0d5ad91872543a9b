"""The office files: two handbooks (DOCX), a review (PPTX), a tariff (XLSX).

Each page is broken on purpose and far from full, so that other fonts do not move anything to another page.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Sequence

import docx
import openpyxl
import pptx
from docx.enum.text import WD_BREAK
from openpyxl.styles import Font
from pptx.util import Inches, Pt

WHEN = datetime.datetime(2026, 1, 5, 9, 0, 0)
Rows = Sequence[Sequence[str | float]]

LUGGAGE = [
    ["What", "Free allowance", "Above it", "Where it travels"],
    ["Hand luggage", "Two pieces, 20 kg together", "£3.00 a piece", "With the passenger"],
    ["Heavy luggage", "One piece up to 32 kg", "£6.50 a piece", "Trolley on the car deck"],
    ["Bicycle", "One a person", "£4.00", "Rack at frame 60"],
    ["Kayak or surfboard", "None", "£9.00", "Car deck, lashed by the crew"],
    ["Dog on a lead", "One a person", "£2.00", "Open deck or pet saloon"],
]
COMPENSATION = [
    ["Arrival late by", "Single ticket", "Return ticket"],
    ["60 to 119 minutes", "25 per cent", "12.5 per cent"],
    ["120 to 179 minutes", "50 per cent", "25 per cent"],
    ["180 minutes or more", "100 per cent", "50 per cent"],
]
ALLOWANCES = [
    ["Allowance", "Amount", "Paid"],
    ["Night on board", "£28.50 a night", "With wages"],
    ["Split shift", "£11.20 a day", "With wages"],
    ["Meal ashore on relief duty", "£14.75 a meal", "Against receipts"],
    ["Safety shoes", "£95 every 18 months", "Against receipts"],
    ["Language certificate", "£600 once", "On presentation"],
]
LEAVE = [
    ["Years of service", "Days of leave", "Longest single leave"],
    ["Up to 5", "28", "15 days"],
    ["6 to 15", "31", "18 days"],
    ["More than 15", "34", "22 days"],
]
FREIGHT = [
    ["Length", "Route 1 empty", "Route 1 loaded", "Route 2 empty", "Route 2 loaded"],
    ["Up to 7 m", 74.00, 96.50, 118.00, 154.00],
    ["7 to 10 m", 108.00, 141.00, 172.00, 226.50],
    ["10 to 13 m", 139.50, 187.00, 223.00, 298.00],
    ["13 to 16.5 m", 176.00, 241.50, 281.00, 386.00],
    ["Unaccompanied trailer", 131.00, 168.00, 209.00, 267.50],
]
LIVESTOCK = [
    ["Animal", "Per head, route 1", "Per head, route 2", "Largest number in a float"],
    ["Sheep or goat", 1.85, 2.95, 120],
    ["Calf under six months", 4.60, 7.20, 40],
    ["Cow or bull", 9.75, 15.40, 18],
    ["Pony", 12.30, 19.60, 10],
    ["Hive of bees", 3.10, 4.90, 24],
]
SURCHARGES = [
    ["Surcharge", "Amount", "Unit", "When"],
    ["Fuel supplement", 6.5, "per cent", "Gas oil above £650 a tonne"],
    ["Late booking", 18.00, "£ a vehicle", "Booked after 16:00 on the day before"],
    ["Wide load", 0.45, "£ a centimetre", "Above 2.55 m"],
    ["Refrigerated plug", 7.25, "£ a crossing", "Reefer on ship's power"],
    ["Deck washing", 32.00, "£ a float", "After livestock, if the owner does not wash it"],
]
CAPACITY = [
    ["Route", "Sailings planned", "Sailings made", "Reliability"],
    ["1 Port Ansel – Hessay", "905", "871", "96.2 %"],
    ["2 Port Ansel – Orrin", "362", "331", "91.4 %"],
    ["3 Hessay – Stennick", "1,086", "1,059", "97.5 %"],
    ["4 Orrin – Little Marrow", "210", "164", "78.1 %"],
]
SLIDES: Sequence[tuple[str, Sequence[str] | Rows]] = [
    (
        "Winter Service Review 2025/26",
        [
            "Paper for the board, 12 May 2026",
            "Traffic Department, S. Aberdour",
            "For decision: items 5 and 6",
        ],
    ),
    ("1. Reliability by route, November to April", CAPACITY),
    (
        "2. Why sailings were lost",
        [
            "138 sailings were cancelled, against 171 the winter before",
            "Wind and swell: 97, of which 41 on route 4 alone",
            "Technical faults: 26, most of them the bow thruster of MV Guillemot",
            "Crew shortage: 9, all in the second week of January",
            "Other causes: 6",
        ],
    ),
    (
        "3. What passengers told us",
        [
            "1,184 replies to the survey, 61 per cent of them from islanders",
            "Satisfaction with information: 3.4 of 5, up from 2.9",
            "Most wanted: a late sailing from Port Ansel on Fridays, named by 43 per cent",
            "Least liked: the waiting room at Stennick, without heating since October",
        ],
    ),
    (
        "4. Costs of the winter",
        [
            "Operating loss £1.92 million, £140,000 better than budget",
            "Fuel £1.31 million at a mean price of £671 a tonne",
            "Overtime £212,000, of which £88,000 for the fault of MV Guillemot",
            "Compensation for late arrivals £17,600",
        ],
    ),
    (
        "5. Proposal: a late Friday sailing",
        [
            "Leave Port Ansel 21:45, arrive Hessay 22:40, from 6 November 2026",
            "Cost £3,150 a night, expected revenue £1,900",
            "Trial of 20 Fridays, then review",
            "Council of Hessay offers to share half of the shortfall",
        ],
    ),
    (
        "6. Proposal: spare parts",
        [
            "Keep a second bow thruster motor for MV Guillemot in the store at Ferness",
            "Price £64,000, delivery 14 weeks",
            "Would have saved 19 of the 26 technical cancellations",
        ],
    ),
]


def passenger_handbook() -> bytes:
    """Three pages: before the journey, luggage and animals, delays."""
    book = docx.Document()
    _title(book, "Passenger Handbook", "Skerrow Line. Valid from 1 April 2026.")
    book.add_heading("Before you travel", 1)
    book.add_heading("Booking", 2)
    book.add_paragraph(
        "Passengers without a vehicle need no booking. Vehicles need one on routes 1 and 2. Bookings open on "
        "1 February for the summer and on 1 September for the winter. A booking that is not paid within "
        "six days lapses without notice."
    )
    book.add_heading("Check-in", 2)
    book.add_paragraph("Please be at the pier in good time. Check-in closes:")
    for line in (
        "for passengers on foot 10 minutes before departure,",
        "for cars and motorcycles 25 minutes before departure,",
        "for motorhomes, trailers and lorries 40 minutes before departure.",
    ):
        book.add_paragraph(line, style="List Bullet")
    book.add_paragraph(
        "Whoever comes later loses the reserved place, but keeps the ticket for the next sailing."
    )
    book.add_heading("Children who travel alone", 2)
    book.add_paragraph(
        "Children from eight years on may travel alone if the form J-2 has been handed in at the pier. "
        "The purser wears a green armband and sees them off the ship. School pupils with a season ticket need no form."
    )
    _page(book)
    book.add_heading("Luggage, bicycles and animals", 1)
    _table(book, LUGGAGE)
    book.add_paragraph(
        "Luggage that is left behind is kept at the pier office of arrival for 30 days and then given to the "
        "lifeboat charity. Birds of prey, and dogs without a lead, are not carried. Assistance dogs travel free everywhere."
    )
    _page(book)
    book.add_heading("When we are late", 1)
    book.add_paragraph(
        "If you arrive late through our fault, we pay back part of the fare. Weather that is beyond the limits of the "
        "ship is not our fault, but we always give you a hot drink after a wait of one hour and, if you cannot travel on "
        "the same day, a night's lodging of up to £85."
    )
    _table(book, COMPENSATION)
    book.add_heading("How to claim", 2)
    for line in (
        "Keep your ticket.",
        "Fill in form C-1 at any pier office or in the app within 28 days.",
        "We answer within 15 working days and pay by transfer or as a voucher that is worth a tenth more.",
    ):
        book.add_paragraph(line, style="List Number")
    book.add_paragraph(
        "If you do not agree, the Islands Passenger Council at 11 Bank Street, Ferness, decides free of charge."
    )
    return _word(book, "Passenger Handbook")


def crew_handbook() -> bytes:
    """Three pages: sickness and shifts, allowances, leave and training."""
    book = docx.Document()
    _title(book, "Crew Handbook", "For everyone who works on board. Edition of March 2026.")
    book.add_heading("Shifts and sickness", 1)
    book.add_heading("Rosters", 2)
    book.add_paragraph(
        "Rosters run for four weeks and are posted no later than 21 days before they begin. Swaps between two people of the same "
        "rank need the consent of the mate and must be entered 48 hours ahead."
    )
    book.add_heading("If you are ill", 2)
    book.add_paragraph(
        "Call the crewing desk on 0559 410 310 at least three hours before your shift. A doctor's note is needed from "
        "the fourth day. Sick pay is full pay for 16 weeks and half pay for another 16."
    )
    book.add_heading("Uniform", 2)
    book.add_paragraph(
        "Deck crew receive two jackets, four pairs of trousers and a survival suit. The suit goes back to the store at Port Ansel each "
        "October for its pressure test. Lost items are charged at half their price."
    )
    _page(book)
    book.add_heading("Allowances", 1)
    book.add_paragraph("Amounts hold from 1 March 2026 and are looked at again after two years.")
    _table(book, ALLOWANCES)
    book.add_paragraph(
        "Claims go to the purser by the fifth of the following month. A claim that is older than three months is paid only with "
        "the consent of the head of finance."
    )
    _page(book)
    book.add_heading("Leave and training", 1)
    _table(book, LEAVE)
    book.add_paragraph(
        "No more than two of a watch may be on leave at the same time. Leave in July and August is drawn by lot in January."
    )
    book.add_heading("Free travel", 2)
    book.add_paragraph(
        "Crew travel free on all routes. Partners and children get 24 free single journeys a year, vehicles half price, but not on the sailings "
        "that carry a peak supplement."
    )
    book.add_heading("Courses", 2)
    book.add_paragraph(
        "Basic safety training is renewed every five years at the college in Ferness and takes four days. The company "
        "pays for one further certificate every two years if you stay for 18 months afterwards."
    )
    return _word(book, "Crew Handbook")


def review() -> bytes:
    """Seven slides, one of them with a table."""
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    for title, content in SLIDES:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        _place(slide.shapes.title, 0.7, 0.4, 11.9, 1.1)
        slide.shapes.title.text_frame.paragraphs[0].font.size = Pt(34)
        if isinstance(content[0], str):
            _bullets(slide, content)
        else:
            _grid(slide, content)
    _core(deck.core_properties, "Winter Service Review")
    buffer = io.BytesIO()
    deck.save(buffer)
    return repacked(buffer.getvalue())


def tariff() -> bytes:
    """Three sheets of one page each."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    notes = "All amounts in pounds without tax. Valid from 1 April 2026."
    _sheet(book, "Freight", "Commercial vehicles, one crossing", FREIGHT, notes)
    _sheet(
        book,
        "Livestock",
        "Livestock in floats, one crossing",
        LIVESTOCK,
        "Movement papers must travel with the animals.",
    )
    _sheet(
        book,
        "Surcharges",
        "Surcharges on freight and livestock",
        SURCHARGES,
        "Surcharges are added in the order of this list.",
    )
    book.properties.title, book.properties.creator = "Freight & Livestock Tariff 2026", "Skerrow Line"
    buffer = io.BytesIO()
    book.save(buffer)
    return repacked(buffer.getvalue())


def repacked(package: bytes) -> bytes:
    """The same package with every date fixed."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, date_time=(2026, 1, 5, 9, 0, 0))
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(member, _undated(name, old.read(name)), compresslevel=9)
    return target.getvalue()


def _undated(name: str, data: bytes) -> bytes:
    if name != "docProps/core.xml":
        return data
    stamp = WHEN.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    return re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp, data)


def _title(book: docx.document.Document, title: str, under: str) -> None:
    book.styles["Normal"].font.name = "Liberation Sans"
    book.add_heading(title, 0)
    book.add_paragraph(under)


def _page(book: docx.document.Document) -> None:
    book.add_paragraph().add_run().add_break(WD_BREAK.PAGE)


def _table(book: docx.document.Document, rows: Rows) -> None:
    table = book.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for number, row in enumerate(rows):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = str(text)
            cell.paragraphs[0].runs[0].bold = number == 0
    book.add_paragraph()


def _word(book: docx.document.Document, title: str) -> bytes:
    _core(book.core_properties, title)
    buffer = io.BytesIO()
    book.save(buffer)
    return repacked(buffer.getvalue())


def _core(properties: object, title: str) -> None:
    values = {
        "title": title,
        "author": "Skerrow Line",
        "created": WHEN,
        "modified": WHEN,
        "revision": 1,
        "comments": "",
    }
    for name, value in values.items():
        setattr(properties, name, value)


def _place(shape: object, left: float, top: float, width: float, height: float) -> None:
    for name, value in {"left": left, "top": top, "width": width, "height": height}.items():
        setattr(shape, name, Inches(value))


def _bullets(slide: pptx.slide.Slide, lines: Sequence[str]) -> None:
    frame = slide.shapes.add_textbox(Inches(0.9), Inches(1.9), Inches(11.5), Inches(4.8)).text_frame
    frame.word_wrap = True
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text = f"• {line}"
        paragraph.font.size, paragraph.space_after = Pt(24), Pt(12)


def _grid(slide: pptx.slide.Slide, rows: Rows) -> None:
    shape = slide.shapes.add_table(
        len(rows), len(rows[0]), Inches(0.9), Inches(1.9), Inches(11.5), Inches(0.6 * len(rows))
    )
    for cells, row in zip(shape.table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, row, strict=True):
            cell.text = str(text)
            cell.text_frame.paragraphs[0].font.size = Pt(20)


def _sheet(book: openpyxl.Workbook, name: str, title: str, rows: Rows, note: str) -> None:
    sheet = book.create_sheet(name)
    sheet["A1"], sheet["A1"].font = title, Font(bold=True, size=14)
    for line, row in enumerate(rows, start=3):
        for column, value in enumerate(row, start=1):
            cell = sheet.cell(line, column, value)
            cell.font = Font(bold=line == 3)
            cell.number_format = "0.00" if isinstance(value, float) else "General"
    sheet.cell(len(rows) + 4, 1, note)
    for column in range(len(rows[0])):
        longest = max(len(str(row[column])) for row in rows)
        sheet.column_dimensions["ABCDEF"[column]].width = longest * 1.15 + 3
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth = sheet.page_setup.fitToHeight = 1
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
