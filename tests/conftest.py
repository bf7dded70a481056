"""What many tests need: the real and the scripted news peers."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import NoReturn

# Read as gRPC is imported. With its support of forks, a program that a test starts can be aborted between fork and
# exec by a thread that gRPC starts in the child, or find gRPC's complaint in its log.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from apiserver import ApiServer, lacking
from peers.fakepeer import FakePeer
from peers.inn import NEWS_BIN, InnPeer
from peers.innsend import InnSender
from ports import free_port

CHECKOUT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("FOREBAY_SHARED", CHECKOUT.parent / "shared"))
SCALE = int(os.environ.get("SCALE", "1"))

# A machine that stands still for a while is no fault of what is tested.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


ROOMS = {
    "tests/integration/operator/": "node",
    "tests/integration/spark/": "spark",
    "tests/integration/chart/": "apiserver",
    "tests/integration/crds/": "apiserver",
    "tests/integration/kubectl/": "apiserver",
}
"""Folders whose tests run in one process when there are several: what they share takes seconds to start, and memory."""


class ByRoom(LoadScopeScheduling):
    """Tests of a file stay together, too: they share what its modules and classes set up."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((room for folder, room in ROOMS.items() if file.startswith(folder)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """How tests are dealt out to processes."""
    return ByRoom(config, log)


@pytest.fixture(scope="session")
def scale() -> int:
    """How large tests are: 1 for every day, 10 for the full sizes."""
    return SCALE


def missing(reason: str) -> NoReturn:
    """Skip the test; where CI installs everything, what is missing is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, and CI is set")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def apiserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A real API server with the custom resources; one for all tests, each of which takes a namespace of its own."""
    if reason := lacking():
        missing(reason)
    server = ApiServer(tmp_path_factory.mktemp("apiserver"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


def peer_script(name: str) -> Path:
    script = SHARED / "peers" / name
    if not script.is_file():
        missing(f"needs {name} in the folder that FOREBAY_SHARED names")
    return script


def need_inn() -> None:
    if not (NEWS_BIN / "innd").is_file():
        missing("needs INN: apt-get install inn2")
    if os.geteuid() != 0:
        missing("needs root, to run INN as the user news")


@pytest.fixture
def news_folder() -> Iterator[Path]:
    """A folder that user news can walk into, with a path short enough for INN's Unix sockets."""
    folder = Path(tempfile.mkdtemp(prefix="inn-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def make_inn(news_folder: Path) -> AsyncIterator[Callable[[], InnPeer]]:
    """Make INN peers, not started; those that are running at the end are killed."""
    need_inn()
    script = peer_script("inn-peer.sh")
    made: list[InnPeer] = []

    def make() -> InnPeer:
        port = free_port()
        made.append(InnPeer(script, news_folder / str(port), port))
        return made[-1]

    yield make
    for peer in made:
        peer.kill()


@pytest.fixture
async def inn(make_inn: Callable[[], InnPeer]) -> InnPeer:
    """A running INN that takes every article of test.feed and test.other."""
    peer = make_inn()
    await peer.start()
    return peer


@pytest.fixture
def inn_sender(news_folder: Path) -> InnSender:
    """A spool from which innfeed or innxmit feed a port."""
    need_inn()
    return InnSender(news_folder / "sender")


@pytest.fixture
async def fake_peer() -> AsyncIterator[Callable[..., Awaitable[FakePeer]]]:
    """Start scripted peers: `await fake_peer("431", "--after", 5)`; each is stopped at the end."""
    script = peer_script("fakepeer.py")
    started: list[FakePeer] = []

    async def start(mode: str = "ok", *options: object, port: int = 0) -> FakePeer:
        peer = FakePeer(script, mode, *options, port=port)
        await peer.start()
        started.append(peer)
        return peer

    yield start
    for peer in started:
        await peer.stop()
