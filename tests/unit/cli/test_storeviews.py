from forebay.cli.storeviews import consumer_row, figures_of, queue_row
from forebay.pb.store.v1 import store_pb2 as pb

COUNTERS = pb.QueueCounters(published=10, delivered=5, acked=4)


def status(**more):
    return pb.QueueStatus(name="orders", state=pb.QUEUE_STATE_RUNNING, ready=5, unacked=1, counters=COUNTERS, **more)


def test_a_queue_is_a_row():
    row = queue_row(status(consumers=2, ready_bytes=100, unacked_bytes=20))
    assert row == ("orders", "running", 5, 1, 2, 120, 10, 5, 4, 0)


def test_counts_of_nothing_are_left_out():
    figures = dict(figures_of(status(consumer_capacity=0.98765)))
    assert figures["consumer capacity"] == "0.988"
    assert figures["head time"] == ""
    assert figures["published"] == 10
    assert "expired" not in figures


def test_a_consumer_is_a_row():
    consumer = pb.ConsumerStatus(name="me", peer="ipv4:127.0.0.1:1", unacked=1, prefetch=9, credit=8, active=True)
    assert consumer_row(consumer) == ("me", "ipv4:127.0.0.1:1", 1, 9, 8, 0, "yes", "no")
