"""Names of keys: all keys of one owner carry one hash tag, so that they share a slot of Redis Cluster."""

from enum import StrEnum
from urllib.parse import quote, unquote

from redis.crc import key_slot


class Kind(StrEnum):
    """The kinds of streams an owner has."""

    BACKLOG = "B"
    DEFERRED = "D"
    RESEND = "R"
    DEAD = "X"


class OwnerKeys:
    """The keys of one owner: `forebay:{<service>/<uid>/<owner>}:` and what follows."""

    def __init__(self, service: str, uid: str, owner: str) -> None:
        tag = f"{service}/{uid}/{quote(owner, safe='')}"
        self.prefix = f"forebay:{{{tag}}}:"
        self.slot = slot_of(self.prefix)
        self.meta = f"{self.prefix}meta"
        self.resend = f"{self.prefix}R"
        self.dead = f"{self.prefix}X"
        self.fence = f"{self.prefix}fence"
        self.times = f"{self.prefix}T"
        self.values = f"{self.prefix}V"

    def stream(self, kind: Kind, segment: int) -> str:
        """The stream of a backlog or deferred segment."""
        return f"{self.prefix}{kind}:{segment}"

    def castoff(self, number: int) -> str:
        """A stream of entries that a compaction has dropped."""
        return f"{self.prefix}L:{number}"

    def temporary(self, run: str, number: int) -> str:
        """A stream that a compaction writes aside."""
        return f"{self.prefix}C:{run}:{number}"


def registry_key(service: str, uid: str) -> str:
    """The set of the names of all owners a service has, or had."""
    return f"forebay:{{{service}/{uid}}}:owners"


def registry_member(owner: str) -> str:
    """An owner's name as the registry holds it."""
    return quote(owner, safe="")


def owner_of(member: bytes) -> str:
    """The owner a member of the registry names."""
    return unquote(member.decode())


def slot_of(key: str) -> int:
    """The slot of Redis Cluster a key belongs to (0 to 16383)."""
    return key_slot(key.encode())
