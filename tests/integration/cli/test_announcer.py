"""`forebay up` of the example of an announcer, `forebay announcer` beside it, and what `forebay import` makes."""

import asyncio
import json

import pytest
import yaml

from eventually import eventually
from forebay.cli.plainmessage import short_name
from forebay.client import AnnouncerClient
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.runtime.document import ConfigDocument, encode
from integration.cli.command import CHECKOUT, forebay, started
from manifests import NAMESPACE
from manifests import announcer as announcer_manifest
from ports import free_port, loopbacks
from trackers import HttpTracker

CONDITION = pb.Forwarder.DESCRIPTOR.fields_by_name["condition"]
HASH = "0123456789abcdef0123456789abcdef01234567"


class Example:
    """examples/announcer on free ports, with forwarders that a test may start."""

    def __init__(self, folder):
        self.files, self.data = folder / "files", folder / "data"
        self.files.mkdir()
        self.grpc, self.port = free_port(), free_port()
        self.trackers = {7070: free_port(), 7071: free_port()}
        for path in (CHECKOUT / "examples" / "announcer").glob("*.yaml"):
            self.write(path.name, [self.moved(each) for each in yaml.safe_load_all(path.read_text())])

    def moved(self, manifest):
        """A manifest, on free ports."""
        if manifest["kind"] == "Announcer":
            listeners = manifest["spec"]["listeners"]
            for name in ("http", "udp"):
                listeners[name]["port"] = self.port
            listeners |= {"grpc": {"port": self.grpc}, "health": {"port": free_port()}}
        elif manifest["kind"] == "Forwarder":
            for port, free in self.trackers.items():
                manifest["spec"]["url"] = manifest["spec"]["url"].replace(f":{port}/", f":{free}/")
        return manifest

    def read(self, name):
        return list(yaml.safe_load_all((self.files / name).read_text()))

    def write(self, name, manifests):
        (self.files / name).write_text("\n---\n".join(map(json.dumps, manifests)))

    def running(self):
        return started("up", "-f", self.files, "--data", self.data)

    async def announcer(self, *arguments, status=0):
        """Run a command on it; what it printed."""
        result = await forebay("announcer", *arguments, "--address", f"127.0.0.1:{self.grpc}")
        assert result.status == status, result.err
        return result

    async def json(self, *arguments):
        return (await self.announcer(*arguments, "--output", "json")).json()

    async def conditions(self):
        """The conditions of the forwarders, by name."""
        async with AnnouncerClient.connect(f"127.0.0.1:{self.grpc}") as client:
            return {each.name: short_name(CONDITION, each.condition) for each in await client.forwarders()}

    async def becomes(self, conditions):
        """Wait until forwarders have these conditions."""

        async def check():
            return await self.conditions() == conditions

        await eventually(check)


@pytest.fixture
def example(tmp_path):
    return Example(tmp_path)


@pytest.fixture
async def tracker():
    tracker = HttpTracker()
    await tracker.start()
    yield tracker
    await tracker.stop()


async def test_up_runs_the_example(example):
    async with example.running() as running:
        await running.logged("ready")
        answer = await example.announcer("announce", HASH, "--port", "6881", "--left", "0", "--ip", "192.0.2.1")
        assert [line.split() for line in answer.out.splitlines() if line.startswith("seeders")] == [["seeders", "1"]]
        second = await example.json("announce", HASH, "--port", "6882", "--event", "started", "--left", "7")
        assert [(peer["ip"], peer["port"]) for peer in second["peers"]] == [("192.0.2.1", 6881)]
        assert HASH in (await example.announcer("swarms")).out
        (swarm,) = await example.json("scrape", HASH)
        assert (swarm["info_hash"], swarm["complete"], swarm["incomplete"]) == (HASH, 1, 1)
        # Nobody listens on the ports of the trackers.
        await example.becomes({"over-http": "disabled", "over-udp": "disabled"})
        assert "no connection" in (await example.announcer("forwarders")).out
        queue = await example.json("queue")
        assert (queue["capacity"], queue["swarms"], queue["peers"]) == (10_000, 1, 2)
    assert running.process.returncode == 0


