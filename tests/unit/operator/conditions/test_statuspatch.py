from datetime import timedelta

import pytest

from forebay_operator.conditions import peerfeed_status, status_patch
from manifests import peerfeed

from .known import LATER, NOW, SILENT, after, peer, result, view

FEED = peerfeed("one")
SECOND = timedelta(seconds=1)


def status(**fields):
    return peerfeed_status(FEED, [view(result(FEED), peers=[peer(FEED, **fields)])], NOW)


def test_nothing_is_written_when_nothing_differs():
    assert status_patch(status(), status(), None, LATER) is None


def test_a_first_status_is_written_whole():
    assert status_patch({}, status(), NOW, NOW) == status()


def test_a_condition_is_written_at_once():
    away = peerfeed_status(after(FEED, status()), [SILENT], NOW)
    patch = status_patch(status(), away, NOW, NOW + SECOND)
    assert patch == {"conditions": away["conditions"]}


@pytest.mark.parametrize(
    ("written", "is_due"), [(None, True), (NOW - 59 * SECOND, False), (NOW - 60 * SECOND, True), (NOW + SECOND, True)]
)
def test_figures_alone_are_written_once_a_minute(written, is_due):
    patch = status_patch(status(), status(backlog=50), written, NOW)
    assert patch == ({"backlog": 50} if is_due else None)


def test_so_is_the_wording_of_a_message():
    first = {"conditions": [{"type": "Ready", "status": "True", "reason": "Applied", "message": "in force"}]}
    second = {"conditions": [{"type": "Ready", "status": "True", "reason": "Applied", "message": "in force; more"}]}
    assert status_patch(first, second, NOW, NOW + SECOND) is None
    assert status_patch(first, second, NOW, LATER) == second


def test_figures_go_with_what_is_written_at_once():
    new = {**status(backlog=50), "observedGeneration": 2}
    assert status_patch(status(), new, NOW, NOW) == {"observedGeneration": 2, "backlog": 50}


def test_a_figure_that_is_gone_is_removed():
    old = status()
    new = {name: value for name, value in old.items() if name != "backlog"}
    assert status_patch(old, new, None, NOW) == {"backlog": None}
