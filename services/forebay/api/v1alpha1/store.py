"""Store: a service that keeps messages in queues until they are acknowledged."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, NotAbove, OnlyGrows, Rule, StaysPositive, Transition
from forebay.api.v1alpha1.metadata import Resource, ServiceMetadata
from forebay.api.v1alpha1.service import Access, ClientName, GrpcListener, HealthListener, Port, ServerTls
from forebay.api.v1alpha1.spill import GIBIBYTE, MEBIBYTE
from forebay.api.values import Number, Size, Span, Whole


class StoreGrpcListener(GrpcListener):
    """Where gRPC is served."""

    port: Port = 7672
    """Port to listen on."""


class StoreHealthListener(HealthListener):
    """Where health and metrics are shown, in plain HTTP."""

    port: Port = 9672
    """Port to listen on."""


class StoreListeners(Model):
    """Where a Store listens."""

    rules: ClassVar[tuple[Rule, ...]] = (Differ("health.port", "grpc.port"),)

    grpc: StoreGrpcListener = StoreGrpcListener()
    """Where gRPC is served."""
    health: StoreHealthListener = StoreHealthListener()
    """Where health and metrics are shown, in plain HTTP."""


class StoreStorage(Model):
    """Space on disk."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("freeLimit", "size"),)
    transitions: ClassVar[tuple[Transition, ...]] = (OnlyGrows("size"),)

    size: Annotated[int, Size("1GiB", "64TiB")] = 20 * GIBIBYTE
    """Size of the volume in a cluster."""
    free_limit: Annotated[int, Size("64MiB", "1TiB")] = 512 * MEBIBYTE
    """Free space on the disk below which an alarm is raised and publishers wait. Consumers go on."""


class FsyncMode(StrEnum):
    """When what is written counts as kept."""

    ALWAYS = "always"
    """When it is on disk; those who wait at the same time share a sync."""
    INTERVAL = "interval"
    """When it is written; it is on disk every so often. A power loss takes what came since."""
    NONE = "none"
    """When it is written; the operating system puts it on disk in its own time."""


class Fsync(Model):
    """When a message is confirmed."""

    mode: FsyncMode = FsyncMode.ALWAYS
    """`always`: when it is on disk, which a power loss does not take. `interval`: when it is written, and on disk every
    so often. `none`: when it is written, and on disk whenever the operating system puts it there. The end of the
    process alone loses nothing that was confirmed."""
    interval: Annotated[timedelta, Span("1ms", "1m")] = timedelta(milliseconds=200)
    """How often what is written is put on disk in the mode `interval`."""


class StoreMemory(Model):
    """Messages in memory."""

    limit: Annotated[int, Size("128MiB", "1TiB")] = GIBIBYTE
    """Memory that the service may take, as the limit of its container in a cluster."""
    high_watermark: Annotated[float, Number(0.1, 0.9, "")] = 0.4
    """Part of it that messages may take; beyond it an alarm is raised and publishers wait. At half of it queues begin
    to leave messages on disk alone."""


class MessageLimits(Model):
    """What a message may be like."""

    max_size: Annotated[int, Size("1KB", "64MiB")] = 16 * MEBIBYTE
    """Largest message, its headers included. A larger one is refused."""


class IndexPlace(StrEnum):
    """Where the places of messages are kept."""

    MEMORY = "memory"
    DISK = "disk"


class StoreSpec(Model):
    """A store service."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("clients"),)
    transitions: ClassVar[tuple[Transition, ...]] = (
        StaysPositive("mirrors", "the pod that would stay may lack messages"),
    )

    listeners: StoreListeners = StoreListeners()
    """Where it listens."""
    tls: ServerTls | None = None
    """The certificate that gRPC is served with, and whose clients are let in beside ours. Left out: the operator issues
    one; without a cluster the command line names the files."""
    storage: StoreStorage = StoreStorage()
    """Space on disk."""
    fsync: Fsync = Fsync()
    """When a message is confirmed."""
    memory: StoreMemory = StoreMemory()
    """Messages in memory."""
    messages: MessageLimits = MessageLimits()
    """What a message may be like."""
    index: IndexPlace = IndexPlace.MEMORY
    """Where the places of messages are kept: in `memory`, or on `disk`, which is slower, for more messages than memory
    has room for. A change takes effect at a restart, which the operator does."""
    mirrors: Annotated[int, Whole(0, 4, "pods")] = 0
    """Pods beside the first that keep the same messages; one of them goes on when the primary is gone. What is
    confirmed is on the disk of every pod that may become primary. They need a cluster."""
    access: Access = ()
    """Who may call what over TLS. Empty: whoever has a certificate of our authority may call everything."""
    clients: Items[ClientName] = ()
    """Names for which the operator issues client certificates, each into a Secret."""


class Store(Resource):
    """A service that keeps messages in queues until they are acknowledged."""

    kind: Literal["Store"] = "Store"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: StoreSpec
    """What it is to be."""
