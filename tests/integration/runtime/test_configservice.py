"""The live path of configuration over gRPC."""

import grpc
import pytest
from grpc.aio import AioRpcError

from forebay.pb.config.v1.config_pb2 import ApplyRequest, GetStatusRequest
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.runtime import ConfigDocument, Degradation, from_rpc_error
from forebay.runtime.document import encode

from .echo import connected, hosted


@pytest.fixture
def stub(client):
    return ConfigServiceStub(client.channel.get())


def document(revision, *names):
    return ConfigDocument(revision, tuple({"name": name} for name in names))


def request(revision, *names):
    return ApplyRequest(revision=revision, document=encode(document(revision, *names)))


async def test_apply_answers_for_each_resource(stub):
    answer = await stub.Apply(request(4, "good", "bad"))
    assert (answer.revision, answer.ignored) == (4, False)
    good, bad = answer.results
    assert (good.kind, good.name, good.uid, good.generation, good.applied) == ("Echo", "good", "uid-1", 4, True)
    assert good.warnings == ["spec.new is unknown"]
    assert not bad.applied
    assert (bad.violations[0].field, bad.violations[0].description) == ("name", "is bad, give another")


async def test_a_revision_that_is_not_newer_is_ignored_and_the_current_one_named(stub, service):
    await stub.Apply(request(4, "good"))
    answer = await stub.Apply(request(4, "bad"))
    assert (answer.revision, answer.ignored) == (4, True)
    assert answer.results[0].name == "good"
    assert service.events == ["start", "apply 4"]


async def test_a_document_that_cannot_be_read_changes_nothing(stub):
    with pytest.raises(AioRpcError) as caught:
        await stub.Apply(ApplyRequest(revision=1, document=b"garbage"))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert from_rpc_error(caught.value).reason == "INVALID_DOCUMENT"
    assert (await stub.GetStatus(GetStatusRequest())).revision == 0


async def test_status_tells_revision_resources_and_degradations(stub, service):
    await stub.Apply(request(2, "good"))
    service.degraded = [Degradation("SpillUnavailable", "Redis is away", "Spill", "main"), Degradation("DiskFull", "x")]
    status = await stub.GetStatus(GetStatusRequest())
    assert (status.service, status.revision, status.ready) == ("echo", 2, True)
    assert status.version
    assert status.resources[0].name == "good"
    found = [(each.reason, each.message, each.kind, each.name) for each in status.degradations]
    assert found == [("SpillUnavailable", "Redis is away", "Spill", "main"), ("DiskFull", "x", "", "")]


async def test_a_service_starts_with_a_document(service):
    async with hosted(service, document=document(9, "good")) as host, connected(host) as client:
        status = await ConfigServiceStub(client.channel.get()).GetStatus(GetStatusRequest())
        assert (status.revision, status.resources[0].name) == (9, "good")
        assert service.events == ["start", "apply 9"]


async def test_files_and_calls_take_the_same_path(host, stub, service):
    await host.configuration.apply(document(5, "good"))
    assert (await stub.Apply(request(5))).ignored
    assert not (await stub.Apply(request(6))).ignored
    assert not await host.configuration.apply(document(6))
