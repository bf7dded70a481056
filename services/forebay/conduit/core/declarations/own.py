"""What the node itself has declared."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.definitions import Definition
from forebay.conduit.core.declarations.events import (
    DeclarationChange,
    DeclarationEvent,
    DeclarationKind,
    Meaning,
)
from forebay.conduit.core.declarations.quality import NOTHING, Told, properties_of
from forebay.conduit.core.declarations.resources import OWN
from forebay.conduit.core.declarations.uses import Use
from forebay.conduit.core.errors import SettingError, UnknownDeclarationError
from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    ForgetToken,
    PublisherDeclaration,
    SelectionDeclaration,
    SubscriberDeclaration,
    TokenDeclaration,
)
from forebay.conduit.core.wire.extras import history_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.conduits.publisher import PublisherSettings
    from forebay.conduit.core.declarations.definer import Definer
    from forebay.conduit.core.declarations.directory import Directory, Reach
    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.teller import Teller
    from forebay.conduit.core.subscribers import Subscription
    from forebay.conduit.core.wire.declarations import Declaration, Period, SubscriptionMode


class OwnDeclarations:
    """Several publishers, or subscribers in one mode, of one resource are one to peers."""

    definer: Definer
    """Set once: it needs this one to say what was settled."""

    def __init__(self, directory: Directory, teller: Teller, errands: Errands) -> None:
        self.ids: dict[int, str] = {}
        """Selections, and what they stand for."""
        self.subscriptions: dict[int, Subscription] = {}
        """By number."""
        self.definitions: dict[int, Definition] = {}
        """By number."""
        self.waiting: dict[Definition, list[Callable[[float], None]]] = {}
        """What is to be done once a definition is settled."""
        self._directory = directory
        self._teller = teller
        self._errands = errands
        self._numbers = count()
        self.tokens: dict[int, str] = {}
        """What of the node is alive, by number."""
        self._tokens_at: dict[int, int] = {}
        self._selections: dict[int, int] = {}
        self._globals: set[int] = set()
        self.published: Counter[int] = Counter()
        """How many publishers each resource has."""
        self._qualities: Counter[tuple[int, bool]] = Counter()
        self._published_at: dict[int, int] = {}
        self._subscribed: dict[int, list[Subscription]] = {}
        self._subscribed_at: dict[int, int] = {}
        self._by_uri: dict[str, Definition] = {}

    def define(self, rid: int | None, meaning: Meaning, now: float) -> Definition:
        """Define a resource; one that the node has defined alike already has one user more."""
        known = self._by_uri.get(meaning.uri)
        if known is not None and known.status in (None, 0) and known.meaning == meaning and rid in (None, known.rid):
            known.users += 1
            return known
        definition = Definition(next(self._numbers), rid, meaning)
        definition.users = 1
        self.definitions[definition.number] = definition
        self._by_uri[meaning.uri] = definition
        self.definer.begin(definition, now)
        return definition

    def undefine(self, number: int) -> None:
        """One user less; the last one takes the resource away. Raises `UnknownDeclarationError`."""
        definition = self.definitions.get(number)
        if definition is None:
            raise UnknownDeclarationError(f"there is no resource {number}: declare one")
        definition.users -= 1
        if definition.users:
            return
        del self.definitions[number]
        if self._by_uri.get(definition.uri) is definition:
            del self._by_uri[definition.uri]
        self.waiting.pop(definition, None)
        if definition.status is None:
            self.definer.give_up(definition)
        elif definition.serial:
            self._directory.release(OWN, definition.rid)
            self._teller.remove(definition.serial, ForgetResource(definition.rid))
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.RESOURCE, definition.rid, definition.uri)

    def meaning(self, uri: str) -> Meaning:
        """What a program means by a URI alone: the resource as it is known, or as the node has begun to define it."""
        known = self._by_uri.get(uri)
        if known is not None and not known.status:
            return known.meaning
        for rid in self._directory.names.resources.exactly(uri):
            resource = self._directory.names.resources.get(rid)
            if resource is not None:
                return resource.meaning
        return Meaning(uri, NOTHING)

    def rid(self, uri: str) -> int | None:
        """The id of a URI; None when it has none that is settled."""
        known = self._by_uri.get(uri)
        pending = known is not None and known.status is None
        return None if pending else next(iter(self._directory.names.resources.exactly(uri)), None)

    def settled(self, definition: Definition) -> None:
        """A definition holds, or has failed."""
        if not definition.status:
            definition.serial = self._teller.add(definition.declaration())
            self._tell(DeclarationChange.DECLARED, DeclarationKind.RESOURCE, definition.rid, definition.uri)
        for each in self.waiting.pop(definition, ()):
            self._errands.do(each)
        self._errands.do(lambda _: definition.done(definition))

    def select(self, query: str, *, globally: bool) -> int:
        """Declare a selection; returns its id."""
        sid = self._free_id()
        self._keep(sid, query, SelectionDeclaration(sid, query, globally), globally=globally)
        return sid

    def bind(self, old: int, *, globally: bool) -> int:
        """Give what an id stands for another one; returns it. Raises `UnknownDeclarationError`."""
        uri = self.uri(old)
        if not uri:
            raise UnknownDeclarationError(f"nothing is known by the id {old}: define it first")
        sid = self._free_id()
        self._keep(sid, uri, BindingDeclaration(old, sid, globally), globally=globally)
        return sid

    def unselect(self, sid: int) -> None:
        """Forget a selection. Raises `UnknownDeclarationError`."""
        if sid not in self._selections:
            raise UnknownDeclarationError(f"there is no selection {sid}: declare one")
        self._teller.remove(self._selections.pop(sid), ForgetSelection(sid))
        if sid in self._globals:
            self._globals.discard(sid)
            self._directory.names.unshare(sid, self.ids[sid])
        self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.SELECTION, sid, self.ids.pop(sid))
        self._directory.changed()

    def declare_token(self, uri: str) -> int:
        """Something of the node is alive from now on; returns a number."""
        token = next(self._numbers)
        self.tokens[token] = uri
        self._tokens_at[token] = self._teller.add(TokenDeclaration(token, uri))
        self._tell(DeclarationChange.DECLARED, DeclarationKind.LIVELINESS, token, uri)
        return token

    def forget_token(self, token: int) -> None:
        """It is no more. Raises `UnknownDeclarationError`."""
        if token not in self.tokens:
            raise UnknownDeclarationError(f"there is no token {token}: declare one")
        self._teller.remove(self._tokens_at.pop(token), ForgetToken(token))
        self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.LIVELINESS, token, self.tokens.pop(token))

    def publish(self, settings: PublisherSettings) -> None:
        """The node has a publisher."""
        rid = settings.rid
        self._directory.uses.add(rid, _use(settings), Told(settings.reliable))
        self._qualities[rid, settings.reliable] += 1
        self.published[rid] += 1
        if self.published[rid] == 1:
            told = NOTHING if settings.reliable else Told(reliable=False)
            self._published_at[rid] = self._teller.add(PublisherDeclaration(rid, properties_of(told)))
            self._tell(DeclarationChange.DECLARED, DeclarationKind.PUBLISHER, rid, self.uri(rid))

    def unpublish(self, settings: PublisherSettings) -> None:
        """It has it no more."""
        rid = settings.rid
        self.published[rid] -= 1
        self._qualities[rid, settings.reliable] -= 1
        if not self._qualities[rid, settings.reliable]:
            del self._qualities[rid, settings.reliable]
            self._directory.uses.remove(rid, _use(settings))
        if not self.published[rid]:
            del self.published[rid]
            self._teller.remove(self._published_at.pop(rid), ForgetPublisher(rid))
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.PUBLISHER, rid, self.uri(rid))

    def check_mode(self, rid: int, mode: SubscriptionMode, period: Period | None) -> None:
        """Raises `SettingError` when the node subscribes to that resource in another mode: peers know one."""
        for other in self._subscribed.get(rid, ()):
            if (other.mode, other.period) != (mode, period):
                raise SettingError(
                    f"mode is {mode.name}: the node subscribes to resource {rid} as {other.mode.name} already; take "
                    "that mode and its period, or define another resource for the same URI"
                )

    def subscribe(self, subscription: Subscription) -> None:
        """The node has a subscriber. Raises `SettingError`."""
        rid = subscription.rid
        self.check_mode(rid, subscription.mode, subscription.period)
        self.subscriptions[subscription.number] = subscription
        self._directory.add_own(subscription, self.uri(rid))
        others = self._subscribed.setdefault(rid, [])
        others.append(subscription)
        if len(others) == 1:
            self._tell(DeclarationChange.DECLARED, DeclarationKind.SUBSCRIBER, rid, self.uri(rid))
        self._announce(rid, others, others[:-1])

    def unsubscribe(self, subscription: Subscription) -> None:
        """It has it no more."""
        rid = subscription.rid
        del self.subscriptions[subscription.number]
        self._directory.remove_own(subscription)
        rest = self._subscribed[rid]
        before = list(rest)
        rest.remove(subscription)
        if rest:
            self._announce(rid, rest, before)
        else:
            del self._subscribed[rid]
            self._directory.close(rid)
            self.withdraw(rid)
            self._tell(DeclarationChange.FORGOTTEN, DeclarationKind.SUBSCRIBER, rid, self.uri(rid))

    def uri(self, rid: int) -> str:
        """What an id stands for; empty when nobody has defined it."""
        return self._directory.names.uri(rid, self.ids)

    def reach(self, rid: int) -> Reach:
        """Whom samples of a resource of the node are for."""
        return self._directory.reach(rid, self.ids)

    def is_reliable(self, rid: int) -> bool:
        """What the resource's definition says; reliable, if it says nothing."""
        resource = self._directory.names.resources.get(rid)
        return resource is None or resource.meaning.told.reliable is not False

    def is_unicast(self, rid: int) -> bool:
        """Whether the resource has one subscriber at most."""
        resource = self._directory.names.resources.get(rid)
        return resource is not None and resource.meaning.unicast

    def withdraw(self, rid: int) -> bool:
        """Peers need not take the node for a subscriber any more; whether they did."""
        serial = self._subscribed_at.pop(rid, None)
        if serial is not None:
            self._teller.remove(serial, ForgetSubscriber(rid))
        return serial is not None

    def _free_id(self) -> int:
        sid = -1
        while sid in self.ids:
            sid -= 1
        return sid

    def _keep(self, sid: int, query: str, declaration: Declaration, *, globally: bool) -> None:
        self.ids[sid] = query
        if globally:
            self._globals.add(sid)
            self._directory.names.share(sid, query)
        self._selections[sid] = self._teller.add(declaration)
        self._directory.changed()
        self._tell(DeclarationChange.DECLARED, DeclarationKind.SELECTION, sid, query)

    def _announce(self, rid: int, subscriptions: list[Subscription], before: list[Subscription]) -> None:
        """Tell peers, unless what they know says the same."""
        declaration = _declaration(rid, subscriptions)
        if before and _declaration(rid, before) == declaration and rid in self._subscribed_at:
            return
        if rid in self._subscribed_at:
            # The new one takes the place of the old one at those who have been told.
            self._teller.replace(self._subscribed_at[rid])
        self._subscribed_at[rid] = self._teller.add(declaration)

    def _tell(self, change: DeclarationChange, kind: DeclarationKind, rid: int, uri: str) -> None:
        self._errands.note(DeclarationEvent(change, kind, b"", rid, uri))


def _use(settings: PublisherSettings) -> Use:
    return Use(OWN, DeclarationKind.PUBLISHER, settings.reliable)


def _declaration(rid: int, subscriptions: list[Subscription]) -> SubscriberDeclaration:
    """What peers are told of several subscribers in one mode."""
    history = max(each.history for each in subscriptions)
    properties = (history_property(history),) if history else ()
    return SubscriberDeclaration(rid, subscriptions[0].mode, subscriptions[0].period, properties)
