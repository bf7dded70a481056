"""Publishing what files, lines or the command line hold, by a service or as a node at the edge."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from forebay.cli.conduitchoices import CongestionChoice
from forebay.cli.conduitedge import edge_errors
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.cli.storepublishing import bodies_of
from forebay.client.conduit import ConduitNodeSettings, Congestion, ExpiredError, Node, Publisher
from forebay.client.conduitservice import ConduitClient, Published
from forebay.conduit.core.errors import WindowFullError
from forebay.pb.conduit.v1 import conduit_pb2 as pb

CONGESTIONS = {
    CongestionChoice.BLOCK: pb.CONGESTION_BLOCK,
    CongestionChoice.DROP: pb.CONGESTION_DROP,
    CongestionChoice.ERROR: pb.CONGESTION_ERROR,
    CongestionChoice.SPILL: pb.CONGESTION_SPILL,
}
DRAIN_SECONDS = 30.0
"""At the end, for peers to acknowledge what was published."""


@dataclass(frozen=True)
class Publication:
    """What is published, and how."""

    uri: str
    reliable: bool | None
    conduit: int
    congestion: CongestionChoice | None
    deadline: float | None
    switching: bool
    history: int

    def source(self, samples: Sequence[str], paths: Sequence[Path], *, lines: bool) -> AsyncIterator[bytes]:
        """The samples. Raises `InputError`."""
        if not (samples or paths):
            raise InputError("there is nothing to publish", "Give samples, or --file; - is standard input.")
        return bodies_of(samples, paths, lines)


@dataclass
class Counts:
    """Samples, by what became of them."""

    accepted: int = 0
    spilled: int = 0
    dropped: int = 0
    expired: int = 0
    refused: int = 0
    problem: str = ""

    def add(self, published: Published) -> None:
        """A batch is settled."""
        self.accepted += published.accepted
        self.spilled += published.spilled
        self.dropped += published.dropped
        self.expired += published.expired
        self.refused += published.refused
        self.problem = self.problem or published.problem

    def show(self, output: Output) -> None:
        """Print them. Raises `UndoneError` when some were not accepted."""
        figures = {name: value for name, value in vars(self).items() if name != "problem"}
        if output is Output.JSON:
            print_json(vars(self))
        else:
            print_table("", [f">{name}" for name in figures], [tuple(figures.values())])
        if lost := self.dropped + self.expired + self.refused:
            raise UndoneError(f"{lost} samples were not accepted{f': {self.problem}' if self.problem else ''}")


async def publish_by_service(
    publication: Publication, source: AsyncIterator[bytes], address: str, tls: Path | None, output: Output
) -> None:
    """Publish by a node that runs as a service. Raises `ServiceError`, `UndoneError`."""
    counts = Counts()
    congestion = CONGESTIONS[publication.congestion] if publication.congestion else None
    async with (
        ConduitClient.connect(address, tls) as client,
        client.attach("forebay conduit pub", patience=0) as attachment,
    ):
        publisher = await attachment.publisher(
            publication.uri,
            reliable=publication.reliable,
            congestion=congestion,
            deadline=publication.deadline,
            conduit=publication.conduit,
            switching=publication.switching,
            history=publication.history,
        )
        async for sample in source:
            counts.add(await publisher.publish([sample]))
    counts.show(output)


async def publish_at_edge(
    publication: Publication,
    source: AsyncIterator[bytes],
    settings: ConduitNodeSettings,
    patience: float,
    output: Output,
) -> None:
    """Publish as a node. Raises `InputError`, `UndoneError`."""
    if publication.congestion is CongestionChoice.SPILL:
        raise InputError("--congestion spill needs a service", "Leave out --join, or choose another congestion.")
    counts = Counts()
    with edge_errors():
        async with Node(settings) as node:
            publisher = node.publisher(
                publication.uri,
                reliable=publication.reliable,
                congestion=Congestion(publication.congestion or Congestion.BLOCK.value),
                deadline=publication.deadline or inf,
                conduit=publication.conduit,
                switching=publication.switching,
                history=publication.history,
            )
            await _heard(node, publication.uri, patience)
            async for sample in source:
                counts.add(await _written(publisher, sample))
            async with asyncio.timeout(DRAIN_SECONDS):
                await node.drained()
    counts.show(output)


async def _written(publisher: Publisher, sample: bytes) -> Published:
    """What became of a sample."""
    try:
        accepted = await publisher.write([sample])
    except ExpiredError:
        return Published(0, expired=1)
    except WindowFullError as error:
        return Published(0, refused=1, reason="WINDOW_FULL", problem=str(error))
    return Published(accepted, dropped=1 - accepted)


async def _heard(node: Node, uri: str, patience: float) -> None:
    """Wait until somebody subscribes. Raises `InputError` when nobody does."""
    participant = node.participant

    def subscribed() -> bool:
        rid = participant.node.declarations.own.rid(uri)
        return rid is not None and bool(participant.node.declarations.subscribers(rid))

    try:
        async with asyncio.timeout(patience):
            await node.until(subscribed)
    except TimeoutError:
        found = f"of {len(node.peers)} peers nobody subscribes to {uri}" if node.peers else "no peer was found"
        raise InputError(f"{found} within {patience:g} s", "See whether --join is right, or wait longer.") from None
