"""Showing a feed while it goes on: a table that is drawn again and again, lines of text, or nothing."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.live import Live

from forebay.cli.accounting import Accounts
from forebay.cli.options import Output
from forebay.cli.peertable import PeerTable, peer_line
from forebay.cli.printing import stdout

LINE_SECONDS = 1.0
"""Between two lines about the same peer."""


class Display(Protocol):
    """Where progress is shown."""

    def show(self, accounts: Accounts) -> None:
        """Show the state of this moment."""
        ...


class LiveDisplay:
    """One table on a terminal."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def show(self, accounts: Accounts) -> None:  # noqa: D102
        self._live.update(PeerTable(accounts.peers, headline(accounts)), refresh=True)


class LineDisplay:
    """Lines about what changed, at most one a second for each peer."""

    def __init__(self) -> None:
        self._printed: dict[str, tuple[str, float]] = {}
        self._newest: dict[str, str] = {}

    def show(self, accounts: Accounts) -> None:  # noqa: D102
        self._newest = {"": headline(accounts)} | {peer.name: peer_line(peer) for peer in accounts.peers}
        self._print(LINE_SECONDS)

    def end(self) -> None:
        """Print what was held back."""
        self._print(0)

    def _print(self, pause: float) -> None:
        now = time.monotonic()
        for name, line in self._newest.items():
            last, when = self._printed.get(name, ("", 0.0))
            if line != last and now - when >= pause:
                self._printed[name] = line, now
                print(line, flush=True)


class NoDisplay:
    """Shows nothing."""

    def show(self, accounts: Accounts) -> None:  # noqa: D102
        return


@contextmanager
def display(output: Output) -> Iterator[Display]:
    """What suits the output."""
    if output is Output.JSON:
        yield NoDisplay()
    elif sys.stdout.isatty():
        with Live(console=stdout(), auto_refresh=False) as live:
            yield LiveDisplay(live)
    else:
        lines = LineDisplay()
        yield lines
        lines.end()


def headline(accounts: Accounts) -> str:
    """The articles in a line."""
    tally = accounts.report.tally
    return (
        f"articles {tally.judged} of {accounts.files}: accepted {tally.accepted}, duplicate {tally.duplicate}, "
        f"no peer {tally.no_peer}, rejected {tally.rejected}"
    )
