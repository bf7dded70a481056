import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.wire.connectionid import ConnectionIds

HERE = b"\x7f\x00\x00\x01"
SECRET = bytes(range(32))
TIMES = st.floats(0, 10**9)


@pytest.mark.parametrize("age", [0.0, 1.0, 60.0, 119.0, 120.0])
@given(made=TIMES)
def test_an_id_is_good_for_two_minutes(age, made):
    ids = ConnectionIds(SECRET)
    assert ids.is_valid(ids.make(HERE, made), HERE, made + age)


@pytest.mark.parametrize("age", [121.001, 180.0, 3600.0, 65_536.5])
@given(made=st.floats(0, 10**6))
def test_it_is_no_longer_good_after_that(age, made):
    ids = ConnectionIds(SECRET)
    assert not ids.is_valid(ids.make(HERE, made), HERE, made + age)


def test_an_id_that_was_shown_before_is_not_good_for_longer():
    ids = ConnectionIds(SECRET)
    made = ids.make(HERE, 1000.0)
    assert all(ids.is_valid(made, HERE, 1000.0 + age) for age in (0.0, 0.5, 119.0, 120.9))
    assert not ids.is_valid(made, HERE, 1121.0)


def test_an_id_that_was_shown_before_is_good_for_its_own_address_only():
    ids = ConnectionIds(SECRET)
    made = ids.make(HERE, 1000.0)
    assert ids.is_valid(made, HERE, 1000.0)
    assert not ids.is_valid(made, b"\x7f\x00\x00\x02", 1000.0)


def test_an_id_of_another_start_is_not_good():
    assert not ConnectionIds(bytes(32)).is_valid(ConnectionIds(SECRET).make(HERE, 1.0), HERE, 1.0)


@given(st.binary(min_size=8, max_size=8), TIMES)
def test_a_guessed_id_is_not_good(guess, now):
    ids = ConnectionIds(SECRET)
    assert not ids.is_valid(guess, HERE, now) or guess == ids.make(HERE, now)


@given(st.integers(0, 63), TIMES)
def test_every_bit_matters(bit, now):
    ids = ConnectionIds(SECRET)
    made = int.from_bytes(ids.make(HERE, now))
    assert not ids.is_valid((made ^ 1 << bit).to_bytes(8), HERE, now)
