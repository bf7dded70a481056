"""One process that is attached to this router."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import LONGEST_NAME, check_name, split
from forebay.router.core.errors import BadNameError
from forebay.router.core.skal import ALARM_BAD_GROUP, ALARM_DUPLICATE_THREAD, ALARM_PROCESS_CRASHED, ALARM_WRONG_SENDER
from forebay.router.outlet import BURDEN
from forebay.router.registry import Entry
from forebay.router.switch import Switch

T = TypeVar("T")

_SENDER, _RECIPIENT = attrgetter("sender"), attrgetter("recipient")

LINK_CLOSED = "link closed"
NO_HEARTBEAT = "no heartbeat"
LONGEST_COMMENT = 1000
"""Characters of what an alarm says; the rest is cut off."""


class Attachment:
    """Its threads, and what it sends and gets. No I/O: whoever has the stream hands requests in and takes responses."""

    def __init__(self, switch: Switch, hello: pb.Hello, principals: Sequence[str]) -> None:
        """`principals` are the names in the certificate of the process; none over plain text."""
        self.process = hello.process
        self.incarnation = hello.incarnation
        self.principals = tuple(principals)
        self.outlet = switch.outlet(hello.process)
        self.threads: dict[str, int] = {}
        """Names and incarnations."""
        self.since_ms = int(switch.clock.wall() * 1000)
        self.heard = switch.clock.monotonic()
        """When it gave the last sign of life."""
        self.over = False
        """It has left, was lost, or another attachment has taken its place."""
        self.left = False
        """It has left as it should."""
        self._switch = switch
        self._domain = switch.settings.domain
        self._joined: set[tuple[str, str]] = set()
        """Groups, and the threads that are in them."""
        self._registrations: list[pb.Registration] = []
        self._beat = False
        self._responded = True
        self._parts: dict[str, Callable[[Any], None]] = {
            "births": self._births,
            "memberships": self._memberships,
            "freight": self._freight,
            "alarms": self._alarms,
            "deaths": self._deaths,
            "leaving": self._leaving,
        }
        switch.outlets.add(self.outlet)

    @property
    def burdened(self) -> bool:
        """It sends and does not read: so many answers wait that it is not to be listened to for now."""
        return self.outlet.burdened or len(self._registrations) >= BURDEN

    def handle(self, request: pb.AttachRequest) -> None:
        """What the process tells."""
        self.heard = self._switch.clock.monotonic()
        # Those that are there, in the order of their numbers.
        for part, told in request.ListFields():
            if handle := self._parts.get(part.name):
                handle(told)

    def _births(self, births: Iterable[pb.Birth]) -> None:
        for birth in births:
            self._birth(birth)

    def _memberships(self, memberships: Iterable[pb.Membership]) -> None:
        for membership in memberships:
            self._membership(membership)

    def _alarms(self, alarms: Iterable[pb.Alarm]) -> None:
        for alarm in alarms:
            self._alarm(alarm)

    def _deaths(self, names: Iterable[str]) -> None:
        for name in names:
            if self.threads.pop(name, None) is not None:
                self._switch.remove_thread(name, self.outlet)
                self._joined = {joined for joined in self._joined if joined[1] != name}

    def _leaving(self, leaving: bool) -> None:
        self.left = True
        self.close()

    def _birth(self, birth: pb.Birth) -> None:
        state, problem = self._judge(birth.name, birth.incarnation)
        if state == pb.REGISTRATION_STATE_REGISTERED:
            self.threads[birth.name] = birth.incarnation
            self._switch.add_thread(
                Entry(
                    birth.name,
                    birth.incarnation,
                    self.outlet,
                    self.process,
                    self._switch.settings.router,
                    int(self._switch.clock.wall() * 1000),
                )
            )
        self.register(birth.name, birth.incarnation, state, problem)

    def _judge(self, name: str, incarnation: int) -> tuple[pb.RegistrationState, str]:
        switch = self._switch
        try:
            check_name("thread", name)
        except BadNameError as error:
            return pb.REGISTRATION_STATE_INVALID, str(error)
        if not switch.settings.may_use(self.principals, name):
            who = ", ".join(self.principals) or "a process without a certificate"
            return pb.REGISTRATION_STATE_DENIED, f"{who} may not use the name {name}: add a rule to the access list"
        # With the same incarnation it is the same thread, whose process has lost its former router.
        if (known := switch.registry.entries.get(name)) and known.incarnation != incarnation:
            return pb.REGISTRATION_STATE_TAKEN, self._taken(name, known)
        if len(switch.registry) >= switch.settings.most_threads:
            problem = f"the domain has {len(switch.registry)} threads, as many as it may: end some"
            return pb.REGISTRATION_STATE_FULL, problem
        return pb.REGISTRATION_STATE_REGISTERED, ""

    def _taken(self, name: str, known: Entry) -> str:
        address = f"{name}@{self._domain}"
        problem = f"a thread {address} runs in process {known.process} at router {known.router}: choose another name"
        comment = f"process {self.process} wants a thread {address}, which runs in process {known.process}"
        self._switch.alarms.raise_(ALARM_DUPLICATE_THREAD, address, pb.SEVERITY_WARNING, comment)
        return problem

    def register(self, name: str, incarnation: int, state: pb.RegistrationState, problem: str = "") -> None:
        """Tell the process what became of one of its threads."""
        self._registrations.append(pb.Registration(name=name, incarnation=incarnation, state=state, problem=problem))
        self.outlet.wake()

    def evict(self, name: str, problem: str | None) -> None:
        """A thread is ours no more: an older one of its name runs at another router, or, without a problem, itself."""
        incarnation = self.threads.pop(name, 0)
        self._switch.remove_thread(name, self.outlet)
        if problem:
            self.register(name, incarnation, pb.REGISTRATION_STATE_TAKEN, problem)

    def _membership(self, membership: pb.Membership) -> None:
        switch, thread, group = self._switch, membership.thread, membership.group
        if thread not in self.threads:
            return
        if membership.leave:
            switch.leave(group, thread, self.outlet)
            self._joined.discard((group, thread))
        elif is_group(group) and len(self._joined) < switch.settings.most_groups:
            switch.join(group, thread, self.outlet)
            self._joined.add((group, thread))
        else:
            comment = f"{thread}@{self._domain} may not join {group[:LONGEST_NAME]!r}: no name, or too many are joined"
            switch.alarms.raise_(ALARM_BAD_GROUP, f"{self.process}@{self._domain}", pb.SEVERITY_WARNING, comment)

    def _freight(self, freight: pb.Freight) -> None:
        switch = self._switch
        for part, told in freight.ListFields():
            if part.name == "parcels":
                switch.parcels(self._own(told, _SENDER), self.outlet)
            elif part.name == "signals":
                switch.signals(self._own(told, _SENDER))
            elif part.name == "receipts":
                switch.receipts(self._own(told, _RECIPIENT))

    def _own(self, items: Iterable[T], address: Callable[[T], str]) -> list[T]:
        """Those that speak for a thread of this process; the others are left out, and there is an alarm."""
        threads, domain = self.threads, self._domain
        own: list[T] = []
        for item in items:
            whose = address(item)
            name, of = split(whose)
            if name in threads and of == domain:
                own.append(item)
            else:
                self._wrong_sender(whose)
        return own

    def _wrong_sender(self, address: str) -> None:
        comment = f"process {self.process} spoke for {address}, which is no thread of it"
        self._switch.alarms.raise_(ALARM_WRONG_SENDER, f"{self.process}@{self._domain}", pb.SEVERITY_WARNING, comment)

    def _alarm(self, alarm: pb.Alarm) -> None:
        """An alarm of one of the threads; who raised it is for us to say."""
        alarm.ClearField("time")
        if not 0 < len(alarm.name) <= LONGEST_NAME:
            return
        alarm.comment = alarm.comment[:LONGEST_COMMENT]
        if split(alarm.origin)[0] not in self.threads:
            alarm.origin = f"{self.process}@{self._domain}"
        self._switch.alarms.change(alarm)

    def beat(self) -> None:
        """A sign of life is due, unless something was written since the last time."""
        if not self._responded:
            self._beat = True
            self.outlet.wake()
        self._responded = False

    def take(self) -> pb.AttachResponse | None:
        """What has to be told; None when there is nothing."""
        response = pb.AttachResponse()
        if not (self.outlet.fill(response.freight) or self._registrations or self._beat):
            return None
        if self._registrations:
            response.registrations.extend(self._registrations)
            self._registrations = []
        self._beat, self._responded = False, True
        return response

    def lost(self, reason: str, alarm: str = ALARM_PROCESS_CRASHED) -> None:
        """The process has crashed."""
        if self.over:
            return
        domain = self._domain
        threads = [f"{name}@{domain}" for name in self.threads]
        self.close()
        comment = f"process {self.process} of {len(threads)} threads has crashed: {reason}"
        self._switch.alarms.raise_(alarm, f"{self.process}@{domain}", pb.SEVERITY_ERROR, comment)
        self._switch.obituary(
            pb.Obituary(id=secrets.token_hex(12), process=self.process, threads=threads, reason=reason), self.outlet
        )

    def close(self) -> None:
        """Forget the threads: the process has none any more, or another attachment."""
        self.over = True
        for name in self.threads:
            self._switch.remove_thread(name, self.outlet)
        self.threads = {}
        self._switch.outlets.discard(self.outlet)
        self._switch.release(self.outlet.close())
        self.outlet.wake()


def is_group(name: str) -> bool:
    """Whether a group may have the name."""
    try:
        check_name("group", name)
    except BadNameError:
        return False
    return True
