"""Announcing to a running announcer, and showing its swarms, queue and forwarders."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from forebay.cli.clientevent import ClientEvent
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.options import Output
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_table
from forebay.client import AnnouncerClient
from forebay.pb.announcer.v1 import announcer_pb2 as pb

ID = 20
"""Octets of an info hash and of a peer id."""
PREFIX = b"-FB0001-"
"""Of peer ids that are drawn."""
SWARM_COLUMNS = ("info hash", ">seeders", ">leechers", ">downloaders", ">completed")
_CONDITION = pb.Forwarder.DESCRIPTOR.fields_by_name["condition"]


@dataclass(frozen=True)
class Client:
    """The client that is announced."""

    info_hash: str
    port: int
    ip: str
    peer_id: str
    event: ClientEvent
    left: int | None
    numwant: int | None

    def message(self) -> pb.ClientAnnounce:
        """The announce. Raises `InputError`."""
        event = "UNSPECIFIED" if self.event is ClientEvent.NONE else self.event.upper()
        drawn = PREFIX + secrets.token_bytes(ID - len(PREFIX))
        return pb.ClientAnnounce(
            info_hash=octets("INFO_HASH", self.info_hash),
            peer_id=octets("--peer-id", self.peer_id) if self.peer_id else drawn,
            port=self.port,
            ip=self.ip,
            event=f"EVENT_{event}",
            left=self.left,
            numwant=self.numwant,
        )


def octets(where: str, text: str) -> bytes:
    """The 20 octets of 40 hexadecimal digits. Raises `InputError`."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != ID:
        raise InputError(f"{where} {text!r} is no 40 hexadecimal digits", "Give them as the torrent's tools show them.")
    return value


async def announce_client(client: Client, address: str, tls: Path | None, output: Output) -> None:
    """Announce, and print the answer. Raises `UndoneError` when it is refused."""
    message = client.message()
    async with AnnouncerClient.connect(address, tls) as announcer:
        (answer,) = await announcer.announce([message])
    if output is Output.JSON:
        print_json(readable(answer))
    elif not answer.failure:
        print_table("", ("", ">"), answer_rows(answer))
        print_peers(answer.peers)
    if answer.failure:
        again = f"; come back in {answer.retry_after:g} s" if answer.retry_after else ""
        raise UndoneError(f"the announce was refused: {answer.failure}{again}")


def print_peers(peers: Sequence[pb.Peer]) -> None:
    """Print the peers of an answer, or that it has none."""
    if peers:
        print_table("", ("peer", ">port"), ((peer.ip, peer.port) for peer in peers))
    else:
        print("no peers")


def answer_rows(answer: pb.AnnounceAnswer) -> list[tuple[str, object]]:
    """What an answer says beside its peers."""
    return [
        ("seeders", answer.complete),
        ("leechers", answer.incomplete),
        ("completed", answer.downloaded),
        ("next announce in seconds", answer.interval),
        ("at least", answer.min_interval),
    ]


async def scrape_swarms(info_hashes: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Print the sizes of swarms."""
    wanted = [octets("INFO_HASH", text) for text in info_hashes]
    async with AnnouncerClient.connect(address, tls) as announcer:
        print_swarms(await announcer.scrape(*wanted), output)


async def show_swarms(limit: int | None, address: str, tls: Path | None, output: Output) -> None:
    """Print all swarms, or so many."""
    found: list[pb.Swarm] = []
    async with AnnouncerClient.connect(address, tls) as announcer:
        async for swarm in announcer.swarms():
            found.append(swarm)
            if len(found) == limit:
                break
    print_swarms(found, output)


def print_swarms(swarms: Iterable[pb.Swarm], output: Output) -> None:
    """Print swarms."""
    if output is Output.JSON:
        print_json([readable(swarm) for swarm in swarms])
    else:
        print_table("", SWARM_COLUMNS, map(swarm_row, swarms))


def swarm_row(swarm: pb.Swarm) -> tuple[object, ...]:
    """A swarm as a row of a table."""
    return (swarm.info_hash.hex(), swarm.complete, swarm.incomplete, swarm.downloaders, swarm.downloaded)


async def show_forwarders(enabled: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Enable some, then print all."""
    async with AnnouncerClient.connect(address, tls) as announcer:
        for name in enabled:
            await announcer.enable(name)
        forwarders = await announcer.forwarders()
    if output is Output.JSON:
        print_json([readable(each) for each in forwarders])
        return
    columns = ("forwarder", "tracker", "condition", ">answers", ">mean ms", ">failures", "reason")
    print_table("", columns, map(forwarder_row, forwarders))


def forwarder_row(forwarder: pb.Forwarder) -> tuple[object, ...]:
    """A forwarder as a row of a table."""
    mean = f"{forwarder.mean_response * 1000:.0f}" if forwarder.HasField("mean_response") else ""
    reason = forwarder.reason
    if forwarder.suspended_for:
        reason += f", for {forwarder.suspended_for:.0f} s more"
    condition = short_name(_CONDITION, forwarder.condition)
    return (forwarder.name, forwarder.tracker, condition, forwarder.answers, mean, forwarder.failures, reason)


async def show_queue(address: str, tls: Path | None, output: Output) -> None:
    """Print the queue, the workers, and what is scheduled next."""
    async with AnnouncerClient.connect(address, tls) as announcer:
        queue = await announcer.queue()
    if output is Output.JSON:
        print_json(readable(queue))
        return
    print_table("", ("", ">"), queue_rows(queue))
    if queue.next_scheduled:
        print()
        columns = ("info hash", "forwarder", "peer id", ">seconds")
        print_table("Next scheduled", columns, map(_scheduled_row, queue.next_scheduled))


def queue_rows(queue: pb.GetQueueResponse) -> list[tuple[str, object]]:
    """The figures of the queue by name."""
    names = [field.name for field in queue.DESCRIPTOR.fields if not field.is_repeated]
    return [(name.replace("_", " "), _shown(getattr(queue, name))) for name in names]


def _scheduled_row(job: pb.ScheduledJob) -> tuple[object, ...]:
    return (job.info_hash.hex(), job.forwarder, job.peer_id.hex(), f"{job.time_to_execution:.0f}")


def _shown(value: Any) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else value


def readable(message: Message) -> dict[str, Any]:
    """A message as plain values, its octets in hexadecimal digits."""
    found: dict[str, Any] = _hexadecimal(plain(message))
    return found


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: _hexadecimal(item) for name, item in value.items()}
    return [_hexadecimal(item) for item in value] if isinstance(value, list) else value
