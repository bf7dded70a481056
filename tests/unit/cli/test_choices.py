import pytest

from forebay.api import read_objects
from forebay.api.manifests import Manifests
from forebay.api.v1alpha1 import API_VERSION, Outfeed, Store
from forebay.cli.choices import all_of, check_names, delays, fed_one, one_of
from forebay.cli.errors import InputError


def manifests(*outfeeds, peers=(), stores=()):
    """Outfeeds and Stores by `namespace/name`, and peers by the `namespace/name` of their Outfeed."""
    namespaces = {name.partition("/")[0] for name in outfeeds}
    values = [resource("Spill", f"{namespace}/main", {"managed": {}}) for namespace in namespaces]
    values += [resource("Outfeed", name, {"spillRef": {"name": "main"}}) for name in outfeeds]
    values += [resource("Store", name, {}) for name in stores]
    for number, name in enumerate(peers):
        namespace, _, outfeed = name.partition("/")
        spec = {"outfeedRef": {"name": outfeed}, "hosts": ["news.example.com"]}
        values.append(resource("Peerfeed", f"{namespace}/peer{number}", spec))
    readings = read_objects(values)
    assert not [reading.violations for reading in readings if reading.violations]
    return Manifests(tuple(reading.resource for reading in readings))


def resource(kind, name, spec):
    namespace, _, name = name.partition("/")
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def names(found):
    return [f"{resource.kind} {resource.metadata.namespace}/{resource.metadata.name}" for resource in found]


def test_all_services_are_run():
    found = all_of(manifests("default/hub", "default/east", stores=["default/main"]))
    assert names(found) == ["Outfeed default/hub", "Outfeed default/east", "Store default/main"]


def test_none_at_all_is_an_error():
    with pytest.raises(InputError, match="no Announcer and no Router and no ConduitNode, so there is nothing to run"):
        all_of(manifests())


def test_none_of_a_kind_is_an_error():
    with pytest.raises(InputError, match="no Store, so there is nothing to run"):
        one_of(manifests("default/hub"), Store, "")


def test_the_only_one_of_its_kind_needs_no_name():
    both = manifests("default/hub", stores=["default/main"])
    assert one_of(both, Outfeed, "").metadata.name == "hub"
    assert one_of(both, Store, "").metadata.name == "main"


@pytest.mark.parametrize("name", ["east", "default/east"])
def test_one_is_found_by_its_name(name):
    assert one_of(manifests("default/hub", "default/east"), Outfeed, name).metadata.name == "east"


def test_a_name_in_two_namespaces_needs_the_namespace():
    both = manifests("here/hub", "there/hub")
    with pytest.raises(InputError, match="several Outfeeds that fit") as caught:
        one_of(both, Outfeed, "hub")
    assert "here/hub, there/hub" in caught.value.remedy
    assert one_of(both, Outfeed, "there/hub").metadata.namespace == "there"


def test_an_unknown_name_is_an_error_that_tells_the_known_ones():
    with pytest.raises(InputError, match="no Store hub") as caught:
        one_of(manifests("default/hub", stores=["default/main"]), Store, "hub")
    assert "default/main" in caught.value.remedy


def test_the_outfeed_with_peers_is_fed():
    found = manifests("default/hub", "default/east", peers=["default/hub", "default/hub"])
    assert fed_one(found).metadata.name == "hub"


def test_peers_of_the_same_name_elsewhere_do_not_count():
    found = manifests("here/hub", "there/hub", peers=["there/hub"])
    assert fed_one(found).metadata.namespace == "there"


@pytest.mark.parametrize(
    ("peers", "message"),
    [
        pytest.param([], "no Outfeed has peers", id="none"),
        pytest.param(["default/hub", "default/east"], "several Outfeeds have peers", id="two"),
    ],
)
def test_which_one_to_feed_has_to_be_clear(peers, message):
    found = manifests("default/hub", "default/east", peers=peers)
    with pytest.raises(InputError, match=message):
        fed_one(found)


def test_delays_are_read_by_name():
    assert delays(["west=5", "east=0.5"]) == {"west": 5.0, "east": 0.5}


@pytest.mark.parametrize("text", ["west", "=5", "west=", "west=soon", "west=-1", "west=inf", "west=nan"])
def test_a_delay_that_is_none_is_an_error(text):
    with pytest.raises(InputError, match="give NAME=SECONDS"):
        delays([text])


def test_a_delayed_service_has_to_be_there():
    with pytest.raises(InputError, match="no Outfeed or Store or Announcer or Router or ConduitNode wset") as caught:
        check_names(["wset"], all_of(manifests("default/hub", "default/west")))
    assert caught.value.remedy == "Is west meant?"
