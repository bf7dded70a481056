"""The pods of a ConduitNode."""

import pytest

from forebay.api.v1alpha1 import ConduitNode
from forebay.cli.conduitpods import POD, ConduitPods, ordinal_of
from forebay.runtime.errors import SettingsError


def test_others_are_named_by_their_ordinals():
    node = ConduitNode.model_validate(
        {"metadata": {"name": "press"}, "spec": {"replicas": 3, "listeners": {"udp": {"port": 7000}}}}
    )
    pods = ConduitPods("press-conduitnode", "plant", 1)
    assert pods.places(node) == [
        "udp/press-conduitnode-0.press-conduitnode-pods.plant.svc:7000",
        "udp/press-conduitnode-2.press-conduitnode-pods.plant.svc:7000",
    ]


def test_a_pod_on_the_network_of_its_host_is_told_its_name(monkeypatch):
    monkeypatch.setenv(POD, "press-conduitnode-12")
    assert ordinal_of("press-conduitnode") == 12


@pytest.mark.parametrize("name", ["worker-7", "press-conduitnode", "press-conduitnode-x"])
def test_one_of_another_name_does_not_start(monkeypatch, name):
    monkeypatch.setenv(POD, name)
    with pytest.raises(SettingsError, match="give its name by FOREBAY_POD"):
        ordinal_of("press-conduitnode")
