"""Checks on connect: whether a server can be trusted with a backlog."""

from forebay.spill.address import Form
from forebay.spill.errors import SpillCheckError, SpillUnavailableError

MINIMUM_VERSION = (7, 2)


def parse_info(reply: bytes) -> dict[str, str]:
    """The fields of a reply to INFO."""
    lines = reply.decode(errors="replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))


def check_server(info: dict[str, str], form: Form) -> None:
    """See that the server keeps what it is given.

    Raises `SpillCheckError` when somebody must change its settings, `SpillUnavailableError` when waiting helps.
    """
    version = info.get("redis_version", "")
    if _numbers(version) < MINIMUM_VERSION:
        raise SpillCheckError("redis_version", version, "use Redis or Valkey 7.2 or later, which have WAITAOF")
    if info.get("loading", "0") != "0":
        raise SpillUnavailableError("Redis is still loading its data")
    if info.get("role") != "master":
        raise SpillUnavailableError(f"Redis has the role {info.get('role')!r}, not master")
    if info.get("aof_enabled") != "1":
        raise SpillCheckError("appendonly", "no", "set appendonly yes, else a restart loses the backlog")
    policy = info.get("maxmemory_policy", "")
    if policy != "noeviction":
        raise SpillCheckError("maxmemory-policy", policy, "set it to noeviction, else a full Redis drops the backlog")
    _check_form(info, form)


def check_sync(appendfsync: str) -> None:
    """See that the log reaches the disk. Raises `SpillCheckError`."""
    if appendfsync == "no":
        raise SpillCheckError("appendfsync", "no", "set it to everysec or always, else nothing is known to be on disk")


def _check_form(info: dict[str, str], form: Form) -> None:
    is_cluster = info.get("cluster_enabled") == "1"
    if is_cluster and form is not Form.CLUSTER:
        raise SpillCheckError("cluster-enabled", "yes", "give a URL of the form redis+cluster://")
    if form is Form.CLUSTER and not is_cluster:
        raise SpillCheckError("cluster-enabled", "no", "give a URL of the form redis://")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
