"""What one outfeed reads out of a configuration, and what it says of each resource."""

import pytest

from authority import Authority
from forebay.outfeed.configuration import Selector, Surroundings
from forebay.outfeed.sending.login import Login
from forebay.outfeed.sending.peertls import TlsSettings
from forebay.runtime.document import ConfigDocument
from forebay.runtime.secret import Secret
from manifests import NAMESPACE, manifest, outfeed, peerfeed, spill

NNTP = {"listeners": {"nntp": {"port": 1190}}}


def select(*manifests, secrets=None, managed=lambda spill: f"unix:///{spill.metadata.name}"):
    surroundings = Surroundings(
        managed_url=managed,
        target_host=lambda outfeed: f"{outfeed.metadata.name}.host",
    )
    return Selector((NAMESPACE, "main"), surroundings).select(ConfigDocument(1, manifests, secrets or {}))


def faults(selection):
    """Violations by kind and name."""
    return {
        (result.kind, result.name): [tuple(violation) for violation in result.violations]
        for result in selection.results
        if result.violations
    }


def names(selection):
    return [peer.name for peer in selection.peers]


def test_a_sound_configuration_has_a_result_without_violation_for_each_resource():
    selection = select(spill(), outfeed(), peerfeed("a"), peerfeed("b"))
    assert selection.outfeed.metadata.name == "main"
    assert selection.url == "redis://127.0.0.1:6379/0"
    assert names(selection) == ["a", "b"]
    assert not selection.faulty
    kinds = [(result.kind, result.namespace, result.name, result.generation) for result in selection.results]
    assert kinds == [
        ("Spill", NAMESPACE, "main", 1),
        ("Outfeed", NAMESPACE, "main", 1),
        ("Peerfeed", NAMESPACE, "a", 1),
        ("Peerfeed", NAMESPACE, "b", 1),
    ]
    assert all(result.applied for result in selection.results)


def test_the_order_of_resources_does_not_matter():
    selection = select(peerfeed("a"), outfeed(), spill())
    assert (names(selection), selection.url) == (["a"], "redis://127.0.0.1:6379/0")


def test_without_our_outfeed_there_is_nothing_to_apply():
    selection = select(spill(), outfeed("other"), peerfeed())
    assert (selection.outfeed, selection.present) == (None, False)


def test_peers_of_other_outfeeds_are_left_alone():
    selection = select(spill(), outfeed(), outfeed("other"), peerfeed("a", outfeedRef={"name": "other"}))
    assert names(selection) == []
    assert not faults(selection)


def test_a_peer_of_an_outfeed_of_that_name_elsewhere_is_not_ours():
    elsewhere = manifest("Outfeed", "main", {"spillRef": {"name": "main"}}, namespace="elsewhere")
    theirs = manifest("Peerfeed", "a", peerfeed()["spec"], namespace="elsewhere")
    spills = [spill(), manifest("Spill", "main", {"managed": {}}, namespace="elsewhere")]
    assert names(select(*spills, outfeed(), elsewhere, theirs)) == []


def test_a_faulty_outfeed_is_none():
    selection = select(spill(), outfeed(history={"remember": "soon"}))
    assert (selection.outfeed, selection.present) == (None, True)
    ((field, _),) = faults(selection)["Outfeed", "main"]
    assert field == "spec.history.remember"


def test_a_faulty_peer_leaves_the_others_alone_and_is_known_as_such():
    bad = peerfeed("bad", window=0)
    selection = select(spill(), outfeed(), bad, peerfeed("good"))
    assert names(selection) == ["good"]
    assert selection.faulty == {bad["metadata"]["uid"]}
    ((field, _),) = faults(selection)["Peerfeed", "bad"]
    assert field == "spec.window"


def test_unknown_fields_are_warnings():
    selection = select(spill(), outfeed(), peerfeed("a", colour="blue"))
    assert names(selection) == ["a"]
    assert "colour" in selection.results[2].warnings[0]


def test_a_managed_spill_is_where_the_surroundings_say():
    assert select(spill(managed={}), outfeed()).url == "unix:///main"


def test_a_managed_spill_is_a_fault_where_no_server_is_run():
    selection = select(spill(managed={}), outfeed(), managed=None)
    assert selection.url == ""
    assert faults(selection) == {
        ("Spill", "main"): [("spec.managed", "no server is run for it here: give url or urlFrom instead")]
    }


def test_the_url_of_a_spill_comes_from_a_secret():
    given = spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}})
    secrets = {f"{NAMESPACE}/redis": {"url": Secret("redis://:hush@r.example:6379/0")}}
    selection = select(given, outfeed(), secrets=secrets)
    assert selection.url == "redis://:hush@r.example:6379/0"
    assert "hush" not in repr(selection)
    assert not faults(selection)


@pytest.mark.parametrize("secrets", [{}, {f"{NAMESPACE}/redis": {"other": Secret("x")}}], ids=["secret", "key"])
def test_a_missing_secret_is_told_by_name(secrets):
    selection = select(spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}}), outfeed(), secrets=secrets)
    assert selection.url == ""
    assert faults(selection) == {
        ("Spill", "main"): [("spec.urlFrom.secretRef", "there is no key url in a Secret redis: add it")]
    }


