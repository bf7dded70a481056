from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest

from fakekube import FakeKube
from forebay_operator.certificates import Authority
from forebay_operator.errors import AuthorityError
from forebay_operator.kube.kinds import SECRET
from forebay_operator.queue import Depth
from forebay_operator.reconcile.authorities import Authorities, authority_secret
from forebay_operator.reconcile.secretstore import SecretStore, octets_of


class Time:
    """A clock for people."""

    def __init__(self):
        self.now = datetime(2026, 11, 27, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def kube():
    return FakeKube()


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def authorities(kube, time):
    return Authorities(SecretStore(kube), "system", time)


async def test_a_namespace_gets_one_of_its_own(authorities, kube):
    news = await authorities.of("news", Depth.RECONCILE)
    test = await authorities.of("test", Depth.RECONCILE)
    assert news.bundle != test.bundle
    assert kube.get(SECRET, "forebay-ca-news", "system")
    assert kube.get(SECRET, "forebay-ca-test", "system")


async def test_it_is_kept(authorities, kube, time):
    first = await authorities.of("news", Depth.RECONCILE)
    again = await Authorities(SecretStore(kube), "system", time).of("news", Depth.RECONCILE)
    assert again.bundle == first.bundle


async def test_it_is_read_once(authorities, kube):
    await authorities.of("news", Depth.RECONCILE)
    kube.requests.clear()
    await authorities.of("news", Depth.RECONCILE)
    assert not kube.requests


async def test_its_successor_is_stored_before_it_is_believed(authorities, kube, time):
    first = await authorities.of("news", Depth.RECONCILE)
    time.now += timedelta(days=7 * 365)
    second = await authorities.of("news", Depth.RECONCILE)
    assert len(second.bundle) > len(first.bundle)
    assert b64encode(second.bundle).decode() == kube.get(SECRET, "forebay-ca-news", "system")["data"]["ca.crt"]


async def test_a_damaged_one_is_told(authorities, kube, time):
    await authorities.of("news", Depth.RECONCILE)
    kube.get(SECRET, "forebay-ca-news", "system")["data"]["tls.key"] = "AA=="
    with pytest.raises(AuthorityError, match="restore its Secret"):
        await Authorities(SecretStore(kube), "system", time).of("news", Depth.RECONCILE)


async def test_one_that_is_damaged_while_it_is_in_use_is_put_back(authorities, kube):
    before = await authorities.of("news", Depth.RECONCILE)
    kube.get(SECRET, "forebay-ca-news", "system")["data"]["tls.key"] = "AA=="
    assert (await authorities.of("news", Depth.VERIFY)).bundle == before.bundle
    assert octets_of(kube.get(SECRET, "forebay-ca-news", "system")) == before.to_secret()


async def test_one_that_is_deleted_while_it_is_in_use_is_put_back(authorities, kube):
    before = await authorities.of("news", Depth.RECONCILE)
    kube.remove("Secret", "system", "forebay-ca-news")
    assert (await authorities.of("news", Depth.VERIFY)).bundle == before.bundle
    assert octets_of(kube.get(SECRET, "forebay-ca-news", "system")) == before.to_secret()


async def test_what_others_put_beside_it_is_taken_away(authorities, kube):
    await authorities.of("news", Depth.RECONCILE)
    kube.get(SECRET, "forebay-ca-news", "system")["data"]["mine"] = "AA=="
    await authorities.of("news", Depth.VERIFY)
    assert "mine" not in kube.get(SECRET, "forebay-ca-news", "system")["data"]


async def test_verified_it_is_not_written(authorities, kube):
    await authorities.of("news", Depth.RECONCILE)
    kube.writes.clear()
    await authorities.of("news", Depth.VERIFY)
    assert kube.writes == []


async def test_another_that_somebody_put_there_counts(authorities, kube, time):
    await authorities.of("news", Depth.RECONCILE)
    other = Authority.make("news", time.now)
    kube.put(authority_secret(other, "news", "system"))
    assert (await authorities.of("news", Depth.VERIFY)).bundle == other.bundle


async def test_one_of_a_clock_that_was_wrong_is_told(authorities, kube, time):
    await authorities.of("news", Depth.RECONCILE)
    time.now -= timedelta(days=365)
    with pytest.raises(AuthorityError, match="it begins on 2026-11-26"):
        await authorities.of("news", Depth.VERIFY)


async def test_it_belongs_to_nobody_so_that_it_outlives_all(authorities, kube):
    await authorities.of("news", Depth.RECONCILE)
    assert "ownerReferences" not in kube.get(SECRET, "forebay-ca-news", "system")["metadata"]
