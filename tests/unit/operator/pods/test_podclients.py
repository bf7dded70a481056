"""Which channels there are; calls over them are tested with real services."""

from datetime import UTC, datetime

import pytest

from forebay_operator.certificates import Authority
from forebay_operator.pods import PodClients
from forebay_operator.pods.podclients import target_of
from forebay_operator.principals import OPERATOR

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SERVICE, NAME = "news/hub-outfeed", "hub-outfeed.news.svc"
CERTIFICATES = Authority.make("news", NOW).issue([OPERATOR], NOW)


def pod(number=0, *, address="192.0.2.1", uid="uid-1"):
    return {"metadata": {"name": f"hub-outfeed-{number}", "uid": uid}, "status": {"podIP": address}}


@pytest.fixture
async def clients(tmp_path):
    clients = PodClients(tmp_path)
    await clients.trust(SERVICE, CERTIFICATES)
    yield clients
    await clients.close()


def client(clients, body, port=7119):
    return clients.client(SERVICE, body, port, NAME)


async def test_a_pod_keeps_its_channel(clients):
    assert client(clients, pod()) is client(clients, pod())


@pytest.mark.parametrize(
    "other", [pod(address="192.0.2.2"), pod(uid="uid-2"), pod(1, uid="uid-3")], ids=["moved", "made-anew", "another"]
)
async def test_another_pod_gets_another(clients, other):
    assert client(clients, other) is not client(clients, pod())


async def test_a_pod_keeps_the_port_that_it_was_made_with(clients):
    assert client(clients, pod(), 7120) is client(clients, pod())


async def test_channels_to_pods_that_are_gone_are_closed(clients):
    stays, goes = client(clients, pod()), client(clients, pod(1, uid="uid-2"))
    await clients.retain(SERVICE, [pod(), {"metadata": {"name": "new", "uid": "uid-3"}}])
    assert client(clients, pod()) is stays
    assert client(clients, pod(1, uid="uid-2")) is not goes


async def test_without_a_pod_its_certificates_are_forgotten(clients, tmp_path):
    client(clients, pod())
    await clients.retain(SERVICE, [])
    assert clients.certificates(SERVICE) is None
    assert not (tmp_path / SERVICE).exists()


async def test_what_was_never_trusted_is_forgotten_without_ado(clients):
    await clients.retain("news/other-outfeed", [])


async def test_certificates_are_for_the_operator_alone(clients, tmp_path):
    assert clients.certificates(SERVICE) == CERTIFICATES
    folder = tmp_path / SERVICE
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "tls.key").stat().st_mode & 0o077 == 0


async def test_other_certificates_take_their_place(clients):
    other = Authority.make("news", NOW).issue([OPERATOR], NOW)
    await clients.trust(SERVICE, other)
    assert clients.certificates(SERVICE) == other


async def test_the_same_certificates_are_not_written_again(clients, tmp_path):
    before = (tmp_path / SERVICE / "tls.crt").stat().st_mtime_ns
    await clients.trust(SERVICE, CERTIFICATES)
    assert (tmp_path / SERVICE / "tls.crt").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("address", "target"), [("192.0.2.1", "ipv4:192.0.2.1:7119"), ("2001:db8::7", "ipv6:[2001:db8::7]:7119")]
)
def test_targets_are_addresses_as_grpc_names_them(address, target):
    assert target_of(address, 7119) == target
