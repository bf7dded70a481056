"""A bridge from conduit to zenoh, as this process."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import structlog

from forebay.cli.errors import InputError
from forebay.client.conduit import ConduitNodeSettings
from forebay.conduit.core.errors import ConduitError

if TYPE_CHECKING:
    from forebay.client.bridge import Bridge

T = TypeVar("T")

log = structlog.stdlib.get_logger(__name__)


class Ways(NamedTuple):
    """What the command line tells of a bridge."""

    network: str
    outward: list[str]
    inward: list[str]
    prefix: str
    listen: str
    group: str
    interface: str
    peers: list[str]
    file: Path | None
    mode: str
    connect: list[str]
    zenoh_listen: list[str]
    keys: list[str]
    """Each ID=FILE."""


async def run_bridge(ways: Ways) -> None:
    """Bring samples over until a signal ends it. Raises `InputError`, `BridgeSettingError`."""
    if find_spec("zenoh") is None:
        raise InputError("zenoh is not installed", "Install it with `pip install 'forebay[zenoh]'`.")
    bridge = bridge_of(ways)
    task, loop = asyncio.ensure_future(bridge.run()), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await task
    except OSError as error:
        raise InputError(f"the node cannot listen: {error.strerror or error}", "Give another --listen.") from error
    log.info("the bridge has ended", **asdict(bridge.tally))


def bridge_of(ways: Ways) -> "Bridge":
    """The bridge. Raises `InputError`, `BridgeSettingError`."""
    from forebay.client.bridge import Bridge, BridgeSettings, ZenohSettings

    settings = BridgeSettings(ways.network, tuple(ways.outward), tuple(ways.inward), ways.prefix)
    session = ZenohSettings(ways.file, ways.mode, tuple(ways.connect), tuple(ways.zenoh_listen))
    keys, peers = dict(map(key_of, ways.keys)), tuple(ways.peers)
    node = usable(lambda: ConduitNodeSettings(ways.listen, ways.group or None, ways.interface, peers=peers, keys=keys))
    return usable(lambda: Bridge(settings, node, session))


def key_of(text: str) -> tuple[int, bytes]:
    """A key by its id, from ID=FILE. Raises `InputError`, `OSError`."""
    number, separator, file = text.partition("=")
    if not (separator and number.isascii() and number.isdecimal()):
        raise InputError(f"--key {text} does not fit", "Give ID=FILE, as 1=/etc/forebay/key.")
    return int(number), Path(file).read_bytes()


def usable(make: Callable[[], T]) -> T:
    """What is made. Raises `InputError` when a setting of the node is wrong."""
    try:
        return make()
    except ConduitError as error:
        raise InputError(str(error)) from error
