"""The NNTP listener: where news servers and other feeders send their articles."""

import asyncio
import ssl

from forebay.outfeed.incoming.feeder import Feeder, ListenerCounts, ListenerSettings, Shared
from forebay.outfeed.incoming.intake import Intake
from forebay.runtime.dualstack import dualstack_socket


class Listener:
    """Serves feeders until it is drained."""

    def __init__(self, intake: Intake, settings: ListenerSettings, tls: ssl.SSLContext | None = None) -> None:
        self.port = settings.port
        """The port listened on, once started."""
        self._shared = Shared(intake, settings)
        self._tls = tls
        self._server: asyncio.Server | None = None

    @property
    def connected(self) -> int:
        """Feeders that are connected."""
        return len(self._shared.feeders)

    @property
    def counts(self) -> ListenerCounts:
        """What was seen since the start."""
        return self._shared.counts

    async def start(self) -> None:
        """Listen. Raises `OSError` when the address is taken."""
        shared, loop = self._shared, asyncio.get_running_loop()
        address = shared.settings.address
        if made := dualstack_socket(address, self.port):
            self._server = await loop.create_server(lambda: Feeder(shared), sock=made, ssl=self._tls)
        else:
            self._server = await loop.create_server(lambda: Feeder(shared), address, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    def apply(self, settings: ListenerSettings) -> None:
        """Serve by other settings, connections that are open too; address and port stay as they were."""
        self._shared.settings = settings
        for feeder in self._shared.feeders:
            feeder.reader.article_octets = settings.article_octets

    async def drain(self, reason: str) -> None:
        """Take no connection and no command any more, answer what was taken, then end each connection with 400.

        Returns when all have ended and every article is settled. Cancelled, it cuts off those that do not read.
        """
        if self._server is None:
            return
        self._server.close()
        feeders = list(self._shared.feeders)
        for feeder in feeders:
            feeder.end(reason)
        try:
            await asyncio.gather(
                *(feeder.gone.wait() for feeder in feeders), *self._shared.takes, return_exceptions=True
            )
        finally:
            for feeder in feeders:
                feeder.cut()
