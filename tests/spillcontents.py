"""Contents of spills: closed segments put into Redis as a service would have left them, and read again."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from redis import Redis

from forebay.outfeed.token import Token, message_key
from forebay.spill.keys import Kind, OwnerKeys, registry_key, registry_member

SERVICE, UID = "outfeed", "uid"
PIPELINE = 1000

Segment = Sequence[tuple[bytes, bytes]]
"""Entries, each an id and data."""
Contents = Mapping[Kind, Sequence[Segment]]


def token(name: object, *, seq: int, arrival: int, tries: int = 0) -> bytes:
    """The entry of an article."""
    message_id = f"<{name}@news.example>".encode()
    return Token(message_id, message_key(message_id), seq, arrival, 3000, tries).encode()


def fill(client: Redis, owner: str, contents: Contents, service: str = SERVICE) -> None:
    """Put closed segments there."""
    keys = OwnerKeys(service, UID, owner)
    client.sadd(registry_key(service, UID), registry_member(owner))
    last = int(client.hget(keys.meta, "last") or 0)
    for kind, segments in contents.items():
        for number, segment in enumerate(segments, last + 1):
            add_stream(client, keys.stream(kind, number), segment)
            client.hset(keys.meta, mapping=fields(number, segment))
        numbers = range(last + 1, last + 1 + len(segments))
        last += len(segments)
        if numbers:
            listed = (client.hget(keys.meta, kind.value) or b"").decode().split()
            client.hset(keys.meta, kind.value, " ".join([*listed, *map(str, numbers)]))
    client.hset(keys.meta, "last", last)
    client.hincrby(keys.meta, "generation", 1)


def fields(number: int, segment: Segment) -> dict[str, int]:
    """What the record of segments says of one."""
    opened = int(segment[0][0].split(b"-")[0]) if segment else 0
    size = sum(len(data) for _, data in segment)
    return {f"{number}:opened": opened, f"{number}:entries": len(segment), f"{number}:bytes": size}


def add_stream(client: Redis, stream: str, segment: Segment) -> None:
    """Make a stream of entries."""
    entries = iter(segment)
    while part := list(islice(entries, PIPELINE)):
        with client.pipeline(transaction=False) as pipeline:
            for entry_id, data in part:
                pipeline.execute_command("XADD", stream, entry_id, b"e", data)
            pipeline.execute()


def streams(client: Redis, owner: str) -> dict[Kind, list[str]]:
    """The streams that the record lists, oldest first."""
    keys = OwnerKeys(SERVICE, UID, owner)
    lists = {kind: (client.hget(keys.meta, kind.value) or b"").split() for kind in (Kind.BACKLOG, Kind.DEFERRED)}
    return {kind: [keys.stream(kind, int(number)) for number in numbers] for kind, numbers in lists.items()}


def entries(client: Redis, owner: str) -> dict[Kind, list[tuple[bytes, bytes]]]:
    """All entries of the listed streams in their order."""
    return {
        kind: [(entry_id, data[b"e"]) for stream in listed for entry_id, data in client.xrange(stream)]
        for kind, listed in streams(client, owner).items()
    }


def all_keys(client: Redis) -> Iterable[bytes]:
    """Every key there is."""
    return sorted(client.scan_iter(count=1000))
