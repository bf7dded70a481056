import asyncio
from contextlib import nullcontext

import pytest

from fakeclock import settle
from forebay.cli import compacting
from forebay.cli.compacting import Compacting
from forebay.cli.errors import InputError
from forebay.cli.sparkjobs import Outcome

FIGURES = {
    "entriesIn": 90,
    "entriesOut": 89,
    "bytesIn": 6506,
    "bytesOut": 6400,
    "streamsIn": 3,
    "streamsOut": 1,
    "dropped": {"duplicate": 1, "limit-age": 0},
    "seconds": 3.26,
}
BEGUN = ("begun", "compact-spill", "--uid", "its-uid")


@pytest.fixture
def events():
    return []


@pytest.fixture
def ends(monkeypatch, events):
    """Have the job end with an outcome, or an error, once it is let."""

    def ends_with(result, let=None):
        async def outcome_of(arguments):
            events.append(("begun", *arguments))
            if let:
                await let.wait()
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(compacting, "outcome_of", outcome_of)
        return Compacting(nullcontext(["--uid", "its-uid"]), lambda: events.append("released"))

    return ends_with


async def test_it_begins_once_all_is_offered_and_releases_once_it_has_ended(ends, events):
    offered, let = asyncio.Event(), asyncio.Event()
    task = asyncio.ensure_future(ends(Outcome(FIGURES, ""), let).run(offered))
    await settle()
    assert events == []
    offered.set()
    await settle()
    assert events == [BEGUN]
    let.set()
    await task
    assert events == [BEGUN, "released"]


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (InputError("Spark is not installed", "Install it."), "Spark is not installed. Install it."),
        (InputError("no Valkey runs"), "no Valkey runs"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
    ids=["remedy", "no remedy", "system"],
)
async def test_what_goes_wrong_is_its_outcome_and_releases_too(ends, events, error, problem):
    work, offered = ends(error), asyncio.Event()
    offered.set()
    await work.run(offered)
    assert work.plain() == {"figures": {}, "problem": problem}
    assert events == [BEGUN, "released"]


async def test_one_that_is_cut_short_says_so(ends, events, capsys):
    work = ends(Outcome(FIGURES, ""))
    task = asyncio.ensure_future(work.run(asyncio.Event()))
    await settle()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    work.print()
    assert capsys.readouterr().out == "Not compacted: it did not get to its end\n"
    assert events == ["released"]


def test_figures_are_a_table_of_before_and_after(ends, capsys):
    work = ends(Outcome(FIGURES, ""))
    work.outcome = Outcome(FIGURES, "west: its entries are sent just now")
    work.print()
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Closed streams of the backlogs, compacted in 3.3 s: dropped 1 duplicate",
        "       entries octets streams",
        "before      90   6506       3",
        "after       89   6400       1",
        "Not compacted: west: its entries are sent just now",
    ]
