"""What became of the deliveries of one stream, gathered into runs for the store."""

from collections.abc import Callable, Iterator

from forebay.pb.store.v1 import store_pb2 as pb


class Settlements:
    """Numbers of deliveries by what became of them, until they are taken for a request."""

    def __init__(
        self, enough: int, first: Callable[[], None], many: Callable[[], None], missed: Callable[[], None]
    ) -> None:
        """`first` is called when the first is given after a request, `many` when `enough` have gathered.

        `missed` is called when it is known that the store may not have some of them.
        """
        self._enough = enough
        self._first = first
        self._many = many
        self._missed = missed
        self._acked: list[int] = []
        self._requeued: list[int] = []
        self._rejected: list[int] = []
        self._gathered = 0
        self._credit = 0
        self.given = 0
        """Deliveries that were settled."""
        self.durable = 0
        """Deliveries whose settlement the store has on disk."""
        self.lost = False
        """The stream is gone: the store delivers again what it has not."""

    def ack(self, number: int) -> None:
        """Done with."""
        self._acked.append(number)
        self._count()

    def requeue(self, number: int) -> None:
        """To be delivered again."""
        self._requeued.append(number)
        self._count()

    def reject(self, number: int) -> None:
        """Not wanted."""
        self._rejected.append(number)
        self._count()

    def lose(self) -> None:
        """The stream is gone."""
        if not self.lost and self.durable < self.given:
            self._missed()
        self.lost = True

    def _count(self) -> None:
        self.given += 1
        if self.lost:
            self._missed()
        self._gathered += 1
        if self._gathered == 1:
            self._first()
        if self._gathered == self._enough:
            self._many()

    def grant(self, credit: int) -> None:
        """Allow so many more deliveries."""
        self._credit += credit
        if self._credit >= self._enough:
            self._many()

    def take(self) -> pb.ConsumeRequest | None:
        """All that has gathered; None when that is nothing."""
        if not self._gathered and not self._credit:
            return None
        request = pb.ConsumeRequest(credit=self._credit)
        for numbers, disposition in (
            (self._acked, pb.DISPOSITION_ACK),
            (self._requeued, pb.DISPOSITION_REQUEUE),
            (self._rejected, pb.DISPOSITION_REJECT),
        ):
            for first, count in runs(numbers):
                request.settlements.add(first=first, count=count, disposition=disposition)
            numbers.clear()
        self._gathered = self._credit = 0
        return request


def runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """First number and length of each run of consecutive ones; sorts the list."""
    if not numbers:
        return
    numbers.sort()
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        yield numbers[0], len(numbers)
        return
    first = before = numbers[0]
    for number in numbers[1:]:
        if number != before + 1:
            yield first, before - first + 1
            first = number
        before = number
    yield first, before - first + 1
