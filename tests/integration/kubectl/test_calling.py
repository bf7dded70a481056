"""Calls through a port-forward: a real API server, a scripted service, and a stand-in for the way to its pod."""

import asyncio
import json
import signal
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from cryptography.x509 import DNSName

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import CertificateFolder, PermissionDeniedError
from forebay.runtime.interceptor import as_status
from forebay.runtime.tls import server_credentials
from ports import free_port

from ..client.scripted import ScriptedOutfeed, listening

LOOPBACK = "127.0.0.1"


class Guarded(ScriptedOutfeed):
    """An outfeed that lets nobody in."""

    async def ListPeers(self, request, context):  # noqa: N802
        await context.abort_with_status(as_status(PermissionDeniedError("you may not call it"), "1"))


class Telling(ScriptedOutfeed):
    """An outfeed with refusals and one dead letter."""

    async def ListRefusals(self, request, context):  # noqa: N802
        refusals = [pb.Refusal(outcome=pb.REFUSED_REJECTED, text="439 too large", articles=7)]
        return pb.ListRefusalsResponse(peers=[pb.PeerRefusals(peer=name, refusals=refusals) for name in request.peers])

    async def ListDeadLetters(self, request, context):  # noqa: N802
        letter = pb.DeadLetter(message_id=request.message_ids[0], reason=f"501 {request.reason}")
        return pb.ListDeadLettersResponse(dead_letters=[letter])

    async def ReplayDeadLetters(self, request, context):  # noqa: N802
        return pb.ReplayDeadLettersResponse(entries=len(request.message_ids))


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
async def hub(place, port, authority):
    """An Outfeed whose pod's gRPC port is a port of this machine."""
    await place.resource("Outfeed", "hub", spec={"spillRef": {"name": "main"}, "listeners": {"grpc": {"port": port}}})
    await place.pod("hub-outfeed-0", "outfeed", "hub")
    await place.issue(authority, "kubectl", DNSName("kubectl.client.forebay"))
    return place


@pytest.fixture
def serve(hub, port, authority, tmp_path):
    """Run a service in the place of the pod's, with a certificate for the name of its Service or another one."""

    @asynccontextmanager
    async def serve(service=None, name=f"hub-outfeed.{hub.name}.svc"):
        folder = authority.write(tmp_path / "server", "server", DNSName(name))
        credentials = server_credentials(CertificateFolder(folder))
        async with listening(service or ScriptedOutfeed(), None, f"{LOOPBACK}:{port}", credentials):
            yield

    return serve


async def test_peers_are_those_that_the_service_tells(plugin, hub, serve):
    async with serve():
        found = (await plugin("peers", "hub", "west", "-n", hub.name, "-o", "json")).json()
        assert [peer["name"] for peer in found] == ["west"]
        assert (await plugin("peers", "hub", "-n", hub.name)).out.split().count("connected") == 2


async def test_explain_tells_who_would_get_an_article(plugin, hub, serve, tmp_path):
    file = tmp_path / "some.article"
    file.write_bytes(b"Subject: x\r\n\r\n")
    async with serve():
        found = (await plugin("explain", "hub", file, "-n", hub.name, "-o", "json")).json()
    assert [(peer["peer"], peer["wanted"]) for peer in found["peers"]] == [("west", False)]


async def test_what_peers_do_not_take_is_shown_and_sent_again(plugin, hub, serve):
    place = ("-n", hub.name, "-o", "json")
    async with serve(Telling()):
        (peer,) = (await plugin("refusals", "hub", "west", *place)).json()
        (letter,) = (await plugin("dead-letters", "hub", "west", "<1@a>", "--reason", "quota", *place)).json()
        replayed = (await plugin("replay", "hub", "west", "<1@a>", "<2@a>", *place)).json()
    assert (peer["peer"], peer["refusals"][0]["text"]) == ("west", "439 too large")
    assert (letter["message_id"], letter["reason"]) == ("<1@a>", "501 quota")
    assert replayed == {"entries": 2}


async def test_top_may_print_once(plugin, hub, serve):
    async with serve():
        found = (await plugin("top", "hub", "--once", "-n", hub.name, "-o", "json")).json()
    assert [peer["name"] for peer in found["peers"]] == ["east"]


async def test_a_service_of_another_name_is_not_believed(plugin, hub, serve):
    async with serve(name=f"other-outfeed.{hub.name}.svc"):
        status, _, err = await plugin("peers", "hub", "-n", hub.name)
    assert status == 3
    assert f"kubectl logs hub-outfeed-0 -n {hub.name}" in err


async def test_who_is_not_let_in_is_told_where_the_rules_are(plugin, hub, serve):
    async with serve(Guarded()):
        status, _, err = await plugin("peers", "hub", "-n", hub.name)
    assert status == 1
    assert err == f"Error: you may not call it\nSee who may: kubectl forebay access outfeed/hub -n {hub.name}\n"


async def test_a_pod_that_does_not_run_is_told(plugin, hub):
    await hub.status("Pod", "hub-outfeed-0", phase="Pending")
    status, _, err = await plugin("peers", "hub", "-n", hub.name)
    assert status == 3
    assert "pod hub-outfeed-0 does not run (Pending)" in err
    assert f"kubectl describe pod hub-outfeed-0 -n {hub.name}" in err


async def test_a_pod_that_nothing_listens_in_is_told(plugin, hub):
    status, _, err = await plugin("peers", "hub", "-n", hub.name)
    assert status == 1
    assert "pod is not running" in err


async def test_a_client_whose_certificate_is_not_issued_is_told(plugin, hub):
    await hub.client.delete("Secret", hub.name, "hub-outfeed-client-kubectl")
    status, _, err = await plugin("peers", "hub", "-n", hub.name)
    assert status == 1
    assert "there is no Secret hub-outfeed-client-kubectl" in err


@asynccontextmanager
async def top(plugin, hub):
    """`top` for programs, running."""
    process = await plugin.start("top", "hub", "-n", hub.name, "-o", "json")
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        # Otherwise the pipes would keep the process from being waited for.
        await process.communicate()


async def shown(process):
    """The peers of the next line."""
    async with asyncio.timeout(60):
        line = await process.stdout.readline()
    return [peer["name"] for peer in json.loads(line)["peers"]]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
async def test_whatever_ends_top_leaves_nothing_behind(plugin, hub, serve, number, status):
    async with serve(), top(plugin, hub) as process:
        assert await shown(process) == ["east"]
        process.send_signal(number)
        _, err = await process.communicate()
        assert (process.returncode, err) == (status, b"")
    assert not [*plugin.temporary.iterdir()]


async def test_top_goes_on_with_the_next_pod(plugin, hub, serve):
    async with AsyncExitStack() as stack:
        async with serve():
            # Only now: a service that has never answered is an error.
            process = await stack.enter_async_context(top(plugin, hub))
            assert await shown(process) == ["east"]
        async with asyncio.timeout(60):
            assert b"waiting for the service" in await process.stderr.readline()
        async with serve():
            assert await shown(process) == ["east"]
