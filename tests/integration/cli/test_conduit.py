"""`forebay up` of the example of conduit, its device at the edge, and `forebay conduit` beside it."""

import asyncio
import sys
from contextlib import asynccontextmanager

import pytest

from conduitserver import ConduitServer
from eventually import eventually
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.client.conduitservice import ConduitClient
from forebay.runtime import UnavailableError
from integration.cli.command import CHECKOUT, FOREBAY, forebay, started
from ports import free_port

FOLDER = CHECKOUT / "examples" / "conduit"
PORTS = (7448, 7449, 7450, 7451, 9449, 9451)
pytestmark = pytest.mark.timeout(400)


class Example:
    """examples/conduit on free ports."""

    def __init__(self, folder):
        self.files, self.data = folder / "files", folder / "data"
        self.files.mkdir()
        self.ports = {port: free_port() for port in PORTS}
        listeners = "{udp: {port: 7448}, grpc: {port: 7449}, health: {port: 9449}}"
        text = (FOLDER / "nodes.yaml").read_text()
        text = text.replace("  scouting: {interval: 1s}\n  resources", f"  listeners: {listeners}\n  resources")
        for port, free in self.ports.items():
            text = text.replace(str(port), str(free))
        (self.files / "nodes.yaml").write_text(text)

    @property
    def place(self):
        """Where the first node is reached by peers."""
        return f"udp/127.0.0.1:{self.ports[7448]}"

    @property
    def address(self):
        return f"127.0.0.1:{self.ports[7449]}"

    async def conduit(self, *arguments, port=7449, status=0, stdin=b""):
        """Run a command on a node; what it printed."""
        result = await forebay("conduit", *arguments, "--address", f"127.0.0.1:{self.ports[port]}", stdin=stdin)
        assert result.status == status, result.err
        return result

    async def peers(self):
        try:
            async with ConduitClient.connect(self.address) as client:
                return list((await client.node()).peers)
        except UnavailableError:
            return []

    async def declared(self, uri, kind):
        """Wait until the first node knows of a declaration."""

        async def known():
            found = (await self.conduit("declarations", uri, "--kind", kind, "--output", "json")).json()
            return [each for each in found if each["uri"] == uri]

        return await eventually(known, within=60)


@pytest.fixture
async def example(tmp_path):
    example = Example(tmp_path)
    async with started("up", "-f", example.files, "--data", example.data):
        await eventually(example.peers, within=90)
        yield example


@pytest.fixture
async def node(tmp_path):
    """A node in this process."""
    (tmp_path / "press").mkdir()
    press = ConduitServer(tmp_path / "press", "press")
    await press.start()
    yield press
    await press.stop()


@asynccontextmanager
async def process(*arguments):
    """A program that goes on, ended at the end."""
    running = await asyncio.create_subprocess_exec(*map(str, arguments), stdout=asyncio.subprocess.PIPE)
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


async def line_of(running):
    async with asyncio.timeout(60):
        line = await running.stdout.readline()
    assert line, "it has ended"
    return line.decode().strip()


async def test_a_device_at_the_edge_is_heard_and_told_what_to_do(example):
    async with process(sys.executable, FOLDER / "edge.py", example.place) as edge:
        [declared] = await example.declared("/edge/oven/set", "subscriber")
        shown = await example.conduit("sub", "/edge/**", "--limit", "3")
        lines = shown.out.splitlines()
        assert [line.split()[0] for line in lines] == ["/edge/oven/temp"] * 3
        assert {line.split()[1] for line in lines} == {declared["peer_id"][:16]}
        told = await example.conduit("pub", "/edge/oven/set", "180", "--output", "json")
        assert told.json()["accepted"] == 1
        assert await line_of(edge) == "now for 180 degrees"
        node = (await example.conduit("peers", "--output", "json")).json()
        assert declared["peer_id"] in [peer["peer_id"] for peer in node["peers"]]
        table = (await example.conduit("peers")).out
        assert f"Node {node['peer_id']}" in table
        assert declared["peer_id"] in table
        rows = (await example.conduit("declarations", "/edge/oven/set")).out
        assert "subscriber" in rows
        closing = await example.conduit("close", declared["peer_id"], "--reason", "a test")
        assert declared["peer_id"] in closing.err


