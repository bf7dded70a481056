import asyncio

import pytest

from fakeclock import settle
from forebay.runtime import ConfigDocument, FieldViolation, ResourceResult
from forebay.runtime.configuration import Configuration


class Target:
    """Something to configure: `apply` waits while `closed`."""

    def __init__(self):
        self.seen = []
        self.go = asyncio.Event()
        self.go.set()
        self.busy = 0

    async def apply(self, document):
        self.busy += 1
        assert self.busy == 1
        await self.go.wait()
        self.busy -= 1
        self.seen.append(document.revision)
        if document.manifests:
            raise RuntimeError("disk on fire")
        return [ResourceResult("Peerfeed", "default", "a", generation=document.revision)]


async def test_a_newer_revision_is_applied_and_its_results_kept():
    target = Target()
    configuration = Configuration(target.apply)
    assert await configuration.apply(ConfigDocument(3))
    assert configuration.revisions.current == 3
    assert configuration.revisions.results[0].generation == 3


@pytest.mark.parametrize("revision", [3, 2])
async def test_an_equal_or_lower_revision_is_ignored(revision):
    target = Target()
    configuration = Configuration(target.apply)
    await configuration.apply(ConfigDocument(3))
    assert not await configuration.apply(ConfigDocument(revision))
    assert target.seen == [3]


async def test_documents_are_applied_one_at_a_time():
    target = Target()
    configuration = Configuration(target.apply)
    done = await asyncio.gather(*(configuration.apply(ConfigDocument(revision)) for revision in (1, 3, 2)))
    assert done == [True, True, False]
    assert target.seen == [1, 3]


async def test_a_failure_leaves_the_revision_and_may_be_repeated():
    target = Target()
    configuration = Configuration(target.apply)
    with pytest.raises(RuntimeError):
        await configuration.apply(ConfigDocument(1, ({},)))
    assert configuration.revisions.current == 0
    assert await configuration.apply(ConfigDocument(1))


async def test_a_caller_that_leaves_does_not_stop_what_has_begun():
    target = Target()
    target.go.clear()
    configuration = Configuration(target.apply)
    caller = asyncio.create_task(configuration.apply(ConfigDocument(1)))
    await settle()
    caller.cancel()
    target.go.set()
    await settle()
    assert caller.cancelled()
    assert configuration.revisions.current == 1


def test_a_result_with_violations_is_not_applied():
    assert ResourceResult("Peerfeed", "default", "a").applied
    assert not ResourceResult("Peerfeed", "default", "a", violations=(FieldViolation("spec", "no"),)).applied
