from pathlib import Path

import pytest
import yaml

from forebay.api import read_files
from forebay.api.v1alpha1 import Peerfeed
from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.migration import INNFEED_CONF, NEWSFEEDS, kind_of, migrate

from .inputs import real_file

FUNNEL = "innfeed!:!*:Tc,Wnm*:/usr/lib/news/bin/innfeed\n"


def load(path):
    raise AssertionError(path)


def migrated(conf=None, feeds=None):
    """What becomes of the texts of the two files, where each is given."""
    files = [(Path(name), text) for name, text in (("innfeed.conf", conf), ("newsfeeds", feeds)) if text is not None]
    return migrate(files, "hub", load)


def specs(migration):
    return {peer.manifest["metadata"]["name"]: peer.manifest["spec"] for peer in migration.peers}


def spec_of(conf=None, feeds=None):
    [spec] = specs(migrated(conf, feeds)).values()
    return spec


def site(line, me="ME:::", funnel=FUNNEL, conf=None):
    """The spec of the one peer that an entry becomes."""
    return spec_of(conf, f"{me}\n{funnel}{line}\n")


def notes(migration):
    return [str(note) for note in migration.notes]


def real(*kinds_and_numbers):
    files = [real_file(kind, number) for kind, number in kinds_and_numbers]
    return migrate([(file, file.read_text()) for file in files], "hub", Path.read_text)


@pytest.mark.parametrize("number", ["05", "06", "07", "10"])
def test_files_of_real_servers_are_recognised(number):
    kinds = {"innfeed": INNFEED_CONF, "newsfeeds": NEWSFEEDS}
    for kind in ("newsfeeds",) if number == "10" else ("innfeed", "newsfeeds"):
        file = real_file(kind, number)
        assert kind_of(file, file.read_text()) == kinds[kind]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("peer x {\n}\n", INNFEED_CONF, id="a peer"),
        pytest.param("# c\nmax-connections: 5\n", INNFEED_CONF, id="a key"),
        pytest.param("ME:::\n", NEWSFEEDS, id="ME"),
        pytest.param("x:*:Wnm,Tf:\n", NEWSFEEDS, id="an entry"),
        pytest.param("- uri: http://a\n", "", id="neither"),
    ],
)
def test_a_file_of_another_name_is_known_by_what_it_holds(text, kind):
    assert kind_of(Path("feeds.old"), text) == kind


@pytest.mark.parametrize("number", ["05", "06"])
def test_samples_without_a_peer_make_none(number):
    assert real(("innfeed", number), ("newsfeeds", number)).peers == []


def test_examples_of_the_manual():
    found = real(("innfeed", "07"), ("newsfeeds", "07"))
    groups = ["*", "!control", "!control.*", "!junk"]
    assert specs(found) == {
        "feed2.example.com": {
            "outfeedRef": {"name": "hub"},
            "hosts": ["feed2.example.com"],
            "connections": {"max": 5},
            "groups": groups,
            "distributions": ["!local"],
            "pathIdentity": ["feed2.example.com"],
        },
        "example": {
            "outfeedRef": {"name": "hub"},
            "hosts": ["example"],
            "connections": {"max": 5},
            "groups": groups,
            "distributions": ["!local"],
            "excludePath": ["feed3.example.com"],
        },
    }
    told = "\n".join(notes(found))
    assert "peer peer22: newsfeeds sends it nothing" in told
    assert "eg-integer: innfeed knows no such key either" in told
    assert 'user1@example.com: it is a program sm %s | innmail -s "News article" *: is not fed by innfeed' in told


def test_values_of_peers_and_groups_reach_peerfeeds():
    found = specs(real(("innfeed", "07")))
    assert {name: (spec["hosts"], spec["connections"]["max"]) for name, spec in found.items()} == {
        "peer22": (["usenet1.peer22.example.net"], 5),
        "peer23": (["gw.peer23.example.com"], 10),
        "data.peer23.example.com": (["data.peer23.example.com"], 15),
        "bb.peer23.example.com": (["bb.peer23.example.com"], 20),
        "news.example.org": (["news.example.org"], 5),
    }
    assert found["news.example.org"]["port"] == 433
    assert all(spec["pause"] for spec in found.values())


