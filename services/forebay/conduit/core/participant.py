"""A node for programs: resources by URI, publishers and subscribers of them, queries and pulls."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.publisher import Congestion, PublisherSettings
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationEvent, DeclarationKind, Meaning
from forebay.conduit.core.declarations.inventory import inventory
from forebay.conduit.core.declarations.quality import NOTHING, Told
from forebay.conduit.core.declarations.queries import Queryable
from forebay.conduit.core.errors import NotAgreedError, SettingError, UnknownDeclarationError
from forebay.conduit.core.slots import Slots
from forebay.conduit.core.uri.syntax import check_uri
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.conduit.core.wire.ownmessages import Pull

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forebay.conduit.core.conduits.publisher import Write
    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.inventory import Known
    from forebay.conduit.core.declarations.queries import Answered, Asked
    from forebay.conduit.core.node import Node
    from forebay.conduit.core.subscribers import Guard, Handler
    from forebay.conduit.core.wire.declarations import Period


class _Subscriber:
    """A subscriber of a program; the node's own number of it is there unless its resource was refused."""

    __slots__ = ("definition", "handle", "number", "rid")

    def __init__(self, handle: int, definition: Definition | None) -> None:
        self.handle = handle
        self.definition = definition
        self.rid = 0
        self.number: int | None = None


