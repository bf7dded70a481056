"""Connections that are secured and compressed, with a peer within the test's own process."""

import asyncio
import ipaddress
import ssl
from contextlib import suppress

import pytest
from cryptography import x509

from authority import Authority
from eventually import eventually
from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.peertls import TlsSettings, context_of
from peers.recordingpeer import RecordingPeer
from recordingfeed import RecordingFeed, article, tokens

from .polled import ended, polled, settled

COUNT = 50
LOCAL = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture
def certify(authority, tmp_path):
    """The context of a server whose certificate has these names."""

    def context(*names):
        folder = authority.write(tmp_path / "server", "server", *names)
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(folder / "tls.crt", folder / "tls.key")
        return made

    return context


@pytest.fixture
async def peer(certify):
    made = RecordingPeer()
    made.tls = certify(LOCAL)
    yield made
    await eventually(lambda: not made.connections)
    await made.stop()


@pytest.fixture
def feed():
    return RecordingFeed(tokens(COUNT))


@pytest.fixture
def trusting(authority):
    return {"authorities": authority.pem.decode()}


@pytest.mark.parametrize("starttls", [False, True], ids=["implicit", "starttls"])
async def test_articles_go_under_tls(peer, feed, trusting, starttls):
    peer.implicit_tls = not starttls
    await peer.start()
    async with polled(feed, peer.port, tls=TlsSettings(starttls=starttls, **trusting)):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
    assert peer.articles == {token.message_id: article(token.message_id) for token in tokens(COUNT)}
    assert (b"STARTTLS" in peer.commands) is starttls


@pytest.mark.parametrize("starttls", [False, True], ids=["implicit", "starttls"])
@pytest.mark.parametrize("trusted", [False, True], ids=["unknown authority", "other name"])
async def test_a_peer_that_cannot_prove_who_it_is_gets_nothing(peer, certify, feed, trusting, starttls, trusted):
    if trusted:
        peer.tls = certify(x509.DNSName("other.example"))
    peer.implicit_tls = not starttls
    await peer.start()
    async with polled(feed, peer.port, tls=TlsSettings(starttls=starttls, **(trusting if trusted else {}))):
        assert "CERTIFICATE_VERIFY_FAILED" in await ended(feed)
    assert feed.cause is Cause.TLS_FAILED
    assert not peer.articles


async def test_a_certificate_may_have_another_name_that_is_given(peer, certify, feed, trusting):
    peer.tls, peer.implicit_tls = certify(x509.DNSName("news.example")), True
    await peer.start()
    async with polled(feed, peer.port, tls=TlsSettings(server_name="news.example", **trusting)):
        assert len(await settled(feed, COUNT)) == COUNT


async def test_certificates_need_not_be_checked(peer, feed):
    await peer.start()
    async with polled(feed, peer.port, tls=TlsSettings(starttls=True, verify=False)):
        assert len(await settled(feed, COUNT)) == COUNT


async def test_a_peer_without_tls_gets_nothing(peer, feed):
    peer.tls = None
    await peer.start()
    async with polled(feed, peer.port, tls=TlsSettings(starttls=True, verify=False)):
        assert "does not secure connections: STARTTLS was answered: 500" in await ended(feed)
    assert feed.cause is Cause.TLS_FAILED


async def test_a_peer_that_speaks_before_tls_is_not_believed(feed):
    served = asyncio.Event()

    async def serve(reader, writer):
        writer.write(b"200 hello\r\n")
        await reader.readline()
        writer.write(b"382 go on\r\n203 stream\r\n")
        with suppress(OSError):
            await reader.read()
        writer.close()
        served.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with polled(feed, server.sockets[0].getsockname()[1], tls=TlsSettings(starttls=True, verify=False)):
        assert await ended(feed) == "the peer said more in clear after it had agreed to STARTTLS"
    await served.wait()
    server.close()
    await server.wait_closed()


async def test_a_peer_that_is_no_tls_server_is_told(peer, feed):
    await peer.start()
    async with polled(feed, peer.port, connect_timeout=5, tls=TlsSettings(verify=False)):
        assert "cannot be secured" in await ended(feed)
    assert feed.cause is Cause.TLS_FAILED


@pytest.mark.parametrize("streams", [True, False], ids=["streaming", "ihave"])
@pytest.mark.parametrize("secured", [True, False], ids=["tls", "clear"])
async def test_articles_go_compressed(peer, trusting, streams, secured):
    size = 20_000
    feed = RecordingFeed(tokens(COUNT, size=size), size=size)
    peer.compresses, peer.streams = True, streams
    await peer.start()
    tls = TlsSettings(starttls=True, **trusting) if secured else None
    async with polled(feed, peer.port, compress=True, tls=tls):
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}
    assert peer.articles == {token.message_id: article(token.message_id, size) for token in tokens(COUNT)}
    assert peer.bytes_read < COUNT * size / 10


async def test_a_peer_that_does_not_compress_is_fed_plainly(peer, feed):
    await peer.start()
    async with polled(feed, peer.port, compress=True):
        assert len(await settled(feed, COUNT)) == COUNT
    assert b"COMPRESS" in peer.commands


def test_authorities_that_are_none_are_told():
    with pytest.raises(ValueError, match="is no certificate in PEM"):
        context_of(TlsSettings(authorities="nonsense"))
