"""The metrics of a store and of its queues."""

from collections.abc import Iterable, Sequence
from itertools import chain

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing.figures import Figures

PREFIX = "forebay_store"
KINDS = ("MEMORY", "DISK")
"""Of alarms."""
_GAUGES = {
    "ready": "Messages that may be delivered.",
    "unacked": "Messages that consumers hold.",
    "ready_bytes": "Octets of the ready messages.",
    "unacked_bytes": "Octets of the messages that consumers hold.",
    "consumers": "Consumers.",
    "consumer_capacity": "Part of the last seconds in which a message could have been delivered at once.",
}
_COUNTERS = {
    "published": "Messages taken in.",
    "delivered": "Messages handed to consumers, repeats counted.",
    "redelivered": "Deliveries that were repeats.",
    "acked": "Messages that consumers were done with.",
    "requeued": "Messages that went back to their place.",
    "rejected": "Messages that consumers rejected.",
    "expired": "Messages that expired.",
    "dropped": "Messages dropped since the queue was full.",
    "refused": "Messages refused since the queue was full.",
    "delivery_limited": "Messages that were delivered too often.",
    "duplicates": "Messages passed over, which the queue had.",
    "dead_lettered": "Messages that went on as dead letters.",
    "purged": "Messages that were purged.",
}
_STATES = {
    pb.QUEUE_STATE_RECOVERING: "recovering",
    pb.QUEUE_STATE_RUNNING: "running",
    pb.QUEUE_STATE_CRASHED: "crashed",
}


def service_metrics(figures: Figures, queues: Sequence[pb.QueueStatus]) -> Iterable[Metric]:
    """Everything, all of one moment."""
    return chain(_queues(queues), _alarms(figures), _storage(figures))


def _queues(queues: Sequence[pb.QueueStatus]) -> Iterable[Metric]:
    for name, documentation in _GAUGES.items():
        full = f"{PREFIX}_messages_{name}" if name in ("ready", "unacked") else f"{PREFIX}_{name}"
        gauge = GaugeMetricFamily(full, documentation, labels=["queue"])
        for queue in queues:
            gauge.add_metric([queue.name], getattr(queue, name))
        yield gauge
    yield _head_times(queues)
    states = GaugeMetricFamily(f"{PREFIX}_queue_state", "1 for the state of the queue.", labels=["queue", "state"])
    for queue in queues:
        for state, text in _STATES.items():
            states.add_metric([queue.name, text], float(queue.state == state))
    yield states
    for name, documentation in _COUNTERS.items():
        counter = CounterMetricFamily(f"{PREFIX}_messages_{name}", documentation, labels=["queue"])
        for queue in queues:
            counter.add_metric([queue.name], getattr(queue.counters, name))
        yield counter


def _head_times(queues: Sequence[pb.QueueStatus]) -> Metric:
    """Only of queues that have a message."""
    name = f"{PREFIX}_head_message_timestamp_seconds"
    heads = GaugeMetricFamily(name, "When the message at the head was taken in.", labels=["queue"])
    for queue in queues:
        if queue.HasField("head_time"):
            heads.add_metric([queue.name], queue.head_time.ToMilliseconds() / 1000)
    return heads


def _alarms(figures: Figures) -> Iterable[Metric]:
    raised = {alarm.kind for alarm in figures.alarms}
    alarms = GaugeMetricFamily(f"{PREFIX}_alarm", "1 while publishers wait for this.", labels=["kind"])
    for kind in KINDS:
        alarms.add_metric([kind.lower()], float(kind in raised))
    yield alarms
    yield _gauge("messages_unconfirmed", "Messages whose outcome is not known yet.", figures.unconfirmed)
    yield _gauge("memory_bytes", "Octets of messages in memory.", figures.memory)
    yield _gauge("memory_limit_bytes", "Octets of them above which publishers wait.", figures.memory_limit)
    yield _gauge("disk_free_bytes", "Octets that the disk has room for.", figures.disk_free)
    yield _gauge("disk_limit_bytes", "Octets of it below which publishers wait.", figures.disk_limit)


def _storage(figures: Figures) -> Iterable[Metric]:
    stats = figures.persistent
    yield _gauge("kept_messages", "Messages in files of their own.", stats.messages)
    yield _gauge("live_bytes", "Octets of them.", stats.live_bytes)
    yield _gauge("garbage_bytes", "Octets of messages that nobody needs any more.", stats.garbage_bytes)
    yield _gauge("files", "Message files.", stats.files)
    yield _counter("reads", "Messages read from files.", stats.reads)
    yield _counter("cold_reads", "Messages read that the page cache did not hold.", stats.cold_reads)
    yield _counter("writes", "Messages written to files.", stats.writes)
    yield _counter("written_bytes", "Octets of them.", stats.written_bytes)
    yield _counter("index_writes", "Writes of queue indexes.", figures.index_writes)
    yield _counter("io_sync_ops", "Syncs of message files and indexes.", stats.syncs + figures.index_syncs)
    seconds = stats.sync_seconds + figures.index_sync_seconds
    yield _counter("io_sync_time_seconds", "Seconds spent in them.", seconds)
    yield _counter("gc_bytes", "Octets copied to give back those of messages that nobody needs.", stats.gc_bytes)
    yield _counter("damaged", "Records that were set aside.", stats.damaged)


def _gauge(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", documentation, value=value)


def _counter(name: str, documentation: str, value: float) -> Metric:
    return CounterMetricFamily(f"{PREFIX}_{name}", documentation, value=value)
