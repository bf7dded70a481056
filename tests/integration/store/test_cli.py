"""`forebay store` against `forebay serve store`, and `forebay up` with a Store."""

import json
import signal

import pytest

from forebay.client import Store
from integration.cli.command import CHECKOUT, forebay, started
from ports import free_port


@pytest.fixture
def store(command):
    async def run(*arguments, stdin=b"", status=0):
        result = await forebay("store", *arguments, "--address", command.address, stdin=stdin)
        assert result.status == status, result.err
        return result

    return run


@pytest.fixture(autouse=True)
async def empty(command):
    """Each test begins with empty queues."""
    async with Store.connect(command.address) as client:
        for queue in await client.queues():
            await client.purge(queue.name)


async def bodies(store, queue):
    """The bodies of a queue, which stay there."""
    return [each["body"] for each in (await store("browse", queue, "--output", "json")).json()]


async def test_what_is_published_is_consumed_and_then_gone(store):
    table = await store("publish", "orders.eu", "--body", "one boat hook", "--body", "two lamps")
    assert [line.split() for line in table.out.splitlines()] == [
        ["confirmed", "duplicate", "unrouted", "refused"],
        ["2", "0", "0", "0"],
    ]
    assert (await store("consume", "orders", "--count", "2")).out == "one boat hook\ntwo lamps\n"
    assert await bodies(store, "orders") == []


async def test_lines_and_files_are_messages(store, tmp_path):
    (tmp_path / "file").write_bytes(b"a\nb\n")
    await store("publish", "orders", "--lines", "-", stdin=b"one\ntwo\r\nthree")
    await store("publish", "orders", tmp_path / "file")
    assert await bodies(store, "orders") == ["one", "two", "three", "a\nb\n"]


async def test_all_of_a_message_is_shown(store):
    options = ("--header", "kind=order", "--ttl", "1h", "--priority", "3", "--transient")
    await store("publish", "orders.eu", "--body", "x", *options)
    (message,) = (await store("browse", "orders", "--output", "json")).json()
    assert message["headers"] == {"kind": "order"}
    assert (message["ttl"], message["priority"], message["transient"], message["deliveries"]) == (3600, 3, True, 0)
    assert "orders.eu" in (await store("browse", "orders")).out


async def test_a_command_that_is_given_again_doubles_nothing(store):
    await store("publish", "orders", "--publisher", "till", "--body", "a", "--body", "b")
    again = await store(
        "publish", "orders", "--publisher", "till", "--body", "a", "--body", "b", "--body", "c", "--output", "json"
    )
    assert (again.json()["duplicate"], again.json()["confirmed"]) == (2, 1)
    assert await bodies(store, "orders") == ["a", "b", "c"]


async def test_what_is_not_kept_is_told_and_fails(store):
    unrouted = await store("publish", "nowhere", "--body", "x", status=1)
    assert "no queue is bound" in unrouted.err
    refused = await store("publish", "few", "--body", "a", "--body", "b", "--output", "json", status=1)
    assert (refused.json()["confirmed"], refused.json()["refused"]) == (1, 1)
    assert "queue few is full" in refused.err


async def test_rejected_messages_go_on_with_their_history(store):
    await store("publish", "orders.eu", "--body", "no")
    await store("consume", "orders", "--count", "1", "--then", "reject")
    (dead,) = (await store("get", "rejects", "--output", "json")).json()
    (death,) = dead["deaths"]
    assert (dead["body"], death["queue"], death["reason"], death["count"]) == ("no", "orders", "rejected", 1)
    assert death["address"] == "orders.eu"


async def test_requeued_messages_stay_with_their_count(store):
    await store("publish", "orders", "--body", "a", "--body", "b", "--body", "c")
    assert (await store("consume", "orders", "--prefetch", "2", "--then", "requeue")).out == "a\nb\n"
    found = (await store("get", "orders", "--count", "9", "--output", "json")).json()
    assert [(each["body"], each["deliveries"]) for each in found] == [("a", 1), ("b", 1), ("c", 0)]


async def test_urgent_messages_come_first(store):
    await store("publish", "jobs", "--body", "later")
    await store("publish", "jobs", "--body", "now", "--priority", "9")
    assert (await store("consume", "jobs", "--count", "2")).out.split() == ["now", "later"]


async def test_the_queues_and_the_store_are_shown(store):
    await store("publish", "orders", "--body", "x")
    rows = {row["name"]: row for row in (await store("queues", "--output", "json")).json()}
    assert sorted(rows) == ["few", "jobs", "orders", "rejects"]
    assert (rows["orders"]["state"], rows["orders"]["ready"]) == ("running", 1)
    assert "orders" in (await store("queues")).out
    assert "Inside" in (await store("queue", "jobs")).out
    status = (await store("status", "--output", "json")).json()
    assert status["disk_free"] > 0
    assert status["alarms"] == []
    assert (await store("purge", "orders")).out == "1 message removed from orders\n"


async def test_a_consumer_that_is_interrupted_gives_back_what_it_holds(store, command):
    await store("publish", "orders", "--body", "a")
    async with started("store", "consume", "orders", "--then", "requeue", "--address", command.address) as consumer:
        await consumer.ended(signal.SIGINT)
    assert await bodies(store, "orders") == ["a"]


async def test_a_queue_that_is_not_there_is_told(store):
    assert "there is no queue" in (await store("get", "lorders", status=1)).err


async def test_a_store_that_is_not_there_is_told():
    result = await forebay("store", "queues", "--address", f"127.0.0.1:{free_port()}")
    assert result.status == 3


async def test_up_runs_the_example(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    port, listeners = free_port(), ""
    for path in (CHECKOUT / "examples" / "store").glob("*.yaml"):
        text = path.read_text()
        listeners = f"spec:\n  listeners: {json.dumps({'grpc': {'port': port}, 'health': {'port': free_port()}})}\n"
        (files / path.name).write_text(text.replace("spec:\n  storage:", f"{listeners}  storage:"))
    address = ("--address", f"127.0.0.1:{port}")
    for ready in (1, 2):
        async with started("up", "-f", files, "--data", tmp_path / "data") as running:
            await running.logged("ready")
            result = await forebay("store", "publish", "orders.eu", "--body", "x", *address)
            assert result.status == 0, result.err
            queues = (await forebay("store", "queues", "--output", "json", *address)).json()
            assert {queue["name"]: queue["ready"] for queue in queues} == {"jobs": 0, "orders": ready, "rejects": 0}
        assert running.process.returncode == 0
