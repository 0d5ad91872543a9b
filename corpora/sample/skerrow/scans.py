"""The scans: typed pages, drawn at 200 DPI, a little crooked and a little dirty, with no text layer."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import pymupdf
from PIL import Image

from skerrow.pdf import A4, DATE, Flow, Style

DPI = 200
TYPED = Style(size=A4, margin=70, body=11, family="typed")
PRINTED = Style(size=A4, margin=70, body=12, family="serif")


def charter_pages() -> bytes:
    """The charter agreement as the text that is scanned."""
    flow = Flow(
        Style(**{**vars(TYPED), "footer": "Charter of MV Dunlin                               Sheet {page}"})
    )
    flow.title("CHARTER AGREEMENT")
    flow.paragraph("Made at Port Ansel on 14 March 1987 between the following parties:")
    flow.paragraph(
        "SKERROW LINE LIMITED, of 4 Customs Quay, Port Ansel, hereafter called the Owners; and THE ORRIN FISHERMEN'S "
        "SOCIETY, of Pier House, North Orrin, hereafter called the Charterers."
    )
    flow.heading("1. The vessel")
    flow.paragraph(
        "The Owners let and the Charterers hire the motor vessel Dunlin, built 1984 by Tolmie and Sons of Ferness, of 112 "
        "gross tons, licensed for 60 passengers and eight motor cars, in good order and fully equipped."
    )
    flow.heading("2. The time")
    flow.paragraph(
        "The hire runs from 1 May 1987 to 30 September 1987. The Charterers may extend it by four weeks if they give "
        "notice in writing before 31 August."
    )
    flow.heading("3. The hire")
    flow.paragraph(
        "The Charterers pay 1,850 pounds a week, on Mondays and in advance, into the Owners' account at the Ferness Savings "
        "Bank. For any week in which the vessel cannot be used for more than two days by reason of a defect, "
        "the hire is 925 pounds."
    )
    flow.heading("4. Crew and fuel")
    flow.paragraph(
        "The Owners provide the master and the engineer. The Charterers provide two deckhands, and pay for fuel, water and harbour "
        "dues. Fuel on board at the start is 2,400 litres and shall be the same at the end."
    )
    flow.new_page()
    flow.heading("5. Use of the vessel")
    flow.paragraph(
        "The vessel shall trade between North Orrin, Little Marrow and the fishing grounds west of the Marrow light, and not "
        "beyond twelve miles from the shore. She shall carry no explosives and no live cattle."
    )
    flow.heading("6. Damage and insurance")
    flow.paragraph(
        "The Owners insure hull and engine for 95,000 pounds. The Charterers bear the first 600 pounds of each claim, save where the "
        "damage is the fault of the Owners' own men. They make good nets, ropes and fenders that are lost."
    )
    flow.heading("7. Disputes")
    flow.paragraph(
        "Any dispute goes to the Harbour Master of Port Ansel as sole arbitrator, whose word is final. If he is himself concerned, "
        "the Sheriff at Ferness names another."
    )
    flow.heading("8. Ending the charter early")
    flow.paragraph(
        "Either party may end this agreement with 21 days' notice. If the Charterers do so, they pay 1,200 pounds; if the Owners do "
        "so, they pay 2,000 pounds and find a berth for the catch on another of their vessels."
    )
    flow.form(
        [
            ("For the Owners", "D. Osk, Managing Director"),
            ("For the Charterers", "W. Tulloch, Chairman"),
            ("Witness", "E. Farquhar, Notary"),
        ]
    )
    return flow.finish("Charter agreement")


THICKNESS = [
    ["Frame", "Side", "As built mm", "Measured mm", "Loss %"],
    ["12", "Port", "9.0", "8.7", "3.3"],
    ["18", "Port", "9.0", "7.9", "12.2"],
    ["24", "Starboard", "9.0", "8.5", "5.6"],
    ["31", "Starboard", "10.0", "7.6", "24.0"],
    ["38", "Port", "10.0", "9.4", "6.0"],
]


def slipway_pages() -> bytes:
    """The slipway inspection form as the text that is scanned."""
    flow = Flow(PRINTED)
    flow.title("Slipway Inspection Report", "Form T-11. One sheet for each docking.")
    flow.form(
        [
            ("Vessel", "MV Dunlin"),
            ("Slipway", "Ferness No. 2, cradle B"),
            ("Date out of water", "9 October 2024"),
            ("Surveyor", "R. Menzies"),
            ("Draught on arrival", "1.62 m forward, 2.05 m aft"),
        ]
    )
    flow.heading("Plate thickness")
    flow.table(THICKNESS, [0.8, 1.1, 1.2, 1.3, 1])
    flow.heading("Findings")
    flow.items(
        [
            "Plate at frame 31 starboard is below the limit of 20 per cent loss: renew 1.4 square metres.",
            "Eleven zinc anodes are spent and were replaced; the next check is due in April 2026.",
            "Propeller blade 3 has a bend of 6 mm at the tip. Straightened and balanced on the shaft.",
            "Sea chest grating was fouled with mussels. Cleaned; no damage to the valve.",
        ],
        numbered=True,
    )
    flow.heading("Decision")
    flow.paragraph(
        "Fit for service on route 4 after the repair at frame 31. Next docking no later than 15 October 2026."
    )
    flow.form([("Cost of repair", "£7,340 without tax"), ("Back in the water", "23 October 2024")])
    return flow.finish("Slipway inspection")


LOG = [
    ["Hour", "Wind", "Force", "Glass", "Remarks"],
    ["00", "WSW", "7", "988", "Lamp burning well. Heavy rain."],
    ["04", "W", "9", "981", "Seas over the landing."],
    ["08", "W", "10", "979", "Boat store door carried away."],
    ["12", "WNW", "9", "984", "Ferry Ansel Queen did not sail."],
    ["16", "NW", "7", "991", "Moderating. Store door found."],
    ["20", "NW", "5", "998", "Clear. Hessay light in sight."],
]


def log_pages() -> bytes:
    """Three pages of a lighthouse log as the text that is scanned."""
    flow = Flow(TYPED)
    flow.title("MARROW LIGHT", "Keeper's log, copied fair, January 1962")
    flow.heading("Monday 15 January")
    flow.paragraph(
        "Relief boat came at 10.20 with Keeper Isbister and stores: 40 gallons of paraffin, two sacks of coal, flour, "
        "and the post. Keeper Rendall left for his leave of 28 days."
    )
    flow.paragraph(
        "Cleaned the lens and changed the mantle, the old one having burnt 612 hours. Wound the clock at 16.05. The lamp was lit at "
        "16.12 and put out at 08.49 the next day."
    )
    flow.heading("Tuesday 16 January")
    flow.paragraph("Storm from the west all day. Readings are given below; the glass is in millibars.")
    flow.table(LOG, [0.7, 0.8, 0.8, 0.8, 3.2])
    flow.new_page()
    flow.heading("Wednesday 17 January")
    flow.paragraph(
        "Went round the station with Isbister after the storm. Found 31 slates off the dwelling, the hen house gone, and the landing "
        "crane bent. The tower is sound. Water in the oil store stood nine inches deep and was baled out by noon."
    )
    flow.paragraph(
        "Signalled Hessay by lamp at 17.30: all well, crane unfit, send smith. Answer received at 17.55."
    )
    flow.heading("Thursday 18 January")
    flow.paragraph(
        "Thick fog from 05.15. Fog horn sounded from 05.20 until 13.40, one blast of four seconds every ninety seconds. "
        "Used eleven gallons of fuel for the compressor. Heard a vessel close by to the south at 09.00 and rang the bell as well; she "
        "answered with two blasts and stood off."
    )
    flow.new_page()
    flow.heading("Friday 19 January")
    flow.paragraph(
        "The smith, Tam Leask, landed from the motor boat Provider at 11.00. He straightened the jib of the crane and fitted a new pin of one "
        "and a quarter inches. The crane was tried with five hundredweight and passed. His charge was three pounds ten."
    )
    flow.heading("Saturday 20 January")
    flow.paragraph(
        "Fine and cold, the first frost of the year. Counted fourteen seals on the skerry. Whitewashed the sun side of the tower. "
        "Stock of paraffin 212 gallons, enough until 6 April at the present use."
    )
    flow.paragraph("J. Clouston, Principal Keeper")
    return flow.finish("Keeper's log")


def charter() -> bytes:
    """A scanned PDF: two grey JPEG pages, no text."""
    document = pymupdf.open()
    for image in scanned(charter_pages(), seed=1987, angles=(0.5, -0.4)):
        page = document.new_page(width=A4[0], height=A4[1])
        page.insert_image(page.rect, stream=_bytes(image, "JPEG", quality=38, dpi=(DPI, DPI)))
    document.set_metadata({"title": "", "creationDate": DATE, "modDate": DATE})
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def slipway() -> bytes:
    """A grey PNG of sixteen levels."""
    (image,) = scanned(slipway_pages(), seed=2024, angles=(-0.6,))
    levels = image.point([round(value / 17) * 17 for value in range(256)])
    return _bytes(levels.quantize(16, dither=Image.Dither.NONE), "PNG", optimize=True, dpi=(DPI, DPI))


def log() -> bytes:
    """A TIFF of three black-and-white pages, fax compressed."""
    pages = [image.point(lambda value: 255 * (value > 185)).convert("1") for image in _log_images()]
    return _bytes(
        pages[0],
        "TIFF",
        save_all=True,
        append_images=pages[1:],
        compression="group4",
        dpi=(DPI, DPI),
    )


def scanned(pdf: bytes, *, seed: int, angles: Sequence[float]) -> list[Image.Image]:
    """Each page as a scanner would see it: turned by so many degrees, uneven paper, specks and blur."""
    random = np.random.RandomState(seed)
    pages = []
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        for page, angle in zip(document, angles, strict=True):
            drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
            image = Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)
            pages.append(_aged(image, angle, random))
    return pages


def _log_images() -> list[Image.Image]:
    return scanned(log_pages(), seed=1962, angles=(0.3, 0.7, -0.5))


def _aged(image: Image.Image, angle: float, random: np.random.RandomState) -> Image.Image:
    turned = image.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    values = np.asarray(turned, dtype=np.float64)
    height, width = values.shape
    shade = 6 * np.sin(np.linspace(0, math.pi, height))[:, None] * np.linspace(0.4, 1, width)[None, :]
    values = 22 + values * (232 / 255) - shade
    for _ in range(70):
        y, x = random.randint(0, height - 4), random.randint(0, width - 4)
        values[y : y + random.randint(1, 4), x : x + random.randint(1, 4)] = random.randint(40, 160)
    return Image.fromarray(np.clip(np.rint(values), 0, 255).astype(np.uint8))


def _bytes(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
