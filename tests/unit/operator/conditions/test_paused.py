import pytest

from forebay_operator.conditions import is_paused, outfeed_status, paused_status
from manifests import outfeed

from .known import LATER, NOW, STAMP, after, brief, changed, result, view, workload

HUB = outfeed()
PAUSED = {**HUB, "metadata": {**HUB["metadata"], "annotations": {"forebay.dev/paused": "true"}}}


@pytest.mark.parametrize("annotations", [None, {}, {"forebay.dev/paused": "false"}, {"other": "true"}])
def test_a_resource_is_not_paused_without_the_annotation(annotations):
    assert not is_paused({"metadata": {"annotations": annotations}})


def test_one_with_it_is():
    assert is_paused(PAUSED)


def test_true_beside_what_was_known():
    before = outfeed_status(HUB, workload(), [view(result(HUB))], 1, NOW)
    status = paused_status(after(changed(PAUSED), before), LATER)
    assert brief(status, "Paused") == ("True", "ByAnnotation")
    assert brief(status) == ("True", "Applied")
    assert {name: status[name] for name in ("observedGeneration", "peers")} == {"observedGeneration": 1, "peers": "0/0"}


def test_the_transition_time_stays_while_it_is_paused():
    status = paused_status(PAUSED, NOW)
    assert paused_status(after(PAUSED, status), LATER) == status
    assert status["conditions"][0]["lastTransitionTime"] == STAMP


def test_gone_when_it_is_paused_no_more():
    status = outfeed_status(after(HUB, paused_status(PAUSED, NOW)), workload(), [view(result(HUB))], 1, LATER)
    assert "Paused" not in [condition["type"] for condition in status["conditions"]]
