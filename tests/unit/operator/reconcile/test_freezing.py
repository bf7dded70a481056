import pytest

from forebay_operator.body import identity_of
from forebay_operator.reconcile.freezing import frozen, frozen_children
from operatorworld import peerfeed, spill

PAUSED = {"forebay.dev/paused": "true"}
TOLD = {"observedGeneration": 1}
NEW, OLD = {"window": 7}, {"window": 5}


def resource(spec, *, paused, status=None, uid="u"):
    body = peerfeed("east", **spec)
    metadata = {**body["metadata"], "uid": uid, "annotations": PAUSED if paused else {}}
    return {**body, "metadata": metadata, **({"status": status} if status else {})}


def stored(*bodies):
    return lambda: {identity_of(body): body for body in bodies}


def unread():
    raise AssertionError("nothing is paused: what is stored need not be read")


def test_what_is_not_paused_is_as_it_is():
    body = resource(NEW, paused=False)
    assert frozen(body, unread) is body
    assert frozen_children([body], unread) == [body]


def test_what_is_paused_is_as_it_was_carried_out():
    before = resource(OLD, paused=False)
    assert frozen_children([resource(NEW, paused=True, status=TOLD)], stored(before)) == [before]


def test_a_peer_that_was_paused_from_the_start_is_left_out():
    told = {"conditions": [{"type": "Paused", "status": "True"}]}
    for status in (None, told):
        assert frozen_children([resource(NEW, paused=True, status=status)], stored()) == []


@pytest.mark.parametrize("lost", [stored(), stored(resource(OLD, paused=False, uid="a namesake"))], ids=["all", "it"])
def test_one_of_which_nothing_is_stored_any_more_stays(lost):
    """A configuration without it would cost it its backlog."""
    body = resource(NEW, paused=True, status=TOLD)
    assert frozen_children([body], lost) == [body]


def test_other_resources_stay_in_any_case():
    body = spill()
    body["metadata"] |= {"annotations": PAUSED, "uid": "u"}
    assert frozen(body, stored()) is body
