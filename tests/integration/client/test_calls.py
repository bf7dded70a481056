"""The calls beside Offer, and TLS."""

import pytest
from cryptography.x509 import DNSName

from authority import Authority
from forebay.client import ConfigClient, OutfeedClient, PeerState
from forebay.runtime import AddressError, CertificateFolder, ConfigDocument, NotFoundError, UnavailableError
from forebay.runtime.document import decode
from forebay.runtime.tls import server_credentials

from .scripted import ScriptedConfig, ScriptedOutfeed, listening


async def test_explain_tells_the_peers(client):
    explained = await client.explain(b"Subject: x\r\n\r\n")
    assert [(peer.peer, peer.wanted, peer.rule) for peer in explained.peers] == [("west", False, "groups")]


async def test_peers_are_all_or_the_named_ones(client):
    assert [peer.name for peer in await client.peers()] == ["east", "west"]
    assert [peer.name for peer in await client.peers("west")] == ["west"]


async def test_an_unknown_peer_is_not_found(client):
    with pytest.raises(NotFoundError) as caught:
        await client.peers("nobody")
    assert caught.value.resource == ("Peerfeed", "nobody")


async def test_watch_gives_peers_again_and_again(client):
    moments = [response async for response in client.watch(interval=0.25)]
    assert [moment.time.ToMilliseconds() for moment in moments] == [250, 250, 250]


async def test_pause_and_resume_give_the_peer(client):
    assert (await client.pause("east")).state == PeerState.PEER_STATE_PAUSED
    assert (await client.resume("east")).state == PeerState.PEER_STATE_CONNECTED


async def test_flush_tells_how_many(client):
    assert await client.flush("east") == 7


async def test_dead_letters_come_from_all_pages(client):
    assert [letter.message_id async for letter in client.dead_letters("w")] == [f"<{n}@w>" for n in range(6)]


async def test_replay_takes_some_or_all(client):
    assert await client.replay("east", "<a@b>", "<c@d>") == 2
    assert await client.replay("east") == 6


async def test_a_document_is_applied():
    config = ScriptedConfig()
    document = ConfigDocument(4, ({"kind": "Spill"},))
    async with listening(ScriptedOutfeed(), config) as port, ConfigClient.connect(f"127.0.0.1:{port}") as client:
        assert (await client.status()).revision == 3
        assert not (await client.apply(document)).ignored
        assert (await client.apply(document)).ignored
    assert decode(4, config.requests[0].document) == document


async def test_a_folder_of_certificates_makes_it_tls(tmp_path):
    folder = Authority().write(tmp_path, "localhost", DNSName("localhost"))
    credentials = server_credentials(CertificateFolder(folder))
    async with listening(ScriptedOutfeed(), credentials=credentials) as port:
        async with OutfeedClient.connect(f"localhost:{port}", tls=folder) as client:
            assert await client.flush("east") == 7
        async with OutfeedClient.connect(f"localhost:{port}") as plain:
            with pytest.raises(UnavailableError):
                await plain.flush("east")


async def test_an_address_without_a_port_is_an_error():
    with pytest.raises(AddressError, match="give host:port"):
        OutfeedClient.connect("localhost")
