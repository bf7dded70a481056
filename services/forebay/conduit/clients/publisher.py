"""A publisher of a client: batches in, outcomes out, with back-pressure."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.clients.attachments import Quota
from forebay.conduit.clients.outcomes import Outcome
from forebay.conduit.core.errors import ConduitError, SampleTooLargeError, UnknownPublisherError, WindowFullError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.clients.tally import Tally
    from forebay.conduit.spilling.outflow import Outflow
    from forebay.conduit.spilling.reserve import Reserve
    from forebay.conduit.transport.station import Station

MOST_SAMPLES = 65_536
"""Samples of one batch."""


class Publisher:
    """One batch is published after the other."""

    quota = Quota.PUBLISHERS

    def __init__(
        self, station: Station, outflow: Outflow, tally: Tally, reserve: Reserve | None, deadline: float = inf
    ) -> None:
        """`reserve`: where samples wait that there is no room for; `deadline`: seconds that a batch waits for it."""
        self.written = False
        """Whether a stream writes it."""
        self._station = station
        self._outflow = outflow
        self._tally = tally
        self._reserve = reserve
        self._deadline = deadline

    async def publish(self, samples: Sequence[bytes]) -> Outcome:
        """Publish a batch; it returns once nothing of it waits for room. Raises `UnknownPublisherError`."""
        if len(samples) > MOST_SAMPLES:
            problem = f"a batch has {len(samples)} samples, and {MOST_SAMPLES} is the most: send smaller ones"
            outcome = Outcome(refused=len(samples), reason="TOO_MANY_SAMPLES", problem=problem)
        else:
            outcome = await self._published(samples)
        self._tally.add(outcome)
        return outcome

    async def _published(self, samples: Sequence[bytes]) -> Outcome:
        if not self._outflow.here:
            raise UnknownPublisherError("the publisher is gone, for its resource was refused: see the events of Attach")
        try:
            if self._reserve is None:
                return await self._write(samples)
            return await self._spill(self._reserve, samples)
        except ConduitError as error:
            return refusal(error, len(samples))

    async def _spill(self, reserve: Reserve, samples: Sequence[bytes]) -> Outcome:
        """Write samples behind those that wait, if any do."""
        with suppress(TimeoutError):
            async with asyncio.timeout(None if self._deadline == inf else self._deadline):
                await reserve.until_room()
        if not reserve.has_room:
            return Outcome(expired=len(samples))
        if not reserve.busy:
            outcome = await self._write(samples)
        else:
            self._outflow.check(samples)
            reserve.put(samples)
            outcome = Outcome(accepted=len(samples), spilled=len(samples))
        if outcome.spilled:
            await reserve.until_stored()
        return outcome

    async def _write(self, samples: Sequence[bytes]) -> Outcome:
        write = self._station.write(self._outflow.number, samples)
        await self._station.written(write)
        accepted = write.written + write.spilled
        outcome = Outcome(accepted, write.spilled, write.dropped, write.expired)
        if write.error:
            refused = refusal(write.error, write.failed)
            return outcome._replace(refused=write.failed, reason=refused.reason, problem=refused.problem)
        return outcome

    def forget(self) -> None:
        """Forget it, once what waits is sent."""
        if self._reserve is None:
            self._outflow.forget()
        else:
            self._reserve.retire()


def refusal(error: ConduitError, samples: int) -> Outcome:
    """What became of a batch of so many samples that an error ended. Raises the error when it is of another kind."""
    match error:
        case WindowFullError():
            return Outcome(error.accepted, refused=samples - error.accepted, reason="WINDOW_FULL", problem=str(error))
        case SampleTooLargeError():
            return Outcome(refused=samples, reason="SAMPLE_TOO_LARGE", problem=str(error))
        case _:
            raise error
