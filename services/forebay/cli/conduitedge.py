"""A node of conduit that is this command, without a service."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address

from forebay.cli.conduitbridging import key_of, usable
from forebay.cli.errors import InputError
from forebay.client.conduit import ConduitNodeSettings
from forebay.conduit.core.errors import ConduitError


def edge_settings(listen: str, join: Sequence[str], keys: Sequence[str]) -> ConduitNodeSettings:
    """Where it listens, and whom it seeks: peers, and a group at most; `keys`: each ID=FILE.

    Raises `InputError`, `OSError`.
    """
    groups = [place for place in join if _is_group(place)]
    if len(groups) > 1:
        raise InputError("--join names several groups", "A node is in one group at most.")
    peers = tuple(place for place in join if place not in groups)
    group, known = groups[0] if groups else None, dict(map(key_of, keys))
    return usable(lambda: ConduitNodeSettings(f"udp/{listen}", group, peers=peers, keys=known))


def _is_group(place: str) -> bool:
    try:
        return IPv4Address(place.removeprefix("udp/").partition(":")[0]).is_multicast
    except ValueError:
        return False


@contextmanager
def edge_errors() -> Iterator[None]:
    """Turns what a node raises into what a user is told."""
    try:
        yield
    except ConduitError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"the node cannot listen: {error.strerror or error}", "Give another --udp.") from error
