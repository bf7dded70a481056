"""The metrics of an outfeed as a whole; those of its peers are in `peering.peermetrics`."""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.outfeed.incoming.listener import Listener
from forebay.outfeed.masterfeed import IntakeCounts
from forebay.outfeed.peering.peermetrics import peer_metrics
from forebay.outfeed.storeroom import Storeroom
from forebay.spill import Spill

if TYPE_CHECKING:
    from forebay.outfeed.service import Rooms


def service_metrics(rooms: "Rooms", listener: Listener | None, now: float) -> Iterable[Metric]:
    """Everything, all of one moment; `now` is the time of the wall clock in seconds."""
    return chain(
        peer_metrics(rooms.peers, now),
        _intake(rooms.masterfeed.counts),
        _storage(rooms.storeroom),
        _spill(rooms.spill),
        _listener(listener) if listener else (),
    )


def _intake(counts: IntakeCounts) -> Iterable[Metric]:
    verdicts = CounterMetricFamily(
        "forebay_outfeed_articles", "Articles that were offered to this outfeed, by verdict.", labels=["verdict"]
    )
    for verdict in ("accepted", "duplicate", "no_peer", "rejected"):
        verdicts.add_metric([verdict], getattr(counts, verdict))
    yield verdicts
    yield _counter("forebay_outfeed_taken_bytes", "Octets of the articles that were accepted.", counts.accepted_bytes)


def _storage(storeroom: Storeroom) -> Iterable[Metric]:
    stats = storeroom.store.stats
    prefix = "forebay_outfeed_store"
    yield _gauge(f"{prefix}_messages", "Bodies that are kept.", stats.messages)
    yield _gauge(f"{prefix}_live_bytes", "Octets of bodies that are kept.", stats.live_bytes)
    yield _gauge(f"{prefix}_garbage_bytes", "Octets of bodies that nobody needs any more.", stats.garbage_bytes)
    yield _gauge(f"{prefix}_files", "Message files.", stats.files)
    yield _counter(f"{prefix}_syncs", "Syncs of message files.", stats.syncs)
    yield _counter(f"{prefix}_sync_seconds", "Seconds spent in them.", stats.sync_seconds)
    yield _counter(f"{prefix}_damaged", "Records that were set aside.", stats.damaged)
    yield _gauge("forebay_outfeed_log_bytes", "Octets of the feed log.", storeroom.feedlog.octets)
    yield _gauge(
        "forebay_outfeed_log_backlog_bytes", "Octets of it that peers wait for.", storeroom.feedlog.room.backlog
    )
    yield _gauge("forebay_outfeed_log_limit_bytes", "What that may grow to.", storeroom.feedlog.room.limit)
    yield _gauge("forebay_outfeed_disk_free_bytes", "Octets that the disk has room for.", storeroom.disk_free)
    yield _gauge("forebay_outfeed_history", "Message-ids that are remembered.", len(storeroom.history))
    outcomes = storeroom.outcomes
    lost = outcomes.lost + outcomes.unwritten
    yield _counter("forebay_outfeed_outcomes_lost", "Lines that the outcome log lacks.", lost)
    deleted = outcomes.deleted_files
    yield _counter("forebay_outfeed_outcome_files_deleted", "Files of it that were deleted for want of room.", deleted)


def _spill(spill: Spill) -> Iterable[Metric]:
    yield _gauge("forebay_spill_available", "1 while Redis can be used.", int(spill.available))
    yield _gauge("forebay_spill_full", "1 while Redis refuses new entries.", int(spill.full))
    yield _counter("forebay_spill_appended", "Entries appended.", spill.metrics.appended)
    yield _counter("forebay_spill_read", "Entries read to be sent again.", spill.metrics.read)
    yield _counter("forebay_spill_reconnects", "Connections to Redis made again.", spill.metrics.reconnects)
    yield _counter("forebay_spill_script_seconds", "Seconds that batches took.", spill.metrics.script_seconds)


def _listener(listener: Listener) -> Iterable[Metric]:
    yield _gauge("forebay_outfeed_feeders", "Feeders connected over NNTP.", listener.connected)
    answers = CounterMetricFamily("forebay_outfeed_nntp_answers", "Answers to feeders, by code.", labels=["code"])
    for code, count in listener.counts.answers.items():
        answers.add_metric([code.decode()], count)
    yield answers


def _gauge(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(name, documentation, value=value)


def _counter(name: str, documentation: str, value: float) -> Metric:
    return CounterMetricFamily(name, documentation, value=value)
