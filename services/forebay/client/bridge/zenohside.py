"""The session of zenoh: opened again and again until it is there, read on threads of its own, written to from any."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import structlog
import zenoh
from zenoh.handlers import FifoChannel

from forebay.client.bridge.errors import BridgeSettingError
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from forebay.client.bridge.settings import ZenohSettings

    Take = Callable[[Sequence[zenoh.Sample]], Awaitable[None]]
    """Takes samples, in order; it waits as long as there is no room for them."""

AT_ONCE = 256
"""Samples that are handed over at once, at most."""
LOOK_SECONDS = 5.0
RETRY = BackoffSettings(first=0.5, longest=15.0)

log = structlog.stdlib.get_logger(__name__)


class ZenohSide:
    """One session of zenoh. Zenoh itself connects again when a connection is lost."""

    def __init__(self, settings: ZenohSettings, mark: bytes, takers: Sequence[tuple[str, Take]], waiting: int) -> None:
        """`mark` goes with each sample, and what has it is not brought back; `takers`, each of a key expression;
        `waiting`: samples that wait for each of them. Raises `BridgeSettingError`.
        """
        configuration(settings)
        self._settings = settings
        self._mark = mark
        self._takers = takers
        self._waiting = waiting
        self._backoff = Backoff(RETRY, SystemClock(), Random())  # noqa: S311 what it spreads guards nothing
        self._session: zenoh.Session | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a session."""
        return self._session is not None

    async def keep(self) -> None:
        """Have a session, until this is cancelled."""
        while True:
            try:
                session = await asyncio.to_thread(zenoh.open, configuration(self._settings))
            except zenoh.ZError as error:
                wait = self._backoff.fail()
                log.warning("there is no session of zenoh", reason=str(error).strip(), again=round(wait, 1))
                await asyncio.sleep(wait)
                continue
            self._backoff.reset()
            await self._serve(session)

    def put(self, key: str, payloads: Sequence[bytes]) -> int:
        """Publish samples, and wait while zenoh has no room; how many went, which are fewer while there is no session.

        For any thread but the loop's.
        """
        session, block, remote = self._session, zenoh.CongestionControl.BLOCK, zenoh.Locality.REMOTE
        went = 0
        with suppress(zenoh.ZError):
            for payload in payloads if session else ():
                # What is left over from a session that has just been closed raises.
                assert session is not None  # noqa: S101
                session.put(key, payload, congestion_control=block, attachment=self._mark, allowed_destination=remote)
                went += 1
        return went

    async def _serve(self, session: zenoh.Session) -> None:
        """Read until the session is closed, by itself or since this is cancelled."""
        tasks = [asyncio.create_task(self._read(session, key, take)) for key, take in self._takers]
        tasks.append(asyncio.create_task(_closed(session)))
        self._session = session
        log.info("there is a session of zenoh", zid=str(session.zid()))
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            log.warning("the session of zenoh was closed")
        finally:
            self._session = None
            # It ends the threads that read.
            await asyncio.to_thread(session.close)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, session: zenoh.Session, key: str, take: Take) -> None:
        # Bounded, and who fills it waits: zenoh is held up, and nothing is lost here.
        channel: FifoChannel[zenoh.Sample] = FifoChannel(self._waiting)
        selector = zenoh.KeyExpr.autocanonize(key)
        subscriber = session.declare_subscriber(selector, channel, allowed_origin=zenoh.Locality.REMOTE)
        while True:
            batch = await asyncio.to_thread(_received, subscriber)
            if not batch:
                return
            if foreign := [sample for sample in batch if self._is_foreign(sample)]:
                await take(foreign)

    def _is_foreign(self, sample: zenoh.Sample) -> bool:
        """Whether it comes from elsewhere than a bridge of the same network."""
        attachment = sample.attachment
        return attachment is None or attachment.to_bytes() != self._mark


async def _closed(session: zenoh.Session) -> None:
    """Wait until a session has been closed, where nobody reads it."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if session.is_closed():
            return


def configuration(settings: ZenohSettings) -> zenoh.Config:
    """The configuration of a session. Raises `BridgeSettingError`."""
    try:
        config = zenoh.Config.from_file(settings.file) if settings.file else zenoh.Config()
        if settings.mode:
            config.insert_json5("mode", json.dumps(settings.mode))
        for key, endpoints in (("connect", settings.connect), ("listen", settings.listen)):
            if endpoints:
                config.insert_json5(f"{key}/endpoints", json.dumps(endpoints))
    except zenoh.ZError as error:
        raise BridgeSettingError(f"zenoh does not take its settings: {error}") from None
    return config


def _received(subscriber: zenoh.Subscriber[zenoh.handlers.Handler[zenoh.Sample]]) -> list[zenoh.Sample]:
    """What there is, waiting for the first of it; nothing once the session is closed."""
    batch: list[zenoh.Sample] = []
    with suppress(zenoh.ZError):
        batch.append(subscriber.recv())
        while len(batch) < AT_ONCE and (sample := subscriber.try_recv()) is not None:
            batch.append(sample)
    return batch
