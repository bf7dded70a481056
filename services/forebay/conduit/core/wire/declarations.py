"""What a DECLARE holds: declarations of resources, publishers, subscribers, selections, and their end.

Ids are those of `messages`: below 0 for a selection. A zhe program knows all of them but liveliness tokens; it answers
UNSUPPORTED to selections, bindings and subscriptions other than push.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from forebay.conduit.core.wire.messages import Properties


class SubscriptionMode(IntEnum):
    """How a subscriber gets its samples."""

    PUSH = 1
    PULL = 2
    PERIODIC_PUSH = 3
    PERIODIC_PULL = 4
    PUSH_AND_PULL = 5


PERIODIC = frozenset({SubscriptionMode.PERIODIC_PUSH, SubscriptionMode.PERIODIC_PULL})
"""Modes that a period goes with."""


class ResultStatus(IntEnum):
    """What became of a transaction."""

    OK = 0
    NO_SPACE = 1
    CONFLICT = 2
    TRANSACTION_SIZE = 3
    AGAIN = 4
    INVALID = 5
    UNSUPPORTED = 6
    OTHER = 7


class Period(NamedTuple):
    """When a periodic subscription gets or may pull samples: from origin + n * period on, for a duration."""

    origin: int
    """Milliseconds."""
    period: int
    """Milliseconds."""
    duration: int
    """Milliseconds, below the period."""


class ResourceDeclaration(NamedTuple):
    """Binds a resource id to a URI or a pattern."""

    rid: int
    uri: str
    properties: Properties = ()


class PublisherDeclaration(NamedTuple):
    """The sender publishes this resource or selection."""

    rid: int
    properties: Properties = ()


class SubscriberDeclaration(NamedTuple):
    """The sender wants samples of this resource or selection."""

    rid: int
    mode: int = SubscriptionMode.PUSH
    """A `SubscriptionMode`."""
    period: Period | None = None
    """With the periodic modes, and with them alone; absent it is sent as zeros."""
    properties: Properties = ()


class SelectionDeclaration(NamedTuple):
    """Binds a selection id to a query."""

    sid: int
    query: str
    globally: bool = False
    """The id is valid for all nodes."""
    properties: Properties = ()


class BindingDeclaration(NamedTuple):
    """Gives a selection another id."""

    old: int
    new: int
    globally: bool = False
    """The new id is valid for all nodes."""


class Commit(NamedTuple):
    """Ends a transaction: all since the last one succeed, or none; the last of its list."""

    commit_id: int
    """0 to 255."""


class Result(NamedTuple):
    """Answer to a commit."""

    commit_id: int
    status: int
    """A `ResultStatus`, 0 to 254."""
    rid: int | None = None
    """The resource or selection that failed; with every status but OK."""


class ForgetResource(NamedTuple):
    """As far as the sender is concerned the resource may go."""

    rid: int


class ForgetPublisher(NamedTuple):
    """The sender publishes this no more."""

    rid: int


class ForgetSubscriber(NamedTuple):
    """The sender wants this no more."""

    rid: int


class ForgetSelection(NamedTuple):
    """The sender uses this selection no more."""

    sid: int


class TokenDeclaration(NamedTuple):
    """A liveliness token: lives as long as the sender's session does. For our own nodes alone."""

    token: int
    """The sender's own id of it."""
    uri: str


class ForgetToken(NamedTuple):
    """The token lives no more. For our own nodes alone."""

    token: int


Declaration: TypeAlias = (
    ResourceDeclaration
    | PublisherDeclaration
    | SubscriberDeclaration
    | SelectionDeclaration
    | BindingDeclaration
    | Commit
    | Result
    | ForgetResource
    | ForgetPublisher
    | ForgetSubscriber
    | ForgetSelection
    | TokenDeclaration
    | ForgetToken
)
