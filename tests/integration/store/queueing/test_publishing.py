"""Publishing: outcomes in their order, routes, one copy for many queues, and what is refused."""

import pytest

from forebay.api.v1alpha1 import StoreSpec
from forebay.runtime.errors import InvalidArgumentError
from forebay.store.queueing.messages import Messages
from storehub import CONFIRMED, REFUSED, UNROUTED, Source, Tap, message, queue

LARGE = bytes(range(256)) * 40
"""Too large to be embedded."""


async def test_outcomes_are_ranges_in_the_order_of_the_messages(queues):
    await queues.open(queue("q"))
    source = Source(queues.hub)
    source.send([message("q", b"x")] * 3)
    source.send([message("nowhere", b"x")] * 2)
    source.send([message("q", b"x"), message("nowhere", b"x")])
    await source.outcomes(7)
    runs = [(confirm.first, confirm.count, confirm.outcome) for confirm in source.confirms]
    assert sum(count for _, count, _ in runs) == 7
    assert source.look() == [CONFIRMED] * 3 + [UNROUTED] * 2 + [CONFIRMED, UNROUTED]
    assert [first for first, _, _ in runs] == sorted(first for first, _, _ in runs)
    assert len(runs) <= 5
    assert source.session.unconfirmed == 0
    assert source.session.octets == 0


async def test_exact_addresses_and_patterns_lead_to_queues(queues):
    await queues.open(
        queue("exact", bindings=("orders.eu.new",)),
        queue("word", bindings=("orders.*.new",)),
        queue("rest", bindings=("orders.#",)),
        queue("end", bindings=("#.new",)),
        queue("two", bindings=("orders.eu.new", "*.eu.*")),
    )
    for address in ("orders.eu.new", "orders.us.new", "orders", "orders.eu.old", "new", "bills"):
        await queues.publish(address, address.encode())
    found = {name: await queues.contents(name) for name in ("exact", "word", "rest", "end", "two")}
    assert found == {
        "exact": [b"orders.eu.new"],
        "word": [b"orders.eu.new", b"orders.us.new"],
        "rest": [b"orders.eu.new", b"orders.us.new", b"orders", b"orders.eu.old"],
        "end": [b"orders.eu.new", b"orders.us.new", b"new"],
        "two": [b"orders.eu.new", b"orders.eu.old"],
    }


async def test_bindings_change_live(queues):
    await queues.open(queue("q", bindings=("old",)))
    assert await queues.publish("new", b"1") == [UNROUTED]
    await queues.apply(queue("q", bindings=("new",)))
    assert await queues.publish("new", b"2") == [CONFIRMED]
    assert await queues.publish("old", b"3") == [UNROUTED]
    assert await queues.contents("q") == [b"2"]


async def test_a_hundred_queues_of_one_address_hold_one_copy(queues):
    specs = [queue(f"q{number}", bindings=("news",)) for number in range(100)]
    await queues.open(*specs)
    for size in (10_000, 1_000):
        assert await queues.publish("news", *[bytes([number]) * size for number in range(20)]) == [CONFIRMED] * 20
    stats = queues.hub.figures().persistent
    assert stats.messages == 40
    assert 220_000 <= stats.live_bytes < 230_000
    for spec in specs:
        assert len(await queues.contents(spec.name)) == 40
        assert await queues.hub.purge(spec.name) == 40
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)


async def test_a_large_message_of_two_queues_is_there_for_each_whatever_the_other_does(queues):
    await queues.open(queue("idle", bindings=("a",)), queue("busy", bindings=("a",)))
    tap = Tap(queues.hub, "busy", credit=1000, no_ack=True)
    for number in range(100):
        body = b"%d" % number + LARGE
        assert await queues.publish("a", body) == [CONFIRMED]
        answer = await queues.hub.get("idle", 1)
        assert [delivery.message.body for delivery in answer.deliveries] == [body]
    assert len(await tap.bodies(100)) == 100


