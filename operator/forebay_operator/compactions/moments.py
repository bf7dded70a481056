"""Times, as Kubernetes writes them: whole seconds of UTC."""

from datetime import UTC, datetime

FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def written(moment: datetime) -> str:
    """A time as text."""
    return moment.astimezone(UTC).strftime(FORMAT)


def read(text: str | None) -> datetime | None:
    """A time from text, with or without parts of a second; None where there is none."""
    return datetime.fromisoformat(text) if text else None
