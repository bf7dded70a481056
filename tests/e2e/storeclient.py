"""A client of a store in a pod, which publishes numbers and consumes them, and what it was told."""

import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from e2e.cluster import until
from e2e.news import News
from kubeaccess import program

PROGRAM = Path(__file__).with_name("storeload.py")
END_SECONDS = 60
"""For the client to end: what it has sent has to be confirmed."""


class StoreClient:
    """Reads what the client prints, in a thread of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.events: list[tuple[str, int, float]] = []
        """What happened to which number, and when; in order."""
        self.log: list[str] = []
        """What else it printed."""
        self._process = process
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def numbers(self, what: str) -> list[int]:
        """To which numbers that happened."""
        return [number for each, number, _ in self.events if each == what]

    def until(self, what: str, more: int, after: float = 0.0) -> None:
        """Wait until that has happened so many times, after that moment."""
        until(lambda: self._count(what, after) >= more or self._ended(), 120, every=0.1)
        assert self._count(what, after) >= more, self.log[-20:]

    def end(self) -> None:
        """Have it end, and wait for that."""
        assert self._process.stdin
        self._process.stdin.close()
        self.join()
        assert self._process.wait() == 0, self.log[-20:]

    def join(self) -> None:
        """Wait until it is gone, by whatever reason, and all that it printed is read."""
        self._reading.join(END_SECONDS)
        assert not self._reading.is_alive(), self.log[-20:]

    def pause(self) -> float:
        """The longest time between two confirms, in seconds."""
        moments = [moment for what, _, moment in self.events if what == "confirmed"]
        return max(after - before for before, after in pairwise(moments))

    def judge(self, left: Sequence[int]) -> None:
        """What was confirmed is settled, or `left` in the queue; what was settled was not seen again."""
        assert len(left) == len(set(left)), "twice in the queue"
        seen = self._order()
        settled = {number for number, happened in seen.items() if "settled" in happened}
        for number in settled:
            assert seen[number].index("settled") == len(seen[number]) - 1, f"{number} came back: {seen[number]}"
        assert not settled & set(left), "what was settled is in the queue"
        # Whose acknowledgement was under way when the connection was lost may be gone, or not.
        doubtful = {number for number, happened in seen.items() if "delivered" in happened} - settled
        lost = set(self.numbers("confirmed")) - settled - set(left) - doubtful
        assert not lost, f"what was confirmed is lost: {sorted(lost)}"
        assert set(left) <= set(self.numbers("sent"))

    def _order(self) -> dict[int, list[str]]:
        """What happened to each number as it was consumed."""
        found: dict[int, list[str]] = defaultdict(list)
        for what, number, _ in self.events:
            if what in ("delivered", "settled"):
                found[number].append(what)
        return found

    def _count(self, what: str, after: float) -> int:
        return sum(1 for each, _, moment in self.events if each == what and moment > after)

    def _ended(self) -> bool:
        return not self._reading.is_alive()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            what, _, rest = line.strip().partition(" ")
            number, _, moment = rest.partition(" ")
            if what in ("sent", "confirmed", "delivered", "settled"):
                self.events.append((what, int(number), float(moment)))
            else:
                self.log.append(line)


@contextmanager
def client_in(news: News, pod: str, address: str) -> Iterator[StoreClient]:
    """A client in that pod."""
    executable = program("kubectl")
    assert executable
    command = [executable, "--kubeconfig", news.cluster.kubeconfig, "exec", "-i", "-n", news.namespace, pod, "--"]
    with subprocess.Popen(
        [*map(str, command), "python3", "-c", PROGRAM.read_text(), address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        client = StoreClient(process)
        try:
            yield client
        finally:
            process.kill()