async def test_swarms_and_disabled_forwarders_are_there_after_a_restart(example):
    async with example.running() as running:
        await running.logged("ready")
        await example.announcer("announce", HASH)
        await example.becomes({"over-http": "disabled", "over-udp": "disabled"})
    async with example.running() as running:
        await running.logged("ready")
        assert await example.conditions() == {"over-http": "disabled", "over-udp": "disabled"}
        shown = await example.announcer("forwarders", "--enable", "over-udp", "--output", "json")
        assert {each["name"]: each["condition"] for each in shown.json()} == {
            "over-http": "disabled",
            "over-udp": "enabled",
        }
        (swarm,) = await example.json("swarms")
        assert swarm["info_hash"] == HASH


async def test_apply_puts_a_changed_forwarder_in_force(example, tracker):
    async with example.running() as running:
        await running.logged("ready")
        await example.announcer("announce", HASH)
        await example.becomes({"over-http": "disabled", "over-udp": "disabled"})
        first, second = example.read("forwarders.yaml")
        first["spec"]["url"] = tracker.url()
        example.write("forwarders.yaml", [first, second])
        applied = await forebay("apply", "-f", example.files, "--data", example.data)
        assert applied.status == 0, applied.err
        assert await example.conditions() == {"over-http": "enabled", "over-udp": "disabled"}
        await example.announcer("announce", HASH, "--port", "6882")
        await eventually(lambda: tracker.requests)


async def test_what_is_refused_or_wrong_fails(example):
    manifests = example.read("announcer.yaml")
    manifests[0]["spec"]["torrents"] = {"mode": "deny", "infoHashes": [HASH]}
    example.write("announcer.yaml", manifests)
    async with example.running() as running:
        await running.logged("ready")
        refused = await example.announcer("announce", HASH, status=1)
        assert "the announce was refused: this torrent is not tracked here" in refused.err
        assert "no 40 hexadecimal digits" in (await example.announcer("scrape", "abc", status=2)).err
        assert "there is no forwarder" in (await example.announcer("forwarders", "--enable", "none", status=1)).err
    assert (await example.announcer("queue", status=3)).out == ""


async def test_serve_takes_what_was_imported(tmp_path, tracker):
    (tmp_path / "forwarders.yml").write_text(f"- uri: {tracker.url('/announce')}?passkey=0123456789\n  name: Mine\n")
    made, example = tmp_path / "made", Example(tmp_path)
    imported = await forebay("import", tmp_path / "forwarders.yml", "--to", made)
    assert imported.status == 0, imported.err
    assert (await forebay("validate", "-f", made)).status == 0
    (announcer,) = yaml.safe_load_all((made / "announcer.yaml").read_text())
    announcer["spec"]["listeners"] = {"http": {}, "udp": {}}
    (made / "announcer.yaml").write_text(json.dumps(example.moved(announcer)))
    async with started("serve", "announcer", "-f", made, "--data", example.data) as running:
        await running.logged("ready")
        await example.announcer("announce", HASH)
        await eventually(lambda: tracker.requests)
        assert await example.conditions() == {"mine": "enabled"}
    assert tracker.requests[0].target.startswith("/announce?passkey=0123456789&info_hash=")
    assert running.process.returncode == 0


async def test_as_a_pod_runs_it_clients_reach_it_at_every_address(tmp_path):
    port = free_port()
    ports = {"http": port, "udp": port, "grpc": free_port(), "health": free_port()}
    listeners = {name: {"port": number} for name, number in ports.items()}
    document = ConfigDocument(5, (announcer_manifest(listeners=listeners),))
    (tmp_path / "revision").write_text("5")
    (tmp_path / "document").write_bytes(encode(document))
    place = ("--config", tmp_path, "--data", tmp_path / "data", "--name", f"{NAMESPACE}/main")
    async with started("serve", "announcer", *place) as running:
        await running.logged("ready")
        for host in loopbacks():
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET /stats?format=json HTTP/1.1\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            writer.close()
            await writer.wait_closed()
    assert running.process.returncode == 0
