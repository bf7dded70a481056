"""What a queue does with each message of a batch, before it takes any."""

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing.admission import admit
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.limits import Standing
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.spec import QueueSpec

EMPTY = Standing(0, 0, 0, 0)


def admitted(*messages, positions=None, known=(), standing=EMPTY, takers=0, **spec):
    intake = Intake(Messages.of(messages), 1000)
    chosen = intake.positions if positions is None else positions
    admission = admit(QueueSpec("q", "uid", **spec), intake, chosen, known=known, standing=standing, takers=takers)
    return tuple(list(part) for part in (admission.kept, admission.duplicates, admission.expired, admission.refused))


def some(count, **fields):
    return [pb.Message(body=b"x", **fields) for _ in range(count)]


def test_all_is_kept_where_nothing_is_against_it():
    assert admitted(*some(3)) == ([0, 1, 2], [], [], [])
    assert admitted(*some(3), positions=[0, 2], max_length=1) == ([0, 2], [], [], [])


def test_known_ones_are_duplicates_and_count_for_no_limit():
    assert admitted(*some(4), known={0, 1}, max_length=1, overflow="reject-publish") == ([2], [0, 1], [], [3])
    assert admitted(*some(4), positions=[1, 3], known={0, 1}) == ([3], [1], [], [])


def test_refused_are_those_beyond_the_limit():
    full = Standing(2, 0, 5, 0)
    assert admitted(*some(3), max_length=3, overflow="reject-publish", standing=full) == ([0], [], [], [1, 2])
    assert admitted(
        *some(2), max_length=3, overflow="reject-publish-dead-letter", count_unacked=True, standing=full
    ) == (
        [],
        [],
        [],
        [0, 1],
    )


def test_what_has_to_be_delivered_at_once_needs_a_taker():
    assert admitted(*some(3), ttl_ms=0) == ([], [], [0, 1, 2], [])
    assert admitted(*some(3), ttl_ms=0, takers=2) == ([0, 1], [], [2], [])
    assert admitted(*some(3), ttl_ms=0, takers=2, standing=Standing(1, 1, 0, 0)) == ([0], [], [1, 2], [])
    mixed = [*some(1), *some(1, ttl_ms=0), *some(1, ttl_ms=5)]
    assert admitted(*mixed) == ([0, 2], [], [1], [])
    assert admitted(*mixed, ttl_ms=10, takers=1) == ([0, 1, 2], [], [], [])
