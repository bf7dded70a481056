"""What was appended to Redis and is not yet known to be on its disk: the feed log owns it too."""

from collections import deque

from forebay.spill import Durable, SpillUnavailableError


class Unsure:
    """Seqs by append, the oldest first."""

    def __init__(self) -> None:
        self.in_doubt = False
        """Something that was appended may be gone, though Redis was not restarted: an audit has to tell."""
        self._appended: deque[tuple[Durable, list[int]]] = deque()
        self._seqs: set[int] = set()

    def __len__(self) -> int:
        return len(self._appended)

    def __contains__(self, seq: int) -> bool:
        return seq in self._seqs

    def add(self, durable: Durable, seqs: list[int]) -> None:
        """These were appended."""
        self._appended.append((durable, seqs))
        self._seqs.update(seqs)

    async def confirmed(self) -> list[int] | None:
        """The next seqs that are on disk; None when there are none now. Raises `SpillUnavailableError`."""
        if not self._appended or not self._appended[0][0].done:
            return None
        durable, seqs = self._appended[0]
        try:
            await durable.wait()
        except SpillUnavailableError:
            self.in_doubt = True
            raise
        self._appended.popleft()
        self._seqs.difference_update(seqs)
        return seqs

    def forget(self) -> set[int]:
        """All of them; from now on they are an audit's business."""
        seqs, self._seqs = self._seqs, set()
        self._appended.clear()
        self.in_doubt = False
        return seqs