def test_a_url_that_is_none_is_told_without_it():
    secrets = {f"{NAMESPACE}/redis": {"url": Secret("http://:hush@r.example")}}
    selection = select(spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}}), outfeed(), secrets=secrets)
    ((field, problem),) = faults(selection)["Spill", "main"]
    assert (selection.url, field) == ("", "spec.urlFrom.secretRef")
    assert "its scheme is unknown" in problem
    assert "hush" not in problem


AUTH = {"username": "feeder", "passwordFrom": {"secretRef": {"name": "east", "key": "password"}}}


def test_the_password_of_a_peer_comes_from_a_secret():
    secrets = {f"{NAMESPACE}/east": {"password": Secret("hush")}}
    selection = select(spill(), outfeed(), peerfeed("a", auth=AUTH), secrets=secrets)
    assert selection.peers[0].lines.login == Login("feeder", Secret("hush"))
    assert "hush" not in repr(selection)


@pytest.mark.parametrize(
    ("secrets", "problem"),
    [
        ({}, "there is no key password in a Secret east: add it"),
        ({f"{NAMESPACE}/east": {"other": Secret("x")}}, "there is no key password in a Secret east: add it"),
        ({f"{NAMESPACE}/east": {"password": Secret("hush\n")}}, "the value holds a blank, a line end"),
        ({f"{NAMESPACE}/east": {"password": Secret("")}}, "the value is empty"),
    ],
    ids=["secret", "key", "line end", "empty"],
)
def test_a_password_that_cannot_be_used_is_a_fault_of_its_peer_alone(secrets, problem):
    bad = peerfeed("bad", auth=AUTH)
    selection = select(spill(), outfeed(), bad, peerfeed("good"), secrets=secrets)
    assert names(selection) == ["good"]
    assert selection.faulty == {bad["metadata"]["uid"]}
    ((field, found),) = faults(selection)["Peerfeed", "bad"]
    assert field == "spec.auth.passwordFrom.secretRef"
    assert problem in found
    assert "hush" not in found


TLS = {
    "mode": "starttls",
    "serverName": "n.example",
    "authoritiesFrom": {"secretRef": {"name": "ca", "key": "ca.crt"}},
}


def test_the_authorities_of_a_peer_come_from_a_secret():
    pem = Authority().pem.decode()
    selection = select(spill(), outfeed(), peerfeed("a", tls=TLS), secrets={f"{NAMESPACE}/ca": {"ca.crt": Secret(pem)}})
    assert selection.peers[0].lines.connection.tls == TlsSettings(True, "n.example", pem, True)


def test_tls_needs_no_authorities_of_its_own():
    selection = select(spill(), outfeed(), peerfeed("a", tls={"mode": "implicit", "verify": False}))
    assert selection.peers[0].lines.connection.tls == TlsSettings(verify=False)


@pytest.mark.parametrize(
    ("secrets", "problem"),
    [
        ({}, "there is no key ca.crt in a Secret ca: add it"),
        ({f"{NAMESPACE}/ca": {"ca.crt": Secret("nonsense")}}, "the value is no certificate in PEM"),
    ],
    ids=["missing", "no certificate"],
)
def test_authorities_that_cannot_be_used_are_a_fault_of_their_peer_alone(secrets, problem):
    selection = select(spill(), outfeed(), peerfeed("bad", tls=TLS), peerfeed("good"), secrets=secrets)
    assert names(selection) == ["good"]
    assert faults(selection)["Peerfeed", "bad"] == [("spec.tls.authoritiesFrom.secretRef", problem)]


def test_while_nothing_runs_what_needs_it_is_not_in_effect():
    missing = spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}})
    results = select(missing, outfeed(), outfeed("other"), peerfeed("a")).not_running()
    fields = {(each.kind, each.name): [violation.field for violation in each.violations] for each in results}
    assert fields == {
        ("Spill", "main"): ["spec.urlFrom.secretRef"],
        ("Outfeed", "main"): ["spec.spillRef.name"],
        ("Outfeed", "other"): [],
        ("Peerfeed", "a"): ["spec.outfeedRef.name"],
    }


def test_a_secret_of_another_namespace_is_not_ours():
    given = spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}})
    secrets = {"elsewhere/redis": {"url": Secret("redis://r.example")}}
    assert select(given, outfeed(), secrets=secrets).url == ""


def test_a_spill_that_our_outfeed_does_not_name_is_left_alone():
    other = manifest("Spill", "other", {"urlFrom": {"secretRef": {"name": "redis", "key": "url"}}})
    selection = select(spill(), other, outfeed())
    assert selection.url == "redis://127.0.0.1:6379/0"
    assert not faults(selection)


def test_a_spill_that_is_missing_is_a_fault_of_the_outfeed():
    selection = select(outfeed())
    assert selection.url == ""
    assert [field for field, _ in faults(selection)["Outfeed", "main"]] == ["spec.spillRef.name"]


