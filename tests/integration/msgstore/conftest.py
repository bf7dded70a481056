"""A store on a disk that can lose its power, and a gate before its syncs. All tests run with both kinds of index."""

import asyncio
import threading

import pytest

from diskindexes import IndexFolders
from messagestores import opened
from powerloss import PowerLossDisk, PowerLossFile


@pytest.fixture(params=["memory", "disk"], autouse=True)
def index_kind(request, tmp_path_factory, monkeypatch):
    """Where stores have the places of their messages."""
    if request.param == "disk":
        IndexFolders(tmp_path_factory.mktemp("index")).patch(monkeypatch)
    return request.param


@pytest.fixture
def snapshot(index_kind):
    """The file that a clean stop leaves."""
    return "persistent/index.kept" if index_kind == "disk" else "persistent/index.snapshot"


@pytest.fixture
def disk():
    return PowerLossDisk()


@pytest.fixture
def store(disk):
    with opened(disk) as store:
        yield store


class Gate:
    """Holds the next sync of a file until it is opened."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        self.reached = threading.Event()
        real = PowerLossFile.datasync

        def datasync(file):
            self.reached.set()
            self.open.wait()
            real(file)

        monkeypatch.setattr(PowerLossFile, "datasync", datasync)

    async def wait(self):
        await asyncio.to_thread(self.reached.wait)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()
