"""Names of keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.spill.keys import Kind, OwnerKeys, owner_of, registry_member, slot_of


def test_keys_carry_service_uid_and_owner() -> None:
    keys = OwnerKeys("outfeed", "0a1b", "news.example/1")
    assert keys.meta == "forebay:{outfeed/0a1b/news.example%2F1}:meta"
    assert keys.stream(Kind.BACKLOG, 7) == "forebay:{outfeed/0a1b/news.example%2F1}:B:7"
    assert keys.resend == "forebay:{outfeed/0a1b/news.example%2F1}:R"


@given(st.text(min_size=1))
def test_all_keys_of_an_owner_share_a_slot(owner: str) -> None:
    keys = OwnerKeys("router", "u", owner)
    names = [keys.meta, keys.resend, keys.dead, keys.fence, keys.stream(Kind.DEFERRED, 1)]
    assert {slot_of(name) for name in names} == {keys.slot}


@given(st.text(min_size=1))
def test_the_registry_gives_an_owner_back(owner: str) -> None:
    assert owner_of(registry_member(owner).encode()) == owner


@pytest.mark.parametrize(("key", "slot"), [("123456789", 0x31C3), ("a{foo}b", 12182), ("foo", 12182)])
def test_slots_are_those_of_the_cluster_specification(key: str, slot: int) -> None:
    assert slot_of(key) == slot
