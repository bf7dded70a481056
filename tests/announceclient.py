"""A BitTorrent client as far as trackers see one, over HTTP and UDP, of Python's own library alone.

Tests call it; in a pod it is a program that prints what it was told as JSON, an announce or a scrape:

    URL INFO_HASH PEER_ID PORT [EVENT]
    URL INFO_HASH

The hash is hexadecimal. The client lacks all of the torrent, but one that has completed it.
"""

import json
import secrets
import socket
import struct
import sys
from ipaddress import ip_address
from urllib.error import HTTPError
from urllib.parse import quote_from_bytes, urlsplit
from urllib.request import Request, urlopen

SECONDS = 15.0
TRIES = 3
MAGIC = 0x41727101980
CONNECT, ANNOUNCE, SCRAPE, ERROR = range(4)
EVENTS = ("", "completed", "started", "stopped")
LEFT = 1000


def announce(url: str, info_hash: bytes, peer_id: str, port: int, event: str = "") -> dict:
    """Tell a tracker of us; what it answers: `failure`, or `interval`, `complete`, `incomplete` and `peers`."""
    left = 0 if event == "completed" else LEFT
    peer = peer_id.encode().ljust(20, b"-")
    if urlsplit(url).scheme == "udp":
        return udp_announce(url, info_hash, peer, port, left, event)
    fields = {"info_hash": quote_from_bytes(info_hash, safe=""), "peer_id": quote_from_bytes(peer), "port": port}
    fields |= {"uploaded": 0, "downloaded": 0, "left": left, "compact": 1} | ({"event": event} if event else {})
    answer = fetched(url, "&".join(f"{name}={value}" for name, value in fields.items()))
    if b"failure reason" in answer:
        return {"failure": answer[b"failure reason"].decode()}
    told = {name: answer[name.encode()] for name in ("interval", "complete", "incomplete")}
    return told | {"peers": peers(answer.get(b"peers", b""), 6) + peers(answer.get(b"peers6", b""), 18)}


def scrape(url: str, info_hash: bytes) -> dict:
    """Ask a tracker, by its announce URL, how large a swarm is: `complete`, `downloaded` and `incomplete`."""
    if urlsplit(url).scheme == "udp":
        complete, downloaded, incomplete = struct.unpack(">3I", udp_call(url, SCRAPE, info_hash)[:12])
        return {"complete": complete, "downloaded": downloaded, "incomplete": incomplete}
    place = url.replace("/announce", "/scrape")
    answer = fetched(place, f"info_hash={quote_from_bytes(info_hash, safe='')}")
    found = answer[b"files"].get(info_hash, {})
    return {name: found.get(name.encode(), 0) for name in ("complete", "downloaded", "incomplete")}


def fetched(url: str, query: str) -> dict:
    try:
        with urlopen(Request(f"{url}?{query}"), timeout=SECONDS) as response:  # noqa: S310 the test's own
            return bdecoded(response.read())[0]
    except HTTPError as error:
        return {b"failure reason": str(error).encode()}


def udp_announce(url: str, info_hash: bytes, peer: bytes, port: int, left: int, event: str) -> dict:
    body = info_hash + peer + struct.pack(">3QIIIiH", 0, left, 0, EVENTS.index(event), 0, 7, -1, port)
    try:
        answer = udp_call(url, ANNOUNCE, body)
    except ConnectionError as error:
        return {"failure": str(error)}
    interval, incomplete, complete = struct.unpack(">3I", answer[:12])
    return {"interval": interval, "complete": complete, "incomplete": incomplete, "peers": peers(answer[12:], 6)}


def udp_call(url: str, action: int, body: bytes) -> bytes:
    """What follows the head of the answer. Raises `ConnectionError` with the tracker's words."""
    place = urlsplit(url)
    family, kind, protocol, _, address = socket.getaddrinfo(place.hostname, place.port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as channel:
        channel.settimeout(SECONDS / TRIES)
        channel.connect(address)
        connection = struct.unpack(">Q", exchanged(channel, MAGIC, CONNECT, b""))[0]
        return exchanged(channel, connection, action, body)


def exchanged(channel: socket.socket, connection: int, action: int, body: bytes) -> bytes:
    """Ask, again where no answer comes."""
    transaction = secrets.randbits(32)
    for _ in range(TRIES):
        channel.send(struct.pack(">QII", connection, action, transaction) + body)
        try:
            answer = channel.recv(4096)
        except TimeoutError:
            continue
        told, number = struct.unpack(">II", answer[:8])
        assert number == transaction
        if told == ERROR:
            raise ConnectionError(answer[8:].decode())
        return answer[8:]
    raise TimeoutError("the tracker does not answer")


def peers(compact: bytes, size: int) -> list[str]:
    """Address and port of each."""
    parts = (compact[at : at + size] for at in range(0, len(compact), size))
    return [f"{ip_address(part[:-2])}:{int.from_bytes(part[-2:])}" for part in parts]


def bdecoded(octets: bytes) -> tuple:
    """A value and what follows it."""
    first = octets[:1]
    if first in (b"l", b"d"):
        items, rest = [], octets[1:]
        while not rest.startswith(b"e"):
            item, rest = bdecoded(rest)
            items.append(item)
        return (items if first == b"l" else dict(zip(items[::2], items[1::2], strict=True))), rest[1:]
    if first == b"i":
        number, _, rest = octets[1:].partition(b"e")
        return int(number), rest
    size, _, rest = octets.partition(b":")
    return rest[: int(size)], rest[int(size) :]


if __name__ == "__main__":
    url, info_hash, *rest = sys.argv[1:]
    if rest:
        told = announce(url, bytes.fromhex(info_hash), rest[0], int(rest[1]), *rest[2:])
    else:
        told = scrape(url, bytes.fromhex(info_hash))
    print(json.dumps(told))  # noqa: T201
