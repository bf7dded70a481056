from forebay.runtime import FieldViolation
from forebay_operator.conditions.wording import clipped, listed, violations_text, word


def test_a_short_text_stays():
    assert clipped("short") == "short"


def test_a_long_one_ends_in_an_ellipsis():
    assert clipped("abcdef", 4) == "abc…"


def test_a_few_names_are_listed():
    assert listed(["a", "b"]) == "a, b"


def test_of_many_names_the_first_are_listed():
    assert listed([f"p{number}" for number in range(500)]) == "p0, p1, p2, p3, p4 and 495 more"


def test_violations_name_field_and_remedy():
    found = [FieldViolation("spec.port", "is 0; give 1 to 65535"), FieldViolation("", "is no mapping")]
    assert violations_text(found) == "spec.port: is 0; give 1 to 65535; is no mapping"


def test_of_many_violations_the_first_are_told():
    found = [FieldViolation(f"spec.groups[{number}]", "is wrong") for number in range(8)]
    assert violations_text(found).endswith("spec.groups[4]: is wrong; and 3 more fields")


def test_a_reason_of_a_service_has_the_form_of_conditions():
    assert [word(text) for text in ("NAME_UNKNOWN", "TIMEOUT", "")] == ["NameUnknown", "Timeout", ""]
