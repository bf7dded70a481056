"""A process: its threads, and its attachment to a router."""

import asyncio
import secrets
from collections.abc import Coroutine, Sequence
from inspect import iscoroutinefunction
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import structlog

from forebay.client.channels import open_channel
from forebay.client.router.attaching import Attaching
from forebay.client.router.dispatch import Dispatch
from forebay.client.router.errors import RegistrationError, ThreadEndedError
from forebay.client.router.incoming import Incoming
from forebay.client.router.outgoing import Outgoing
from forebay.client.router.recipients import MOST_NUMBERS
from forebay.client.router.running import BlockingHandler, Handler, OnEvent, run, run_blocking
from forebay.client.router.settings import ProcessSettings
from forebay.client.router.thread import Thread
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import DEFAULT_DOMAIN, check_name, split
from forebay.router.core.events import Dropped
from forebay.router.core.flags import MULTICAST
from forebay.router.core.groups import Filters
from forebay.router.core.message import Message
from forebay.router.core.skal import ALARM_THREAD_CRASHED, DROP_SHUTDOWN
from forebay.router.core.threadqueue import QueueLimits
from forebay.runtime import Clock, SystemClock

TICK_SECONDS = 0.5
"""How often is looked for messages without a receipt, and for what is not used any more."""
log = structlog.stdlib.get_logger(__name__)


class Process:
    """Holds threads that send messages to each other, and to those of other processes by way of a router.

        async with Process.connect("127.0.0.1:7675", "greeter") as process:

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
        self._incoming = Incoming(self)
        self._attaching = Attaching(self, [open_channel(router, tls) for router in routers])
        self._births: dict[tuple[str, int], asyncio.Future[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._living: dict[Thread, asyncio.Task[None]] = {}
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
        routers = [router] if isinstance(router, str) else list(router)
        return cls(name, routers, tls, settings or ProcessSettings(), SystemClock())

    async def __aenter__(self) -> Self:
        """Attach. Raises `ServiceError` when no router takes the process."""
        running = self._spawn(self._attaching.run())
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
        self._spawn(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await self._end()
        finally:
            await self._close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _end(self) -> None:
        """End all threads, and leave."""
        threads = list(self.threads.values())
        for thread in threads:
            thread.stop()
        if living := [self._living[thread] for thread in threads if thread in self._living]:
            _, late = await asyncio.wait(living, timeout=self.settings.farewell)
            for task in late:
                task.cancel()
        try:
            async with asyncio.timeout(self.settings.farewell):
                await self.flush()
        except TimeoutError:
            left = self.dispatch.unresolved()
            log.warning("the process ends before all receipts have come", process=self.name, messages=left)
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
        self._add(thread)
        try:
            await self._register(thread)
        except BaseException:
            self._remove(thread)
            raise
        self._living[thread] = self._spawn(self._live(thread, handler, on_event))
        return thread

    def _add(self, thread: Thread) -> None:
        self.threads[thread.name] = thread
        self.epoch += 1

    def _remove(self, thread: Thread) -> None:
        if self.threads.get(thread.name) is thread:
            del self.threads[thread.name]
        self.epoch += 1

    async def _register(self, thread: Thread) -> None:
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        key = (thread.name, thread.incarnation)
        self._births[key] = answered
        try:
            if self._attaching.attached.is_set():
                self.outgoing.birth(*key)
            await asyncio.wait([answered, self._running], return_when=asyncio.FIRST_COMPLETED)
            if not answered.done():
                raise ThreadEndedError(f"process {self.name} has ended before the router knew thread {thread.name}")
            answered.result()
        finally:
            del self._births[key]

    async def _live(self, thread: Thread, handler: Handler | BlockingHandler | None, on_event: OnEvent | None) -> None:
        """A thread, to its end."""
        error: BaseException | None = None
        try:
            if handler is None or iscoroutinefunction(handler) or iscoroutinefunction(type(handler).__call__):
                await run(thread, cast("Handler | None", handler), on_event)
            else:
                await run_blocking(thread, cast("BlockingHandler", handler), on_event)
        except Exception as problem:
            error = problem
            log.exception("thread crashed", thread=thread.address)
            thread.raise_alarm(ALARM_THREAD_CRASHED, f"{type(problem).__name__}: {problem}", severity=pb.SEVERITY_ERROR)
        finally:
            self._ended(thread, error)

    def _ended(self, thread: Thread, error: BaseException | None) -> None:
        """Nobody waits for the thread any more; senders are told of what it has not handled."""
        thread.ending = True
        del self._living[thread]
        for message in thread.queue.clear():
            self._drop(message, thread)
        thread.close(error)
        self.filters.drop(thread.name)
        self.epoch += 1
        self._spawn(self._bury(thread))

    def _drop(self, message: Message, thread: Thread) -> None:
        head = message.head
        if head.flags & MULTICAST:
            return
        extra = "the thread has ended before it came to this message"
        sender = self.local(head.sender)
        if sender:
            sender.dropped(Dropped(DROP_SHUTDOWN, message.marker, thread.address, extra), head.flags)
        else:
            self.outgoing.drop(message, extra)

    async def _bury(self, thread: Thread) -> None:
        """The name is free again once all that the thread has sent has its receipts."""
        await self.flushed(thread)
        self._remove(thread)
        self._incoming.forget(thread.address)
        self.outgoing.death(thread.name)

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
        for registration in response.registrations:
            self._registered(registration)
        if response.HasField("freight"):
            self._incoming.freight(response.freight)

    def _registered(self, registration: pb.Registration) -> None:
        answered = self._births.get((registration.name, registration.incarnation))
        known = registration.state == pb.REGISTRATION_STATE_REGISTERED
        if answered and not answered.done():
            if known:
                answered.set_result(None)
            else:
                answered.set_exception(RegistrationError(registration))
        elif not known and (thread := self.threads.get(registration.name)):
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
                self._tidy(now - self.settings.idle)

    def _tidy(self, before: float) -> None:
        for thread in self.threads.values():
            thread.forget_idle(before)
        self.dispatch.tidy()
