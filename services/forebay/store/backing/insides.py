"""What goes on inside a queue: figures, and whether they fit together."""

from math import inf

from forebay.store.backing.pending import Pending
from forebay.store.backing.protocol import Insides
from forebay.store.backing.rates import Rates
from forebay.store.backing.run import total
from forebay.store.backing.stages import Stages
from forebay.store.backing.warming import Warming
from forebay.store.errors import BrokenQueueError


def insides_of(stages: Stages, rates: Rates, next_seq: int, ram_count: int, ram_octets: int) -> Insides:
    """The figures of a queue of one level."""
    return Insides(
        0,
        stages.q1.count,
        stages.q2.count,
        stages.delta.count,
        stages.q3.count,
        stages.q4.count,
        next_seq,
        None if rates.target == inf else int(rates.target),
        ram_count,
        ram_octets,
        rates.ingress,
        rates.egress,
        rates.ack_ingress,
        rates.ack_egress,
    )


def check_insides(stages: Stages, pending: Pending, warming: Warming) -> None:
    """Raise `BrokenQueueError` when an invariant does not hold."""
    stages.check()
    sums = {
        "ready messages in memory": 0 <= stages.ram_count <= len(stages),
        "octets in memory": 0 <= stages.ram_octets + pending.ram_octets <= stages.octets + pending.octets,
        "held messages": pending.count == total(list(pending)) and pending.octets >= 0,
        "messages on disk": stages.delta.count == warming.count(stages.delta.seqs),
    }
    if wrong := [name for name, right in sums.items() if not right]:
        raise BrokenQueueError(f"the number of {', '.join(wrong)} is wrong: {stages}")
