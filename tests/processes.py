"""Processes that a test starts beside itself, with their output in a file."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent goes, so that a killed test run leaves nothing behind."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Running:
    """A process that was started."""

    def __init__(self, command: list[object], log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Start it; what it prints is appended to `log`."""
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=None if environment is None else {"PATH": os.environ["PATH"], **environment},
                preexec_fn=die_with_parent,
            )

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        if self.running:
            self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop it without its peers seeing that: connections stay open and nothing is answered."""
        self.send(signal.SIGSTOP)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a power loss does."""
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self, within: float = 30.0) -> int:
        """End it by SIGTERM, after `within` seconds by force; its exit status."""
        self.thaw()
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def tail(self, lines: int = 20) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
