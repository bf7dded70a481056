import pytest

from forebay.cli.errors import InputError
from forebay.cli.kubectl.cluster import PLURALS, the_service

from .bodies import outfeed, store


class Cluster:
    """A kubectl that knows one Outfeed and one Store."""

    def items(self, plural):
        return [each.body for each in (outfeed(), store(spec={})) if PLURALS[each.kind] == plural]


@pytest.mark.parametrize("text", ["hub", "outfeed/hub", "of/hub", "Outfeeds/hub"])
def test_a_name_alone_is_that_of_an_outfeed(text):
    assert the_service(Cluster(), text).identity == ("Outfeed", "news", "hub")


@pytest.mark.parametrize("text", ["store/shop", "st/shop"])
def test_a_store_is_named_by_its_kind(text):
    assert the_service(Cluster(), text).identity == ("Store", "news", "shop")


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("shop", "there is no Outfeed shop", "hub"),
        ("store/shp", "there is no Store shp", "shop"),
        ("peerfeed/west", "Peerfeed is no kind of service", "store/main"),
        ("storee/shop", "storee is no kind of Forebay", "store"),
    ],
)
def test_what_is_no_service_is_told_with_what_is(text, problem, remedy):
    with pytest.raises(InputError, match=problem) as caught:
        the_service(Cluster(), text)
    assert remedy in caught.value.remedy
