import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.access import AccessList, Mode, read_info_hashes
from forebay.announcer.errors import AccessListError

LISTED, OTHER = b"a" * 20, b"b" * 20


@pytest.mark.parametrize(
    ("mode", "listed", "other"), [(Mode.OFF, True, True), (Mode.ALLOW, True, False), (Mode.DENY, False, True)]
)
def test_the_mode_says_what_being_listed_means(mode, listed, other):
    access = AccessList(mode, [LISTED])
    assert (access.permits(LISTED), access.permits(OTHER)) == (listed, other)


def test_a_list_has_an_info_hash_a_line():
    text = f"# our torrents\n\n {LISTED.hex()}  # the first\n{OTHER.hex().upper()}\r\n"
    assert read_info_hashes(text) == {LISTED, OTHER}


@pytest.mark.parametrize(
    "word", ["abc", "g" * 40, "61" * 21, "é" * 40, "61 " * 13 + "6", "6" * 39, "٣" * 40], ids=lambda word: word[:4]
)
def test_what_is_no_info_hash_is_told_with_its_line(word):
    with pytest.raises(AccessListError, match=r"line 2: .* is no info hash; give 40 hexadecimal digits"):
        read_info_hashes(f"{LISTED.hex()}\n{word}\n")


@given(st.sets(st.binary(min_size=20, max_size=20)))
def test_all_that_are_listed_are_read(hashes):
    assert read_info_hashes("\n".join(each.hex() for each in hashes)) == hashes
