"""Clients that announce, for tests of swarms and fronts."""

from random import Random

from forebay.announcer.access import AccessList
from forebay.announcer.announce import Announce, Event
from forebay.announcer.fronts.desk import AnnounceSettings, Desk
from forebay.announcer.swarms.swarmtable import SwarmLimits, SwarmTable

V4, V6 = 4, 16
NOW = 1000.0
_NETWORKS = {V4: bytes([10]), V6: bytes.fromhex("20010db8")}


def octets(text):
    """20 octets that begin with the text."""
    return text.encode().ljust(20, b".")


def address(host, family=V4):
    network = _NETWORKS[family]
    return network + host.to_bytes(family - len(network))


def endpoint(host, family=V4, port=6881):
    return address(host, family) + port.to_bytes(2)


def announce(host=1, torrent="torrent", family=V4, **fields):
    """One of a leecher; its peer id tells its host."""
    fields = {
        "peer_id": octets(f"peer-{host}"), "port": 6881, "uploaded": 0, "downloaded": 0, "left": 100,
        "event": Event.NONE, "numwant": None, "key": b"",
    } | fields  # fmt: skip
    return Announce(info_hash=octets(torrent), address=address(host, family), **fields)


def swarm_table(**limits):
    return SwarmTable(SwarmLimits(**limits), Random(0).random)


def desk(table=None, access=None, forward=None, **settings):
    return Desk(table or swarm_table(), access or AccessList(), AnnounceSettings(**settings), forward)


def split(row, family=V4):
    """Compact peers one by one."""
    width = family + 2
    assert len(row) % width == 0
    return [row[at : at + width] for at in range(0, len(row), width)]
