"""The watches: kopf follows resources and what is made of them, and each change is told on. It writes nothing."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import kopf

from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import (
    DISRUPTION_BUDGET,
    JOB,
    NETWORK_POLICY,
    POD,
    RESOURCES,
    SERVICE,
    SPARK_APPLICATION,
    STATEFUL_SET,
)
from forebay_operator.login import login
from forebay_operator.resources.labels import MANAGED_BY, MANAGER
from forebay_operator.settings import Settings

OWNED = (STATEFUL_SET, SERVICE, DISRUPTION_BUDGET, NETWORK_POLICY, POD, JOB)
"""What is followed of the objects that we make; the other kinds are looked at from time to time."""
OPTIONAL = (SPARK_APPLICATION,)
"""What is followed as well where the cluster knows it."""
DOMAIN = "forebay.dev"
BEAT_SECONDS = 10.0

Notice = Callable[[Kind, dict[str, Any], bool], None]
"""Is told the kind and body of an object, and whether it was deleted."""


class Backoffs:
    """Seconds between tries of a request, without end: a watch has to outlive any absence of the API server."""

    def __iter__(self) -> Iterator[float]:
        yield from (1, 1, 2, 3)
        while True:
            yield 5


def handlers(notice: Notice, optional: Iterable[Kind] = ()) -> kopf.OperatorRegistry:
    """A handler for the events of each kind, some of the optional ones among them."""
    registry = kopf.OperatorRegistry()
    kopf.on.login(registry=registry)(login)
    for kind in (*RESOURCES, *OWNED, *optional):
        kopf.on.event(kind.group, kind.version, kind.plural, registry=registry, id=kind.plural)(handler(kind, notice))
    return registry


def handler(kind: Kind, notice: Notice) -> Callable[..., Any]:
    """The handler of one kind."""

    async def seen(event: dict[str, Any], **_: Any) -> None:
        body = {**event["object"], "apiVersion": kind.api_version, "kind": kind.kind}
        notice(kind, body, event["type"] == "DELETED")

    return seen


def watch_settings() -> kopf.OperatorSettings:
    """Times within which a watch that has fallen silent is begun anew, and marks that only differ from others'."""
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.persistence.finalizer = f"{DOMAIN}/operator"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=DOMAIN)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=DOMAIN, key="last-handled")
    # The server ends a watch by itself, with a bookmark just before: the next one goes on from there.
    settings.watching.server_timeout = 40
    settings.watching.inactivity_timeout = 50
    settings.watching.client_timeout = 60
    settings.watching.connect_timeout = 30
    settings.networking.request_timeout = 30
    settings.networking.connect_timeout = 30
    settings.networking.error_backoffs = Backoffs()
    for kind in (*OWNED, *OPTIONAL):
        settings.watching.label_selectors[kind.group, kind.version, kind.plural] = f"{MANAGED_BY}={MANAGER}"
    return settings


async def watch(settings: Settings, notice: Notice, beat: Callable[[], None], optional: Iterable[Kind] = ()) -> None:
    """Follow all kinds until cancelled; `notice` is called on the running loop, and `beat` while all is well.

    `optional` are those of `OPTIONAL` that the API server knows.

    kopf has a loop in a thread of its own, for at its end it cancels whatever runs beside it. Raises what ends it.
    """
    loop = asyncio.get_running_loop()

    def told(kind: Kind, body: dict[str, Any], deleted: bool) -> None:
        loop.call_soon_threadsafe(notice, kind, body, deleted)

    stop = threading.Event()
    work = watching(settings, handlers(told, optional), lambda: loop.call_soon_threadsafe(beat), stop)
    run = asyncio.create_task(asyncio.to_thread(asyncio.run, work), name="kopf")
    try:
        await asyncio.shield(run)
    finally:
        stop.set()
        await asyncio.gather(run, return_exceptions=True)


async def watching(
    settings: Settings, registry: kopf.OperatorRegistry, beat: Callable[[], object], stop: threading.Event
) -> None:
    """Run kopf on the current loop until `stop` is set."""
    pulse = asyncio.create_task(beating(beat))
    try:
        await kopf.operator(
            registry=registry,
            settings=watch_settings(),
            # Without one it looks up the name of the user, and the pod's user has none.
            identity="forebay-operator",  # type: ignore[arg-type]  # a NewType that kopf does not show
            standalone=True,
            clusterwide=settings.cluster_wide,
            namespaces=[] if settings.cluster_wide else settings.namespaces,
            stop_flag=stop,
        )
    finally:
        pulse.cancel()
        # kopf waits for it in a thread, which has to end before the loop can.
        stop.set()


async def beating(beat: Callable[[], object]) -> None:
    """Show that the loop turns."""
    while True:
        beat()
        await asyncio.sleep(BEAT_SECONDS)
