import pytest

from forebay.api import read_objects
from forebay.api.manifests import Manifests
from forebay.api.v1alpha1 import API_VERSION, Outfeed
from forebay.cli.choices import all_of, check_names, delays, fed_one, one_of
from forebay.cli.errors import InputError


def manifests(*outfeeds, peers=()):
    """Outfeeds by `namespace/name`, and peers by the `namespace/name` of their Outfeed."""
    namespaces = {name.partition("/")[0] for name in outfeeds}
    values = [resource("Spill", f"{namespace}/main", {"managed": {}}) for namespace in namespaces]
    values += [resource("Outfeed", name, {"spillRef": {"name": "main"}}) for name in outfeeds]
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


def outfeeds(*names):
    return manifests(*names).of(Outfeed)


def names(found):
    return [f"{outfeed.metadata.namespace}/{outfeed.metadata.name}" for outfeed in found]


def test_all_are_run():
    assert names(all_of(outfeeds("default/hub", "default/east"))) == ["default/hub", "default/east"]


def test_none_at_all_is_an_error():
    with pytest.raises(InputError, match="nothing to run"):
        all_of([])


def test_the_only_one_needs_no_name():
    assert names(one_of(outfeeds("default/hub"), "")) == ["default/hub"]


@pytest.mark.parametrize("name", ["east", "default/east"])
def test_one_is_found_by_its_name(name):
    assert names(one_of(outfeeds("default/hub", "default/east"), name)) == ["default/east"]


def test_a_name_in_two_namespaces_needs_the_namespace():
    both = outfeeds("here/hub", "there/hub")
    with pytest.raises(InputError) as caught:
        one_of(both, "hub")
    assert "here/hub, there/hub" in caught.value.remedy
    assert names(one_of(both, "there/hub")) == ["there/hub"]


def test_an_unknown_name_is_an_error_that_tells_the_known_ones():
    with pytest.raises(InputError, match="no Outfeed hubb") as caught:
        one_of(outfeeds("default/hub"), "hubb")
    assert "default/hub" in caught.value.remedy


def test_the_outfeed_with_peers_is_fed():
    found = manifests("default/hub", "default/east", peers=["default/hub", "default/hub"])
    assert fed_one(found, found.of(Outfeed)).metadata.name == "hub"


def test_peers_of_the_same_name_elsewhere_do_not_count():
    found = manifests("here/hub", "there/hub", peers=["there/hub"])
    assert fed_one(found, found.of(Outfeed)).metadata.namespace == "there"


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
        fed_one(found, found.of(Outfeed))


def test_delays_are_read_by_name():
    assert delays(["west=5", "east=0.5"]) == {"west": 5.0, "east": 0.5}


@pytest.mark.parametrize("text", ["west", "=5", "west=", "west=soon", "west=-1", "west=inf", "west=nan"])
def test_a_delay_that_is_none_is_an_error(text):
    with pytest.raises(InputError, match="give NAME=SECONDS"):
        delays([text])


def test_a_delayed_outfeed_has_to_be_there():
    with pytest.raises(InputError) as caught:
        check_names(["wset"], outfeeds("default/hub", "default/west"))
    assert caught.value.remedy == "Is west meant?"
