"""A process: its threads, and its attachment to a router."""

import asyncio
import secrets
from collections.abc import Coroutine, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog

from forebay.client.channels import open_channel
from forebay.client.router.attaching import Attaching
from forebay.client.router.births import Births
from forebay.client.router.dispatch import Dispatch
from forebay.client.router.errors import RegistrationError, ThreadEndedError
from forebay.client.router.incoming import Incoming
from forebay.client.router.lives import Lives
from forebay.client.router.outgoing import Outgoing
from forebay.client.router.recipients import MOST_NUMBERS
from forebay.client.router.running import BlockingHandler, Handler, OnEvent
from forebay.client.router.settings import ProcessSettings
from forebay.client.router.thread import Thread
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import DEFAULT_DOMAIN, check_name, split
from forebay.router.core.groups import Filters
from forebay.router.core.threadqueue import QueueLimits
from forebay.runtime import Clock, ServiceError, SystemClock

TICK_SECONDS = 0.5
"""How often is looked for messages without a receipt, and for what is not used any more."""
log = structlog.stdlib.get_logger(__name__)


class Process:
    """Holds threads that send messages to each other, and to those of other processes by way of a router.

        async with Process.connect("127.0.0.1:7720", "greeter") as process:

            async def greet(thread: Thread, message: Message) -> None:
                thread.reply(message, "greeting", b"hello " + message.body)

            greeter = await process.thread("greeter", greet)
            await greeter.wait()

    When the router is lost, the process attaches again, to another one if it was given several, and resolves what was
    on its way: nothing is lost and nothing is handled twice. Leaving the context ends all threads, and waits for the
    receipts of what they have sent.
    """

    def __init__(
        self, name: str, routers: Sequence[str], tls: Path | None, settings: ProcessSettings, clock: Clock
    ) -> None:
        """See `connect`."""
        check_name("process", name)
        self.name = name
        self.incarnation = secrets.randbits(63)
        self.domain = DEFAULT_DOMAIN
        """Of its threads; told by the router."""
        self.settings = settings
        self.clock = clock
        self.now = clock.monotonic()
        """The time, not long ago."""
        self.threads: dict[str, Thread] = {}
        """By name. Those that are ending too."""
        self.epoch = 0
        """Counts changes of `threads`."""
        self.filters = Filters()
        self.outgoing = Outgoing(settings.request_octets)
        self.dispatch = Dispatch(self.outgoing, clock)
        """What was sent."""
        self.incoming = Incoming(self)
        self._attaching = Attaching(self, [open_channel(router, tls) for router in routers])
        self._births = Births(name, self.outgoing)
        self._tasks: set[asyncio.Task[None]] = set()
        self._lives = Lives(self)
        self._running: asyncio.Task[None]

    @classmethod
    def connect(
        cls,
        router: str | Sequence[str],
        name: str,
        *,
        tls: Path | None = None,
        settings: ProcessSettings | None = None,
    ) -> Self:
        """A process of that name, for `async with`, within a running event loop.

        `router` is `host:port` or `unix:/path`, or several of them, all of one domain, that are tried in turn. `tls` is
        a folder with tls.crt, tls.key and ca.crt. Raises `AddressError`, `BadNameError` or `CertificateError`.
        """
        routers = [router] if isinstance(router, str) else router
        return cls(name, routers, tls, settings or ProcessSettings(), SystemClock())

    async def __aenter__(self) -> Self:
        """Attach. Raises `ServiceError` when no router takes the process."""
        running = self.spawn(self._attach())
        attached = asyncio.ensure_future(self._attaching.attached.wait())
        try:
            await asyncio.wait([running, attached], return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
        except BaseException:
            await self._close()
            raise
        finally:
            attached.cancel()
        self._running = running
        self.spawn(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await self._end()
        finally:
            await self._close()

    async def _attach(self) -> None:
        """Stay attached. When no router takes the process any more, all its threads end."""
        try:
            await self._attaching.run()
        except ServiceError as error:
            self._lives.fail(error)
            raise

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something until it ends, or the process does."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _end(self) -> None:
        """End all threads, and leave."""
        await self._lives.stop(self.settings.farewell)
        try:
            async with asyncio.timeout(self.settings.farewell):
                await self.flush()
        except TimeoutError:
            log.warning("the process ends before all receipts have come", messages=self.dispatch.unresolved())
        if self._attaching.attached.is_set():
            self._attaching.leave()
            await asyncio.wait([self._running])

    async def _close(self) -> None:
        while tasks := list(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._attaching.close()

    # Threads.

    async def thread(
        self,
        name: str,
        handler: Handler | BlockingHandler | None = None,
        *,
        on_event: OnEvent | None = None,
        queue: QueueLimits | None = None,
    ) -> Thread:
        """Begin a thread, once the router knows it.

        The handler is called for each message, one after the other. A coroutine function runs on the event loop; any
        other may block, and runs in a thread of the operating system with a `BlockingThread` to send by. An exception
        of it ends the thread. Without a handler the thread only sends. `on_event` is called with what it is told beside
        messages: `Dropped` and `Crashed`.

        Raises `BadNameError`, `RegistrationError` when the name is taken or not allowed, and `ThreadEndedError` when
        the process has ended.
        """
        check_name("thread", name)
        if self._running.done():
            raise ThreadEndedError(f"process {self.name} has ended: it begins no thread any more")
        if name in self.threads:
            taken = pb.REGISTRATION_STATE_TAKEN
            raise RegistrationError(
                pb.Registration(name=name, state=taken, problem=f"process {self.name} has a thread {name} already")
            )
        thread = Thread(self, name, secrets.randbits(39) * MOST_NUMBERS, queue or self.settings.queue)
        self.threads[name] = thread
        self.epoch += 1
        try:
            await self._births.register(thread, self._running, attached=self._attaching.attached.is_set())
        except BaseException:
            self.remove(thread)
            raise
        self._lives.begin(thread, handler, on_event)
        return thread

    def remove(self, thread: Thread) -> None:
        """A name is free again."""
        if self.threads.get(thread.name) is thread:
            del self.threads[thread.name]
        self.incoming.forget(thread.address)
        self.epoch += 1

    def local(self, address: str) -> Thread | None:
        """The thread of this process that has the address."""
        name, domain = split(address)
        return self.threads.get(name) if domain == self.domain else None

    def join(self, thread: str, group: str, pattern: str) -> None:
        """A thread takes messages of a group."""
        if self.filters.join(group, thread, pattern):
            self.outgoing.membership(thread, group)

    def leave(self, thread: str, group: str) -> None:
        """A thread takes no more messages of a group."""
        if self.filters.leave(group, thread):
            self.outgoing.membership(thread, group, leave=True)

    async def flush(self) -> None:
        """Wait until all that was sent has its receipt."""
        await self.dispatch.emptied(lambda _: True)

    async def flushed(self, thread: Thread) -> None:
        """Wait until all that a thread has sent has its receipt."""
        await self.dispatch.emptied(lambda owner: owner is thread)

    # Called by the attachment.

    def welcome(self, welcome: pb.Welcome) -> None:
        """There is a way to a router: tell it all that it has to know, and send again what has no receipt."""
        self.domain = welcome.domain
        self.outgoing.restart()
        for thread in self.threads.values():
            self.outgoing.birth(thread.name, thread.incarnation)
        for name, group in self.filters.memberships():
            self.outgoing.membership(name, group)
        self.dispatch.rewind()

    def receive(self, response: pb.AttachResponse) -> None:
        """What a router tells."""
        # Those parts that are there, in the order of their numbers.
        for part, told in response.ListFields():
            if part.name == "freight":
                self.incoming.freight(told)
            elif part.name == "registrations":
                for registration in told:
                    self._registered(registration)

    def _registered(self, registration: pb.Registration) -> None:
        known = registration.state == pb.REGISTRATION_STATE_REGISTERED
        if not self._births.answered(registration) and not known and (thread := self.threads.get(registration.name)):
            # It was registered before, by a router that is gone, and meanwhile another has its name.
            log.error("a thread has lost its name", thread=thread.address, problem=registration.problem)
            thread.stop()

    def tell_xon(self, thread: Thread, sender: str) -> None:
        """A thread is not full any more, and somebody waits for that."""
        local = self.local(sender)
        if local:
            local.pacing.xon(thread.address)
        else:
            self.outgoing.signal(thread.address, sender, pb.SIGNAL_KIND_XON)

    def ask_xon(self, thread: Thread, blocker: str) -> None:
        """A thread has waited for another for long."""
        local = self.local(blocker)
        if local is None:
            if self._attaching.attached.is_set():
                self.outgoing.signal(thread.address, blocker, pb.SIGNAL_KIND_NTF_XON)
        elif local.ending or local.queue.low:
            thread.pacing.xon(blocker)
        else:
            local.pacing.waiters.add(thread.address)

    async def _tick(self) -> None:
        """Send again what has waited for its receipt for too long; let go of what is not used any more."""
        tidied = self.now
        while True:
            await self.clock.sleep(TICK_SECONDS)
            self.now = now = self.clock.monotonic()
            if self._attaching.attached.is_set():
                self.dispatch.repeat(now)
            if now - tidied > self.settings.idle:
                tidied = now
                for thread in self.threads.values():
                    thread.forget_idle(now - self.settings.idle)
                self.dispatch.tidy()
