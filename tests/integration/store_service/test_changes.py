"""Changes of the configuration of a running store."""

import pytest

from eventually import eventually
from forebay.client import NotKeptError
from forebay.runtime import NotFoundError


async def test_a_new_queue_takes_messages_at_once(server, client):
    server.queue("jobs")
    assert all(result.applied for result in (await server.apply()).results)
    await client.publish("jobs", b"x")
    assert [queue.name for queue in await client.queues()] == ["jobs", "orders"]


async def test_a_removed_queue_is_gone_with_its_messages(server, client):
    await client.publish("orders.eu", b"x")
    orders = server.queues["orders"]
    server.forget("orders")
    await server.apply()
    with pytest.raises(NotFoundError):
        await client.get("orders")
    with pytest.raises(NotKeptError, match="no queue is bound"):
        await client.publish("orders.eu", b"x")
    server.queues["orders"] = orders
    await server.apply()
    assert (await client.queue("orders")).status.ready == 0


async def test_consumers_of_a_removed_queue_are_told(server, client):
    async with client.consume("orders") as orders:
        await eventually(lambda: orders.active)
        server.forget("orders")
        await server.apply()
        with pytest.raises(NotFoundError):
            async for _ in orders:
                pass


async def test_limits_change_live(server, client):
    await client.publish("orders.eu", b"1")
    await client.publish("orders.eu", b"2")
    server.queue("orders", bindings=["orders.#"], maxLength=2, overflow="RejectPublish")
    await server.apply()
    with pytest.raises(NotKeptError, match="orders"):
        await client.publish("orders.eu", b"3")
    server.queue("orders", bindings=["orders.#"])
    await server.apply()
    await client.publish("orders.eu", b"3")


async def test_bindings_change_live(server, client):
    server.queue("orders", bindings=["bills.*"])
    await server.apply()
    await client.publish("bills.eu", b"x")
    with pytest.raises(NotKeptError):
        await client.publish("orders.eu", b"x")


async def test_a_queue_with_a_fault_stays_as_it_was_and_the_others_change(server, client):
    server.queue("orders", maxLength="many")
    server.queue("jobs")
    results = {result.name: result for result in (await server.apply()).results}
    assert results["orders"].violations[0].field == "spec.maxLength"
    assert results["jobs"].applied
    await client.publish("orders.eu", b"x")
    await client.publish("jobs", b"x")


async def test_an_implementation_that_is_not_there_is_told(server):
    server.queue("jobs", implementation="sql")
    results = {result.name: result for result in (await server.apply()).results}
    (violation,) = results["jobs"].violations
    assert violation.field == "spec.implementation"
    assert "variable" in violation.description


async def test_the_largest_message_changes_live(server, client):
    server.spec = {"messages": {"maxSize": "1KB"}}
    await server.apply()
    with pytest.raises(Exception, match="1000"):
        await client.publish("orders.eu", bytes(2000))
