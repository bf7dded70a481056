import pytest

from forebay_operator.kube.kinds import (
    ANNOUNCER,
    CONDUIT_NODE,
    FORWARDER,
    OUTFEED,
    PEERFEED,
    POD,
    ROUTER,
    ROUTER_LINK,
    SERVICE,
    SPILL,
    STORE,
    STORE_QUEUE,
)
from forebay_operator.queue import Key
from forebay_operator.reconcile.dependents import Dependents
from forebay_operator.reconcile.notices import Notices
from operatorworld import (
    CHAT,
    HUB,
    MAIN,
    PRESS,
    SHOP,
    SWARM,
    announcer,
    conduitnode,
    forwarder,
    outfeed,
    peerfeed,
    router,
    routerlink,
    spill,
    store,
    storequeue,
)

EAST = Key("Peerfeed", "news", "east")
FAR = Key("Outfeed", "news", "far")


class Objects:
    """Whether objects are as they were applied."""

    changed = True

    def notice(self, body, *, deleted):
        return self.changed


@pytest.fixture
def dependents():
    return Dependents()


@pytest.fixture
def objects():
    return Objects()


@pytest.fixture
def notices(dependents, objects):
    return Notices(dependents, objects)


def at(body, generation=1, **metadata):
    """A resource as the API server has it."""
    return {**body, "metadata": {**body["metadata"], "uid": "u", "generation": generation, **metadata}}


def owned(kind, role="outfeed", name="hub"):
    labels = {"app.kubernetes.io/name": role, "app.kubernetes.io/instance": name}
    return {"kind": kind.kind, "metadata": {"name": "x", "namespace": "news", "labels": labels}}


def test_an_outfeed_concerns_its_spill_too(notices):
    assert notices.take(OUTFEED, at(outfeed()), deleted=False) == {HUB, MAIN}


def test_a_peerfeed_concerns_its_outfeed(notices):
    assert notices.take(PEERFEED, at(peerfeed("east")), deleted=False) == {HUB}


def test_a_store_concerns_itself_alone_and_a_queue_its_store(notices):
    assert notices.take(STORE, at(store()), deleted=False) == {SHOP}
    assert notices.take(STORE_QUEUE, at(storequeue("orders")), deleted=False) == {SHOP}


def test_an_announcer_concerns_its_spill_if_it_names_one_and_a_forwarder_its_announcer(notices):
    assert notices.take(ANNOUNCER, at(announcer()), deleted=False) == {SWARM}
    assert notices.take(ANNOUNCER, at(announcer(spillRef={"name": "main"}), 2), deleted=False) == {SWARM, MAIN}
    assert notices.take(FORWARDER, at(forwarder("east")), deleted=False) == {SWARM}


def test_a_router_concerns_its_spill_if_it_names_one_and_a_link_its_router(notices):
    assert notices.take(ROUTER, at(router()), deleted=False) == {CHAT}
    assert notices.take(ROUTER, at(router(spillRef={"name": "main"}), 2), deleted=False) == {CHAT, MAIN}
    assert notices.take(ROUTER_LINK, at(routerlink("west")), deleted=False) == {CHAT}


def test_a_conduitnode_concerns_its_spill_if_it_names_one(notices):
    assert notices.take(CONDUIT_NODE, at(conduitnode()), deleted=False) == {PRESS}
    assert notices.take(CONDUIT_NODE, at(conduitnode(spillRef={"name": "main"}), 2), deleted=False) == {PRESS, MAIN}


def test_what_depends_on_it_is_concerned(notices, dependents):
    dependents.depend(FAR, [MAIN, EAST])
    assert notices.take(SPILL, at(spill()), deleted=False) == {MAIN, FAR}
    assert notices.take(PEERFEED, at(peerfeed("east")), deleted=True) == {HUB, FAR}


def test_a_status_alone_concerns_nobody(notices):
    notices.take(OUTFEED, at(outfeed(), resourceVersion="1"), deleted=False)
    assert notices.take(OUTFEED, at(outfeed(), resourceVersion="2"), deleted=False) == set()


@pytest.mark.parametrize(
    "change",
    [{"generation": 2}, {"annotations": {"forebay.dev/paused": "true"}}, {"deletionTimestamp": "now"}, {"uid": "v"}],
    ids=str,
)
def test_any_other_change_does(notices, change):
    notices.take(OUTFEED, at(outfeed()), deleted=False)
    assert HUB in notices.take(OUTFEED, at(outfeed(), **change), deleted=False)


def test_one_that_comes_again_is_new(notices):
    for deleted in (False, True, False):
        assert HUB in notices.take(OUTFEED, at(outfeed()), deleted=deleted)


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("outfeed", "Outfeed"),
        ("store", "Store"),
        ("announcer", "Announcer"),
        ("router", "Router"),
        ("conduitnode", "ConduitNode"),
        ("valkey", "Spill"),
        ("purge", "Spill"),
    ],
)
def test_an_object_concerns_its_owner(notices, role, kind):
    assert notices.take(SERVICE, owned(SERVICE, role), deleted=False) == {Key(kind, "news", "hub")}


def test_an_object_that_is_as_it_was_applied_concerns_nobody(notices, objects):
    objects.changed = False
    assert notices.take(SERVICE, owned(SERVICE), deleted=False) == set()


def test_a_pod_always_does_for_its_status_counts(notices, objects):
    objects.changed = False
    assert notices.take(POD, owned(POD), deleted=False) == {HUB}


def test_an_object_of_nobody_concerns_nobody(notices):
    assert notices.take(SERVICE, owned(SERVICE, "nginx"), deleted=False) == set()


@pytest.mark.parametrize("spec", [{}, {"outfeedRef": None}, {"outfeedRef": {}}], ids=str)
def test_one_that_does_not_tell_whose_it_is_is_no_mishap(notices, spec):
    notices.take(PEERFEED, {**at(peerfeed("east")), "spec": spec}, deleted=False)
