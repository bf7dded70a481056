"""What peers want, rule by rule, as the running service sends it."""

import pytest

from articles import Article
from corpus import synthetic

from .waiting import ids

HEAD = "From: a@test.example\r\nSubject: x\r\nDate: Wed, 01 Jul 2026 12:00:00 +0000\r\n"


def article(name, *headers, path="near!mid!far!not-for-mail", groups="test.one", body="Text.\r\n"):
    message_id = f"<{name}@test.example>"
    more = "".join(f"{header}\r\n" for header in headers)
    head = f"Path: {path}\r\nMessage-ID: {message_id}\r\nNewsgroups: {groups}\r\n{HEAD}{more}"
    return Article(message_id.encode(), f"{head}\r\n{body}".encode())


ARTICLES = [
    article("plain"),
    article("large", body="x" * 70 + "\r\n" + "Text.\r\n" * 500),
    article("world", "Distribution: world"),
    article("local", "Distribution: local"),
    article("crossposted", groups="test.one,test.two,misc.three"),
    article("followed", "Followup-To: test.one", groups="test.one,test.two"),
    article("poisoned", groups="test.one,test.binaries"),
    article("direct", path="near!not-for-mail"),
    article("control", "Control: newgroup test.new", "Approved: a@test.example"),
    article("binary", body="=ybegin part=1 line=128 size=5 name=a.bin\r\nabc\r\n=yend size=5\r\n"),
    article("injected", "Injection-Info: news.test.example; posting-host=x"),
]
NAMES = [each.message_id.decode()[1:].partition("@")[0] for each in ARTICLES]
WANTS = {
    "all": ({}, set(NAMES)),
    "poison": ({"groups": ["*", "@*.binaries"]}, set(NAMES) - {"poisoned"}),
    "misc": ({"groups": ["misc.*"]}, {"crossposted"}),
    "required": ({"requiredGroups": ["misc.*", "*.two"]}, {"crossposted", "followed"}),
    "distributions": ({"distributions": ["!local"]}, set(NAMES) - {"local"}),
    "distributed": ({"needsDistribution": True}, {"world", "local"}),
    "identity": ({"pathIdentity": ["FAR"]}, {"direct"}),
    "excluded": ({"excludePath": ["mid"]}, {"direct"}),
    "small": ({"maxSize": "1KB"}, set(NAMES) - {"large"}),
    "big": ({"minSize": "1KB"}, {"large"}),
    "single": ({"maxCrossposts": 1}, set(NAMES) - {"crossposted", "followed", "poisoned"}),
    "several": ({"minCrossposts": 3}, {"crossposted"}),
    "followups": ({"maxFollowups": 1}, set(NAMES) - {"crossposted", "poisoned"}),
    "spread": ({"maxSpread": 3}, set(NAMES) - {"crossposted", "poisoned"}),
    "near": ({"maxHops": 2}, {"direct"}),
    "far": ({"minHops": 3}, set(NAMES) - {"direct"}),
    "texts": ({"articleTypes": ["!binary", "!control"]}, set(NAMES) - {"binary", "control"}),
    "moderated": ({"articleTypes": ["approved"]}, {"control"}),
    "ours": ({"originators": {"patterns": ["*.test.example"]}}, {"injected"}),
    "unnamed": ({"originators": {"patterns": ["nobody"], "unnamed": True}}, set(NAMES) - {"injected"}),
}


@pytest.fixture
async def wanting(outfeed, recording_peer):
    """An outfeed with a peer for each of `WANTS`."""
    peers = {}
    for name, (options, _) in WANTS.items():
        peers[name] = await recording_peer()
        outfeed.peer(name, peers[name].port, **options)
    await outfeed.start()
    return outfeed, peers


async def test_each_peer_gets_what_it_wants_and_nothing_else(wanting):
    outfeed, peers = wanting
    offered = await outfeed.offer(ARTICLES)
    assert offered.confirmed == ids(ARTICLES)
    for name, (_, wanted) in WANTS.items():
        await outfeed.drained(name)
        got = {message_id.decode()[1:].partition("@")[0] for message_id in peers[name].articles}
        assert got == wanted, name


async def test_shares_of_several_peers_make_the_whole(outfeed, recording_peer):
    shares = {
        "first": {"first": 1, "last": 1, "modulus": 4, "further": [{"first": 3, "last": 3, "modulus": 4}]},
        "second": {"first": 2, "last": 2, "modulus": 4},
        "third": {"first": 4, "last": 4, "modulus": 4},
    }
    peers = {name: await recording_peer() for name in shares}
    for name, share in shares.items():
        outfeed.peer(name, peers[name].port, hashfeed=share)
    await outfeed.start()
    articles = list(synthetic(200, 300))
    await outfeed.offer(articles)
    for name in shares:
        await outfeed.drained(name)
    assert sorted(each for peer in peers.values() for each in peer.articles) == sorted(ids(articles))
    assert len(peers["first"].articles) > len(peers["second"].articles)
