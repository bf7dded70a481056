"""The examples are taken, and what Kubernetes fills in is what the models fill in."""

from pathlib import Path

import pytest
import yaml

from forebay.api.manifests import read_object

EXAMPLES = Path(__file__).parents[3] / "examples"
FOLDERS = [
    EXAMPLES / name for name in ("quickstart", "compaction", "store", "announcer", "router", "sharding", "conduit")
]
MANIFESTS = [
    pytest.param(folder, manifest, id=f"{folder.name}-{manifest['kind']}-{manifest['metadata']['name']}")
    for folder in FOLDERS
    for path in sorted(folder.glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
SMALLEST = [
    {"kind": "Spill", "spec": {"managed": {}}},
    {"kind": "Outfeed", "spec": {"spillRef": {"name": "main"}, "listeners": {"nntp": {}}}},
    {"kind": "Peerfeed", "spec": {"outfeedRef": {"name": "hub"}, "hosts": ["news.example.com"]}},
    {"kind": "Store", "spec": {}},
    {"kind": "StoreQueue", "spec": {"storeRef": {"name": "main"}}},
    {"kind": "Announcer", "spec": {}},
    {"kind": "Forwarder", "spec": {"announcerRef": {"name": "main"}, "url": "udp://tracker.example.com:6969"}},
    {"kind": "Router", "spec": {}},
    {"kind": "RouterLink", "spec": {"routerRef": {"name": "main"}, "domain": "west", "addresses": ["west:7720"]}},
    {"kind": "ConduitNode", "spec": {}},
    {"kind": "Compaction", "spec": {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}}},
]


def filled(value):
    """What the models make of a manifest, without empty lists, which Kubernetes leaves out."""
    return without_empty(read_object(value).resource.manifest()["spec"])


def without_empty(value):
    if not isinstance(value, dict):
        return value
    return {field: without_empty(item) for field, item in value.items() if item != []}


@pytest.fixture(scope="module")
def namespaces(apiserver):
    """Where the examples of each folder are: some have names that others have too."""
    shared, own = apiserver.namespace("examples"), apiserver.namespace("sharding")
    found = {folder: own if folder.name == "sharding" else shared for folder in FOLDERS}
    for folder, namespace in found.items():
        apiserver.admin.kubectl("apply", "-n", namespace, "-f", folder)
    return found


@pytest.fixture(scope="module")
def applied(namespaces):
    return namespaces[EXAMPLES / "quickstart"]


@pytest.mark.parametrize(("folder", "manifest"), MANIFESTS)
def test_example_comes_back_with_the_defaults_of_its_model(apiserver, namespaces, folder, manifest):
    served = apiserver.admin.get(manifest["kind"].lower(), manifest["metadata"]["name"], "-n", namespaces[folder])
    assert served["spec"] == filled(manifest)
    assert read_object(served).resource.spec == read_object(manifest).resource.spec


@pytest.mark.parametrize("smallest", SMALLEST, ids=lambda each: each["kind"])
def test_smallest_manifest_comes_back_with_the_defaults_of_its_model(apiserver, applied, smallest):
    manifest = {"apiVersion": "forebay.dev/v1alpha1", "metadata": {"name": "smallest"}, **smallest}
    apiserver.admin.apply(manifest, namespace=applied)
    assert apiserver.admin.get(manifest["kind"].lower(), "smallest", "-n", applied)["spec"] == filled(manifest)


def test_category_lists_all_kinds(apiserver, applied):
    listed = apiserver.admin.kubectl("get", "forebay", "-n", applied, "-o", "name").split()
    assert {name.partition("/")[0] for name in listed} == {
        "spill.forebay.dev", "outfeed.forebay.dev", "peerfeed.forebay.dev", "compaction.forebay.dev",
        "store.forebay.dev", "storequeue.forebay.dev", "announcer.forebay.dev", "forwarder.forebay.dev",
        "router.forebay.dev", "routerlink.forebay.dev",
        "conduitnode.forebay.dev",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("short", "figures"),
    [
        ("spl", ["SERVICES", "BACKLOG"]),
        ("of", ["PEERS", "BACKLOG"]),
        ("pf", ["CONNECTIONS", "BACKLOG"]),
        ("st", ["QUEUES", "MESSAGES"]),
        ("sq", ["MESSAGES", "UNACKED"]),
        ("an", ["TORRENTS", "PEERS"]),
        ("fw", ["STATE", "ANSWERS"]),
        ("rt", ["THREADS", "LINKS"]),
        ("rl", ["STATE", "WAITING"]),
    ],
)
def test_short_name_prints_readiness_and_figures(apiserver, applied, short, figures):
    head = apiserver.admin.kubectl("get", short, "-n", applied).splitlines()[0].split()
    assert head == ["NAME", "READY", "REASON", *figures, "AGE"]


def test_a_compactions_columns_are_its_runs(apiserver, applied):
    head = apiserver.admin.kubectl("get", "cpt", "-n", applied).splitlines()[0]
    assert head.split() == ["NAME", "READY", "REASON", "LAST", "RUN", "NEXT", "RUN", "AGE"]


def test_peerfeeds_are_found_by_their_outfeed(apiserver, applied):
    selected = ("get", "pf", "-n", applied, "-o", "name", "--field-selector")
    assert "peerfeed.forebay.dev/east" in apiserver.admin.kubectl(*selected, "spec.outfeedRef.name=hub").split()
    assert apiserver.admin.kubectl(*selected, "spec.outfeedRef.name=other").split() == []


def test_queues_are_found_by_their_store(apiserver, applied):
    selected = ("get", "sq", "-n", applied, "-o", "name", "--field-selector")
    assert "storequeue.forebay.dev/orders" in apiserver.admin.kubectl(*selected, "spec.storeRef.name=main").split()
    assert apiserver.admin.kubectl(*selected, "spec.storeRef.name=other").split() == []


def test_forwarders_are_found_by_their_announcer(apiserver, applied):
    selected = ("get", "fw", "-n", applied, "-o", "name", "--field-selector")
    assert "forwarder.forebay.dev/smallest" in apiserver.admin.kubectl(*selected, "spec.announcerRef.name=main").split()
    assert apiserver.admin.kubectl(*selected, "spec.announcerRef.name=other").split() == []
