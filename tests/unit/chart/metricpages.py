"""What /metrics of a service and of the operator shows when everything that can be shown is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace

from grpc import StatusCode
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

import rooms
from fakeclock import FakeClock
from fakeconnection import Connections
from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.servicemetrics import service_metrics as announcer_metrics
from forebay.announcer.tracker import Tracker
from forebay.api.v1alpha1 import AnnouncerSpec
from forebay.conduit.clients.attachments import Attachments
from forebay.conduit.clients.tally import Tally as ConduitTally
from forebay.conduit.core.listener import Listener
from forebay.conduit.core.node import Node
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.servicemetrics import service_metrics as conduit_metrics
from forebay.msgstore import StoreStats
from forebay.outfeed.incoming.feeder import ListenerCounts
from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.servicemetrics import service_metrics
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.router.servicemetrics import service_metrics as router_metrics
from forebay.router.settings import RouterSettings
from forebay.router.switch import Switch
from forebay.runtime.hostmetrics import host_metrics
from forebay.runtime.metrics import LoopCollector, make_registry
from forebay.runtime.revisions import Revisions
from forebay.runtime.rpcmetrics import RpcMetrics
from forebay.runtime.service import Degradation
from forebay.runtime.tasks import Supervisor
from forebay.store.queueing.figures import Figures
from forebay.store.servicemetrics import service_metrics as store_metrics
from forebay_operator.compactions import RunCounts
from forebay_operator.metrics import Metrics, QueueCollector, RunCollector
from forebay_operator.queue import Key, WorkQueue

Labels = dict[str, set[str]]
"""Labels by the name of a metric."""


@asynccontextmanager
async def of_an_outfeed(folder: Path, connections: Connections) -> AsyncIterator[Labels]:
    """An outfeed over TLS with a peer that refuses the login, a feeder, a fault and a call."""
    registry = make_registry()
    certificates = SimpleNamespace(current=SimpleNamespace(expires=datetime.now(UTC)))
    state = SimpleNamespace(
        name="outfeed", ready=True, degradations=lambda: [Degradation("DiskFull", "")], folder=certificates
    )
    registry.register(LoopCollector(lambda: host_metrics(state, Revisions())))
    with RpcMetrics(registry).call("method", SimpleNamespace(code=lambda: StatusCode.OK)):
        pass
    listener = SimpleNamespace(connected=1, counts=ListenerCounts())
    listener.counts.answers[b"239"] += 1
    async with rooms.house(folder) as house:
        await house.add("east")
        await house.offer("one")
        connections.last.end("481 no", Cause.AUTH_FAILED)
        for peer in house.rooms.peers:
            peer.feed.ledger.dropped["maxAge"] += 1
        registry.register(LoopCollector(lambda: service_metrics(house.rooms, listener, 0)))
        yield shown_by(registry)


def of_a_store() -> Labels:
    """A store with an alarm, and with a queue that has a message at its head."""
    registry = make_registry()
    queue = pb.QueueStatus(name="orders", state=pb.QUEUE_STATE_RUNNING)
    queue.head_time.GetCurrentTime()
    zeros = {each.name: 0 for each in fields(Figures)}
    stats = StoreStats(**{each.name: 0 for each in fields(StoreStats)})
    figures = Figures(**zeros | {"persistent": stats, "transient": stats, "alarms": [pb.Alarm(kind="DISK")]})
    registry.register(LoopCollector(lambda: store_metrics(figures, [queue])))
    return shown_by(registry)


def of_a_router() -> Labels:
    """A router with a link."""
    registry, switch = make_registry(), Switch(RouterSettings(), FakeClock())
    link = SimpleNamespace(settings=SimpleNamespace(name="west"), up=True)
    node = SimpleNamespace(switch=switch, processes=[], linkings=[link], reservoir=None)
    registry.register(LoopCollector(lambda: router_metrics(node)))
    return shown_by(registry)


def of_a_conduitnode() -> Labels:
    """A node that has refused a datagram."""
    authentication = Authentication({1: b"sixteen octets--"}, 1, lambda: 0.0)
    core = Node(NodeSettings(SessionSettings(b"own"), authentication=authentication), Random(0), Listener())
    core.receive(b"not sealed", ("192.0.2.7", 7448), 0.0)
    core.transmission.outlet(0)
    station = SimpleNamespace(core=core, peers={}, engine=SimpleNamespace(lost=0))
    clients = Attachments()
    node = SimpleNamespace(station=station, attachments=clients, tally=ConduitTally(), reservoir=None)
    registry = make_registry()
    registry.register(LoopCollector(lambda: conduit_metrics(node)))
    return shown_by(registry)


async def of_an_announcer(folder: Path) -> Labels:
    """An announcer with a forwarder that has answered."""
    registry, tracker = make_registry(), Tracker(AnnouncerSpec(), folder, FakeClock())
    await tracker.open([ForwarderSpec("east", "udp://east.example:1")], [])
    for forwarder in tracker.dispatcher.forwarders.all():
        forwarder.times.add(0.1, interval=1800, now=0)
    registry.register(LoopCollector(lambda: announcer_metrics(tracker)))
    try:
        return shown_by(registry)
    finally:
        await tracker.close(Supervisor())


def of_the_operator() -> Labels:
    """An operator with a resource that waits, after a pass, a request and a run."""
    registry, queue = make_registry(), WorkQueue(FakeClock(), Random(1))
    metrics = Metrics(registry)
    metrics.reconciles.labels("Outfeed", "ok").inc()
    metrics.seconds.labels("Outfeed").observe(1)
    queue.put(Key("Outfeed", "news", "hub"))
    registry.register(QueueCollector(queue, SimpleNamespace(requests={("get", "pods"): 1})))
    counts = RunCounts(last_success=datetime.now(UTC))
    registry.register(RunCollector({Key("Compaction", "news", "nightly"): counts}))
    return shown_by(registry)


def shown_by(registry: CollectorRegistry) -> Labels:
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}
