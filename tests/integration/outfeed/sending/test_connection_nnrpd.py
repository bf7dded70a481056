"""The connection against a real server that secures, asks for a login and compresses, and does not stream."""

import ipaddress

import pytest
from cryptography import x509

from authority import Authority
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.login import Login
from forebay.outfeed.sending.peertls import TlsSettings
from forebay.runtime.secret import Secret
from peers.nnrpd import PASSWORD, USER, Nnrpd
from ports import free_port
from recordingfeed import RecordingFeed, article, tokens

from .polled import polled, settled

pytestmark = pytest.mark.inn

COUNT = 20


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
async def nnrpd(inn, authority, tmp_path):
    folder = authority.write(tmp_path / "tls", "nnrpd", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    server = Nnrpd(inn, free_port(), folder)
    await server.start()
    yield server
    await server.stop()


@pytest.mark.parametrize("compress", [False, True], ids=["plain", "compressed"])
async def test_articles_arrive_under_tls_after_a_login(nnrpd, inn, authority, compress):
    feed = RecordingFeed(tokens(COUNT))
    tls = TlsSettings(starttls=True, authorities=authority.pem.decode())
    login = Login(USER, Secret(PASSWORD))
    async with polled(feed, nnrpd.port, login, tls=tls, compress=compress) as connection:
        assert set((await settled(feed, COUNT)).values()) == {Outcome.ACCEPTED}, feed.reason
        assert not connection.streams
        assert connection.compresses is compress
    # nnrpd takes an IHAVE for a posting, and adds headers; what follows them is as it was.
    for token in tokens(COUNT):
        assert inn.stored()[token.message_id].endswith(article(token.message_id).partition(b"\r\n\r\n")[2])


async def test_articles_that_are_there_are_refused(nnrpd, inn, authority):
    tls = TlsSettings(starttls=True, authorities=authority.pem.decode())
    for outcome in (Outcome.ACCEPTED, Outcome.REFUSED):
        feed = RecordingFeed(tokens(3))
        async with polled(feed, nnrpd.port, Login(USER, Secret(PASSWORD)), tls=tls):
            assert set((await settled(feed, 3)).values()) == {outcome}
