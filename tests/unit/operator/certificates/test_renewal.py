from datetime import UTC, datetime, timedelta

import pytest

from forebay_operator.certificates import Authority, certificates_in, renewed
from forebay_operator.certificates.renewal import due

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NAMES = ("hub-outfeed.news.svc", "localhost")


@pytest.fixture(scope="module")
def authority():
    return Authority.make("news", START)


@pytest.fixture(scope="module")
def issued(authority):
    return authority.issue(NAMES, START)


def data_of(certificates):
    return {"tls.crt": certificates.chain, "tls.key": certificates.key, "ca.crt": certificates.authorities}


def test_a_fresh_certificate_is_not_due(issued, authority):
    assert not due(issued.chain, authority, NAMES, START + 59 * DAY)


def test_one_is_due_when_two_thirds_of_its_life_are_over(issued, authority):
    assert due(issued.chain, authority, NAMES, START + 61 * DAY)


def test_one_is_due_that_has_not_begun_since_a_clock_was_wrong(issued, authority):
    assert due(issued.chain, authority, NAMES, START - DAY)


def test_one_is_due_when_it_has_other_names(issued, authority):
    assert due(issued.chain, authority, NAMES[:1], START)


def test_one_is_due_when_its_authority_is_gone(issued):
    assert due(issued.chain, Authority.make("news", START), NAMES, START)


def test_one_of_a_former_authority_is_not(issued, authority):
    promoted = authority.advance(START + 2500 * DAY).advance(START + 2501 * DAY)
    assert not due(issued.chain, promoted, NAMES, START + DAY)


@pytest.mark.parametrize("chain", [b"", b"nonsense"])
def test_one_that_can_not_be_read_is_due(authority, chain):
    assert due(chain, authority, NAMES, START)


def test_certificates_come_back_from_a_secret(issued):
    assert certificates_in(data_of(issued)) == issued


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt"])
def test_incomplete_ones_do_not(issued, key):
    data = data_of(issued)
    del data[key]
    assert certificates_in(data) is None


@pytest.mark.parametrize("key", ["tls.crt", "tls.key"])
def test_damaged_ones_do_not(issued, key):
    assert certificates_in(data_of(issued) | {key: b"nonsense"}) is None


def test_a_key_of_another_certificate_does_not(issued, authority):
    assert certificates_in(data_of(issued) | {"tls.key": authority.issue(NAMES, START).key}) is None


def test_what_is_good_stays_the_same_object(issued, authority):
    assert renewed(issued, authority, NAMES, START) is issued


def test_what_is_missing_or_due_is_issued(issued, authority):
    assert renewed(None, authority, NAMES, START).authorities == authority.bundle
    assert renewed(issued, authority, NAMES, START + 61 * DAY).chain != issued.chain


def test_a_new_bundle_is_taken_over_without_a_new_certificate(issued, authority):
    introduced = authority.advance(START + 2500 * DAY)
    fresh = renewed(issued, introduced, NAMES, START)
    assert (fresh.chain, fresh.authorities) == (issued.chain, introduced.bundle)


def test_others_may_be_believed_beside_our_own(issued, authority):
    assert renewed(issued, authority, NAMES, START, b"users' and ours").authorities == b"users' and ours"