async def test_what_is_transient_is_gone_after_a_restart(queues):
    await queues.open(queue("lasting"), queue("passing", durable=False))
    for body in (b"small", LARGE):
        await queues.publish("lasting", body)
        await queues.publish("lasting", body, transient=True)
        await queues.publish("passing", body)
    assert await queues.contents("lasting") == [b"small", b"small", LARGE, LARGE]
    assert await queues.contents("passing") == [b"small", LARGE]
    await queues.reopen()
    assert await queues.contents("lasting") == [b"small", LARGE]
    assert await queues.contents("passing") == []
    assert await queues.publish("passing", b"new") == [CONFIRMED]


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 5_000_000])
async def test_any_size_comes_back_as_it_was(queues, size):
    await queues.open(queue("q"))
    body = bytes(number * 7 & 255 for number in range(min(size, 5000))) * (size // 5000 or 1)
    await queues.publish("q", body)
    await queues.reopen()
    assert await queues.contents("q") == [body]


async def test_a_body_that_looks_like_records_is_a_body(queues, tmp_path):
    await queues.open(queue("q"), queue("other", bindings=("q",)))
    await queues.publish("q", b"first")
    await queues.close()
    looks = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert len(looks) >= 3
    await queues.open(*queues.specs)
    bodies = [look * 3 for look in looks]
    await queues.publish("q", *bodies)
    await queues.reopen()
    assert await queues.contents("q") == [b"first", *bodies]


async def test_a_message_that_is_too_large_is_refused_with_all_of_its_batch(queues):
    queues.store = StoreSpec.model_validate({"messages": {"maxSize": "10KB"}})
    await queues.open(queue("q"))
    source = Source(queues.hub)
    with pytest.raises(InvalidArgumentError, match=r"messages\[1\].*maxSize") as caught:
        source.send([message("q", b"x"), message("q", bytes(10_001))])
    assert caught.value.violations[0].field == "messages[1]"
    assert source.session.unconfirmed == 0
    source.session.publish(1, Messages.of([message("q", b"good")]))
    assert await source.outcomes(1) == [CONFIRMED]
    assert await queues.contents("q") == [b"good"]


async def test_the_largest_size_changes_live(queues):
    queues.store = StoreSpec.model_validate({"messages": {"maxSize": "10KB"}})
    await queues.open(queue("q"))
    queues.store = StoreSpec.model_validate({"messages": {"maxSize": "20KB"}})
    await queues.apply(queue("q"))
    assert await queues.publish("q", bytes(15_000)) == [CONFIRMED]


@pytest.mark.parametrize("number", [1, 2, 4, 100], ids=["back", "repeat", "gap", "far"])
async def test_a_number_that_is_not_the_next_is_refused(queues, number):
    await queues.open(queue("q"))
    source = Source(queues.hub)
    source.send([message("q", b"1"), message("q", b"2")])
    with pytest.raises(InvalidArgumentError, match="3 is"):
        source.session.publish(number, Messages.of([message("q", b"x")]))
    assert await source.outcomes(2) == [CONFIRMED] * 2


async def test_numbers_begin_where_the_client_wants_and_end_with_the_last(queues):
    await queues.open(queue("q"))
    source = Source(queues.hub, "p", first=(1 << 64) - 2)
    source.send([message("q", b"1"), message("q", b"2")])
    assert await source.outcomes(2) == [CONFIRMED] * 2
    with pytest.raises(InvalidArgumentError, match="too high"):
        source.send([message("q", b"3")])
    zero = Source(queues.hub, "z", first=0)
    zero.send([message("q", b"3")])
    assert await zero.outcomes(1) == [CONFIRMED]


async def test_what_only_the_store_may_tell_is_not_taken_from_a_client(queues):
    await queues.open(queue("q"))
    forged = message("q", b"x", taken_ms=5, publisher="somebody", number=77)
    forged.deaths.add(queue="q", count=9)
    source = Source(queues.hub)
    source.send([forged])
    await source.outcomes(1)
    (delivery,) = await queues.browse("q")
    told = delivery.message
    assert (told.publisher, told.number, len(told.deaths)) == ("", 0, 0)
    assert told.taken_ms > 5


async def test_a_crowd_of_publishers_shares_the_rounds(queues):
    await queues.open(queue("q"))
    sources = [Source(queues.hub, f"p{number}") for number in range(50)]
    before = queues.hub.figures().index_syncs
    for source in sources:
        for _ in range(4):
            source.send([message("q", source.session._name.encode())])
    for source in sources:
        assert await source.outcomes(4) == [CONFIRMED] * 4
    assert queues.hub.figures().index_syncs - before < 20
    assert queues.status("q").ready == 200


async def test_confirmed_is_durable_only_where_the_settings_say_so(queues):
    for fsync in ({"mode": "none"}, {"mode": "interval", "interval": "10ms"}):
        queues.store = StoreSpec.model_validate({"fsync": fsync})
        await queues.open(queue("q"))
        assert await queues.publish("q", b"x") == [CONFIRMED]
        if fsync["mode"] == "interval":
            await queues.until(lambda: queues.hub.figures().index_syncs > 0)
        else:
            assert queues.hub.figures().index_syncs == 0
        await queues.close()
    queues.store = StoreSpec()
    await queues.open(queue("q"))
    assert await queues.contents("q") == [b"x", b"x"]
    assert REFUSED not in await queues.publish("q", b"x")
