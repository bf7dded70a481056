"""A client of an announcer over HTTP, over UDP, and over gRPC, for tests."""

from urllib.parse import quote_from_bytes

import aiohttp
from yarl import URL

from forebay.announcer.wire.bencode import decode
from forebay.pb.announcer.v1 import announcer_pb2 as pb


def octets(text):
    """20 octets that begin with the text."""
    return text.encode().ljust(20, b".")


async def get(server, path, **query):
    """The answer to a request over HTTP, decoded."""
    texts = ((name, quote_from_bytes(value) if isinstance(value, bytes) else value) for name, value in query.items())
    pairs = "&".join(f"{name}={text}" for name, text in texts)
    url = URL(f"http://127.0.0.1:{server.port}{path}?{pairs}", encoded=True)
    async with aiohttp.ClientSession() as http, http.get(url) as response:
        assert response.status == 200
        return decode(await response.read())


async def announce(server, torrent="torrent", peer="peer", **fields):
    """Announce over HTTP; the answer."""
    query = {"info_hash": octets(torrent), "peer_id": octets(peer), "port": 6881, "left": 100, "compact": 1} | fields
    return await get(server, "/announce", **query)


def told(torrent="torrent", peer="peer", **fields):
    """What a client tells over gRPC."""
    return pb.ClientAnnounce(
        **{"info_hash": octets(torrent), "peer_id": octets(peer), "port": 6881, "ip": "10.0.0.1", "left": 100} | fields
    )
