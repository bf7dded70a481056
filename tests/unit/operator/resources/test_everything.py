"""What holds for every object that the builders make."""

import base64
import copy
import json

import pytest

from operatorobjects import SECRETS, UID, everything, settings

POD_NAME = "statefulset.kubernetes.io/pod-name"
LONGEST_NAME = "n" * 40
OBJECTS = everything()
IDS = [f"{each['kind']}-{each['metadata']['name']}" for each in OBJECTS]


@pytest.fixture(params=OBJECTS, ids=IDS)
def made(request):
    return request.param


def walk(value):
    """Every mapping and list in a value."""
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from walk(item)


def strings(value):
    """Every text in a value."""
    for each in walk(value):
        yield from (item for item in (each.values() if isinstance(each, dict) else each) if isinstance(item, str))


def test_it_has_the_common_labels(made):
    labels = made["metadata"]["labels"]
    assert labels.keys() == {
        "app.kubernetes.io/name",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/part-of",
        "app.kubernetes.io/managed-by",
        "forebay.dev/uid",
    }
    assert labels["app.kubernetes.io/name"] in (
        "outfeed",
        "store",
        "announcer",
        "router",
        "conduitnode",
        "valkey",
        "purge",
    )
    assert labels["app.kubernetes.io/part-of"] == "forebay"
    assert labels["app.kubernetes.io/managed-by"] == "forebay-operator"
    assert labels["forebay.dev/uid"] == UID


def test_its_resource_is_its_controller(made):
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) in (
        ("Outfeed", "hub"),
        ("Store", "hub"),
        ("Announcer", "hub"),
        ("Router", "hub"),
        ("ConduitNode", "hub"),
        ("Spill", "main"),
    )
    assert owner["apiVersion"] == "forebay.dev/v1alpha1"
    assert owner["uid"] == UID
    assert owner["controller"] is True


def test_it_waits_for_nothing_when_it_is_deleted(made):
    assert "finalizers" not in made["metadata"]
    assert "blockOwnerDeletion" not in made["metadata"]["ownerReferences"][0]


def test_it_is_in_the_namespace_of_its_resource(made):
    assert made["metadata"]["namespace"] == "news"


def test_it_is_json(made):
    assert json.loads(json.dumps(made)) == made


def test_it_leaves_out_what_is_empty(made):
    """What is applied as empty would be taken from whoever else fills it in; these alone mean something."""
    allowed = ([], {}, None)
    found = [
        (key, item) for each in walk(made) if isinstance(each, dict) for key, item in each.items() if item in allowed
    ]
    assert [pair for pair in found if pair != ("namespaceSelector", {})] == []


def test_its_ports_name_their_protocol(made):
    """The protocol is part of the key by which server-side apply tells ports apart."""
    lists = [each["ports"] for each in walk(made) if isinstance(each, dict) and "ports" in each]
    assert all(port["protocol"] in ("TCP", "UDP") for ports in lists for port in ports)


def test_it_shows_no_secret_unless_it_is_a_secret(made):
    if made["kind"] != "Secret":
        forms = [form for secret in SECRETS for form in (secret, base64.b64encode(secret.encode()).decode())]
        assert not any(form in text for text in strings(made) for form in forms)


def test_pods_are_labelled_as_their_owner_is(made):
    template = made.get("spec", {}).get("template")
    if template:
        assert template["metadata"]["labels"] == made["metadata"]["labels"]


def test_selectors_select_its_own_pods(made):
    # A StatefulSet labels each of its pods by its name, too.
    service = made["metadata"]["name"]
    labels = made["metadata"]["labels"] | {POD_NAME: service.replace("-conduit-", "-conduitnode-")}
    spec = made.get("spec", {})
    selector = spec.get("podSelector") or spec.get("selector", {})
    assert (selector.get("matchLabels") or selector).items() <= labels.items()


def test_selectors_survive_a_resource_that_is_created_again(made):
    if made["kind"] in ("StatefulSet", "PodDisruptionBudget", "NetworkPolicy", "Service"):
        spec = made["spec"]
        selector = spec["podSelector"] if "podSelector" in spec else spec["selector"]
        assert (selector.get("matchLabels") or selector).keys() - {POD_NAME} == {
            "app.kubernetes.io/name",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/part-of",
        }


def test_the_same_input_gives_the_same_objects():
    assert json.dumps(everything()) == json.dumps(everything())


def test_objects_share_nothing_with_the_settings():
    wanted = {"resources": {"requests": {"cpu": "1"}}, "topologySpread": [{"topologyKey": "zone"}]}
    chosen = settings(service=wanted, valkey=wanted)
    before = copy.deepcopy(chosen)
    everything(chosen=chosen)
    assert chosen == before


@pytest.mark.parametrize("made", everything(LONGEST_NAME, LONGEST_NAME), ids=IDS)
def test_names_and_labels_fit_for_the_longest_name(made):
    longest = {"StatefulSet": 52, "Job": 63, "Service": 63}.get(made["kind"], 253)
    assert len(made["metadata"]["name"]) <= longest
    assert all(len(value) <= 63 for value in made["metadata"]["labels"].values())


def test_no_two_objects_have_the_same_name():
    names = [(each["kind"], each["metadata"]["name"]) for each in OBJECTS]
    assert len(set(names)) == len(names)
