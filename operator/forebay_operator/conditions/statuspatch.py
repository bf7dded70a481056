"""Whether a status is worth a write, and what is written."""

from datetime import datetime, timedelta

from forebay_operator.body import Body

FIGURES_EVERY = timedelta(minutes=1)
FIGURES = frozenset(
    {
        "answers",
        "backlog",
        "connections",
        "consumers",
        "fill",
        "forwarders",
        "meanMilliseconds",
        "messages",
        "peers",
        "queued",
        "queues",
        "ready",
        "torrents",
        "unacknowledged",
    }
)


def status_patch(old: Body, new: Body, written: datetime | None, now: datetime) -> Body | None:
    """The merge patch of `status` that makes the old status the new one; None when nothing is to be written.

    What matters is written at once. Figures and the wording of messages alone wait until a minute after `written`, when
    the status of this resource was last written (None: not known).
    """
    changed = {name: new.get(name) for name in {**old, **new} if old.get(name) != new.get(name)}
    if not changed:
        return None
    # A clock that was set back may show a time before that.
    is_fresh = written is not None and timedelta() <= now - written < FIGURES_EVERY
    return None if is_fresh and _weight(old) == _weight(new) else changed


def _weight(status: Body) -> Body:
    """What of a status matters at once."""
    conditions = [{**condition, "message": ""} for condition in status.get("conditions", [])]
    return {name: value for name, value in status.items() if name not in FIGURES} | {"conditions": conditions}
