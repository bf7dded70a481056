"""What this process has open."""

import os


def open_files() -> int:
    """How many files and sockets."""
    return len(os.listdir("/proc/self/fd"))
