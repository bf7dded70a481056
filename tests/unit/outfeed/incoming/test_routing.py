"""Routing: which peers want an article, and why the others do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.incoming.article import Article
from forebay.outfeed.incoming.hashfeed import HashShare
from forebay.outfeed.incoming.routing import Ranges, Routing
from forebay.outfeed.incoming.rules import PeerRules, sites
from forebay.outfeed.token import message_key


def article(
    groups: tuple[bytes, ...] = (b"test.feed",),
    distributions: tuple[bytes, ...] = (),
    path: bytes = b"a.example!b.example!not-for-mail",
    size: int = 1000,
    message_id: bytes = b"<one@forebay.example>",
    headers: bytes = b"",
) -> Article:
    wire = headers + b"\r\n\r\n" + b"x" * size if headers else b"x" * size
    return Article(message_id, message_key(message_id), groups, distributions, path, None, wire)


@pytest.mark.parametrize(
    ("rules", "offered", "rule", "detail"),
    [
        ({}, article(), "", ""),
        ({"groups": "rec.*"}, article(), "groups", "test.feed"),
        ({"groups": "*,@test.feed"}, article((b"rec.a", b"test.feed")), "groups", "test.feed is poisoned"),
        ({"groups": "*,@test.x,@test.*"}, article((b"rec.a", b"test.feed")), "groups", "poisoned by @test.*"),
        ({"groups": "*,!rec.*,!test.*"}, article(), "groups", "test.feed is excluded by !test.*"),
        ({"groups": "rec.*"}, article((b"test.feed", b"rec.a")), "", ""),
        ({"distributions": ("world",)}, article(), "", ""),
        ({"distributions": ("world",)}, article(distributions=(b"World",)), "", ""),
        ({"distributions": ("world",)}, article(distributions=(b"local",)), "distributions", "local against world"),
        ({"distributions": ("world",)}, article(distributions=(b"local", b"world")), "", ""),
        ({"distributions": ("!local",)}, article(distributions=(b"local",)), "distributions", "local"),
        ({"distributions": ("!local",)}, article(distributions=(b"world",)), "", ""),
        ({"distributions": ("!local", "de")}, article(distributions=(b"fr",)), "", ""),
        ({"required_groups": "*.feed"}, article(), "", ""),
        ({"required_groups": "rec.*,!rec.x"}, article((b"test.feed", b"rec.x")), "requiredGroups", "in rec.*,!rec.x"),
        ({"needs_distribution": True}, article(), "needsDistribution", "no Distribution"),
        ({"needs_distribution": True}, article(distributions=(b"world",)), "", ""),
        ({"path_identity": frozenset({"B.Example"})}, article(), "pathIdentity", "b.example"),
        ({"path_identity": frozenset({"c"}), "exclude_path": frozenset({"a.example"})}, article(), "excludePath", "a."),
        ({"min_crossposts": 2}, article(), "minCrossposts", "1 groups, at least 2"),
        ({"min_crossposts": 2}, article((b"a", b"b")), "", ""),
        ({"min_hops": 4}, article(), "minHops", "3 sites, at least 4"),
        ({"min_hops": 3}, article(), "", ""),
        ({"max_followups": 1}, article((b"a", b"b")), "maxFollowups", "followups go to 2 groups"),
        ({"max_followups": 1}, article((b"a", b"b"), headers=b"Followup-To: a"), "", ""),
        ({"max_spread": 5}, article((b"a", b"b")), "maxSpread", "make 6"),
        ({"max_spread": 5}, article((b"a", b"b"), headers=b"Followup-To: a"), "", ""),
        ({"article_types": ("!control",)}, article(headers=b"Control: newgroup a"), "articleTypes", "control, text"),
        ({"article_types": ("!control",)}, article(), "", ""),
        ({"originators": "*.example,!b.*"}, article(headers=b"Injection-Info: a.example; x"), "", ""),
        (
            {"originators": "*.example,!b.*"},
            article(headers=b"X-Trace: b.example 1"),
            "originators",
            "b.example is not",
        ),
        ({"originators": "*"}, article(), "originators", "names no originator"),
        ({"originators": "*", "unnamed_originator": True}, article(), "", ""),
        ({"exclude_path": frozenset({"B.Example"})}, article(), "excludePath", "b.example"),
        ({"exclude_path": frozenset({"b", "example"})}, article(), "", ""),
        ({"min_size": 1001}, article(), "minSize", "1000 octets, at least 1001"),
        ({"min_size": 1000, "max_size": 1000}, article(), "", ""),
        ({"max_size": 999}, article(), "maxSize", "1000 octets, at most 999"),
        ({"max_crossposts": 1}, article((b"a", b"b")), "maxCrossposts", "2 groups"),
        ({"max_crossposts": 2}, article((b"a", b"b")), "", ""),
        ({"max_hops": 2}, article(), "maxHops", "3 sites"),
        ({"max_hops": 3}, article(), "", ""),
        ({"hashfeed": (HashShare(1, 1000, 1000),)}, article(), "", ""),
        ({"hashfeed": (HashShare(1, 1, 1 << 31),)}, article(), "hashfeed", "wanted is 1-1"),
    ],
)
def test_a_rule_stops_an_article_or_does_not(rules, offered, rule, detail):
    routing = Routing([PeerRules(3, **rules)])
    (judgement,) = routing.explain(offered)
    assert (judgement.refusal.rule if judgement.refusal else "") == rule
    assert detail in (judgement.refusal.detail if judgement.refusal else "")
    assert routing.route(offered) == routing.route(offered) == (0 if rule else 1 << 3)


def test_sites_are_counted_as_inn_counts_them():
    assert sites(b"A.example!.POSTED.x!!b.example!\r\n c!tail") == [
        b"a.example",
        b".posted.x",
        b"b.example",
        b"c",
        b"tail",
    ]
    assert sites(b"not-for-mail") == [b"not-for-mail"]


def test_peer_numbers_may_have_gaps_and_are_bits():
    routing = Routing([PeerRules(70), PeerRules(0, groups="rec.*"), PeerRules(5)])
    assert routing.route(article()) == (1 << 70) | (1 << 5)
    assert [judgement.peer for judgement in routing.explain(article())] == [0, 5, 70]


def test_two_peers_cannot_have_one_number():
    with pytest.raises(ValueError, match="two peers have one number"):
        Routing([PeerRules(1), PeerRules(1)])


def test_crossposts_to_many_groups_are_routed_though_not_kept():
    many = article(tuple(b"test.%d" % number for number in range(100)))
    routing = Routing([PeerRules(0, groups="test.99"), PeerRules(1, groups="test.100")])
    assert routing.route(many) == routing.route(many) == 1


def test_shares_of_a_hash_feed_make_the_whole():
    routing = Routing([PeerRules(0, hashfeed=(HashShare(1, 3, 10),)), PeerRules(1, hashfeed=(HashShare(4, 10, 10),))])
    routed = [routing.route(article(message_id=b"<%d@forebay.example>" % number)) for number in range(1000)]
    assert set(routed) == {1, 2}
    assert 200 < routed.count(1) < 400


def test_a_peer_of_several_shares_gets_what_is_in_any_of_them():
    several = (HashShare(1, 1, 4), HashShare(3, 3, 4), HashShare(1, 1, 7, sums=True))
    routing = Routing(
        [PeerRules(0, hashfeed=several), *(PeerRules(n, hashfeed=(share,)) for n, share in enumerate(several, 1))]
    )
    routed = [routing.route(article(message_id=b"<%d@forebay.example>" % number)) for number in range(300)]
    assert {bool(peers & 1) for peers in routed} == {True, False}
    assert all(bool(peers & 1) == bool(peers & 0b1110) for peers in routed)


@given(st.lists(st.tuples(st.integers(0, 20), st.none() | st.integers(0, 20)), max_size=8), st.integers(0, 25))
def test_ranges_hold_both_their_ends(bounds, number):
    expected = sum(
        1 << bit for bit, (low, high) in enumerate(bounds) if low <= number and (high is None or number <= high)
    )
    assert Ranges((low, high, 1 << bit) for bit, (low, high) in enumerate(bounds))[number] == expected


WORDS = st.sampled_from(["a", "b", "c"])
RULES = st.builds(
    dict,
    groups=st.sampled_from(["*", "a,b", "*,!a", "*,@c", "b"]),
    distributions=st.lists(st.sampled_from(["a", "!b", "c"]), max_size=2).map(tuple),
    exclude_path=st.frozensets(WORDS, max_size=2),
    min_size=st.integers(0, 5),
    max_size=st.none() | st.integers(0, 10),
    max_crossposts=st.none() | st.integers(1, 3),
    max_hops=st.none() | st.integers(1, 3),
    required_groups=st.sampled_from(["", "a", "*,!b"]),
    needs_distribution=st.booleans(),
    path_identity=st.frozensets(WORDS, max_size=1),
    min_crossposts=st.integers(0, 2),
    min_hops=st.integers(0, 2),
    max_followups=st.none() | st.integers(0, 2),
    max_spread=st.none() | st.integers(1, 6),
    article_types=st.sampled_from([(), ("control",), ("!control",), ("all", "!cancel")]),
    originators=st.sampled_from(["", "a", "*,!a"]),
    unnamed_originator=st.booleans(),
    hashfeed=st.lists(
        st.sampled_from([HashShare(1, 1, 2), HashShare(2, 3, 3), HashShare(1, 1, 2, 4), HashShare(1, 2, 5, sums=True)]),
        max_size=2,
    ).map(tuple),
)
NAMES = st.lists(WORDS.map(str.encode), unique=True, max_size=3).map(tuple)
ARTICLES = st.builds(
    article,
    groups=NAMES.filter(bool),
    distributions=NAMES,
    path=st.lists(WORDS.map(str.encode), min_size=1, max_size=5).map(b"!".join),
    size=st.integers(0, 12),
    headers=st.sampled_from([b"", b"Control: cancel <a@b>\r\nFollowup-To: poster", b"X-Trace: a b", b"Followup-To: a"]),
    message_id=st.sampled_from([b"<%d@forebay.example>" % number for number in range(20)]),
)


@given(st.lists(RULES, max_size=6), st.lists(ARTICLES, min_size=1, max_size=4))
def test_routing_and_explanation_agree(rules, offered):
    routing = Routing(PeerRules(2 * number, **rule) for number, rule in enumerate(rules))
    for one in offered:
        explained = sum(1 << peer for peer, refusal in routing.explain(one) if refusal is None)
        assert routing.route(one) == explained
