"""From a Peerfeed to the settings of each part."""

import socket
from dataclasses import replace
from datetime import UTC

import pytest

from forebay.api import read_objects
from forebay.outfeed.errors import PatternError
from forebay.outfeed.incoming.hashfeed import HashShare
from forebay.outfeed.peering.deferralrest import DeferralRest
from forebay.outfeed.peering.flow import FlowSettings
from forebay.outfeed.peering.growth import GrowthSettings
from forebay.outfeed.peering.hours import FeedHours, Window
from forebay.outfeed.peering.peeroptions import options
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.dialling import NetworkSettings
from forebay.runtime.backoff import BackoffSettings
from forebay.spill import SpoolSettings
from manifests import outfeed, peer_options, peerfeed, spill


def test_hosts_share_the_port():
    assert peer_options(hosts=["a.example", "2001:db8::1"], port=433).lines.hosts == (
        ("a.example", 433),
        ("2001:db8::1", 433),
    )


def test_a_target_is_the_only_host():
    readings = read_objects([spill(), outfeed(), outfeed("other"), peerfeed(target={"name": "other"})])
    assert options(readings[3].resource, ("127.0.0.1", 1119)).lines.hosts == (("127.0.0.1", 1119),)


def test_it_is_known_by_name_and_uid():
    option = peer_options("one")
    assert (option.name, option.uid) == ("one", peerfeed("one")["metadata"]["uid"])


def test_every_field_of_a_peer_reaches_its_part():
    option = peer_options(
        connections={"max": 7},
        window=55,
        compress=True,
        streaming=False,
        noCheck={"enabled": False, "high": 80, "low": 70, "filter": 10},
        backlog={
            "rotateBytes": "1MB",
            "rotateAge": "2m",
            "maxBytes": "5MB",
            "maxAge": "1d",
            "first": True,
            "enabled": False,
        },
        deferral={"minAge": "45s", "factor": 3, "longest": "10m", "maxTries": 5, "maxAge": "2h"},
        deadLetter={"maxTries": 7},
        delay="3m",
        maxRate=4,
        headfeed=True,
        hours={"windows": [{"days": ["Tue"], "start": "22:00", "end": "06:30"}]},
        reconnect={"initial": "3s", "maximum": "1m"},
        timeouts={"connect": "4s", "response": "5s", "idle": "6s", "lifetime": "1h"},
        network={
            "bind": ["192.0.2.1"],
            "family": "ipv4",
            "pacingRate": "1MB",
            "congestionControl": "bbr",
            "sendBuffer": "64KiB",
            "dscp": 8,
        },
    )
    assert option.lines.most == 7
    assert option.lines.reconnect == BackoffSettings(3.0, 60.0)
    assert option.spool == SpoolSettings(1_000_000, 120.0, 5_000_000, 86_400.0)
    assert option.deferral == DeferralRest(45.0, 3.0, 600.0)
    assert option.giving_up == GivingUp(7, 5, 7200.0)
    assert option.flow == FlowSettings(180.0, True, False, 4.0, True)
    assert option.hours == FeedHours((Window(frozenset({1}), 22 * 60, 6 * 60 + 30),), UTC)
    connection = option.lines.connection
    assert connection.window == 55
    assert connection.headfeed
    assert (connection.tls, connection.compress, connection.streaming) == (None, True, False)
    assert connection.lifetime == 3600.0
    assert connection.network == NetworkSettings(("192.0.2.1",), socket.AF_INET, 1_000_000, "bbr", 65_536, 8)
    assert (connection.connect_timeout, connection.response_timeout, connection.idle_timeout) == (4.0, 5.0, 6.0)
    nocheck = connection.nocheck
    assert (nocheck.enabled, nocheck.on, nocheck.off, nocheck.filter) == (False, 80.0, 70.0, 10.0)


def test_a_backlog_has_no_limits_unless_they_are_given():
    assert (peer_options().spool.limit_bytes, peer_options().spool.limit_age) == (None, None)


def test_a_connection_lasts_a_day_unless_told_otherwise():
    assert peer_options().lines.connection.lifetime == 86_400.0


def test_how_many_connections_there_are_is_read():
    lines = peer_options(
        connections={"max": 3, "initial": 7, "growth": "both", "low": 1, "high": 9, "filter": 0.5, "startDelay": "20s"}
    ).lines
    assert (lines.most, lines.initial, lines.start_delay) == (3, 3, 20.0)
    assert lines.growth == GrowthSettings(by_rate=True, by_queue=True, low=1, high=9, filter=0.5)
    assert peer_options().lines.growth == GrowthSettings()


def test_every_share_of_a_hash_feed_is_read():
    share = {"first": 1, "last": 2, "modulus": 4}
    further = [{**share, "offset": 3}, {**share, "method": "sum"}]
    assert peer_options(hashfeed={**share, "further": further}).rules(0).hashfeed == (
        HashShare(1, 2, 4),
        HashShare(1, 2, 4, 3),
        HashShare(1, 2, 4, sums=True),
    )


def test_every_rule_of_a_peer_is_read():
    rules = peer_options(
        groups=["misc.*", "!misc.jobs"],
        requiredGroups=["misc.a", "misc.b"],
        distributions=["world"],
        needsDistribution=True,
        pathIdentity=["peer.example"],
        excludePath=["bad.example"],
        minSize="1KB",
        maxSize="1MB",
        minCrossposts=2,
        maxCrossposts=5,
        maxFollowups=0,
        maxSpread=30,
        minHops=3,
        maxHops=9,
        articleTypes=["!binary"],
        originators={"patterns": ["a.*", "@a.b"], "unnamed": True},
        hashfeed={"first": 1, "last": 2, "modulus": 4, "offset": 3},
    ).rules(6)
    assert (rules.number, rules.bit, rules.groups) == (6, 64, "misc.*,!misc.jobs")
    assert (rules.distributions, rules.exclude_path) == (("world",), {"bad.example"})
    assert (rules.min_size, rules.max_size, rules.max_crossposts, rules.max_hops) == (1000, 1_000_000, 5, 9)
    assert rules.hashfeed == (HashShare(1, 2, 4, 3),)
    assert (rules.required_groups, rules.needs_distribution, rules.path_identity) == (
        "misc.a,misc.b",
        True,
        {"peer.example"},
    )
    assert (rules.min_crossposts, rules.max_followups, rules.max_spread, rules.min_hops) == (2, 0, 30, 3)
    assert (rules.article_types, rules.originators, rules.unnamed_originator) == (("!binary",), "a.*,@a.b", True)


def test_a_peer_without_rules_wants_everything():
    rules = peer_options().rules(0)
    assert (rules.groups, rules.min_size, rules.max_size, rules.hashfeed) == ("*", 0, None, ())


def test_a_pattern_that_cannot_be_read_is_told():
    option = peer_options()
    broken = option.spec.model_copy(update={"groups": ("misc.[",)})
    with pytest.raises(PatternError, match=r"misc\.\["):
        replace(option, spec=broken).rules(0)


def test_equal_manifests_make_equal_options():
    assert peer_options(window=5) == peer_options(window=5)
    assert peer_options(window=5) != peer_options(window=6)