def test_old_wrappers():
    found = real(("newsfeeds", "10"))
    assert found.peers == []
    assert [(note.place.line, note.subject) for note in found.notes] == [(1, "ME"), (6, "imapfeed!"), (8, "filechan!")]


def test_what_is_written_can_be_read(tmp_path):
    found = migrated("peer p { username: u password: p\n max-connections: 0 }", f"ME:::\n{FUNNEL}p:*:Ae,Tm:innfeed!\n")
    for name, text in (("a", found.service_yaml()), ("b", found.peers_yaml()), ("c", found.secrets_yaml())):
        (tmp_path / f"{name}.yaml").write_text(text)
    manifests = read_files([tmp_path])
    [peer] = manifests.of(Peerfeed)
    assert manifests.secret("default", peer.spec.auth.password_from.secret_ref) == "p"
    comments = [line for line in found.peers_yaml().splitlines() if line.startswith("#")]
    assert [comment.split(":")[2] for comment in comments] == [" p", " p"]
    assert "Ae" in comments[1]


def test_a_second_file_of_one_kind_is_refused():
    with pytest.raises(MigrationError, match="other/newsfeeds:1: is a second newsfeeds"):
        migrate([(Path("newsfeeds"), "ME:::"), (Path("other/newsfeeds"), "ME:::")], "hub", load)


@pytest.mark.parametrize(
    ("setting", "field", "value"),
    [
        ("ip-name: 192.0.2.7", "hosts", ["192.0.2.7"]),
        ('ip-name: "2001:db8::7"', "hosts", ["2001:db8::7"]),
        ("port-number: 433", "port", 433),
        ("max-connections: 7", "connections", {"max": 7}),
        ("max-connections: 0", "connections", {"max": 100}),
        ("max-queue-size: 50", "window", 50),
        ("no-check-high: 99.0 no-check-low: 91", "noCheck", {"high": 99.0, "low": 91}),
        ("no-check-filter: 20.0", "noCheck", {"filter": 20.0}),
        ("streaming: false", "streaming", False),
        ("close-period: 3600", "timeouts", {"lifetime": "3600s"}),
        ("close-period: 1", "timeouts", {"lifetime": "60s"}),
        ("close-period: 0", "timeouts", {"lifetime": "365d"}),
        ("bindaddress: 192.0.2.9", "network", {"bind": ["192.0.2.9"]}),
        ('bindaddress: any bindaddress6: "2001:db8::9"', "network", {"bind": ["2001:db8::9"]}),
        ("bindaddress: none", "network", {"family": "ipv6"}),
        ("bindaddress6: none", "network", {"family": "ipv4"}),
        ("force-ipv4: true", "network", {"family": "ipv4"}),
        ("article-timeout: 60", "timeouts", {"idle": "60s"}),
        ("article-timeout: 0", "timeouts", {"idle": "1d"}),
        ("response-timeout: 30", "timeouts", {"response": "30s"}),
        ("no-backlog: true", "backlog", {"enabled": False}),
        ("backlog-feed-first: true", "backlog", {"first": True}),
        ("drop-deferred: true", "deferral", {"maxTries": 1}),
        ("backlog-limit: 1000000", "backlog", {"maxBytes": "1000000B"}),
    ],
)
def test_a_setting_of_a_peer_becomes_a_field(setting, field, value):
    assert spec_of(f"peer p {{ {setting} }}", f"ME:::\n{FUNNEL}p:*:Tm:innfeed!")[field] == value


