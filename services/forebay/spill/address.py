"""Addresses of Redis: the URL of one server, of Sentinels with a service name, or of a cluster."""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from forebay.spill.errors import SpillSettingsError

REDIS_PORT = 6379
SENTINEL_PORT = 26379


class Form(Enum):
    """How the server that serves a key is found."""

    SINGLE = "single"
    UNIX = "unix"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


class Endpoint(NamedTuple):
    """Where one server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URL. Its text and representation never show the password."""

    form: Form
    endpoints: tuple[Endpoint, ...] = ()
    path: str = ""
    service: str = ""
    db: int = 0
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.path or ",".join(map(str, self.endpoints))

    @property
    def place(self) -> "Address":
        """The same without user and password."""
        return replace(self, username=None, password=None)


_FORMS = {
    "redis": (Form.SINGLE, False),
    "rediss": (Form.SINGLE, True),
    "unix": (Form.UNIX, False),
    "redis+sentinel": (Form.SENTINEL, False),
    "rediss+sentinel": (Form.SENTINEL, True),
    "redis+cluster": (Form.CLUSTER, False),
    "rediss+cluster": (Form.CLUSTER, True),
}


def parse_url(url: str) -> Address:
    """Read a URL such as `redis://user:secret@host:6379/0` or `redis+sentinel://a:26379,b:26379/service`.

    Raises `SpillSettingsError`, whose text never repeats the URL: it may hold a password.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        # Its text quotes what stands before the host.
        raise SpillSettingsError("url: is none; give redis://HOST:PORT/DB, with IPv6 addresses as [::1]") from None
    if parts.scheme not in _FORMS:
        raise SpillSettingsError(f"url: its scheme is unknown, use one of {', '.join(_FORMS)}")
    form, tls = _FORMS[parts.scheme]
    userinfo, _, hosts = parts.netloc.rpartition("@")
    username, _, password = userinfo.partition(":")
    address = Address(form, tls=tls, username=unquote(username) or None, password=unquote(password) or None)
    if form is Form.UNIX:
        return replace(address, path=_socket_path(hosts, parts.path), db=_query_db(parts.query))
    default = SENTINEL_PORT if form is Form.SENTINEL else REDIS_PORT
    endpoints = tuple(_endpoint(host, default) for host in hosts.split(","))
    service, db = _service_and_db(form, parts.path.strip("/"))
    if form is Form.SINGLE and len(endpoints) > 1:
        raise SpillSettingsError("url: several hosts need redis+cluster:// or redis+sentinel://")
    return replace(address, endpoints=endpoints, service=service, db=db)


def _endpoint(text: str, default_port: int) -> Endpoint:
    host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    if not colon:
        host, port = text, str(default_port)
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise SpillSettingsError("url: a host must be given as name, name:port or [IPv6]:port")
    return Endpoint(host.strip("[]"), int(port))


def _service_and_db(form: Form, path: str) -> tuple[str, int]:
    service, db = "", path
    if form is Form.SENTINEL:
        service, _, db = path.partition("/")
        if not service:
            raise SpillSettingsError(
                "url: redis+sentinel:// ends in /SERVICE, the name the Sentinels know the master by"
            )
    if form is Form.CLUSTER and db not in ("", "0"):
        raise SpillSettingsError("url: a cluster has database 0 only, leave the path out")
    return service, _database(db)


def _database(text: str) -> int:
    if not text:
        return 0
    if not text.isascii() or not text.isdigit():
        raise SpillSettingsError(
            "url: the database, which follows the host, must be a number; escape a / in a password as %2F"
        )
    return int(text)


def _socket_path(host: str, path: str) -> str:
    if host or not path:
        raise SpillSettingsError("url: unix:// takes an absolute path: unix:///run/redis.sock")
    return unquote(path)


def _query_db(query: str) -> int:
    return _database(parse_qs(query).get("db", [""])[0])
