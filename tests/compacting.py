"""A plain compaction of spilled entries, in as few lines as may be, for tests of what is around it."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from forebay.outfeed.token import Token, decode
from forebay.spill import Entry, Kind
from forebay.spill.blockingclient import BlockingClient
from forebay.spill.compaction import Compactor
from forebay.spill.compactionplan import Commit, Output, Plan

KINDS = (Kind.BACKLOG, Kind.DEFERRED)


class Choice(NamedTuple):
    """What is to become of the entries of one kind."""

    kept: list[Entry]
    repeats: Sequence[Entry] = ()
    expired: Sequence[Entry] = ()


Choose = Callable[[list[Entry]], Choice]


def without_repeats(entries: list[Entry]) -> Choice:
    """Keep one of those with the same data, in the order of their data."""
    kept = {entry.data: entry for entry in reversed(entries)}
    repeats = [entry for entry in entries if kept[entry.data] is not entry]
    return Choice(sorted(kept.values(), key=lambda entry: entry.data), repeats)


def of_articles(expired: Callable[[Token], bool] = lambda token: False) -> Choose:
    """What a job chooses of an outfeed's entries: one of each message-id, by arrival, but for expired ones."""

    def choose(entries: list[Entry]) -> Choice:
        found = sorted(
            ((decode(entry.data), entry) for entry in entries), key=lambda pair: (pair[0].arrival, pair[0].seq)
        )
        old = [(token, entry) for token, entry in found if expired(token)]
        live = [(token, entry) for token, entry in found if not expired(token)]
        kept: dict[bytes, tuple[Token, Entry]] = {}
        for token, entry in live:
            first, place = kept.setdefault(token.message_id, (token, entry))
            most = first._replace(tries=max(first.tries, token.tries))
            kept[token.message_id] = most, place._replace(data=most.encode())
        held = {token.seq for token, _ in kept.values()}
        return Choice([entry for _, entry in kept.values()], _unheld(live, held), _unheld(old, held))

    return choose


def _unheld(found: list[tuple[Token, Entry]], held: set[int]) -> list[Entry]:
    """The first of each article that nothing else stands for; `held` has those that something stands for."""
    alone = []
    for token, entry in found:
        if token.seq not in held:
            held.add(token.seq)
            alone.append(entry)
    return alone


class Compaction(NamedTuple):
    """What was written aside for one plan."""

    plan: Plan
    outputs: list[Output]
    dropped: list[Output]


def read_all(compactor: Compactor, plan: Plan, kind: Kind) -> list[Entry]:
    return [entry for item in plan.of(kind) for entry in compactor.read(item.stream, None, 1_000_000)]


def stage(compactor: Compactor, owner: str, choose: Choose = without_repeats, rotate_bytes: int = 100) -> Compaction:
    plan = compactor.plan(owner)
    outputs: list[Output] = []
    dropped: list[Output] = []
    for kind in KINDS:
        choice = choose(read_all(compactor, plan, kind))
        outputs += compactor.stage(plan, kind, map(_row, choice.kept), rotate_bytes)
        dropped += compactor.stage_dropped(plan, kind, "duplicate", _data(choice.repeats))
        dropped += compactor.stage_dropped(plan, kind, "limit-age", _data(choice.expired))
    return Compaction(plan, outputs, dropped)


def compact(compactor: Compactor, owner: str, choose: Choose = without_repeats, rotate_bytes: int = 100) -> Commit:
    return compactor.commit(*stage(compactor, owner, choose, rotate_bytes))


def _row(entry: Entry) -> tuple[int, bytes]:
    return int(entry.id.split(b"-")[0]), entry.data


def _data(entries: Iterable[Entry]) -> list[bytes]:
    return [entry.data for entry in entries]


class KilledError(BaseException):
    """The job was killed."""


class MortalClient(BlockingClient):
    """Lives for so many commands; `late` is killed when the last was carried out, before it has the answer."""

    lives = 0
    late = False

    def run(self, *command):
        self.lives -= 1
        if self.lives < 0 and (self.lives < -1 or not self.late):
            raise KilledError
        answer = super().run(*command)
        if self.lives < 0:
            raise KilledError
        return answer

    def ask(self, key, *command):
        self.lives -= 1
        if self.lives < 0 and (self.lives < -1 or not self.late):
            raise KilledError
        question = super().ask(key, *command)
        if self.lives < 0:
            raise KilledError
        return question
