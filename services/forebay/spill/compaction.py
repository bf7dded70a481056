"""Compaction of spilled entries: closed segments are replaced by others, all at once or not at all.

It takes no lease, and it blocks: it is for jobs that run beside an owner's service, which goes on draining and
appending.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import TracebackType

from forebay.spill import scripts
from forebay.spill.blockingclient import BlockingClient
from forebay.spill.compactionplan import Batch, Commit, Input, Output, Plan, Reason
from forebay.spill.desk import STALLS, stalled
from forebay.spill.dialogue import Question
from forebay.spill.keys import Kind, OwnerKeys, owner_of, registry_key
from forebay.spill.ledger import Ledger, Segment
from forebay.spill.resend import Entry, entries_of
from forebay.spill.settings import TlsFiles
from forebay.spill.staging import DroppedStaging, Staging, abandon, refresh

KINDS = (Kind.BACKLOG, Kind.DEFERRED)


class Compactor:
    """One connection. Its methods raise `SpillUnavailableError`, `SpillCheckError` and `SpillAnswerError`."""

    def __init__(self, client: BlockingClient, service: str, uid: str) -> None:
        self._client = client
        self._service = service
        self._uid = uid

    @classmethod
    def connect(cls, url: str, service: str, uid: str, tls: TlsFiles | None = None) -> "Compactor":
        """`url` as in `SpillSettings`; `service` and `uid` as for the `Spill` whose owners they are.

        Raises `SpillSettingsError` when the URL cannot be used; connects with the first command.
        """
        return cls(BlockingClient(url, tls or TlsFiles()), service, uid)

    def __enter__(self) -> "Compactor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. Temporary streams go by themselves."""
        self._client.close()

    def owners(self) -> list[str]:
        """All owners that have, or may have, something in Redis."""
        return sorted(map(owner_of, self._client.run("SMEMBERS", registry_key(self._service, self._uid))))

    def plan(self, owner: str) -> Plan:
        """The closed segments of an owner: neither R nor what is appended to."""
        keys = self._keys(owner)
        fields: Mapping[bytes, bytes] = self._client.run("HGETALL", keys.meta)
        ledger = Ledger.parse(list(chain.from_iterable(fields.items())))
        closed = [segment for kind in KINDS for segment in ledger.queues[kind] if segment.closed]
        inputs = tuple(self._input(keys, segment) for segment in closed)
        return Plan(owner, ledger.generation, ledger.last, inputs)

    def _input(self, keys: OwnerKeys, segment: Segment) -> Input:
        stream = keys.stream(segment.kind, segment.id)
        first = self._client.run("XRANGE", stream, "-", "+", "COUNT", 1)
        last = self._client.run("XREVRANGE", stream, "+", "-", "COUNT", 1)
        ends = [entries[0][0] if entries else b"" for entries in (first, last)]
        return Input(segment.kind, segment.id, stream, segment.entries, segment.bytes, segment.opened, *ends)

    def read(self, stream: str, after: bytes | None, count: int, until: bytes | None = None) -> list[Entry]:
        """At most `count` entries (id, data) of a stream behind an id, in order, up to and with the id `until`."""
        return entries_of(self._range(stream, after, count, until).answer())

    def batches(
        self, stream: str, count: int, after: bytes | None = None, until: bytes | None = None
    ) -> Iterator[Batch]:
        """All entries that `read` would find, in parts: the next is asked for while the caller works at one."""
        question = self._range(stream, after, count, until)
        while entries := question.answer():
            question = self._range(stream, entries[-1][0], count, until)
            yield Batch([entry_id for entry_id, _ in entries], [fields[1] for _, fields in entries])

    def _range(self, stream: str, after: bytes | None, count: int, until: bytes | None) -> Question:
        start = b"(" + after if after else b"-"
        return self._client.ask(stream, "XRANGE", stream, start, until or b"+", "COUNT", count)

    def stage(self, plan: Plan, kind: Kind, rows: Iterable[tuple[int, bytes]], rotate_bytes: int) -> list[Output]:
        """Write what stays of one kind, in the order in which it shall be sent, to temporary streams.

        A row has the time its entry was appended first (milliseconds since the epoch, the first part of its id) and its
        data. Parts may be staged one by one, or by several processes; the order of the outputs is that of the commit.
        Raises `SpillFullError`; what was written is deleted then.
        """
        return Staging(self._client, self._keys(plan.owner), kind, rotate_bytes).write(rows)

    def stage_dropped(self, plan: Plan, kind: Kind, reason: Reason, entries: Iterable[bytes]) -> list[Output]:
        """Write what is dropped to a temporary stream, so that the owner's service releases what it stands for.

        Leave out repeats of the very thing that stays: what it stands for is needed still.
        Raises `SpillFullError`; what was written is deleted then.
        """
        return DroppedStaging(self._client, self._keys(plan.owner), kind, reason).write(entries)

    def refresh(self, outputs: Iterable[Output]) -> None:
        """Have temporary streams stay for ten more minutes."""
        refresh(self._client, outputs)

    def abandon(self, outputs: Iterable[Output]) -> None:
        """Delete temporary streams now."""
        abandon(self._client, outputs)

    def commit(self, plan: Plan, outputs: Sequence[Output], dropped: Sequence[Output] = ()) -> Commit:
        """Put the outputs, in this order, in the place of all inputs of the plan, of both kinds.

        Nothing is changed when an input was promoted, purged or lost entries meanwhile, or an output has expired:
        abandon the outputs then, and make a new plan. When this raises, either may have happened.
        """
        keys, staged = self._keys(plan.owner), [*outputs, *dropped]
        change = _change(plan, staged)
        last = plan.last
        if not plan.inputs:
            return Commit(True, "", plan.generation)
        for _ in range(STALLS):
            text = json.dumps({**change, "last": str(last)})
            command = scripts.COMPACT.call([keys.meta, *_streams(keys, plan, staged, last)], [text])
            outcome, said, *_ = self._client.run_script(command)
            if outcome != b"LAST":
                return Commit(True, "", int(said)) if outcome == b"OK" else Commit(False, said.decode())
            last = int(said)
        raise stalled(keys)

    def _keys(self, owner: str) -> OwnerKeys:
        return OwnerKeys(self._service, self._uid, owner)


