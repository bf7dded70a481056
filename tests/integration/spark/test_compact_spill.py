"""compact-spill on a real Valkey: what it makes of random spills, and what is left where something ends it."""

import argparse
import time
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from redis import Redis

from forebay.announcer.forwarding.job import Job
from forebay.announcer.lasting.digest import NO_DIGEST
from forebay.announcer.lasting.jobcodec import Times, encode
from forebay.spill.keys import Kind, OwnerKeys, registry_key
from forebay_spark.compaction import Rules
from forebay_spark.figures import Figures
from forebay_spark.jobs import compact_spill
from forebay_spark.owners import Work
from forebay_spark.place import SpillPlace
from forebay_spark.plans import text_of
from forebay_spark.sources.spill import SpillSource
from forebay_spark.split import compact_split
from forwardings import announce
from peers.valkey import Valkey
from spillcontents import SERVICE, UID, Contents, entries, fill, streams, token
from spilloracle import Expected, expected
from spillstrategies import EPOCH, contents

OWNERS = st.dictionaries(st.sampled_from(["a", "b/ü", "c", "d", "e", "f"]), contents(), min_size=1, max_size=6)
FEW = settings(
    max_examples=3,
    deadline=None,
    # A smaller example of what fails is not worth as many jobs.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
KEEP_ALL = Rules()


def options(valkey: Valkey, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    compact_spill.arguments(parser)
    return parser.parse_args(["--uid", UID, "--url", valkey.url, *arguments])


def run(spark: SparkSession, valkey: Valkey, *arguments: str) -> Figures:
    return compact_spill.run(options(valkey, *arguments), spark)


def wanted(found: Contents, rules: Rules = KEEP_ALL) -> dict[Kind, Expected]:
    return {
        kind: expected([entry for segment in segments for entry in segment], rules.oldest, rules.max_bytes)
        for kind, segments in found.items()
    }


def data(client: Redis, owner: str) -> dict[Kind, list[bytes]]:
    return {kind: [entry for _, entry in found] for kind, found in entries(client, owner).items()}


def numbered(start: int, count: int, repeats: int = 1) -> list[tuple[bytes, bytes]]:
    """Entries of `count` articles, each that often."""
    return [
        (b"%d-%d" % (EPOCH + start + number, again), token(start + number, seq=start + number, arrival=EPOCH + number))
        for number in range(count)
        for again in range(repeats)
    ]


@FEW
@given(OWNERS)
def test_every_owner_becomes_what_plain_python_makes_of_it(
    spark, client, valkey, owners: Mapping[str, Contents]
) -> None:
    client.flushall()
    for owner, found in owners.items():
        fill(client, owner, found)
    figures = run(spark, valkey, "--rotate-bytes", "500B", "--max-bytes", "600B")
    results = [wanted(found, Rules(max_bytes=600)) for found in owners.values()]
    for owner, result in zip(owners, results, strict=True):
        assert data(client, owner) == {kind: part.entries for kind, part in result.items()}
    dropped = sum((part.dropped for result in results for part in result.values()), Counter())
    assert Counter(figures.values["dropped"]) == dropped
    assert figures.values["corrupt"] == sum(part.corrupt for result in results for part in result.values())


@FEW
@given(contents(least=30), st.none() | st.integers(EPOCH, EPOCH + 30), st.none() | st.integers(100, 2000))
def test_a_split_owner_becomes_the_same(spark, client, valkey, found: Contents, oldest: int, most: int) -> None:
    client.flushall()
    fill(client, "peer", found)
    rules = Rules(oldest, most)
    tally = compact_split(spark, "peer", Work(SpillPlace(SERVICE, UID, valkey.url), rules, 500))
    result = wanted(found, rules)
    assert tally.failures == ()
    assert data(client, "peer") == {kind: part.entries for kind, part in result.items()}
    assert tally.dropped == sum((part.dropped for part in result.values()), Counter())
    assert tally.entries_out == sum(len(part.entries) for part in result.values())
    assert tally.corrupt == sum(part.corrupt for part in result.values())


def test_nothing_spilled_is_nothing_done(spark, valkey) -> None:
    figures = run(spark, valkey)
    assert (figures.values["owners"], figures.values["entriesIn"], figures.failures) == (0, 0, ())


@pytest.mark.parametrize("service", ["announcer", "router"])
def test_what_is_no_article_is_left_alone(spark, client, valkey, service) -> None:
    """They are no articles: to sort them, or to drop what looks like a repeat or old, would lose announces."""
    times, clear = Times(0.0, EPOCH / 1000), {Kind.BACKLOG: [numbered(0, 5, 2)]}
    told = [announce(f"t{number}", uploaded=9 - number, numwant=number) for number in range(10)]
    jobs = [encode(Job(each, "f0", 0.0), NO_DIGEST, times) for each in told]
    segments = [[(b"%d-%d" % (EPOCH + number, 0), job) for number, job in enumerate(jobs)] for _ in range(2)]
    fill(client, "overflow", {Kind.BACKLOG: segments}, service)
    keys = OwnerKeys(service, UID, "jobs")
    client.sadd(registry_key(service, UID), "jobs")
    client.zadd(keys.times, {b"key": EPOCH})
    client.hset(keys.values, b"key", jobs[0])
    fill(client, "peer", clear)
    before = keys_of(client, service)
    figures = run(spark, valkey, "--max-age", "1d", "--max-bytes", "100B", "--service", "outfeed",
                  "--service", service, "--uid", UID)  # fmt: skip
    assert keys_of(client, service) == before
    assert figures.values["owners"] == 1, "the outfeed's peer"
    assert figures.failures == ()


def keys_of(client: Redis, service: str) -> dict[bytes, bytes]:
    return {key: client.dump(key) for key in client.scan_iter(f"forebay:{{{service}/*")}


def test_an_owner_without_closed_segments_is_left_alone(spark, client, valkey) -> None:
    fill(client, "peer", {})
    assert run(spark, valkey).values["owners"] == 0


def test_one_huge_owner_beside_many_small(spark, client, valkey) -> None:
    huge, small = numbered(0, 4000, repeats=2), numbered(5000, 5, repeats=2)
    fill(client, "huge", {Kind.BACKLOG: [huge[:5000], huge[5000:]]})
    for number in range(20):
        fill(client, f"small{number}", {Kind.DEFERRED: [small]})
    figures = run(spark, valkey, "--task-bytes", "100KB")
    assert figures.failures == ()
    assert figures.values["owners"] == 21
    assert data(client, "huge")[Kind.BACKLOG] == [entry for _, entry in huge[::2]]
    assert all(
        data(client, f"small{number}")[Kind.DEFERRED] == [entry for _, entry in small[::2]] for number in range(20)
    )


def test_streams_are_written_full(spark, client, valkey) -> None:
    fill(client, "peer", {Kind.BACKLOG: [numbered(start, 10) for start in range(0, 100, 10)]})
    run(spark, valkey, "--rotate-bytes", "2KB")
    sizes = [
        sum(len(entry) for _, entry in client.xrange(stream) for entry in entry.values())
        for stream in streams(client, "peer")[Kind.BACKLOG]
    ]
    assert all(size >= 2000 for size in sizes[:-1])
    assert len(sizes) == 2


def test_a_second_run_finds_nothing_to_do(spark, client, valkey) -> None:
    fill(client, "peer", {Kind.BACKLOG: [numbered(0, 10, repeats=2)]})
    run(spark, valkey)
    before = streams(client, "peer")
    figures = run(spark, valkey)
    assert streams(client, "peer") == before
    assert figures.values["entriesIn"] == figures.values["entriesOut"] == 10


def test_age_is_that_of_the_articles_arrival(spark, client, valkey) -> None:
    new = int(time.time() * 1000) - 60_000
    fresh = (b"%d-0" % new, token("new", seq=9, arrival=new))
    fill(client, "peer", {Kind.BACKLOG: [[*numbered(0, 5), fresh]]})
    figures = run(spark, valkey, "--max-age", "1d")
    assert data(client, "peer")[Kind.BACKLOG] == [fresh[1]]
    assert figures.values["dropped"]["limit-age"] == 5


def test_rows_can_be_read_as_any_other_data(spark, client, valkey) -> None:
    fill(client, "peer", {Kind.BACKLOG: [numbered(0, 3)], Kind.DEFERRED: [[(b"5-0", b"rubbish")]]})
    fill(client, "other", {Kind.BACKLOG: [numbered(5, 2)]})
    spark.dataSource.register(SpillSource)
    rows = spark.read.format("forebay.spill").options(url=valkey.url, service=SERVICE, uid=UID).load()
    assert {tuple(row) for row in rows.groupBy("owner", "kind").count().collect()} == {
        ("peer", "B", 3),
        ("peer", "D", 1),
        ("other", "B", 2),
    }
    assert rows.where("owner = 'peer' AND kind = 'B'").agg({"seq": "max"}).first()[0] == 2


def test_rows_can_be_written_in_the_place_of_what_a_plan_has(spark, client, valkey) -> None:
    fill(client, "peer", {Kind.BACKLOG: [numbered(0, 3), numbered(3, 3)]})
    place = SpillPlace(SERVICE, UID, valkey.url)
    with place.connect() as compactor:
        plan = compactor.plan("peer")
    spark.dataSource.register(SpillSource)
    rows = spark.read.format("forebay.spill").options(**place.options()).load()
    even = rows.selectExpr("kind", "appended", "entry", "if(seq % 2 = 1, 'limit-age', null) AS reason").coalesce(1)
    written = even.sort("reason", "appended").write.format("forebay.spill").mode("append")
    written.options(**place.options(), plan=text_of(plan), rotateBytes="1000").save()
    assert data(client, "peer")[Kind.BACKLOG] == [entry for _, entry in (*numbered(0, 3), *numbered(3, 3))][::2]