class Participant:
    """All of it is called by the thread that writes and keeps house. Times are monotonic, in seconds.

    Where a resource is given by its URI or a pattern, the node defines it, chooses its id, and forgets it with the last
    publisher or subscriber that stands on it. Own subscribers get what own publishers write, while housekeeping runs.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self._declarations = node.declarations
        self._defined_for: dict[int, Definition] = {}
        """By publisher."""
        self._subscribers: Slots[_Subscriber] = Slots()
        self._queryables: Slots[Queryable] = Slots()

    def declare_resource(
        self, uri: str, now: float, *, rid: int | None = None, told: Told = NOTHING, unicast: bool = False
    ) -> Definition:
        """Define a resource; `rid` None: the node chooses its id. Its `status` is there once all peers have answered.

        `unicast`: it has one subscriber at most. Raises `InvalidUriError`.
        """
        check_uri(uri, self.node.settings.max_uri)
        return self._define(rid, Meaning(uri, told, unicast), now)

    def forget_resource(self, number: int, now: float) -> None:
        """Forget a resource. Raises `UnknownDeclarationError`."""
        with self._declarations.changing:
            self._declarations.own.undefine(number)
        self._declarations.errands.run(now)

    def declare_selection(self, query: str, now: float, *, globally: bool = False) -> int:
        """Bind an id to a pattern; returns it. `globally`: it is valid for all nodes. Raises `InvalidUriError`."""
        check_uri(query, self.node.settings.max_uri)
        with self._declarations.changing:
            sid = self._declarations.own.select(query, globally=globally)
        self._declarations.errands.run(now)
        return sid

    def declare_binding(self, old: int, now: float, *, globally: bool = False) -> int:
        """Bind another id to what one stands for; returns it. Raises `UnknownDeclarationError`."""
        with self._declarations.changing:
            sid = self._declarations.own.bind(old, globally=globally)
        self._declarations.errands.run(now)
        return sid

    def forget_selection(self, sid: int, now: float) -> None:
        """Forget a selection or a binding. Raises `UnknownDeclarationError`."""
        with self._declarations.changing:
            self._declarations.own.unselect(sid)
        self._declarations.errands.run(now)

    def declare_publisher(
        self,
        resource: int | str,
        now: float,
        *,
        conduit: int = 0,
        switching: bool = False,
        reliable: bool | None = None,
        congestion: Congestion = Congestion.BLOCK,
        deadline: float = inf,
        history: int = 0,
    ) -> int:
        """Declare a publisher of an id, or of a URI; returns its number. If the resource is refused it is gone.

        `reliable` None: as its definition says. `history`: so many of the last samples are kept for late subscribers
        that ask. `switching`: one lone subscriber gets samples by its own conduit. Raises `InvalidUriError`,
        `UnknownPeerError`.
        """
        definition = self._resource(resource, now)
        rid = definition.rid if definition else int(resource)
        if reliable is None:
            reliable = self._declarations.own.is_reliable(rid)
        settings = PublisherSettings(rid, conduit, reliable, congestion, deadline, switching, history)
        if definition is None:
            return self.node.publish(settings, now)
        number = self.node.publish(settings, now, named=definition.status is not None)
        self._defined_for[number] = definition
        self._then(definition, lambda at: self._name(number, definition, at))
        return number

    def forget_publisher(self, number: int, now: float) -> None:
        """Forget a publisher. Raises `UnknownPublisherError`."""
        self.node.unpublish(number, now)
        definition = self._defined_for.pop(number, None)
        if definition:
            self.forget_resource(definition.number, now)

    def declare_subscriber(
        self,
        resource: int | str,
        handler: Handler,
        now: float,
        *,
        mode: SubscriptionMode = SubscriptionMode.PUSH,
        period: Period | None = None,
        guard: Guard = (),
        history: int = 0,
    ) -> int:
        """Declare a subscriber of an id, a URI or a pattern; returns its number.

        `guard`: pairs of a publisher and octets; the handler runs only when all of them fit into the windows.
        Raises `InvalidUriError`, `SettingError`.
        """
        definition, subscribing = self._resource(resource, now), self.node.subscribing
        found = self._subscribers.add(lambda handle: _Subscriber(handle, definition))
        try:
            if definition and definition.status is None:
                found.number = subscribing.expect(definition.uri, handler, guard, mode, period, history)
                self._then(definition, partial(self._settle, found, definition))
            elif not (definition and definition.status):
                found.rid = definition.rid if definition else int(resource)
                found.number = self.node.subscribe(found.rid, handler, now, guard, mode, period, history)
        except Exception:
            self._subscribers.remove(found.handle)
            raise
        return found.handle

    def forget_subscriber(self, number: int, now: float) -> None:
        """Forget a subscriber. Raises `UnknownDeclarationError`."""
        found = self._subscriber(number)
        self._subscribers.remove(number)
        if found.number is not None:
            self.node.unsubscribe(found.number, now)
        if found.definition:
            self.forget_resource(found.definition.number, now)

    def declare_queryable(self, uri: str, answer: Callable[[Asked], Iterable[tuple[str, bytes]] | None]) -> int:
        """Answer queries for a URI or pattern; returns a number. `answer` returns None when `answer_later` follows.

        Raises `InvalidUriError`.
        """
        check_uri(uri, self.node.settings.max_uri)
        queryable = self._queryables.add(lambda number: Queryable(number, uri, answer))
        self._declarations.queries.add(queryable)
        return queryable.number

    def answer_later(self, asked: Asked, answers: Iterable[tuple[str, bytes]], now: float) -> None:
        """The answers, each with its URI, of one that had returned None. Raises `SampleTooLargeError`: none goes."""
        self._declarations.queries.answer(asked, answers)
        self._declarations.errands.run(now)

    def forget_queryable(self, number: int) -> None:
        """Answer no more. Raises `UnknownDeclarationError`."""
        if self._queryables.get(number) is None:
            raise UnknownDeclarationError(f"there is no queryable {number}: declare one")
        self._declarations.queries.remove(self._queryables.remove(number))

    def declare_token(self, uri: str, now: float) -> int:
        """Peers that agreed on liveliness know that something is alive until it is forgotten or the session ends.

        Returns its number. Raises `InvalidUriError`.
        """
        check_uri(uri, self.node.settings.max_uri)
        with self._declarations.changing:
            token = self._declarations.own.declare_token(uri)
        self._declarations.errands.run(now)
        return token

    def forget_token(self, number: int, now: float) -> None:
        """It is alive no more. Raises `UnknownDeclarationError`."""
        with self._declarations.changing:
            self._declarations.own.forget_token(number)
        self._declarations.errands.run(now)

    def write(self, publisher: int, samples: Sequence[bytes], now: float) -> Write:
        """Write samples: see `Node.write`."""
        return self.node.write(publisher, samples, now)

    def write_uri(
        self, uri: str, samples: Sequence[bytes], now: float, *, conduit: int = 0, reliable: bool = True
    ) -> Write:
        """Write samples of a resource that is named by its URI: see `Node.write_uri`."""
        return self.node.write_uri(uri, samples, now, conduit=conduit, reliable=reliable)

    def query(
        self, uri: str, payload: bytes, now: float, on_reply: Callable[[Answered], None], *, deadline: float = 10.0
    ) -> int:
        """Ask all peers for a URI or pattern; returns the query's number. `deadline` in seconds from now.

        Raises `InvalidUriError`, `NotAgreedError` when no peer takes queries, `TooManyQueriesError`, and
        `SampleTooLargeError` when a peer can't be asked that.
        """
        check_uri(uri, self.node.settings.max_uri)
        with self._declarations.changing:
            number = self._declarations.queries.ask(uri, payload, on_reply, now + deadline)
        self._declarations.errands.run(now)
        return number

    def pull(self, subscriber: int, now: float, limit: int | None = None) -> None:
        """Ask all peers for what they keep for a subscriber: at most so many samples of each.

        Raises `UnknownDeclarationError`, `NotAgreedError` when no peer takes pulls.
        """
        rid = self._subscriber(subscriber).rid
        pull = Pull(0, False, False, 0, rid, limit)
        with self._declarations.changing:
            books = list(self._declarations.books.values())
            taken = [self._declarations.errands.tell(book.peer, pull) for book in books]
        self._declarations.errands.run(now)
        if books and not any(taken):
            raise NotAgreedError("Pull", "queries")

    def known(self) -> list[Known]:
        """All declarations, the node's own first."""
        with self._declarations.changing:
            return list(inventory(self._declarations))

    def _subscriber(self, number: int) -> _Subscriber:
        found = self._subscribers.get(number)
        if found is None:
            raise UnknownDeclarationError(f"there is no subscriber {number}: declare one")
        return found

    def _settle(self, subscriber: _Subscriber, definition: Definition, now: float) -> None:
        """What it stands on is defined, or was refused."""
        if self._subscribers.get(subscriber.handle) is not subscriber or subscriber.number is None:
            return
        subscriber.rid = definition.rid
        try:
            if not definition.status:
                self.node.subscribing.settle(subscriber.number, definition.rid, now)
                return
        except SettingError as error:
            # Nobody is there to raise it to.
            change, kind = DeclarationChange.REFUSED, DeclarationKind.SUBSCRIBER
            self.node.note(DeclarationEvent(change, kind, b"", definition.rid, definition.uri, str(error)))
        self.node.unsubscribe(subscriber.number, now)
        subscriber.number = None

    def _resource(self, resource: int | str, now: float) -> Definition | None:
        if isinstance(resource, int):
            return None
        check_uri(resource, self.node.settings.max_uri)
        return self._define(None, self._declarations.own.meaning(resource), now)

    def _define(self, rid: int | None, meaning: Meaning, now: float) -> Definition:
        with self._declarations.changing:
            definition = self._declarations.own.define(rid, meaning, now)
        self._declarations.errands.run(now)
        return definition

    def _then(self, definition: Definition, do: Callable[[float], None]) -> None:
        """Once the definition is settled, if it is not."""
        if definition.status is None:
            self._declarations.own.waiting.setdefault(definition, []).append(do)

    def _name(self, number: int, definition: Definition, now: float) -> None:
        if self._defined_for.get(number) is not definition:
            return
        if definition.status:
            self.forget_publisher(number, now)
        else:
            self.node.name(number, definition.rid, now)
