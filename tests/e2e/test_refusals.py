"""Wrong manifests are refused when they are applied, with what to do about it."""

import pytest

from e2e.news import News
from kubeaccess import KubectlError
from operatorsite import hub, peerfeed, resource

WRONG = {
    "a port that is none": (hub(listeners={"grpc": {"port": 70000}})[1], "port"),
    "an unknown field": (peerfeed("p", windows=3), "windows"),
    "no spill": (resource("Outfeed", "o"), "spillRef"),
    "both hosts and target": (peerfeed("p", "h.example", target={"name": "east"}), "target"),
    "a peer of itself": (resource("Peerfeed", "p", outfeedRef={"name": "hub"}, target={"name": "hub"}), "target"),
    "neither url nor managed": (resource("Spill", "s"), "managed"),
    "a password in a url": (resource("Spill", "s", url="redis://:geheim@h.example:6379/0"), "urlFrom"),
    "a window of nothing": (peerfeed("p", "h.example", window=0), "window"),
    "sizes the wrong way round": (peerfeed("p", "h.example", minSize="2MB", maxSize="1MB"), "minSize"),
    "a time without a unit": (peerfeed("p", "h.example", reconnect={"initial": "5"}), "initial"),
    "a name too long for its pods": (resource("Outfeed", "o" * 41, spillRef={"name": "main"}), "name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_manifest_is_refused_by_the_name_of_its_field(scratch: News, case: str):
    body, field = WRONG[case]
    with pytest.raises(KubectlError, match=field) as caught:
        scratch.apply(body)
    assert "geheim" not in str(caught.value)


def test_what_never_changes_is_refused_and_the_resource_stays_ready(news: News):
    with pytest.raises(KubectlError, match="outfeedRef"):
        news.edit("peerfeed", "east", outfeedRef={"name": "west"})
    news.until_ready()


def test_a_volume_does_not_shrink(news: News):
    with pytest.raises(KubectlError, match="size"):
        news.edit("outfeed", "hub", storage={"size": "512MiB"})
