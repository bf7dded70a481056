"""Options of peers as the service applies them: inherited, secured, compressed, without a backlog, by IHAVE."""

import ipaddress
import ssl

import pytest
from cryptography import x509

from authority import Authority
from corpus import synthetic
from eventually import eventually

from .waiting import ids


async def window_is(outfeed, name, window):
    return (await outfeed.peers())[name].window == window


async def test_peers_inherit_and_a_change_of_the_defaults_reaches_them(outfeed, recording_peer):
    east, west = await recording_peer(), await recording_peer()
    outfeed.outfeed["defaults"] = {"window": 7}
    outfeed.peer("east", east.port)
    outfeed.peer("west", west.port, window=9)
    await outfeed.start()
    assert await window_is(outfeed, "east", 7)
    assert await window_is(outfeed, "west", 9)
    await outfeed.connected("west")
    outfeed.outfeed["defaults"] = {"window": 11}
    assert not [each for each in (await outfeed.apply()).results if each.violations]
    assert await window_is(outfeed, "east", 11)
    assert await window_is(outfeed, "west", 9)
    assert west.opened == 1, "the connection of a peer that nothing changed for stays"


async def test_a_peer_takes_part_in_named_patterns(outfeed, recording_peer):
    peer = await recording_peer()
    outfeed.outfeed["patterns"] = [{"name": "test", "groups": ["test.*"]}]
    outfeed.peer("none", peer.port, groups=["*", "!$test"])
    outfeed.peer("all", peer.port, groups=["$test"])
    await outfeed.start()
    await outfeed.offer(synthetic(10, 500))
    assert (await outfeed.drained("all")).accepted == 10
    assert (await outfeed.counters("none")).offered == 0


async def test_a_name_of_no_patterns_is_a_fault_of_its_peer(outfeed, peer):
    outfeed.peer("east", peer.port, groups=["$gone"])
    await outfeed.start()
    results = (await outfeed.apply()).results
    [violation] = [violation for each in results for violation in each.violations]
    assert violation.field == "spec.groups[0]"
    assert "the Outfeed has no patterns gone" in violation.description


@pytest.mark.parametrize("streams", [True, False], ids=["streaming", "ihave"])
async def test_a_peer_is_fed_under_tls_after_a_login_and_compressed(outfeed, peer, tmp_path, streams):
    authority = Authority()
    folder = authority.write(tmp_path / "tls", "peer", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    peer.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    peer.tls.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    await peer.stop()
    await peer.start()
    peer.login, peer.compresses, peer.streams = (b"feeder", b"right"), True, streams
    outfeed.secrets |= {"password": "right", "authority": authority.pem.decode()}
    outfeed.peer(
        "east",
        peer.port,
        auth={"username": "feeder", "passwordFrom": {"secretRef": {"name": "password", "key": "value"}}},
        tls={"mode": "starttls", "authoritiesFrom": {"secretRef": {"name": "authority", "key": "value"}}},
        compress=True,
    )
    await outfeed.start()
    articles = list(synthetic(50, 2000))
    await outfeed.offer(articles)
    assert (await outfeed.drained("east")).accepted == 50
    assert set(peer.articles) == set(ids(articles))
    assert peer.commands[:3] == [b"STARTTLS", b"AUTHINFO", b"AUTHINFO"]
    [connection] = (await outfeed.peers())["east"].connections
    assert (connection.streaming, connection.tls, connection.compressed) == (streams, True, True)


async def test_a_peer_that_cannot_prove_who_it_is_is_told_as_such(outfeed, peer):
    outfeed.peer("east", peer.port, tls={"mode": "starttls"})
    await outfeed.start()

    async def is_told():
        return (await outfeed.peers())["east"].error_reason == "TLS_FAILED"

    await eventually(is_told)


async def test_a_peer_without_a_backlog_drops_the_oldest_and_counts_them(outfeed, peer):
    outfeed.peer("east", peer.port, backlog={"enabled": False}, queue={"size": 50})
    await peer.stop()
    await outfeed.start()
    articles = list(synthetic(500, 500))
    await outfeed.offer(articles)
    counters = await outfeed.counters("east")
    assert counters.dropped + counters.queued == 500
    assert counters.queued <= 50
    await peer.start()
    counters = await outfeed.drained("east")
    assert counters.accepted >= 25
    assert set(peer.articles) == set(ids(articles)[-counters.accepted :])
    await outfeed.emptied()


async def test_headers_alone_reach_a_peer_that_wants_no_more(outfeed, peer):
    peer.takes_headers = True
    outfeed.peer("east", peer.port, headfeed=True)
    await outfeed.start()
    articles = list(synthetic(20, 2000))
    await outfeed.offer(articles)
    assert (await outfeed.drained("east")).accepted == 20
    for article in articles:
        head = article.wire.partition(b"\r\n\r\n")[0]
        assert peer.articles[article.message_id] == head + b"\r\nBytes: %d\r\n\r\n.\r\n" % len(article.wire)
