from drac.adapters.ocr_line import OcrLine, digit_strings, least_sure, recognition, surer

BOX = (0.0, 0.0, 100.0, 20.0)


def line(text: str, **low: float) -> OcrLine:
    """A line whose characters have 0.99 but those given: `at3=0.5`."""
    scores = [0.99] * len(text)
    for place, score in low.items():
        scores[int(place.removeprefix("at"))] = score
    return OcrLine(text, BOX, 0.99, (), tuple(scores))


def test_a_string_is_as_sure_as_its_least_sure_digit() -> None:
    assert list(digit_strings(line("Rs 1,250", at6=0.6))) == [("1", 0.99), ("250", 0.6)]
    assert least_sure(line("no figures", at1=0.1)) == 1.0


def test_the_second_reading_stands_where_it_is_surer_of_its_digits() -> None:
    first, second = line("Total 1,280", at9=0.5), line("Total 1,250")
    assert surer(first, second).text == "Total 1,250"
    assert surer(second, first).text == "Total 1,250"


def test_the_second_reading_may_complete_a_number() -> None:
    assert surer(line("Tel 080-463", at8=0.4), line("Tel 080-4633")).text == "Tel 080-4633"


def test_the_second_reading_changes_no_words_and_no_count_of_numbers() -> None:
    first = line("Total 1,280", at9=0.5)
    assert surer(first, line("Totals 1,250")) is first
    assert surer(first, line("Total 1250")) is first
    assert surer(first, line("")) is first


def test_the_record_names_the_least_sure_strings_first() -> None:
    found = recognition("rapidocr", [line("12 of 34", at0=0.8, at7=0.5), line("56")], 1, 0)
    assert found.unsure == (("34", 0.5), ("12", 0.8))
    assert 0.9 < found.mean < 0.99 and found.looked_again == 1


def test_a_page_without_lines_is_not_unsure() -> None:
    assert recognition("rapidocr", [], 0, 0).mean == 1.0
