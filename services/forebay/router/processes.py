"""The processes that are attached to this router."""

from collections.abc import Iterator, Sequence

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.attachment import NO_HEARTBEAT, Attachment
from forebay.router.core.address import check_name
from forebay.router.core.errors import BadNameError
from forebay.router.core.skal import ALARM_NO_HEARTBEAT, ALARM_PROCESS_CRASHED
from forebay.router.registry import Entry
from forebay.router.switch import Switch
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, ResourceExhaustedError

RETRY_SECONDS = 1.0


class Processes:
    """Attaches processes, and finds out which have crashed."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._attached: set[Attachment] = set()
        self._latest: dict[int, Attachment] = {}
        """The last attachment of each process, by its incarnation."""
        self._ticked = switch.clock.monotonic()

    def __iter__(self) -> Iterator[Attachment]:
        return iter(self._attached)

    def __len__(self) -> int:
        return len(self._attached)

    def attach(self, hello: pb.Hello, principals: Sequence[str]) -> Attachment:
        """A process attaches. Raises `InvalidArgumentError` or `ResourceExhaustedError`."""
        try:
            check_name("process", hello.process)
        except BadNameError as error:
            violation = FieldViolation("hello.process", str(error))
            raise InvalidArgumentError(f"hello.process: {error}", violations=[violation]) from error
        if len(self._attached) >= self._switch.settings.most_processes:
            raise ResourceExhaustedError(
                f"{len(self._attached)} processes are attached, as many as may be: attach to another router",
                reason="TOO_MANY_PROCESSES",
                retry_after=RETRY_SECONDS,
            )
        former = self._former(hello, principals)
        attachment = Attachment(self._switch, hello, principals)
        if former:
            attachment.outlet.adopt(former.outlet)
            former.close()
        self._attached.add(attachment)
        self._latest[hello.incarnation] = attachment
        origin = f"{hello.process}@{self._switch.settings.domain}"
        for alarm in (ALARM_PROCESS_CRASHED, ALARM_NO_HEARTBEAT):
            self._switch.alarms.settle(alarm, origin)
        return attachment

    def _former(self, hello: pb.Hello, principals: Sequence[str]) -> Attachment | None:
        """An attachment of the same process that has not been found to be dead yet."""
        latest = self._latest.get(hello.incarnation)
        return latest if latest and latest.principals == tuple(principals) and not latest.over else None

    def detach(self, attachment: Attachment) -> None:
        """The stream of an attachment has ended."""
        self._attached.discard(attachment)
        if self._latest.get(attachment.incarnation) is attachment:
            del self._latest[attachment.incarnation]

    def evict(self, entry: Entry, problem: str | None) -> None:
        """A thread of ours gives its name up to one of another router; without a problem it has only moved there."""
        for attachment in self._attached:
            if attachment.outlet is entry.outlet:
                attachment.evict(entry.name, problem)

    def tick(self) -> None:
        """Once every heartbeat: give signs of life, and look for those who give none."""
        now, heartbeat = self._switch.clock.monotonic(), self._switch.settings.heartbeat
        # What kept us from looking also kept us from hearing.
        late = max(0.0, now - self._ticked - heartbeat)
        self._ticked = now
        for attachment in list(self._attached):
            attachment.heard += late
            if now - attachment.heard > self._switch.settings.missed * heartbeat:
                attachment.lost(NO_HEARTBEAT, ALARM_NO_HEARTBEAT)
            else:
                attachment.beat()