@pytest.mark.parametrize(
    ("setting", "field", "value"),
    [
        ("host-queue-highwater: 200", "queue", {"size": 200}),
        ("host-queue-highwater: 5", "queue", {"size": 10}),
        ("dns-expire: 7200", "timeouts", {"lifetime": "7200s"}),
        ("dns-expire: 7200 close-period: 60", "timeouts", {"lifetime": "60s"}),
        ("initial-connections: 0 max-connections: 3", "connections", {"max": 3, "initial": 0}),
        ("dynamic-method: 0", "connections", {"growth": "free"}),
        ("dynamic-method: 1", "connections", {"growth": "rate"}),
        (
            "dynamic-method: 2 dynamic-backlog-low: 10.0 dynamic-backlog-high: 60.0 dynamic-backlog-filter: 0.5",
            "connections",
            {"growth": "queue", "low": 10.0, "high": 60.0, "filter": 0.5},
        ),
        ("dynamic-method: 3", "connections", {"growth": "both"}),
        ("initial-sleep: 5", "connections", {"startDelay": "5s"}),
        ("initial-reconnect-time: 30 max-reconnect-time: 3600", "reconnect", {"initial": "30s", "maximum": "3600s"}),
    ],
)
def test_a_setting_of_the_process_becomes_a_field_of_every_peer(setting, field, value):
    found = specs(migrated(f"{setting}\npeer p {{}} peer q {{}}"))
    assert [spec[field] for spec in found.values()] == [value, value]


@pytest.mark.parametrize(
    "setting",
    [
        "drop-deferred: false",
        "no-backlog: false",
        "backlog-limit: 0",
        "force-ipv4: false",
        "bindaddress: any",
    ],
)
def test_a_setting_that_means_the_default_becomes_nothing(setting):
    assert spec_of(f"peer p {{ {setting} }}") == spec_of("peer p {}")


@pytest.mark.parametrize(
    ("setting", "note"),
    [
        ("max-connections: many", "innfeed.conf:1: p: max-connections: 'many' is no whole number of 0 or more"),
        ("drop-deferred: 1", "innfeed.conf:1: p: drop-deferred: 1 is neither true nor false, so the default stays"),
        ("no-check-high: x", "innfeed.conf:1: p: no-check-high: 'x' is no number, so the default stays"),
        ("no-check-high: 50", "innfeed.conf:1: p: spec.noCheck.low: is above high"),
        ("port-number: 70000", "innfeed.conf:1: p: spec.port: 70000 is above 65535"),
        ("max-connections: 200", "innfeed.conf:1: p: max-connections: 200 became 100"),
        ("log-file: x", "innfeed.conf:1: log-file: nowhere: logs go to standard error"),
        ("username: x", "innfeed.conf:1: p: username, password: one of them is missing"),
        ("mystery: 1", "innfeed.conf:1: mystery: innfeed knows no such key either"),
    ],
)
def test_a_setting_that_cannot_be_carried_over_is_told(setting, note):
    found = migrated(f"peer p {{ {setting} }}")
    assert len(found.peers) == 1
    assert any(told.startswith(note) for told in notes(found)), notes(found)


def test_a_setting_of_many_peers_is_told_once():
    found = migrated("peer p { stdio-fdmax: 1 } peer q { stdio-fdmax: 1 }")
    assert [note.subject for note in found.notes].count("stdio-fdmax") == 1


def test_a_peer_without_a_host_is_left_out():
    found = migrated('peer p { ip-name: "no host" }')
    assert found.peers == []
    assert any("spec.hosts[0]" in note and "left out" in note for note in notes(found))


@pytest.mark.parametrize(
    ("flag", "field", "value"),
    [
        ("<1000", "maxSize", 999),
        (">1000", "minSize", 1001),
        ("G5", "maxCrossposts", 5),
        ("H4", "maxHops", 4),
        ("H", "maxHops", 1),
        ("U2", "maxFollowups", 2),
        ("C30", "maxSpread", 30),
        ("Ac", "articleTypes", ["!control"]),
        ("AC", "articleTypes", ["control"]),
        ("AcC", "articleTypes", ["control"]),
        ("Nm", "articleTypes", ["approved"]),
        ("Nu", "articleTypes", ["!approved"]),
        ("Nm,Ac", "articleTypes", ["approved", "!control"]),
        ("Nu,AC", "articleTypes", ["control", "!approved"]),
        ("Nu,Ac", "articleTypes", ["!approved", "!control"]),
        ("Ad", "needsDistribution", True),
        ("Oa.*/@a.b", "originators", {"patterns": ["a.*", "@a.b"]}),
        ("AO,Oa.*", "originators", {"patterns": ["a.*"], "unnamed": True}),
        ("Q2/3", "hashfeed", {"first": 2, "last": 2, "modulus": 3}),
        ("Q@2-3/4", "hashfeed", {"first": 2, "last": 3, "modulus": 4, "method": "sum"}),
        (
            "Q1/2,Q1/4_4,Q@1/5",
            "hashfeed",
            {
                "first": 1,
                "last": 1,
                "modulus": 2,
                "further": [
                    {"first": 1, "last": 1, "modulus": 4, "offset": 4},
                    {"first": 1, "last": 1, "modulus": 5, "method": "sum"},
                ],
            },
        ),
        ("Q1-3/9_4", "hashfeed", {"first": 1, "last": 3, "modulus": 9, "offset": 4}),
    ],
)
def test_a_flag_becomes_a_field(flag, field, value):
    spec = site(f"p:*:{flag},Tm:innfeed!")
    assert spec[field] == value
    assert "pause" not in spec


