"""What a queue has done since the service started, and how it is shown."""

from dataclasses import asdict, dataclass

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.backing.protocol import BackingQueue, Insides
from forebay.store.queueing.consumers import Consumer

MOST_CREDIT = (1 << 32) - 1
"""Credit that can be shown."""


@dataclass(slots=True)
class Counters:
    """Messages; see QueueCounters."""

    published: int = 0
    delivered: int = 0
    redelivered: int = 0
    acked: int = 0
    requeued: int = 0
    rejected: int = 0
    expired: int = 0
    dropped: int = 0
    refused: int = 0
    delivery_limited: int = 0
    duplicates: int = 0
    dead_lettered: int = 0
    purged: int = 0

    def shown(self) -> pb.QueueCounters:
        """For the API."""
        return pb.QueueCounters(**asdict(self))


def show_contents(status: pb.QueueStatus, backing: BackingQueue) -> None:
    """Fill in what a queue holds."""
    status.ready, status.unacked = len(backing), backing.unacked
    status.ready_bytes, status.unacked_bytes = backing.octets, backing.unacked_octets
    head = backing.head()
    if head and head.contents:
        status.head_time.FromMilliseconds(pb.Message.FromString(head.contents[0]).taken_ms)


def show_insides(insides: Insides) -> pb.QueueInsides:
    """One level of a queue for the API."""
    return pb.QueueInsides(
        priority=insides.level,
        q1=insides.q1,
        q2=insides.q2,
        delta=insides.delta,
        q3=insides.q3,
        q4=insides.q4,
        next_seq=insides.next_seq,
        target_ram_count=insides.target_ram_count,
        ram_count=insides.ram_count,
        ram_bytes=insides.ram_octets,
        ingress_rate=insides.ingress_rate,
        egress_rate=insides.egress_rate,
        ack_ingress_rate=insides.ack_ingress_rate,
        ack_egress_rate=insides.ack_egress_rate,
    )


def show_consumer(consumer: Consumer) -> pb.ConsumerStatus:
    """One consumer for the API."""
    return pb.ConsumerStatus(
        name=consumer.name,
        peer=consumer.peer,
        unacked=consumer.outstanding.count,
        prefetch=consumer.prefetch,
        credit=min(consumer.credit, MOST_CREDIT),
        active=consumer.active,
        exclusive=consumer.exclusive,
        priority=consumer.priority,
    )
