"""Signals of a process: SIGTERM and SIGINT end it, SIGHUP reads its configuration again."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import structlog

Reload = Callable[[], Awaitable[None]]

log = structlog.stdlib.get_logger(__name__)


class Signals:
    """Turns signals into events of the running loop for as long as it is entered.

    Without this, SIGTERM would end the process with no `finally` run.
    """

    def __init__(self, reload: Reload | None = None) -> None:
        self.stop = asyncio.Event()
        """Set by SIGTERM or SIGINT."""
        self._reload = reload
        self._hangup = asyncio.Event()
        self._reloader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        loop.add_signal_handler(signal.SIGHUP, self._hangup.set)
        self._reloader = loop.create_task(self._reload_upon_hangup(), name="reload")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.remove_signal_handler(number)
        if self._reloader is not None:
            self._reloader.cancel()
            await asyncio.gather(self._reloader, return_exceptions=True)

    def _stop(self, number: signal.Signals) -> None:
        log.info("stopping", signal=number.name)
        self.stop.set()

    async def _reload_upon_hangup(self) -> None:
        """Reload once for any number of signals that came meanwhile; a failure leaves all as it was."""
        while True:
            await self._hangup.wait()
            self._hangup.clear()
            if self._reload is None:
                log.warning("SIGHUP ignored: the configuration does not come from files")
                continue
            try:
                await self._reload()
            except Exception:
                log.exception("configuration not read again, the last one stays")