@pytest.mark.parametrize("flag", ["Ae", "N", "Nx", "AC,Nm", "Q@1/2_4", "Q3/2", "G", "Gx", "O", "Z", "<99999999999"])
def test_a_peer_is_paused_when_a_flag_that_decides_is_lost(flag):
    found = migrated(None, f"ME:::\n{FUNNEL}p:*:{flag},Tm:innfeed!")
    [peer] = found.peers
    assert peer.manifest["spec"]["pause"]
    assert any("the peer is paused until you have looked" in str(note) for note in peer.notes)


def test_that_moderated_groups_are_told_by_a_header_is_noted():
    [peer] = migrated(None, f"ME:::\n{FUNNEL}p:*:Nm,Tm:innfeed!").peers
    told = "newsfeeds:3: p: Nm: told by the Approved header, since Forebay knows no list of groups"
    assert told in [str(note) for note in peer.notes]


@pytest.mark.parametrize("flag", ["Af", "Aj", "AO", "Ap", "Wnm", "B4096/1024", "S16384", "P5", "Iabc", "Fname"])
def test_a_flag_that_decides_nothing_leaves_the_peer_fed(flag):
    assert "pause" not in site(f"p:*:{flag},Tm:innfeed!")


@pytest.mark.parametrize(
    ("me", "patterns", "groups"),
    [
        pytest.param("ME:::", "a,!b,@c", ["a", "!b", "@c"], id="as they are"),
        pytest.param("ME:::", "!x,a", ["a"], id="what takes nothing out goes"),
        pytest.param("ME:!*/!local::", "a", ["a"], id="after those of ME"),
        pytest.param("ME:*,!foo.*::", "!a", ["*", "!foo.*", "!a"], id="only together with those of ME"),
        pytest.param("ME:::", "", ["*"], id="none"),
    ],
)
def test_patterns(me, patterns, groups):
    assert site(f"p:{patterns}:Tm:innfeed!", me)["groups"] == groups


def test_an_entry_that_asks_for_nothing_makes_no_peer():
    found = migrated(None, f"ME:::\n{FUNNEL}p:!*:Tm:innfeed!")
    assert found.peers == []
    assert notes(found) == ["newsfeeds:3: p: !* asks for no group, so it is left out"]


def test_a_pattern_that_cannot_be_carried_over_pauses_the_peer():
    found = migrated(None, f"ME:::\n{FUNNEL}p:*,!a[:Tm:innfeed!")
    assert specs(found)["p"]["groups"] == ["*"]
    assert specs(found)["p"]["pause"] is True


@pytest.mark.parametrize(
    ("me", "own", "both"),
    [
        ("", "/a,b", ["a", "b"]),
        ("/!local", "", ["!local"]),
        ("/!local", "/!foo", ["!local", "!foo"]),
        ("/world,usa,local", "/!local", ["world", "usa"]),
        ("/world,usa", "/USA,nz", ["usa"]),
        ("", "", None),
    ],
)
def test_distributions_of_me_and_of_the_entry_count_both(me, own, both):
    assert site(f"p:*{own}:Tm:innfeed!", f"ME:{me}::").get("distributions") == both


def test_distributions_with_nothing_in_common_pause_the_peer():
    assert site("p:*/a:Tm:innfeed!", "ME:/b::")["pause"] is True


