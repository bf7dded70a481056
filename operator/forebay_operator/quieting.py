"""What kopf logs, brought down to what somebody can act upon."""

import logging
import re

ATTEMPT = re.compile(r"^Request attempt #(\d+) failed; will retry: ")
TOLD_FIRST, TOLD_EVERY = 3, 12
"""Failed tries of a request that are told of: one that lasts, and then about one a minute."""


class Persistent(logging.Filter):
    """Lets a request that is tried again through when that has gone on for a while, as a warning."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        found = ATTEMPT.match(record.getMessage())
        if found is None:
            return True
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        return int(found[1]) == TOLD_FIRST or int(found[1]) % TOLD_EVERY == 0


def quieten_kopf() -> None:
    """Leave out what kopf logs for each event, each failed request and each start of it, once handlers are set up."""
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    # Its complaint that signals are not its own, among others: it has a thread of ours.
    logging.getLogger("kopf._core.reactor.running").setLevel(logging.ERROR)
    # Each request logs by the name of whoever sends it: they meet in the handlers.
    for handler in logging.getLogger().handlers:
        handler.addFilter(Persistent())
