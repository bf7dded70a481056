import pytest

from forebay_operator.resources.body import given, quantity


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (20 * 1024**3, "20Gi"),
        (1536 * 1024**2, "1536Mi"),
        (1024, "1Ki"),
        (10**9, "1G"),
        (15 * 10**5, "1500k"),
        (1023, "1023"),
    ],
)
def test_a_quantity_is_in_canonical_form(octets, text):
    assert quantity(octets) == text


def test_empty_fields_are_left_out():
    assert given(a="", b=[], c={}, d=(), e=False, f="x") == {"f": "x"}
