"""What a router reads out of a configuration."""

import pytest

from forebay.router.configuration import Surroundings, select
from forebay.router.links.settings import LinkSettings
from forebay.router.links.window import RetrySettings
from forebay.router.specs import domain_rules, router_settings
from forebay.runtime.document import ConfigDocument
from forebay.runtime.secret import Secret

API = "forebay.dev/v1alpha1"
KEY = {"secretRef": {"name": "links", "key": "key"}}


def manifest(kind, name, **spec):
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def router(**spec):
    return manifest("Router", "main", domain="east", **spec)


def link(name="to-west", **spec):
    values = {"routerRef": {"name": "main"}, "domain": "west", "addresses": ["w:1"]} | spec
    return manifest("RouterLink", name, **values)


def chosen(*manifests, key="a key of 16 octets"):
    secrets = {"default/links": {"key": Secret(key)}} if key else {}
    return select(ConfigDocument(1, manifests, secrets), ("default", "main"), Surroundings())


def faults(selection):
    return {
        (each.kind, each.name): [str(fault.field) for fault in each.violations]
        for each in selection.results
        if not each.applied
    }


def test_a_router_and_its_links():
    other = link("of-another", routerRef={"name": "other"})
    selection = chosen(router(), link(cost=3, retry={"attempts": 2}), other, manifest("Router", "other"))
    assert selection.router.metadata.name == "main"
    retry = RetrySettings(attempts=2, interval=0.5)
    assert selection.links == [LinkSettings("to-west", ("w:1",), cost=3, domain="west", retry=retry)]
    assert faults(selection) == {}


@pytest.mark.parametrize(
    ("manifests", "key", "fault"),
    [
        pytest.param(
            [router(), link(domain="east")], "", {("RouterLink", "to-west"): ["spec.domain"]}, id="own domain"
        ),
        pytest.param(
            [router(), link(transport="udp")], "", {("RouterLink", "to-west"): ["spec.transport"]}, id="no udp"
        ),
        pytest.param([router(), link(cost=0)], "", {("RouterLink", "to-west"): ["spec.cost"]}, id="a wrong field"),
        pytest.param(
            [router(listeners={"udp": {"keyFrom": KEY}})],
            "",
            {("Router", "main"): ["spec.listeners.udp.keyFrom.secretRef"]},
            id="no key",
        ),
        pytest.param(
            [router(listeners={"udp": {"keyFrom": KEY}})],
            "x" * 65,
            {("Router", "main"): ["spec.listeners.udp.keyFrom.secretRef"]},
            id="a long key",
        ),
    ],
)
def test_a_fault_is_of_the_resource_that_has_it(manifests, key, fault):
    selection = chosen(*manifests, key=key)
    assert faults(selection) == fault
    assert selection.links == []


def test_links_are_not_in_effect_while_their_router_is_not():
    selection = chosen(router(replicas=0), link())
    assert selection.router is None
    by_name = {each.name: each for each in selection.not_running()}
    assert [each.field for each in by_name["to-west"].violations] == ["spec.routerRef.name"]


def test_a_key_is_not_shown():
    selection = chosen(router(listeners={"udp": {"keyFrom": KEY}}))
    assert selection.key == b"a key of 16 octets"
    assert "a key of" not in repr(selection)


def test_a_spec_as_settings():
    spec = chosen(
        router(
            heartbeat={"interval": "2s", "missed": 5},
            queues={"high": "1MiB", "low": "1KiB", "limit": "2MiB"},
            names=[{"principal": "p", "names": ["a*"]}],
            domains=[{"domain": "w*", "principals": ["q"]}],
            maxProcesses=7,
            maxThreads=8,
        )
    ).router.spec
    settings = router_settings(spec, "pod-1")
    assert (settings.router, settings.domain, settings.heartbeat, settings.missed) == ("pod-1", "east", 2.0, 5)
    assert (settings.outlets.high, settings.outlets.low, settings.outlets.most) == (2**20, 1024, 2**21)
    assert (settings.most_processes, settings.most_threads) == (7, 8)
    assert settings.may_use(["p"], "alice")
    assert not settings.may_use(["p"], "bob")
    assert [(rule.domain, rule.principals) for rule in domain_rules(spec)] == [("w*", ("q",))]
