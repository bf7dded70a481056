import pytest

from forebay_operator.resources import ServiceNames, SpillNames, claim
from operatorobjects import announcer, conduitnode, managed_spill, outfeed, router

LONGEST = "n" * 40
UID = "7d3f1e52-6f0a-4c1b-9a57-0f6c2b9d4e11"


def test_a_service_is_named_after_its_resource_and_kind():
    names = ServiceNames.of(outfeed("hub"))
    assert (names.main, names.pods, names.config, names.tls) == (
        "hub-outfeed",
        "hub-outfeed-pods",
        "hub-outfeed-config",
        "hub-outfeed-tls",
    )
    assert names.client("inn") == "hub-outfeed-client-inn"


def test_the_service_for_clients_of_an_announcer_is_named_after_what_they_do():
    assert ServiceNames.of(announcer("swarm")).announce == "swarm-announce"
    assert len(ServiceNames("Announcer", "news", LONGEST).announce) <= 63


def test_a_valkey_is_named_after_its_spill():
    names = SpillNames.of(managed_spill("main"))
    assert names.valkey == "main-valkey"
    assert names.address == "main-valkey.news.svc:6379"


def test_the_claim_of_a_pod_is_named_as_its_stateful_set_names_it():
    assert claim("hub-outfeed", 0) == "data-hub-outfeed-0"


def test_a_pod_of_a_conduitnode_has_a_service_of_its_own():
    assert ServiceNames.of(conduitnode("press")).conduit(1) == "press-conduit-1"
    assert len(ServiceNames("ConduitNode", "news", LONGEST).conduit(15)) <= 63


def test_the_service_for_links_of_a_router_is_named_after_what_they_are():
    assert ServiceNames.of(router("chat")).links == "chat-links"
    assert len(ServiceNames("Router", "news", LONGEST).links) <= 63


@pytest.mark.parametrize("kind", ["Outfeed", "Announcer", "ConduitNode"])
def test_a_stateful_set_leaves_room_for_what_kubernetes_appends_to_its_name(kind):
    """It makes a label of the name and eleven more characters, and of a pod's name a host name."""
    assert len(ServiceNames(kind, "news", LONGEST).main) + 11 <= 63


def test_other_names_fit_into_labels():
    assert len(ServiceNames("ConduitNode", "news", LONGEST).pods) <= 63
    assert len(SpillNames("Spill", "news", LONGEST).valkey) + 11 <= 63
    assert len(SpillNames("Spill", "news", LONGEST).purge(UID)) <= 63
