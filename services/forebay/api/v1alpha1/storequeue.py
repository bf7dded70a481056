"""StoreQueue: one queue of a Store, what it takes and what becomes of that."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, GivenFor, Immutable, Rule, Transition
from forebay.api.v1alpha1.metadata import BLANKS, Reference, Resource
from forebay.api.values import Flag, Size, Span, Text, Whole

ADDRESS_WORD = rf"[^{BLANKS}.*#]+"
BINDING_WORD = rf"({ADDRESS_WORD}|\*|#)"
Address = Annotated[
    str, Text(rf"^{ADDRESS_WORD}(\.{ADDRESS_WORD})*$", "words separated by dots, as orders.eu.new, without '*' and '#'")
]
"""Where a message goes."""
Binding = Annotated[
    str,
    Text(
        rf"^{BINDING_WORD}(\.{BINDING_WORD})*$",
        "words separated by dots, as orders.eu.new, orders.*.new or orders.#: '*' for one word, '#' for any number",
    ),
]
"""A pattern of addresses."""
Implementation = Annotated[
    str,
    Text(r"^[a-z]([-a-z0-9]*[a-z0-9])?$", "lower-case letters, digits and '-', beginning with a letter", longest=63),
]


class Overflow(StrEnum):
    """What happens when a queue is full."""

    DROP_HEAD = "DropHead"
    """The oldest message of the lowest priority makes room; it is dead-lettered where there are dead letters."""
    REJECT_PUBLISH = "RejectPublish"
    """The new message is refused."""
    REJECT_PUBLISH_DEAD_LETTER = "RejectPublishDeadLetter"
    """The new message is refused and dead-lettered."""


class DeadLetterAddress(Model):
    """Where dead letters go."""

    address: Address
    """The address that they are published to; queues of the same Store that are bound to it get them."""


class StoreQueueSpec(Model):
    """A queue: what it takes, how long it keeps it, and what becomes of what nobody takes."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Distinct("bindings"),
        GivenFor("deadLetter", "overflow", (Overflow.REJECT_PUBLISH_DEAD_LETTER,)),
    )
    transitions: ClassVar[tuple[Transition, ...]] = (
        Immutable("storeRef", "its messages lie there"),
        Immutable("durable", "its messages are kept in one way or the other"),
        Immutable("maxPriority", "its messages lie in a place for each priority"),
        Immutable("implementation", "its messages are kept in its way"),
    )

    store_ref: Reference
    """The Store that keeps its messages."""
    durable: Flag = True
    """It keeps its messages over a restart, but for those that were published as transient."""
    bindings: Items[Binding] = ()
    """Addresses whose messages it gets, as patterns: `*` stands for one word, `#` for any number of words. Empty: the
    address that is its name."""
    ttl: Annotated[timedelta, Span("0s", "3650d")] | None = None
    """How long a message may wait; then it expires. The shorter of this and the message's own counts. `0s`: delivered
    at once or never. Left out: no limit."""
    expires: Annotated[timedelta, Span("1s", "3650d")] | None = None
    """How long it may be unused, without a consumer or a call of Get, before it is emptied. Left out: for ever."""
    max_length: Annotated[int, Whole(1, 10**12, "messages")] | None = None
    """Most messages. Left out: no limit."""
    max_length_bytes: Annotated[int, Size("1KB", "64TiB")] | None = None
    """Most octets of all messages. Left out: no limit."""
    overflow: Overflow = Overflow.DROP_HEAD
    """What happens when it is full. `DropHead`: the oldest message of the lowest priority makes room, and is
    dead-lettered where there are dead letters. `RejectPublish`: the new message is refused. `RejectPublishDeadLetter`:
    it is refused and dead-lettered."""
    count_unacknowledged: Flag = False
    """The limits count the messages that consumers hold too, not only those that are ready."""
    max_priority: Annotated[int, Whole(0, 255, "")] = 0
    """Highest priority that it tells apart; a message above it counts as that. 0: all messages are alike."""
    dead_letter: DeadLetterAddress | None = None
    """Where messages go that expire, are rejected, make room or were delivered too often. Left out: nowhere."""
    delivery_limit: Annotated[int, Whole(1, 65_535, "deliveries")] | None = None
    """Deliveries of a message after which it is dead-lettered in place of another. Left out: no limit."""
    single_active_consumer: Flag = False
    """One consumer gets all messages, in order; another takes over when it is gone."""
    implementation: Implementation = "variable"
    """How its messages are kept: the name of an entry point in the group `forebay.backing_queues`."""


class StoreQueue(Resource):
    """One queue of a Store."""

    parents: ClassVar[dict[str, str]] = {"storeRef": "Store"}

    kind: Literal["StoreQueue"] = "StoreQueue"
    """What it is."""
    spec: StoreQueueSpec
    """What it is to be."""
