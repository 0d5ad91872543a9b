import cv2
import numpy as np

from drac.adapters.ruling import ruling_lines
from drac.records import Box


def sheet() -> np.ndarray:
    return np.full((1100, 850, 3), 255, np.uint8)


def near(one: Box, other: Box) -> bool:
    return all(abs(a - b) <= 4 for a, b in zip(one, other, strict=True))


def test_the_rules_of_a_table_are_found_and_its_letters_are_not() -> None:
    image = sheet()
    for y in (200, 300, 400):
        cv2.line(image, (100, y), (700, y), (0, 0, 0), 2)
    for x in (100, 400, 700):
        cv2.line(image, (x, 200), (x, 400), (0, 0, 0), 2)
    cv2.putText(image, "Hll Minimum 1147", (110, 260), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 0, 0), 2)
    found = ruling_lines(image, [(110, 236, 330, 266)])
    flat = [box for box in found if box[3] - box[1] < 6]
    steep = [box for box in found if box not in flat]
    assert len(flat) == 3 and len(steep) == 3
    assert near(flat[0], (100, 199, 700, 202)) and near(steep[0], (99, 200, 102, 400))


def test_a_broken_and_faint_rule_of_a_scan_is_one_rule() -> None:
    image = sheet()
    image[300:302, 100:700] = 150
    image[300:302, 250:253] = 255
    assert len(ruling_lines(image)) == 1


def test_a_rule_amid_a_line_of_text_is_its_letters() -> None:
    image = sheet()
    image[300:302, 100:400] = 0
    assert ruling_lines(image)
    assert not ruling_lines(image, [(90, 290, 420, 312)])


def test_a_white_page_and_a_filled_box_have_none() -> None:
    assert ruling_lines(sheet()) == []
    image = sheet()
    image[300:380, 100:700] = 90
    assert all(box[3] - box[1] < 8 for box in ruling_lines(image))
