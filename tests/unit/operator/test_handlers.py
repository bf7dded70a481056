from itertools import islice

from forebay_operator.handlers import OPTIONAL, OWNED, Backoffs, handler, handlers, watch_settings
from forebay_operator.kube.kinds import OUTFEED, PEERFEED, RESOURCES


async def test_what_is_seen_is_told_with_its_kind():
    told = []
    seen = handler(OUTFEED, lambda *notice: told.append(notice))
    await seen(event={"type": "DELETED", "object": {"metadata": {"name": "hub"}}})
    body = {"apiVersion": "forebay.dev/v1alpha1", "kind": "Outfeed", "metadata": {"name": "hub"}}
    assert told == [(OUTFEED, body, True)]


async def test_the_first_listing_is_told_too():
    told = []
    await handler(PEERFEED, lambda *notice: told.append(notice))(event={"type": None, "object": {"metadata": {}}})
    assert not told[0][2]


def test_there_is_a_handler_for_each_kind_and_for_events_alone():
    registry = handlers(lambda *notice: None)
    assert len(registry._watching.get_all_handlers()) == len(RESOURCES) + len(OWNED)
    assert not registry._changing.get_all_handlers()
    assert not registry._spawning.get_all_handlers()


def test_the_kinds_of_other_operators_are_followed_where_there_are_any():
    registry = handlers(lambda *notice: None, OPTIONAL)
    assert len(registry._watching.get_all_handlers()) == len(RESOURCES) + len(OWNED) + len(OPTIONAL)
    assert all(
        (kind.group, kind.version, kind.plural) in watch_settings().watching.label_selectors for kind in OPTIONAL
    )


def test_tries_never_end_and_are_never_far_apart():
    assert max(islice(Backoffs(), 1000)) <= 10


def test_a_silent_watch_is_begun_anew_within_a_minute():
    watching = watch_settings().watching
    assert watching.server_timeout < watching.inactivity_timeout < watching.client_timeout <= 60


def test_nothing_is_written_that_is_named_after_kopf():
    persistence = watch_settings().persistence
    assert persistence.finalizer.startswith("forebay.dev/")
