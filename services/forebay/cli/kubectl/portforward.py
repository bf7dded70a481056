"""One `kubectl port-forward`: a child process that leads a port of this machine into a pod."""

import asyncio
import re
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Sequence
from typing import Any, Self

from forebay.cli.kubectl.errors import ClusterError, KubectlError
from forebay.cli.kubectl.refusals import refusal

START_SECONDS = 30.0
"""For kubectl to reach the pod."""
STOP_SECONDS = 5.0
"""For kubectl to end when it is asked to."""
LINES = 20
"""Of its last words that are kept."""
FORWARDING = re.compile(rb"Forwarding from 127\.0\.0\.1:(\d+) -> ")


class PortForward:
    """A child process, and the port that it listens on."""

    def __init__(self, process: Process, output: StreamReader, errors: StreamReader) -> None:
        self._process = process
        self._words: deque[str] = deque(maxlen=LINES)
        self._port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        # Read to their ends: a child whose pipe is full would stand still.
        self._reading = asyncio.gather(self._listen(output), self._hear(errors))

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start it, and wait until it forwards. Raises `KubectlError` with its last words when it does not."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            # Ctrl-C goes to the whole group of the terminal, and calls have to end before their way does.
            start_new_session=True,
        )
        if process.stdout is None or process.stderr is None:
            raise ValueError("the child has no pipes")
        forward = cls(process, process.stdout, process.stderr)
        try:
            await forward._until_forwarding()
        except BaseException:
            await forward.end()
            raise
        return forward

    @property
    def port(self) -> int:
        """The port of 127.0.0.1 that leads to the pod."""
        return self._port.result()

    async def ended(self) -> KubectlError:
        """Wait until it ended by itself; why it did."""
        await self._process.wait()
        await asyncio.wait({self._reading})
        return refusal("\n".join(self._words))

    async def end(self) -> None:
        """End it."""
        if self._process.returncode is None:
            self._process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _until_forwarding(self) -> None:
        ended = asyncio.ensure_future(self.ended())
        either: set[asyncio.Future[Any]] = {ended, self._port}
        try:
            await asyncio.wait(either, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if self._port.done():
                return
            if ended.done():
                raise ended.result()
            raise ClusterError(f"kubectl port-forward did not reach the pod within {START_SECONDS:g} s")
        finally:
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)

    async def _listen(self, output: StreamReader) -> None:
        async for line in output:
            found = FORWARDING.match(line)
            if found and not self._port.done():
                self._port.set_result(int(found[1]))

    async def _hear(self, errors: StreamReader) -> None:
        async for line in errors:
            self._words.append(line.decode(errors="replace"))