def _streams(keys: OwnerKeys, plan: Plan, staged: Sequence[Output], last: int) -> list[str]:
    """Streams of the inputs, then of each output the temporary name and the one it gets."""
    streams = [item.stream for item in plan.inputs]
    for number, output in enumerate(staged, last + 1):
        lasting = keys.castoff(number) if output.reason else keys.stream(output.kind, number)
        streams += [output.stream, lasting]
    return streams


def _change(plan: Plan, staged: Sequence[Output]) -> dict[str, object]:
    inputs = [
        {
            "kind": item.kind,
            "segment": str(item.segment),
            "entries": str(item.entries),
            "bytes": str(item.bytes),
            "opened": str(item.opened),
            "last": item.last.decode(),
        }
        for item in plan.inputs
    ]
    return {"id": secrets.token_hex(8), "inputs": inputs, "outputs": [_lasting(plan, output) for output in staged]}


def _lasting(plan: Plan, output: Output) -> dict[str, str]:
    opened = [item.opened for item in plan.of(output.kind)]
    if not opened:
        raise ValueError(f"{output.stream}: the plan has no input of its kind {output.kind}")
    described = {
        "kind": output.kind,
        "entries": str(output.entries),
        "bytes": str(output.bytes),
        "last": output.last.decode(),
        # What was put off rests for as long as its newest entry has to.
        "opened": str(max(opened) if output.kind is Kind.DEFERRED else min(opened)),
    }
    return described | ({"reason": output.reason} if output.reason else {})
