"""Printing samples as they come, from a service or as a node at the edge."""

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forebay.cli.conduitchoices import ModeChoice, SlowChoice
from forebay.cli.conduitedge import edge_errors
from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.printing import print_json_line
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.client.conduitservice import ConduitClient
from forebay.pb.conduit.v1 import conduit_pb2 as pb

MODES = {ModeChoice.PUSH: pb.SUBSCRIPTION_MODE_PUSH, ModeChoice.PULL: pb.SUBSCRIPTION_MODE_PULL}
SLOW = {SlowChoice.DROP: pb.SLOW_DROP, SlowChoice.HOLD: pb.SLOW_HOLD, SlowChoice.END: pb.SLOW_END}
SHOWN_ID = 8
"""Octets of a peer's id that a line has room for."""


@dataclass(frozen=True)
class Wanted:
    """What is subscribed to."""

    pattern: str
    limit: int | None
    history: int
    mode: ModeChoice
    slow: SlowChoice


class Printer:
    """Prints samples, until there are as many as are wanted."""

    def __init__(self, wanted: Wanted, output: Output) -> None:
        self._left = wanted.limit
        self._output = output
        self._missed = 0

    def show(self, uri: str, rid: int, peer_id: bytes, samples: "list[bytes] | Any") -> bool:
        """Print some; whether they are all that is wanted."""
        for sample in samples:
            self._print(uri or f"#{rid}", peer_id, sample)
            if self._left is not None:
                self._left -= 1
                if not self._left:
                    return True
        return False

    def miss(self, missed: int) -> None:
        """So many were left out until now."""
        if missed > self._missed and self._output is Output.TABLE:
            print(f"({missed - self._missed} are not shown: they come faster than they are read)", flush=True)
        self._missed = missed

    def _print(self, uri: str, peer_id: bytes, sample: bytes) -> None:
        if self._output is Output.JSON:
            print_json_line({"uri": uri, "peer": peer_id.hex(), **readable(sample)})
        else:
            text = sample.decode(errors="backslashreplace")
            print(f"{uri} {peer_id[:SHOWN_ID].hex()} {text}", flush=True)


def readable(sample: bytes) -> dict[str, str]:
    """A sample as JSON holds it: its text, or base64 where it is none."""
    try:
        return {"text": sample.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(sample).decode()}


async def subscribe_by_service(wanted: Wanted, address: str, tls: Path | None, output: Output) -> None:
    """Subscribe by a node that runs as a service. Raises `ServiceError`."""
    printer = Printer(wanted, output)
    async with (
        ConduitClient.connect(address, tls) as client,
        client.attach("forebay conduit sub", patience=0) as attachment,
    ):
        subscription = await attachment.subscribe(
            wanted.pattern,
            mode=MODES[wanted.mode],
            history=wanted.history,
            slow=SLOW[wanted.slow],
        )
        if wanted.mode is ModeChoice.PULL:
            await subscription.pull()
        async for delivery in subscription:
            printer.miss(subscription.missed)
            if printer.show(delivery.uri, delivery.rid, delivery.peer_id, delivery.samples):
                return


async def subscribe_at_edge(wanted: Wanted, settings: ConduitNodeSettings, output: Output) -> None:
    """Subscribe as a node: what it does not read stays with the senders. Raises `InputError`."""
    if wanted.mode is ModeChoice.PULL:
        raise InputError("--mode pull needs a service", "Leave out --join, or the mode.")
    printer = Printer(wanted, output)
    with edge_errors():
        async with Node(settings) as node:
            async for delivery in node.subscribe(wanted.pattern, history=wanted.history):
                if printer.show(delivery.uri, delivery.rid, delivery.peer_id, delivery.payloads):
                    return
