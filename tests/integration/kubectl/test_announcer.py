"""Calls to an Announcer through a port-forward: a real API server, a scripted service, a stand-in for the way to it."""

import grpc
import pytest
from cryptography.x509 import DNSName

from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.pb.announcer.v1.announcer_pb2_grpc import AnnouncerServiceServicer, add_AnnouncerServiceServicer_to_server
from forebay.runtime import CertificateFolder
from forebay.runtime.tls import server_credentials
from ports import free_port

HASH = bytes(range(20))


class ScriptedAnnouncer(AnnouncerServiceServicer):
    """An announcer with a forwarder that is disabled until somebody enables it."""

    condition = pb.FORWARDER_CONDITION_DISABLED

    async def ListForwarders(self, request, context):  # noqa: N802
        return pb.ListForwardersResponse(forwarders=[self.west()])

    async def EnableForwarder(self, request, context):  # noqa: N802
        assert request.name == "west"
        self.condition = pb.FORWARDER_CONDITION_ENABLED
        return pb.EnableForwarderResponse(forwarder=self.west())

    async def GetQueue(self, request, context):  # noqa: N802
        return pb.GetQueueResponse(depth=7, capacity=10_000)

    async def ListSwarms(self, request, context):  # noqa: N802
        return pb.ListSwarmsResponse(swarms=[pb.Swarm(info_hash=HASH, complete=3)], total=1)

    def west(self):
        reason = "" if self.condition == pb.FORWARDER_CONDITION_ENABLED else "its name is not known"
        return pb.Forwarder(name="west", condition=self.condition, reason=reason)


@pytest.fixture
async def swarm(place, authority, tmp_path):
    """An Announcer whose pod's gRPC port is a port of this machine."""
    port = free_port()
    await place.resource("Announcer", "swarm", spec={"listeners": {"grpc": {"port": port}}})
    await place.pod("swarm-announcer-0", "announcer", "swarm")
    await place.issue(authority, "kubectl", DNSName("kubectl.client.forebay"), service="swarm-announcer")
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add_AnnouncerServiceServicer_to_server(ScriptedAnnouncer(), server)
    folder = authority.write(tmp_path / "server", "server", DNSName(f"swarm-announcer.{place.name}.svc"))
    server.add_secure_port(f"127.0.0.1:{port}", server_credentials(CertificateFolder(folder)))
    await server.start()
    yield place
    await server.stop(0)


async def test_forwarders_are_shown_and_enabled(plugin, swarm):
    status, out, _ = await plugin("forwarders", "swarm", "-n", swarm.name)
    assert status == 0
    assert "its name is not known" in out
    [found] = (await plugin("forwarders", "swarm", "--enable", "west", "-n", swarm.name, "-o", "json")).json()
    assert (found["name"], found["condition"]) == ("west", "enabled")


async def test_queue_and_swarms_are_shown(plugin, swarm):
    queue = (await plugin("queue", "swarm", "-n", swarm.name, "-o", "json")).json()
    assert (queue["depth"], queue["capacity"]) == (7, 10_000)
    [found] = (await plugin("swarms", "swarm", "-n", swarm.name, "-o", "json")).json()
    assert (found["info_hash"], found["complete"]) == (HASH.hex(), 3)


async def test_an_announcer_that_is_not_there_is_told_with_those_that_are(plugin, swarm):
    status, _, err = await plugin("queue", "swarn", "-n", swarm.name)
    assert (status, err) == (2, "Error: there is no Announcer swarn\nDid you mean swarm?\n")


@pytest.mark.parametrize(("method", "status"), [("Announce", 1), ("GetQueue", 0)])
async def test_access_knows_the_methods_of_announcers(plugin, swarm, method, status):
    rules = [{"principal": "*", "methods": ["GetQueue"]}]
    await swarm.client.patch("Announcer", swarm.name, "swarm", {"spec": {"access": rules}})
    checked = await plugin("access", "announcer/swarm", "--check", "kubectl", method, "-n", swarm.name)
    assert checked.status == status
    assert f"AnnouncerService/{method}" in checked.out + checked.err
