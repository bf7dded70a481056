"""History remembers message-ids for whole days."""

import errno
import os
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from forebay.outfeed.errors import HistoryFullError
from forebay.outfeed.incoming.dates import DAY_MS
from forebay.outfeed.incoming.dayfilter import DayFilter
from forebay.outfeed.incoming.history import History
from forebay.outfeed.incoming.idtable import IdTable
from forebay.outfeed.token import message_key

TEN_DAYS = timedelta(days=10)
NOW = 20_000 * DAY_MS + 1234


def keys(count: int, name: str = "key") -> list[bytes]:
    return [message_key(f"<{name}{number}@forebay.example>".encode()) for number in range(count)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "history"


@pytest.fixture
def history(folder):
    opened = History.open(folder, TEN_DAYS)
    yield opened
    opened.close()


def test_has_seen_what_was_added_and_nothing_else(history):
    history.add_batch(keys(5000), NOW)
    assert all(map(history.seen, keys(5000)))
    assert not any(map(history.seen, keys(5000, "other")))
    assert len(history) == 5000


def test_looks_into_all_days(history):
    for day in range(11):
        history.add_batch(keys(100, f"day{day}-"), NOW + day * DAY_MS)
    assert all(history.seen(key) for day in range(11) for key in keys(100, f"day{day}-"))
    assert not any(map(history.seen, keys(1000)))


def test_a_day_grows_over_several_files(history, folder):
    added = keys(150_000)
    for start in range(0, len(added), 1000):
        history.add_batch(added[start : start + 1000], NOW)
    assert len(list(folder.glob("*.ids"))) > 1
    assert all(map(history.seen, added))
    assert not any(map(history.seen, keys(10_000, "other")))


def test_a_batch_larger_than_a_file_has_a_file_that_holds_it(history, folder):
    history.add_batch(keys(50_000), NOW)
    assert len(list(folder.glob("*.ids"))) == 1
    assert all(map(history.seen, keys(50_000)))


def test_files_are_named_by_their_day(history, folder):
    history.add_batch(keys(1), NOW)
    assert [path.name for path in folder.glob("*.ids")] == ["2024-10-04.000.ids"]


def test_is_clean_after_a_close_and_knows_all_again(folder):
    history = History.open(folder, TEN_DAYS)
    history.rebuild([])
    history.add_batch(keys(1000), NOW)
    history.close()
    history = History.open(folder, TEN_DAYS)
    assert not history.dirty
    assert all(map(history.seen, keys(1000)))
    assert len(history) == 1000
    history.close()


def test_is_dirty_when_it_was_not_closed(folder, tmp_path):
    history = History.open(folder, TEN_DAYS)
    history.rebuild([])
    history.close()
    history = History.open(folder, TEN_DAYS)
    shutil.copytree(folder, tmp_path / "killed")
    history.close()
    killed = History.open(tmp_path / "killed", TEN_DAYS)
    assert killed.dirty
    killed.close()


def test_stays_dirty_until_it_was_rebuilt(folder):
    History.open(folder, TEN_DAYS).close()
    history = History.open(folder, TEN_DAYS)
    assert history.dirty
    history.rebuild([])
    assert not history.dirty
    history.close()


def test_rebuild_adds_only_what_is_missing(history):
    history.add_batch(keys(100), NOW)
    history.rebuild((key, NOW - DAY_MS) for key in keys(200))
    assert len(history) == 200
    assert all(map(history.seen, keys(200)))


def test_a_damaged_file_is_set_aside_and_makes_it_dirty(folder):
    history = History.open(folder, TEN_DAYS)
    history.rebuild([])
    history.add_batch(keys(10), NOW)
    history.add_batch(keys(10, "next"), NOW + DAY_MS)
    history.close()
    (folder / "2024-10-04.000.ids").write_bytes(b"rubbish")
    history = History.open(folder, TEN_DAYS)
    assert history.dirty
    assert history.damaged == ["2024-10-04.000.ids"]
    assert (folder / "2024-10-04.000.damaged").exists()
    assert [history.seen(key) for key in (keys(1)[0], keys(1, "next")[0])] == [False, True]
    history.close()


def test_days_are_forgotten_whole_once_nothing_of_them_is_remembered(history, folder):
    end_of_day = (NOW // DAY_MS + 1) * DAY_MS
    history.add_batch(keys(10), NOW)
    history.add_batch(keys(10, "next"), NOW + DAY_MS)
    # Ten days are remembered, and an article may be dated a day ahead.
    assert history.expire(end_of_day + 11 * DAY_MS - 1) == 0
    assert history.expire(end_of_day + 11 * DAY_MS) == 10
    assert not any(map(history.seen, keys(10)))
    assert all(map(history.seen, keys(10, "next")))
    assert [path.name for path in folder.glob("*.ids")] == ["2024-10-05.000.ids"]


def test_a_long_time_leaves_no_suspicion_in_the_filter(history):
    for day in range(100):
        history.add_batch(keys(20, f"day{day}-"), NOW + day * DAY_MS)
        history.expire(NOW + day * DAY_MS)
    assert sum(map(bool, history._filter.places)) < 20 * 16


def test_flush_syncs_what_changed_since(history, monkeypatch):
    synced = []
    monkeypatch.setattr(IdTable, "sync", lambda table: synced.append(table.day))
    history.add_batch(keys(1), NOW)
    history.flush()
    history.flush()
    history.add_batch(keys(1, "next"), NOW + DAY_MS)
    history.flush()
    assert synced == [NOW // DAY_MS, NOW // DAY_MS + 1]


def test_a_full_disk_refuses_and_adds_nothing(history, monkeypatch):
    monkeypatch.setattr(os, "posix_fallocate", no_space)
    with pytest.raises(HistoryFullError, match="No space left"):
        history.add_batch(keys(10), NOW)
    assert len(history) == 0
    monkeypatch.undo()
    history.add_batch(keys(10), NOW)
    assert len(history) == 10


def test_a_full_disk_leaves_the_room_of_the_open_file(history, folder, monkeypatch):
    for number in range(39):
        history.add_batch(keys(1000, f"batch{number}-"), NOW)
    monkeypatch.setattr(os, "posix_fallocate", no_space)
    history.add_batch(keys(10_000, "more"), NOW)
    assert all(map(history.seen, keys(10_000, "more")))
    with pytest.raises(HistoryFullError, match="free space or remember fewer days"):
        history.add_batch(keys(10_000, "too many"), NOW)
    assert len(list(folder.iterdir())) == 1


def no_space(descriptor, offset, length):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("age", "told"),
    [
        pytest.param(None, "header Date is no date", id="no date"),
        pytest.param(10 * DAY_MS, "", id="just remembered"),
        pytest.param(10 * DAY_MS + 1, "too old: Date is over 10 days ago", id="too old"),
        pytest.param(-DAY_MS, "", id="a day ahead"),
        pytest.param(-DAY_MS - 1, "over a day ahead", id="in the future"),
    ],
)
def test_dates_outside_of_what_is_remembered_are_a_problem(history, age, told):
    problem = history.date_problem(None if age is None else NOW - age, NOW)
    assert told in problem
    assert bool(problem) == bool(told)


def test_a_filter_that_grew_misses_nothing():
    places = DayFilter(13, 10)
    places.places[12345] |= places.span(3)
    before = len(places.places)
    places.fit(before)
    assert len(places.places) == 8 * before
    assert places.places[(12345 + before) & places.mask] == places.span(3)


@pytest.mark.parametrize("days", [1, 2, 7, 13, 100, 368])
def test_days_remembered_at_once_share_no_span_with_those_forgotten(days):
    places = DayFilter(days, 0)
    for first in range(800):
        live = {places.span(day) for day in range(first, first + days)}
        spans = {(day // places._days_a_span) for day in range(first, first + days)}
        assert len(live) == len(spans)


class Remembering(RuleBasedStateMachine):
    """History beside a plain dictionary, over openings, expiry and clock jumps."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.history = History.open(self.folder, timedelta(days=2))
        self.model: dict[bytes, int] = {}
        self.day = 20_000
        self.count = 0

    @rule(count=st.integers(1, 50), ago=st.integers(0, 2))
    def add(self, count, ago):
        added = keys(count, f"batch{self.count}-")
        self.count += 1
        self.history.add_batch(added, (self.day - ago) * DAY_MS)
        self.model.update(dict.fromkeys(added, self.day - ago))

    @rule(days=st.integers(1, 30))
    def days_pass(self, days):
        self.day += days
        self.history.expire(self.day * DAY_MS)
        self.model = {key: day for key, day in self.model.items() if day >= self.day - 3}

    @rule()
    def reopen(self):
        self.history.close()
        self.history = History.open(self.folder, timedelta(days=2))

    @invariant()
    def agrees(self):
        assert len(self.history) == len(self.model)
        assert all(map(self.history.seen, self.model))
        assert not any(map(self.history.seen, keys(20, "never")))

    def teardown(self):
        self.history.close()
        shutil.rmtree(self.folder)


TestRemembering = Remembering.TestCase
TestRemembering.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
