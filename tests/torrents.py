"""Torrents for tests, and sessions of libtorrent that seed and fetch them on loopback."""

import random
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import libtorrent

from ports import free_port

SIZE = 300_000


@dataclass(frozen=True)
class Torrent:
    """A torrent with its file, which is complete."""

    file: Path
    """What `path` describes."""
    path: Path
    """The .torrent file."""
    info_hash: bytes

    @property
    def info(self):
        return libtorrent.torrent_info(str(self.path))


def make_torrent(folder: Path, name: str, tracker: str) -> Torrent:
    """A torrent of a file of drawn octets in a folder."""
    file = folder / name
    file.write_bytes(random.Random(name).randbytes(SIZE))
    files = libtorrent.list_files(str(file))
    made = libtorrent.create_torrent(files, 16_384, libtorrent.create_torrent.v1_only)
    made.add_tracker(tracker)
    libtorrent.set_piece_hashes(made, str(folder))
    path = folder / f"{name}.torrent"
    path.write_bytes(libtorrent.bencode(made.generate()))
    return Torrent(file, path, libtorrent.torrent_info(str(path)).info_hash().to_bytes())


@contextmanager
def session():
    """A session of libtorrent that speaks to nobody but on loopback, and finds others by trackers alone."""
    port = free_port()
    made = libtorrent.session(
        {
            "listen_interfaces": f"127.0.0.1:{port}",
            "enable_dht": False,
            "enable_lsd": False,
            "enable_upnp": False,
            "enable_natpmp": False,
            "allow_multiple_connections_per_ip": True,
            "min_announce_interval": 1,
            # It takes the connection ids of one tracker for another's that has the same address, and waits.
            "udp_tracker_token_expiry": 1,
            "tracker_completion_timeout": 6,
            "tracker_receive_timeout": 3,
            "alert_mask": 0,
        }
    )
    made.port = port
    try:
        yield made
    finally:
        made.pause()


def add(session, torrent: Torrent, folder: Path, tracker: str = ""):
    """Seed or fetch a torrent, whose file is, or will be, in a folder; `tracker` in the place of its own."""
    wanted = libtorrent.add_torrent_params()
    wanted.ti = torrent.info
    wanted.save_path = str(folder)
    if tracker:
        wanted.trackers = [tracker]
    handle = session.add_torrent(wanted)
    if tracker:
        handle.replace_trackers([libtorrent.announce_entry(tracker)])
    return handle