def test_a_target_is_fed_on_its_own_port():
    selection = select(spill(), outfeed(), outfeed("next", **NNTP), peerfeed("a", target={"name": "next"}, port=7))
    assert selection.peers[0].lines.hosts == (("next.host", 1190),)


def test_a_target_may_have_a_spill_that_we_do_not_know():
    target = outfeed("next", **NNTP, spillRef={"name": "theirs"})
    selection = select(spill(), outfeed(), target, peerfeed("a", target={"name": "next"}))
    assert selection.peers[0].lines.hosts == (("next.host", 1190),)
    assert not faults(selection)


def test_a_target_that_listens_to_no_feeders_is_a_fault_of_the_peer():
    selection = select(spill(), outfeed(), outfeed("next"), peerfeed("a", target={"name": "next"}))
    assert names(selection) == []
    problem = "the Outfeed next has no NNTP listener: give it spec.listeners.nntp"
    assert faults(selection) == {("Peerfeed", "a"): [("spec.target", problem)]}
    assert len(selection.faulty) == 1


def test_a_target_that_is_missing_is_a_fault_of_the_peer():
    selection = select(spill(), outfeed(), peerfeed("a", target={"name": "next"}))
    assert names(selection) == []
    assert [field for field, _ in faults(selection)["Peerfeed", "a"]] == ["spec.target.name"]


def test_a_target_is_one_of_the_namespace_of_the_peer():
    far = manifest("Spill", "main", {"managed": {}}, namespace="elsewhere")
    theirs = {"spillRef": {"name": "main"}, "listeners": {"nntp": {"port": 7}}}
    elsewhere = manifest("Outfeed", "next", theirs, namespace="elsewhere")
    ours = outfeed("next", **NNTP)
    selection = select(spill(), far, outfeed(), elsewhere, ours, peerfeed("a", target={"name": "next"}))
    assert selection.peers[0].lines.hosts == (("next.host", 1190),)


def test_what_is_no_manifest_is_a_fault_by_itself():
    selection = select(spill(), outfeed(), {"kind": "Peerfeed"}, peerfeed("a"))
    assert names(selection) == ["a"]
    assert not selection.results[2].applied


def test_a_time_zone_that_the_machine_does_not_know_is_a_fault_of_its_peer_alone():
    hours = {"windows": [{"start": "01:00", "end": "02:00"}], "zone": "Moon/Crater"}
    selection = select(spill(), outfeed(), peerfeed("bad", hours=hours), peerfeed("good"))
    assert names(selection) == ["good"]
    [(field, problem)] = faults(selection)["Peerfeed", "bad"]
    assert field == "spec.hours.zone"
    assert "knows no time zone Moon/Crater" in problem


def test_peers_inherit_from_their_outfeed():
    ours = outfeed(defaults={"window": 7, "groups": ["*", "!$local"]}, patterns=[{"name": "local", "groups": ["l.*"]}])
    selection = select(spill(), ours, peerfeed("a"), peerfeed("b", window=8))
    assert [peer.lines.connection.window for peer in selection.peers] == [7, 8]
    assert selection.peers[0].rules(0).groups == "*,!l.*"


def test_the_defaults_of_another_outfeed_count_for_its_own_peers_alone():
    selection = select(spill(), outfeed(), outfeed("other", defaults={"window": 7}), peerfeed("a"))
    assert selection.peers[0].lines.connection.window == 400


def test_the_last_sound_defaults_count_while_the_outfeed_has_a_fault():
    selector = Selector((NAMESPACE, "main"), Surroundings(None, lambda outfeed: ""))
    sound = outfeed(defaults={"window": 7})
    selector.select(ConfigDocument(1, [spill(), sound, peerfeed("a")], {}))
    faulty = outfeed(defaults={"window": 0})
    selection = selector.select(ConfigDocument(2, [spill(), faulty, peerfeed("a", compress=True)], {}))
    assert selection.peers[0].lines.connection.window == 7


def test_what_does_not_go_with_the_last_sound_defaults_is_a_fault_of_the_peer():
    selector = Selector((NAMESPACE, "main"), Surroundings(None, lambda outfeed: ""))
    selector.select(ConfigDocument(1, [spill(), outfeed(defaults={"maxSize": "1MB"}), peerfeed("a")], {}))
    faulty = outfeed(defaults={"window": 0})
    selection = selector.select(ConfigDocument(2, [spill(), faulty, peerfeed("a", minSize="2MB")], {}))
    assert [field for field, _ in faults(selection)["Peerfeed", "a"]] == ["spec.minSize"]


def test_a_password_may_be_one_of_the_defaults():
    secrets = {f"{NAMESPACE}/east": {"password": Secret("hush")}}
    selection = select(spill(), outfeed(defaults={"auth": AUTH}), peerfeed("a"), secrets=secrets)
    assert selection.peers[0].lines.login == Login("feeder", Secret("hush"))
