"""Articles that were sent and have no verdict yet, kept so that they can be sent again."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forebay.client.errors import ProtocolError
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


class Batch(NamedTuple):
    """Articles that are sent together."""

    first: int
    """Number of the first; the others count on from it."""
    articles: Sequence[bytes]
    octets: int


class Window:
    """Batches in their order. Articles are numbered from 0."""

    def __init__(self) -> None:
        self.octets = 0
        """Octets of the batches that still lack a verdict."""
        self.next = 0
        """Number that the next article gets."""
        self._settled = 0
        self._batches: deque[Batch] = deque()

    def __len__(self) -> int:
        return self.next - self._settled

    def add(self, articles: Sequence[bytes]) -> Batch:
        """Number the articles of a batch, and keep them."""
        batch = Batch(self.next, articles, sum(map(len, articles)))
        self._batches.append(batch)
        self.next += len(articles)
        self.octets += batch.octets
        return batch

    def settle(self, verdict: pb.Verdict) -> None:
        """Let go of what has a verdict now.

        Raises `ProtocolError` when it is not about the articles whose turn it is.
        """
        if verdict.outcome not in _OUTCOMES:
            raise ProtocolError(f"the service gave outcome {verdict.outcome}, which this client does not know")
        if verdict.first != self._settled or not 0 < verdict.count <= len(self):
            raise ProtocolError(
                f"the service judged {verdict.count} articles from {verdict.first}, but the turn was on those from "
                f"{self._settled} to {self.next - 1}"
            )
        self._settled += verdict.count
        while self._batches and self._batches[0].first + len(self._batches[0].articles) <= self._settled:
            self.octets -= self._batches.popleft().octets

    def unsettled(self) -> Iterator[Batch]:
        """What has to be sent again, as it is now: the first batch without its articles that have a verdict."""
        for batch in list(self._batches):
            done = max(0, self._settled - batch.first)
            yield batch if not done else Batch(self._settled, batch.articles[done:], batch.octets)


_OUTCOMES = {pb.OUTCOME_ACCEPTED, pb.OUTCOME_DUPLICATE, pb.OUTCOME_NO_PEER, pb.OUTCOME_REJECTED}