async def test_samples_go_from_command_to_command_by_two_nodes(example):
    subscribing = ("conduit", "sub", "/plant/*/force", "--limit", "4", "--output", "json")
    async with process(FOREBAY, *subscribing, "--address", f"127.0.0.1:{example.ports[7451]}") as sub:
        await example.declared("/plant/*/force", "subscriber")
        lines = await example.conduit("pub", "/plant/press/force", "--file", "-", "--lines", stdin=b"17\n18\n")
        assert "accepted" in lines.out
        await example.conduit("pub", "/plant/press/force", "19", "--congestion", "spill")
        (example.data / "octets").write_bytes(b"\xff\x00")
        await example.conduit("pub", "/plant/press/force", "--file", example.data / "octets", "--deadline", "5")
        found = [await line_of(sub) for _ in range(4)]
    assert [line.split('"peer"')[1].split('", ')[1].rstrip("}") for line in found] == [
        '"text": "17"',
        '"text": "18"',
        '"text": "19"',
        '"base64": "/wA="',
    ]


async def test_commands_are_nodes_themselves(example):
    async with process(FOREBAY, "conduit", "sub", "/edge/pump", "--join", example.place, "--limit", "2") as sub:
        await example.declared("/edge/pump", "subscriber")
        await example.conduit("pub", "/edge/pump", "by the service")
        assert (await line_of(sub)).endswith(" by the service")
        await example.conduit("pub", "/edge/pump", "again")
        assert (await line_of(sub)).endswith(" again")
        assert await sub.wait() == 0
    async with process(FOREBAY, "conduit", "sub", "/edge/valve", "--limit", "2", "--address", example.address) as sub:
        await example.declared("/edge/valve", "subscriber")
        told = await forebay("conduit", "pub", "/edge/valve", "open", "shut", "--join", example.place)
        assert told.status == 0, told.err
        assert [(await line_of(sub)).split()[2] for _ in range(2)] == ["open", "shut"]


async def test_peers_are_watched(example):
    async with process(FOREBAY, "conduit", "peers", "--watch", "--address", example.address) as watching:
        first = await line_of(watching)
        assert first.endswith(f"udp/127.0.0.1:{example.ports[7450]} connected")
        peer_id = first.split()[1]
        await example.conduit("close", f"udp/127.0.0.1:{example.ports[7450]}", "--reason", "maintenance")
        assert (await line_of(watching)).endswith("disconnected: maintenance")
        assert f" {peer_id} " in await line_of(watching)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        pytest.param(("pub", "/a"), 2, "there is nothing to publish", id="nothing"),
        pytest.param(("pub", "a", "x"), 1, "does not start with / or **", id="uri"),
        pytest.param(("close", "0a0b"), 1, "no session with a peer of the id 0a0b", id="peer"),
        pytest.param(("close", "somebody"), 2, "is no id", id="id"),
        pytest.param(("sub", "/a", "--join", "here"), 2, "take udp/host:port", id="join"),
        pytest.param(
            ("pub", "/a", "x", "--join", "udp/127.0.0.1:9", "--wait", "0.2"), 2, "no peer was found", id="alone"
        ),
        pytest.param(
            ("pub", "/a", "x", "--join", "udp/127.0.0.1:9", "--congestion", "spill"), 2, "needs a service", id="spill"
        ),
    ],
)
async def test_what_is_wrong_is_told(node, arguments, status, message):
    result = await forebay("conduit", *arguments, "--address", node.address)
    assert result.status == status, result.err
    assert message in result.err


async def test_answers_are_printed_and_who_does_not_answer_is_named(node):
    settings = ConduitNodeSettings(listen="udp/127.0.0.1:0", peers=(node.place,), scout_interval=0.1)
    async with Node(settings) as edge:
        edge.participant.declare_queryable("/recipe/bread", lambda asked: [("/recipe/bread", asked.payload)])
        edge.participant.declare_queryable("/recipe/cake", lambda _: None)
        await edge.until(lambda: edge.peers)
        answered = await forebay("conduit", "query", "/recipe/bread", "flour", "--address", node.address)
        assert (answered.status, answered.out) == (0, f"/recipe/bread {edge.peer_id[:8].hex()} flour\n")
        silent = await forebay(
            "conduit", "query", "/recipe/*", "-o", "json", "--deadline", "1", "--address", node.address
        )
        assert silent.status == 1
        assert f"1 peers have not answered, or not all of it: {edge.peer_id.hex()}" in silent.err
