"""The kinds of other operators: what the cluster knows of them now."""

import asyncio
from typing import TYPE_CHECKING

import structlog

from forebay_operator.errors import KubeError
from forebay_operator.kube.kinds import SERVICE_MONITOR, SPARK_APPLICATION
from forebay_operator.reconcile.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay_operator.kube import Kind

log = structlog.stdlib.get_logger(__name__)


class OptionalKinds:
    """Looked for from time to time: they may come and go."""

    def __init__(self, world: World) -> None:
        self.watched: Sequence[Kind] = ()
        """Those that are to be followed."""
        self.changed = asyncio.Event()
        """Set when there are others to be followed."""
        self._world = world

    async def detect(self) -> None:
        """See which there are; while that can't be told, what was known counts."""
        try:
            self._world.monitoring = await self._world.kube.serves(SERVICE_MONITOR)
            watched = (SPARK_APPLICATION,) if await self._world.kube.serves(SPARK_APPLICATION) else ()
        except KubeError as error:
            log.warning("not known which kinds there are", problem=str(error))
            return
        if watched != self.watched:
            self.watched = watched
            self.changed.set()
