import pytest

from forebay.cli.errors import InputError
from forebay.cli.kubectl.cluster import Inventory, kind_of
from forebay.cli.kubectl.tree import tree_of, trees

from .bodies import (
    announcer,
    compaction,
    conduitnode,
    forwarder,
    outfeed,
    peerfeed,
    pod,
    resource,
    router,
    routerlink,
    store,
    storequeue,
)


def shape(branch):
    return (
        branch.resource.title,
        [each.name for each in branch.pods],
        [shape(child) for child in branch.children],
    )


def shapes(branches):
    return [shape(branch) for branch in branches]


HUB = Inventory(
    [peerfeed("west"), outfeed(), peerfeed("east"), resource("Spill", "main")],
    [pod(), pod("main-valkey-0", "valkey", "main"), pod("purge-1", "purge", "main")],
)


def test_a_spill_comes_before_the_outfeeds_and_these_have_their_peers():
    assert shapes(trees(HUB)) == [
        ("Spill/main", ["main-valkey-0"], []),
        ("Outfeed/hub", ["hub-outfeed-0"], [("Peerfeed/east", [], []), ("Peerfeed/west", [], [])]),
    ]


def test_peers_of_an_outfeed_that_is_not_there_come_last():
    found = Inventory([peerfeed("lost", parent="gone"), outfeed()])
    assert shapes(trees(found)) == [("Outfeed/hub", [], []), ("Peerfeed/lost", [], [])]


def test_a_compaction_belongs_to_what_it_compacts():
    resources = [
        compaction(),
        compaction("report", target=("Outfeed", "hub")),
        compaction("lost", target=("Spill", "x")),
    ]
    assert shapes(trees(Inventory([*HUB.resources, *resources]))) == [
        ("Spill/main", [], [("Compaction/nightly", [], [])]),
        (
            "Outfeed/hub",
            [],
            [("Peerfeed/east", [], []), ("Peerfeed/west", [], []), ("Compaction/report", [], [])],
        ),
        ("Compaction/lost", [], []),
    ]


def test_namesakes_of_other_namespaces_are_kept_apart():
    found = Inventory(
        [outfeed(namespace="b"), outfeed(namespace="a"), peerfeed(namespace="b"), peerfeed("x", namespace="c")],
        [pod(namespace="a")],
    )
    assert shapes(trees(found)) == [
        ("Outfeed/hub", ["hub-outfeed-0"], []),
        ("Outfeed/hub", [], [("Peerfeed/west", [], [])]),
        ("Peerfeed/x", [], []),
    ]


def test_stores_have_their_queues():
    found = Inventory(
        [storequeue("returns"), store(), storequeue("orders"), storequeue("lost", parent="gone")],
        [pod("shop-store-0", "store", "shop")],
    )
    queues = [("StoreQueue/orders", [], []), ("StoreQueue/returns", [], [])]
    assert shapes(trees(found)) == [("Store/shop", ["shop-store-0"], queues), ("StoreQueue/lost", [], [])]
    assert shapes(tree_of(found, "st/shop")) == [("Store/shop", ["shop-store-0"], queues)]
    assert shapes(tree_of(found, "sq/orders")) == [queues[0]]


def test_announcers_have_their_forwarders():
    found = Inventory(
        [forwarder("west"), announcer(), forwarder("east"), forwarder("lost", parent="gone")],
        [pod("swarm-announcer-0", "announcer", "swarm")],
    )
    forwarders = [("Forwarder/east", [], []), ("Forwarder/west", [], [])]
    assert shapes(trees(found)) == [
        ("Announcer/swarm", ["swarm-announcer-0"], forwarders),
        ("Forwarder/lost", [], []),
    ]
    assert shapes(tree_of(found, "an/swarm")) == [("Announcer/swarm", ["swarm-announcer-0"], forwarders)]
    assert shapes(tree_of(found, "fw/west")) == [forwarders[1]]


def test_routers_have_their_links_and_several_pods():
    pods = [pod(f"chat-router-{number}", "router", "chat") for number in range(3)]
    found = Inventory([routerlink("west"), router(), routerlink("lost", parent="gone")], pods)
    chat = ("Router/chat", [each.name for each in pods], [("RouterLink/west", [], [])])
    assert shapes(trees(found)) == [chat, ("RouterLink/lost", [], [])]
    assert shapes(tree_of(found, "rt/chat")) == [chat]
    assert shapes(tree_of(found, "rl/west")) == [("RouterLink/west", [], [])]


def test_a_conduitnode_has_its_pods_alone():
    pods = [pod(f"press-conduitnode-{number}", "conduitnode", "press") for number in range(2)]
    found = Inventory([conduitnode()], pods)
    assert shapes(tree_of(found, "cn/press")) == [("ConduitNode/press", [each.name for each in pods], [])]


def test_one_resource_comes_with_what_belongs_to_it():
    assert shapes(tree_of(HUB, "spl/main")) == [("Spill/main", ["main-valkey-0"], [])]
    assert shapes(tree_of(HUB, "Peerfeed/west")) == [("Peerfeed/west", [], [])]


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        pytest.param("outfeed/hubb", "there is no Outfeed hubb", "Did you mean hub?", id="near"),
        pytest.param("spill/x", "there is no Spill x", "Known are main", id="far"),
        pytest.param("outfeeed/hub", "outfeeed is no kind", "Did you mean outfeed?", id="kind"),
        pytest.param("hub", "hub is no resource", "Give KIND/NAME, as outfeed/hub.", id="no kind"),
        pytest.param("outfeed/", "outfeed/ is no resource", "Give KIND/NAME, as outfeed/hub.", id="no name"),
    ],
)
def test_a_wrong_name_is_told_with_a_right_one(text, message, remedy):
    with pytest.raises(InputError, match=message) as caught:
        tree_of(HUB, text)
    assert caught.value.remedy == remedy


def test_a_namespace_without_any_is_told():
    with pytest.raises(InputError, match="there is no Outfeed hub: the namespace has none"):
        tree_of(Inventory([]), "outfeed/hub")


@pytest.mark.parametrize("word", ["outfeed", "Outfeed", "outfeeds", "of", "outfeeds.forebay.dev"])
def test_a_kind_has_the_names_that_kubectl_takes(word):
    assert kind_of(word) == "Outfeed"
