"""Pages of declarations."""

import pytest

from forebay.conduit.core.declarations.events import DeclarationKind
from forebay.conduit.core.declarations.inventory import Known
from forebay.conduit.statuses import key_of, page_of, place_of, token_of

FOUND = [
    Known(peer, kind, rid, uri)
    for uri in ("", "/a", "/a/b")
    for kind in (DeclarationKind.SUBSCRIBER, DeclarationKind.RESOURCE)
    for rid in (-3, 4)
    for peer in (b"", b"\x01\x02")
]


@pytest.mark.parametrize("count", [1, 3, 5, 24, 100])
def test_pages_have_all_once_and_in_order(count):
    seen, token = [], ""
    while True:
        page, token = page_of(FOUND, token, count)
        assert len(page) <= count
        seen += page
        if not token:
            break
    assert seen == sorted(FOUND, key=key_of)
    assert [each.uri for each in seen] == sorted(each.uri for each in seen)


def test_what_is_gone_meanwhile_leaves_the_others():
    page, token = page_of(FOUND, "", 5)
    rest, _ = page_of([each for each in FOUND if each not in page[3:]], token, 100)
    assert len(rest) == len(FOUND) - 5


@pytest.mark.parametrize("token", ["x", "a b c d", "/a resource x 00", "/a resource 1 zz"])
def test_what_is_no_token_is_refused(token):
    with pytest.raises(ValueError):  # noqa: PT011 any fault of it
        place_of(token)


def test_a_token_is_a_place():
    assert place_of(token_of(FOUND[5])) == (FOUND[5].uri, FOUND[5].kind.value, FOUND[5].rid, FOUND[5].peer_id)
