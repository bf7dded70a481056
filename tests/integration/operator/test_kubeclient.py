"""The operator's client against a real API server."""

import pytest
from aiohttp import web

from forebay_operator.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError, UnavailableError
from forebay_operator.kube import KubeClient, connect
from forebay_operator.kube.client import PAGE, TRIES
from forebay_operator.kube.kinds import OUTFEED, POD, SECRET, SERVICE_MONITOR
from kubeaccess import Access
from ports import free_port


@pytest.fixture
async def client(apiserver, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(apiserver.kubeconfig))
    client = KubeClient(await connect())
    yield client
    await client.close()


@pytest.fixture
def namespace(apiserver):
    return apiserver.namespace("client")


@pytest.fixture
def secret(namespace):
    def make(name="one", **data):
        metadata = {"name": name, "namespace": namespace}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}

    return make


async def test_what_is_not_there(client, namespace):
    assert await client.find(SECRET, namespace, "none") is None
    with pytest.raises(NotFoundError, match="none"):
        await client.get(SECRET, namespace, "none")


async def test_created_applied_and_deleted(client, namespace, secret):
    made = await client.create(secret(a="AA=="))
    changed = await client.apply(secret(a="AQ=="))
    assert changed["metadata"]["uid"] == made["metadata"]["uid"]
    assert (await client.get(SECRET, namespace, "one"))["data"] == {"a": "AQ=="}
    await client.delete(changed, "Background")
    assert await client.find(SECRET, namespace, "one") is None
    await client.delete(changed, "Background")


async def test_one_that_is_there_is_not_created(client, secret):
    await client.create(secret())
    with pytest.raises(ConflictError):
        await client.create(secret())


async def test_applied_again_it_is_not_written(client, secret):
    first = await client.apply(secret(a="AA=="))
    assert (await client.apply(secret(a="AA==")))["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


async def test_a_write_over_somebody_elses_is_a_conflict(client, secret):
    read = await client.create(secret(a="AA=="))
    await client.apply(secret(a="AQ=="))
    stale = secret(a="Ag==")
    stale["metadata"]["resourceVersion"] = read["metadata"]["resourceVersion"]
    with pytest.raises(ConflictError):
        await client.apply(stale)


async def test_a_namesake_is_not_deleted(client, namespace, secret):
    first = await client.create(secret())
    await client.delete(first, "Background")
    await client.create(secret())
    with pytest.raises(ConflictError):
        await client.delete(first, "Background")


async def test_a_status_is_patched_unless_somebody_else_has_written(client, namespace):
    body = {
        "apiVersion": OUTFEED.api_version,
        "kind": OUTFEED.kind,
        "metadata": {"name": "hub", "namespace": namespace},
        "spec": {"spillRef": {"name": "main"}},
    }
    made = await client.create(body)
    patch = {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}, "status": {"revision": 3}}
    patched = await client.patch(OUTFEED, namespace, "hub", patch, "status")
    assert patched["status"]["revision"] == 3
    with pytest.raises(ConflictError):
        await client.patch(OUTFEED, namespace, "hub", {**patch, "status": {"revision": 4}}, "status")


async def test_what_is_wrong_is_told(client, secret):
    with pytest.raises(InvalidError, match="Invalid value"):
        await client.create(secret("Not_A_Name"))


async def test_a_long_list_is_read_to_its_end(client, namespace, secret):
    names = {f"secret-{number}" for number in range(PAGE + 20)}
    for name in names:
        await client.create(secret(name))
    before = client.requests["list", "secrets"]
    found = await client.list_all(SECRET, namespace)
    assert {body["metadata"]["name"] for body in found} == names
    assert {body["kind"] for body in found} == {"Secret"}
    assert client.requests["list", "secrets"] == before + 2


async def test_a_list_by_labels(client, namespace, secret):
    labelled = secret("labelled")
    labelled["metadata"]["labels"] = {"a": "b"}
    await client.create(labelled)
    await client.create(secret("bare"))
    found = await client.list_all(SECRET, namespace, "a=b")
    assert [body["metadata"]["name"] for body in found] == ["labelled"]


async def test_which_kinds_are_served(client):
    assert await client.serves(POD)
    assert await client.serves(OUTFEED)
    assert not await client.serves(SERVICE_MONITOR)


async def test_without_rights_it_is_forbidden(apiserver, namespace, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(apiserver.account(namespace, "default").kubeconfig))
    client = KubeClient(await connect())
    try:
        with pytest.raises(ForbiddenError, match="cannot get resource"):
            await client.get(SECRET, namespace, "one")
    finally:
        await client.close()


class BusyServer:
    """Answers so many times that it is busy, and then well."""

    def __init__(self, refusals, status=429, **headers):
        self.refusals, self.status, self.headers, self.asked = refusals, status, headers, 0

    async def answer(self, request):
        self.asked += 1
        if self.asked <= self.refusals:
            return web.json_response({"message": "busy"}, status=self.status, headers=self.headers)
        return web.json_response({"metadata": {"name": "one"}})


@pytest.fixture
async def busy(tmp_path, monkeypatch):
    """Start a busy server; a client of it, which is told of each success."""
    runners, clients, heard = [], [], []

    async def start(server):
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", server.answer)
        runner, port = web.AppRunner(application), free_port()
        await runner.setup()
        runners.append(runner)
        await web.TCPSite(runner, "127.0.0.1", port).start()
        access = Access(tmp_path, f"http://127.0.0.1:{port}", tmp_path / "none", "busy", "token")
        monkeypatch.setenv("KUBECONFIG", str(access.kubeconfig))
        clients.append(KubeClient(await connect(), lambda: heard.append(1)))
        return clients[-1], heard

    yield start
    for client in clients:
        await client.close()
    for runner in runners:
        await runner.cleanup()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_asked_again(busy, status):
    server = BusyServer(2, status)
    client, heard = await busy(server)
    assert await client.get(SECRET, "news", "one")
    assert server.asked == 3
    assert heard == [1]


async def test_a_server_that_stays_busy_is_given_up(busy):
    server = BusyServer(100)
    client, heard = await busy(server)
    with pytest.raises(UnavailableError, match="busy"):
        await client.get(SECRET, "news", "one")
    assert server.asked == TRIES
    assert heard == []


async def test_no_server_at_all(busy):
    client, _ = await busy(BusyServer(0))
    client._api.configuration.host = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(UnavailableError, match="no answer"):
        await client.get(SECRET, "news", "one")


async def test_who_leads_no_more_reads_and_does_not_write(busy, secret):
    server = BusyServer(0)
    client, _ = await busy(server)
    client.may_write = lambda: False
    assert await client.get(SECRET, "news", "one")
    with pytest.raises(UnavailableError, match="another operator leads"):
        await client.apply(secret())
    assert server.asked == 1
