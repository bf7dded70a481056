"""What one task of a compaction has written, and its way to the driver as text."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.datasource import WriterCommitMessage

from forebay.spill import Kind
from forebay.spill.compactionplan import Output
from forebay_spark.tally import Tally


@dataclass
class Staged(WriterCommitMessage):
    """Temporary streams, and what is in them."""

    outputs: list[Output] = field(default_factory=list)
    """Of entries that stay."""
    dropped: list[Output] = field(default_factory=list)
    """Of entries that are to be released."""
    gone: Counter[str] = field(default_factory=Counter)
    """Entries that go, by reason, also those that need not be released."""
    corrupt: int = 0
    """Entries that stay and are no tokens."""

    @property
    def tally(self) -> Tally:
        """What is left of an owner, and what is not."""
        return Tally(
            entries_out=sum(output.entries for output in self.outputs),
            bytes_out=sum(output.bytes for output in self.outputs),
            corrupt=self.corrupt,
            dropped=self.gone,
            streams_out=len(self.outputs),
        )

    def text(self) -> str:
        """All of it as JSON."""
        outputs, dropped = ([_fields(output) for output in each] for each in (self.outputs, self.dropped))
        return json.dumps({"outputs": outputs, "dropped": dropped, "gone": self.gone, "corrupt": self.corrupt})

    @classmethod
    def parse(cls, text: str) -> "Staged":
        """Read what `text` gave."""
        fields = json.loads(text)
        outputs, dropped = ([_output(output) for output in fields[name]] for name in ("outputs", "dropped"))
        return cls(outputs, dropped, Counter(fields["gone"]), fields["corrupt"])


def _fields(output: Output) -> dict[str, Any]:
    return output._asdict() | {"last": output.last.decode()}


def _output(fields: dict[str, Any]) -> Output:
    return Output(**fields | {"kind": Kind(fields["kind"]), "last": fields["last"].encode()})
