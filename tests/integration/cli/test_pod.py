"""`forebay serve outfeed` as a pod runs it: a mounted configuration, TLS, Apply by the operator, a graceful end."""

import asyncio
import ipaddress
import signal
from itertools import product

import aiohttp
import pytest
from cryptography import x509

from authority import Authority
from forebay.client import ConfigClient, OutfeedClient
from forebay.runtime.document import ConfigDocument, encode
from forebay.runtime.secret import Secret
from manifests import NAMESPACE, outfeed, peerfeed, spill
from peers.valkey import run_valkey
from ports import free_port, loopbacks

from .command import forebay, started

REFERENCE = {"secretRef": {"name": "redis", "key": "url"}}


class Pod:
    """What a pod is given, and how it is reached."""

    def __init__(self, folder):
        self.folder = folder
        self.ports = {name: free_port() for name in ("grpc", "nntp", "health")}
        authority, local = Authority(), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        for name in ("server", "operator"):
            authority.write(folder / name, name, local, x509.DNSName(f"{name}.test"))
        self.url = "redis://127.0.0.1:1"

    def document(self, *peers, revision=5):
        listeners = {name: {"port": port} for name, port in self.ports.items()}
        manifests = (spill(urlFrom=REFERENCE), outfeed(listeners=listeners), *peers)
        return ConfigDocument(revision, manifests, {f"{NAMESPACE}/redis": {"url": Secret(self.url)}})

    def mount(self, document):
        folder = self.folder / "config"
        folder.mkdir(exist_ok=True)
        (folder / "revision").write_text(str(document.revision))
        (folder / "document").write_bytes(encode(document))

    @property
    def command(self):
        place = ("--config", self.folder / "config", "--data", self.folder / "data", "--tls", self.folder / "server")
        return ("serve", "outfeed", *place, "--name", f"{NAMESPACE}/main", "--operator", "operator.test")

    @property
    def config(self):
        return ConfigClient.connect(f"127.0.0.1:{self.ports['grpc']}", self.folder / "operator")

    @property
    def outfeed(self):
        return OutfeedClient.connect(f"127.0.0.1:{self.ports['grpc']}", self.folder / "operator")


@pytest.fixture
def pod(tmp_path):
    return Pod(tmp_path)


async def get(port, page):
    """Status and content of a page."""
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/{page}") as response:
        return response.status, await response.text()


async def test_with_redis_away_it_is_ready_and_tells_what_it_does_without(pod):
    pod.mount(pod.document(peerfeed("a")))
    async with started(*pod.command) as running:
        await running.logged("ready")
        status, page = await get(pod.ports["health"], "readyz")
        assert (status, "SpillUnavailable" in page) == (200, True)
        async with pod.config as client:
            shown = await client.status()
        assert (shown.revision, shown.ready) == (5, True)
        found = [(each.reason, each.kind, each.name) for each in shown.degradations]
        assert ("SpillUnavailable", "Spill", "main") in found


async def test_it_begins_with_what_is_mounted_and_follows_apply_alone(pod):
    async with run_valkey() as valkey:
        pod.url = valkey.url
        pod.mount(pod.document(peerfeed("a")))
        async with started(*pod.command) as running:
            await running.logged("ready")
            async with pod.config as client, pod.outfeed as user:
                assert [peer.name for peer in await user.peers()] == ["a"]
                pod.mount(pod.document(peerfeed("a"), peerfeed("b"), peerfeed("c"), revision=7))
                running.process.send_signal(signal.SIGHUP)
                await running.logged("SIGHUP ignored: the configuration does not come from files")
                answer = await client.apply(pod.document(peerfeed("a"), peerfeed("b"), revision=6))
                assert (answer.revision, answer.ignored) == (6, False)
                late = await client.apply(pod.document(revision=5))
                assert (late.revision, late.ignored) == (6, True)
                assert [peer.name for peer in await user.peers()] == ["a", "b"]


async def test_a_start_with_an_older_configuration_than_was_in_force_waits_for_a_newer_one(pod):
    async with run_valkey() as valkey:
        pod.url = valkey.url
        pod.mount(pod.document(peerfeed("a")))
        newer = pod.document(peerfeed("a"), peerfeed("b"), revision=6)
        async with started(*pod.command) as running:
            await running.logged("ready")
            async with pod.config as client:
                await client.apply(newer)
        async with started(*pod.command) as running:
            await running.logged("ready")
            async with pod.config as client:
                status = await client.status()
                assert (status.revision, [each.reason for each in status.degradations]) == (0, ["NotConfigured"])
                assert not (await client.apply(newer)).ignored
            async with pod.outfeed as user:
                assert [peer.name for peer in await user.peers()] == ["a", "b"]


async def test_an_older_configuration_is_used_once_its_mount_was_renewed(pod):
    pod.mount(pod.document(peerfeed("a"), revision=9))
    async with started(*pod.command) as running:
        await running.logged("configuration applied")
    pod.mount(pod.document(peerfeed("a"), revision=8))
    async with started(*pod.command) as running:
        await running.logged("ready")
        pod.mount(pod.document(peerfeed("a"), revision=10))
        assert (await running.logged("configuration applied"))["revision"] == 10


async def test_uids_come_from_the_manifests(pod):
    pod.mount(pod.document(peerfeed("a")))
    async with started(*pod.command) as running:
        await running.logged("ready")
        async with pod.config as client:
            uids = {each.name: each.uid for each in (await client.status()).resources}
    assert uids["a"] == peerfeed("a")["metadata"]["uid"]


async def test_it_listens_on_all_addresses(pod):
    pod.mount(pod.document())
    async with started(*pod.command) as running:
        await running.logged("ready")
        for host, port in product(loopbacks(), pod.ports.values()):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            await writer.wait_closed()


async def test_at_its_end_it_turns_unready_first_and_serves_on_for_a_while(pod):
    pod.mount(pod.document())
    async with started(*pod.command, "--drain-endpoints", "3") as running:
        await running.logged("ready")
        running.process.send_signal(signal.SIGTERM)
        await running.logged("draining")
        status, page = await get(pod.ports["health"], "readyz")
        assert (status, '"phase": "draining"' in page) == (503, True)
        assert (await get(pod.ports["health"], "healthz"))[0] == 200
        async with pod.outfeed as user:
            assert await user.peers() == []
        assert not running.events("calls ended")
        assert await running.ended() == 0
        assert running.events("stopped")


async def test_a_managed_spill_is_told_to_be_a_fault(pod):
    document = pod.document()
    pod.mount(ConfigDocument(5, (spill(managed={}), *document.manifests[1:])))
    async with started(*pod.command) as running:
        await running.logged("ready")
        async with pod.config as client:
            results = {each.kind: each for each in (await client.status()).resources}
    assert [each.field for each in results["Spill"].violations] == ["spec.managed"]
    assert not results["Outfeed"].applied


async def test_without_a_configuration_it_ends_with_what_to_do(pod):
    result = await forebay(*pod.command)
    assert result.status == 1
    assert "config holds no configuration: No such file or directory" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("arguments", [(), ("-f", "hub.yaml", "--config", "folder")])
async def test_manifests_and_a_configuration_exclude_each_other(arguments):
    result = await forebay("serve", "outfeed", *arguments)
    assert result.status == 2
    assert "give manifests by -f or a configuration by --config" in result.err
