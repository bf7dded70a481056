"""Edits of one resource reach the running service, and leave all others as they are."""

import itertools

import pytest
import pytest_asyncio

from eventually import eventually
from forebay.client import ConfigClient, Outcome, PeerState
from forebay.runtime import ConfigDocument, PermissionDeniedError
from operatorsite import Site, hub, peerfeed, secret

pytestmark = pytest.mark.asyncio(loop_scope="module")
serial = itertools.count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fed(shared_site):
    """The site with an Outfeed that runs."""
    await shared_site.apply(*hub())
    await shared_site.until_ready()
    return shared_site


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed(fed, gated_peer):
    """A peer whose connections must keep their age; after the test it is seen whether they did, and the pods too."""
    peer = await gated_peer()
    pods = await fed.pods()
    await fed.apply(peerfeed("steady", peer.address, peer.port, connections={"max": 1}))
    await fed.until_ready(("Peerfeed", "steady"))
    await offer_one(fed)
    before = await eventually(lambda: connections(fed, "steady"))
    yield peer
    assert await connections(fed, "steady") == before
    assert await fed.pods() == pods
    await removed(fed, "steady")


async def offer_one(site: Site) -> bytes:
    """Offer an article that was never offered before; its message-id."""
    message_id = f"<{next(serial)}@editing.example>"
    head = f"Path: test!not\r\nFrom: a@b.example\r\nNewsgroups: misc.test\r\nSubject: x\r\nMessage-ID: {message_id}\r\n"
    (verdict,) = await site.offer("hub", [f"{head}Date: Fri, 27 Nov 2026 12:00:00 +0000\r\n\r\nHello.\r\n".encode()])
    assert verdict.outcome == Outcome.OUTCOME_ACCEPTED
    return message_id.encode()


async def offer_wanted(site: Site, peer) -> bytes:
    """Offer an article, and wait until a peer has it; its message-id."""
    message_id = await offer_one(site)
    await eventually(lambda: message_id in peer.articles, within=60)
    return message_id


async def peers(site: Site):
    async with site.outfeed("hub") as client:
        return {peer.name: peer for peer in await client.peers()}


async def connections(site: Site, name: str):
    """Number and age of a peer's connections."""
    found = (await peers(site)).get(name)
    return [(each.id, each.connected_since.ToNanoseconds()) for each in found.connections] if found else []


async def removed(site: Site, name: str):
    await site.client.delete("Peerfeed", site.namespace, name)

    async def gone():
        return name not in await peers(site)

    await eventually(gone)


async def has_window(site: Site, name: str, window: int):
    return (await peers(site))[name].window == window


async def test_an_edit_is_live_and_other_connections_keep_their_age(fed, undisturbed, gated_peer):
    peer = await gated_peer()
    await fed.apply(peerfeed("edited", peer.address, peer.port))
    await fed.until_ready(("Peerfeed", "edited"))
    await fed.edit("Peerfeed", "edited", groups=["alt.nothing"])
    await fed.until_ready(("Peerfeed", "edited"))
    wanted = await offer_wanted(fed, undisturbed)
    assert wanted not in peer.articles
    await removed(fed, "edited")


async def test_a_new_peer_leaves_the_others_alone(fed, undisturbed, gated_peer):
    peer = await gated_peer()
    await fed.apply(peerfeed("added", peer.address, peer.port))
    await fed.until_ready(("Peerfeed", "added"))
    await offer_wanted(fed, peer)
    await removed(fed, "added")


async def test_a_peerfeed_that_the_service_refuses_says_why_while_others_go_on(fed, undisturbed):
    await fed.apply(
        peerfeed("wrong", auth={"username": "us", "passwordFrom": {"secretRef": {"name": "no", "key": "p"}}})
    )
    found = await eventually(lambda: fed.is_ready("Peerfeed", "wrong", "False"), within=60)
    assert found["reason"]
    assert "no" in found["message"]
    await offer_wanted(fed, undisturbed)
    await fed.is_ready("Outfeed", "hub")
    await removed(fed, "wrong")


async def test_what_was_missing_is_used_once_it_is_there(fed, undisturbed, gated_peer):
    peer = await gated_peer({"us": "first"})
    auth = {"username": "us", "passwordFrom": {"secretRef": {"name": "late", "key": "password"}}}
    await fed.apply(peerfeed("late", peer.address, peer.port, auth=auth))
    await eventually(lambda: fed.is_ready("Peerfeed", "late", "False"), within=60)
    await fed.apply(secret("late", password="first"))
    await fed.until_ready(("Peerfeed", "late"))
    await offer_wanted(fed, peer)
    await removed(fed, "late")


async def test_a_rotated_password_is_used_at_the_next_connection(fed, undisturbed, gated_peer):
    peer = await gated_peer({"us": "old"})
    auth = {"username": "us", "passwordFrom": {"secretRef": {"name": "login", "key": "password"}}}
    reconnect = {"initial": "200ms", "maximum": "1s"}
    await fed.apply(secret("login", password="old"))
    await fed.apply(peerfeed("locked", peer.address, peer.port, auth=auth, reconnect=reconnect))
    await fed.until_ready(("Peerfeed", "locked"))
    await offer_wanted(fed, peer)
    peer.passwords["us"] = "new"
    await fed.apply(secret("login", password="new"))
    await peer.drop()
    await offer_wanted(fed, peer)
    assert peer.logins[0] == ("us", "old")
    assert peer.logins[-1] == ("us", "new")
    await removed(fed, "locked")


async def test_a_refused_password_is_a_condition(fed, undisturbed, gated_peer):
    peer = await gated_peer({"us": "right"})
    auth = {"username": "us", "passwordFrom": {"secretRef": {"name": "bad", "key": "password"}}}
    await fed.apply(secret("bad", password="wrong"))
    await fed.apply(peerfeed("refused", peer.address, peer.port, auth=auth))
    await fed.until_ready(("Peerfeed", "refused"))
    await offer_one(fed)

    async def failed():
        return (await fed.condition("Peerfeed", "refused", "AuthFailed"))["status"] == "True"

    await eventually(failed, within=120)
    await removed(fed, "refused")


async def test_a_pause_holds_back_and_its_end_lets_go(fed, undisturbed, gated_peer):
    peer = await gated_peer()
    await fed.apply(peerfeed("halted", peer.address, peer.port, pause=True))
    await fed.until_ready(("Peerfeed", "halted"))
    message_id = await offer_wanted(fed, undisturbed)
    assert (await peers(fed))["halted"].state == PeerState.PEER_STATE_PAUSED
    await fed.edit("Peerfeed", "halted", pause=False)
    await eventually(lambda: message_id in peer.articles, within=60)
    await removed(fed, "halted")


async def test_an_older_document_is_ignored(fed, undisturbed):
    """As when an operator that was replaced goes on for a moment."""
    async with fed.configuration("hub") as client:
        before = await client.status()
        answer = await client.apply(ConfigDocument(before.revision - 1))
        assert answer.ignored
        assert await client.status() == before


async def test_nobody_else_may_apply(fed):
    async with fed.channel("hub", await fed.client_certificate("hub")) as channel:
        with pytest.raises(PermissionDeniedError):
            await ConfigClient(channel).apply(ConfigDocument(1_000_000))
