"""Consuming from a queue of a running store: each message is printed, then settled."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from forebay.cli.errors import UndoneError
from forebay.cli.options import Output
from forebay.cli.printing import print_json_line
from forebay.cli.settling import Ending
from forebay.cli.storemessages import plain_delivery
from forebay.client import Consumption, Delivery, Store

_SETTLE: dict[Ending, Callable[[Delivery], None]] = {
    Ending.ACK: Delivery.ack,
    Ending.REJECT: Delivery.reject,
    # What is held goes back at the end: given back at once, it would come again and again.
    Ending.REQUEUE: lambda _: None,
}


@dataclass(frozen=True)
class Appetite:
    """How much to consume."""

    count: int | None = None
    """Messages after which it ends; None: never."""
    idle: float | None = None
    """Seconds without a message after which it ends; None: never."""
    prefetch: int = 256

    def holding(self) -> "Appetite":
        """The same where everything is held to the end, so that there cannot be more."""
        return replace(self, count=min(self.count or self.prefetch, self.prefetch))


async def consume_messages(
    queue: str, appetite: Appetite, ending: Ending, exclusive: bool, address: str, tls: Path | None, output: Output
) -> None:
    """Print messages as they come. Raises `UndoneError` if some that were printed may come again."""
    if ending is Ending.REQUEUE:
        appetite = appetite.holding()
    prefetch = min(appetite.prefetch, appetite.count or appetite.prefetch)
    async with (
        Store.connect(address, tls) as store,
        store.consume(queue, prefetch=prefetch, consumer="forebay store consume", exclusive=exclusive) as consumption,
    ):
        async for delivery in meal(consumption, appetite):
            print_delivery(delivery, output)
            _SETTLE[ending](delivery)
        if not await consumption.flush():
            raise UndoneError("the connection was lost at the end: the last messages may be delivered again")


async def meal(consumption: Consumption, appetite: Appetite) -> AsyncIterator[Delivery]:
    """Deliveries until there are enough, or none has come for long."""
    deliveries = aiter(consumption)
    taken = 0
    while taken != appetite.count:
        try:
            async with asyncio.timeout(appetite.idle):
                delivery = await anext(deliveries)
        except TimeoutError:
            return
        taken += 1
        yield delivery


def print_delivery(delivery: Delivery, output: Output) -> None:
    """Print a message: its body on a line, or all of it as JSON."""
    if output is Output.JSON:
        print_json_line(plain_delivery(delivery.raw))
    else:
        sys.stdout.buffer.write(delivery.body + b"\n")
        sys.stdout.buffer.flush()