@pytest.mark.parametrize(
    ("me", "entry", "own", "excluded"),
    [
        ("ME:::", "p:*:Tm:innfeed!", ["p"], None),
        ("ME:::", "p/x,y,X:*:Tm:innfeed!", ["p"], ["x", "y"]),
        ("ME/bad.site:::", "p/x:*:Tm:innfeed!", ["p"], ["x", "bad.site"]),
        ("ME:::", "p/x:*:Ap,Tm:innfeed!", None, ["x"]),
        ("ME:::", "p:*:Acp,Tm:innfeed!", None, None),
    ],
)
def test_sites_in_the_path(me, entry, own, excluded):
    spec = site(entry, me)
    assert (spec.get("pathIdentity"), spec.get("excludePath")) == (own, excluded)


@pytest.mark.parametrize(
    "command",
    [
        "/usr/lib/news/bin/innfeed -y",
        "@bindir@/startinnfeed",
        "exec innfeed -c other.conf",
        "startinnfeed innfeed -y",
        "delayer --delay 300 -- innfeed",
    ],
)
def test_ways_to_call_innfeed(command):
    assert site("p:*:Tm:feeder!", funnel=f"feeder!:!*:Tc,Wnm*:{command}\n")["hosts"] == ["p"]


@pytest.mark.parametrize("option", ["--delay 300", "--delay=300", "-d 300"])
def test_a_funnel_through_delayer_delays(option):
    assert site("p:*:Tm:feeder!", funnel=f"feeder!:!*:Tc,Wnm*:/x/delayer {option} -- /x/innfeed\n")["delay"] == "300s"


def test_a_funnel_may_lead_through_another():
    assert site("p:*:Tm:one", funnel=FUNNEL + "one:!*:Tm:innfeed!\n".replace("one", "ONE", 1))["hosts"] == ["p"]


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        ("p:*:Tm:gone!", "newsfeeds:3: p: there is no entry gone!, so it is left out"),
        ("p:*:Tm:p", "newsfeeds:3: p: there is no entry p, so it is left out"),
        ("p:*:Tf,Wnm:", "newsfeeds:3: p: it is a file: is not fed by innfeed, so it is left out"),
        ("p:*:Tc,Wn:nntplink x", "newsfeeds:3: p: it is a channel to nntplink x: is not fed by innfeed"),
        ("p:*:Tl:", "newsfeeds:3: p: it is a line in the log: is not fed by innfeed, so it is left out"),
        ("p:*:Tc,Wn:imapfeed 'x", "newsfeeds:3: p: it is a channel to imapfeed 'x: is not fed by innfeed"),
    ],
)
def test_what_innfeed_does_not_feed_is_told_and_left_out(entry, note):
    found = migrated(None, f"ME:::\n{FUNNEL}{entry}")
    assert found.peers == []
    [told] = notes(found)
    assert told.startswith(note)


def test_a_site_that_innfeed_does_not_know_is_left_out():
    found = migrated("peer q {}", f"ME:::\n{FUNNEL}p:*:Tm:innfeed!\nq:*:Tm:innfeed!")
    assert list(specs(found)) == ["q"]
    assert "newsfeeds:3: p: innfeed.conf has no such peer and innfeed is run without -y" in notes(found)[0]


def test_with_y_a_site_that_innfeed_does_not_know_has_the_values_of_the_file():
    spec = site("p:*:Tm:innfeed!", funnel=FUNNEL.strip() + " -y\n", conf="max-connections: 9\npeer q {}")
    assert (spec["hosts"], spec["connections"]) == (["p"], {"max": 9})


def test_names_become_those_of_resources():
    found = migrated("peer News_1 {} peer news-1 {} peer x@y { ip-name: a }")
    assert list(specs(found)) == ["news-1", "news-1-2", "x-y"]
    assert "News_1: metadata.name: names of resources are of another form: it is called news-1" in "\n".join(
        notes(found)
    )


def test_notes_hold_no_password():
    found = migrated("peer p { password: hidden }")
    assert "hidden" not in "\n".join(notes(found))
    assert "hidden" not in found.peers_yaml()


def test_yaml_keeps_texts_as_texts():
    found = migrated("peer p { ip-name: 1234\n username: 12 password: 34 }")
    assert yaml.safe_load(found.peers_yaml())["spec"]["hosts"] == ["1234"]
    assert yaml.safe_load(found.secrets_yaml())["stringData"] == {"password": "34"}
