"""An announce as an HTTP request: the address that is asked for, of BEP 3, 7, 21 and 23."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, quote_from_bytes, urlsplit

from forebay.announcer.announce import Event

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec

UNTOLD_LEFT = 2**63 - 1
"""What is sent where a client did not tell how much it lacks: trackers want a number, and 0 would be a seeder."""

_PORTS = {"http": 80, "https": 443}
_AS_IT_IS = "".join(chr(code) for code in range(0x21, 0x7F))
"""What needs no quotation, as the address was given quoted."""
_HEADERS = "User-Agent: Forebay\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n"


class Address(NamedTuple):
    """An address over HTTP, cut into what is needed to ask there."""

    scheme: str
    """`http` or `https`."""
    host: str
    """Name or IP address."""
    port: int
    netloc: str
    """Host and port as the address has them, as the Host header has."""
    target: str
    """Path and query, quoted."""

    @property
    def url(self) -> str:
        """The address as it is written."""
        return f"{self.scheme}://{self.netloc}{self.target}"

    def with_query(self, query: str) -> Address:
        """The same with this behind its query."""
        return self._replace(target=f"{self.target}{'&' if '?' in self.target else '?'}{query}")


def address_of(url: str) -> Address:
    """Cut an address up. Raises `ValueError` when it is none over HTTP."""
    parts = urlsplit(url)
    netloc = parts.netloc.rpartition("@")[2]
    host = parts.hostname
    if parts.scheme not in _PORTS or not host:
        raise ValueError(f"{parts.scheme}://{netloc} is no HTTP address")
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    netloc = netloc if netloc.isascii() else netloc.encode("idna").decode()
    return Address(parts.scheme, host, parts.port or _PORTS[parts.scheme], netloc, quote(target, safe=_AS_IT_IS))


def get_request(address: Address, host: str = "") -> bytes:
    """The octets of a request; `host` is the Host header where it is not what the address says."""
    return f"GET {address.target} HTTP/1.1\r\nHost: {host or address.netloc}\r\n{_HEADERS}\r\n".encode()


def announce_query(spec: ForwarderSpec, announce: Announce, tracker_id: bytes = b"") -> str:
    """An announce as the query of an address, ready to be sent as it is."""
    left = UNTOLD_LEFT if announce.left is None else announce.left
    query = (
        f"info_hash={_quoted(announce.info_hash)}&peer_id={_quoted(announce.peer_id)}&port={announce.port}"
        f"&uploaded={announce.uploaded}&downloaded={announce.downloaded}&left={left}&compact=1"
    )
    if announce.event is Event.STOPPED:
        query += "&numwant=0"
    elif announce.numwant is not None:
        query += f"&numwant={announce.numwant}"
    if announce.key:
        query += f"&key={_quoted(announce.key)}"
    if announce.event:
        query += f"&event={announce.event}"
    if tracker_id:
        query += f"&trackerid={_quoted(tracker_id)}"
    return query + _addresses(spec.ip) if spec.ip else query


def _addresses(ip: str) -> str:
    name = "ipv6" if ipaddress.ip_address(ip).version == 6 else "ipv4"
    quoted = _quoted(ip.encode())
    return f"&ip={quoted}&{name}={quoted}"


def _quoted(value: bytes) -> str:
    """Octets percent-encoded, a blank as %20: not every tracker reads a + as one."""
    return quote_from_bytes(value, safe="")
