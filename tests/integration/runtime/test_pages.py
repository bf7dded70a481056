"""The plain HTTP port."""

import asyncio
import time

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from authority import Authority
from eventually import eventually
from forebay.runtime import AddressError, ConfigDocument, Degradation, GrpcSettings, Host, HostSettings

from .echo import EchoService, connected, hosted


async def get(host, path, **options):
    url = f"http://127.0.0.1:{host.http_port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url, **options) as response:
        return response.status, response.content_type, await response.text()


async def metrics(host):
    """All samples of a scrape, by name and labels."""
    _, _, text = await get(host, "/metrics")
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value for each in families for sample in each.samples
    }


async def test_readyz_follows_the_service_from_start_to_end(service):
    service.started.clear()
    host = Host(service)
    starting = asyncio.create_task(host.start())
    await eventually(lambda: host.http_port)
    status, kind, text = await get(host, "/readyz")
    assert (status, kind) == (503, "application/json")
    assert '"phase": "starting"' in text
    assert (await get(host, "/healthz"))[0] == 200
    service.started.set()
    await starting
    assert (await get(host, "/readyz"))[0] == 200
    await host.stop()


async def test_what_is_degraded_is_told_and_leaves_it_ready(host, service):
    service.degraded = [Degradation("SpillUnavailable", "Redis at localhost:1 does not answer")]
    status, _, text = await get(host, "/readyz")
    assert status == 200
    assert '"reason": "SpillUnavailable"' in text
    assert (await metrics(host))["forebay_degraded", "SpillUnavailable"] == 1


async def test_a_service_adds_pages(host):
    assert (await get(host, "/echo"))[2] == "a page of its own"


async def test_metrics_tell_of_service_calls_and_process(host, client):
    await client.call(b"hello")
    await asyncio.gather(client.call(b"crash"), client.call(b"refuse"), return_exceptions=True)
    found = await metrics(host)
    method = "test.v1.EchoService/Unary"
    assert found["forebay_grpc_calls_total", "OK", method] == 1
    assert found["forebay_grpc_calls_total", "INTERNAL", method] == 1
    assert found["forebay_grpc_calls_total", "INVALID_ARGUMENT", method] == 1
    assert found["forebay_grpc_call_seconds_count", method] == 3
    assert found["forebay_grpc_open_calls", method] == 0
    assert found["echo_events",] == 1
    assert found["forebay_ready",] == 1
    assert found["process_resident_memory_bytes",] > 1e6


async def test_a_cancelled_call_is_counted_as_such(host, client, service):
    chat = client.chat()()
    await chat.write(b"sleep")
    await eventually(lambda: "sleeping" in service.events)
    assert (await metrics(host))["forebay_grpc_open_calls", "test.v1.EchoService/Chat"] == 1
    chat.cancel()

    async def counted():
        return (await metrics(host)).get(("forebay_grpc_calls_total", "CANCELLED", "test.v1.EchoService/Chat")) == 1

    await eventually(counted)


async def test_methods_that_do_not_exist_make_no_labels(host, client):
    await asyncio.gather(client.unary("Invented")(b""), return_exceptions=True)
    assert not [key for key in await metrics(host) if "Invented" in str(key)]


async def test_openmetrics_is_given_to_whoever_asks(host):
    headers = {"Accept": "application/openmetrics-text; version=1.0.0"}
    _, kind, text = await get(host, "/metrics", headers=headers)
    assert kind == "application/openmetrics-text"
    assert text.endswith("# EOF\n")


async def test_metrics_tell_which_configuration_is_in_force_and_what_was_refused(host):
    await host.configuration.apply(ConfigDocument(7, ({"name": "good"}, {"name": "bad"})))
    found = await metrics(host)
    assert found["forebay_config_revision",] == 7
    assert found["forebay_config_refused_resources",] == 1


async def test_metrics_tell_when_the_certificate_ends(service, tmp_path):
    folder = Authority().write(tmp_path / "tls", "server", days=3)
    async with hosted(service, HostSettings(grpc=GrpcSettings(tls=folder))) as host:
        end = (await metrics(host))["forebay_certificate_expiry_timestamp_seconds",]
    assert end == pytest.approx(time.time() + 3 * 86400, abs=60)


async def test_two_services_share_a_process(service):
    async with hosted(service) as one, hosted(EchoService()) as two:
        assert one.http_port != two.http_port
        async with connected(one) as first, connected(two) as second:
            await first.call(b"hello")
            assert await second.call(b"hello") == b"hello"
        assert (await metrics(two))["forebay_grpc_calls_total", "OK", "test.v1.EchoService/Unary"] == 1


async def test_a_port_that_is_taken_is_named(host, service):
    with pytest.raises(AddressError, match=f"cannot listen on 127.0.0.1:{host.http_port} for metrics"):
        async with hosted(service, HostSettings(http=f"127.0.0.1:{host.http_port}")):
            pass
