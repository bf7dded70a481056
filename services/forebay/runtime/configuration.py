"""The one live path of configuration: documents are applied one at a time, each only if it is newer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from forebay.runtime.document import ConfigDocument
from forebay.runtime.revisions import ResourceResult, Revisions

Apply = Callable[[ConfigDocument], Awaitable[Sequence[ResourceResult]]]

log = structlog.stdlib.get_logger(__name__)


class Configuration:
    """Applies documents to a service, whether they come by gRPC or from files."""

    def __init__(self, apply: Apply) -> None:
        self._apply = apply
        self._turn = asyncio.Lock()
        self._working: set[asyncio.Task[bool]] = set()
        self.revisions = Revisions()

    async def apply(self, document: ConfigDocument) -> bool:
        """Apply a document; False when it is not newer than what is in force, and nothing was done.

        An error of the service leaves the revision where it was, so that the same document may be sent again. A caller
        that goes away does not stop what has begun: half a configuration would be left.
        """
        task = asyncio.get_running_loop().create_task(self._in_turn(document))
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, document: ConfigDocument) -> bool:
        async with self._turn:
            if not self.revisions.is_newer(document.revision):
                return False
            results = await self._apply(document)
            self.revisions.applied(document.revision, results)
            log.info(
                "configuration applied",
                revision=document.revision,
                resources=len(results),
                refused=[f"{each.kind} {each.name}" for each in results if not each.applied],
            )
            return True
