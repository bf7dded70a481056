"""Where spilled entries are: a Redis, and the service whose they are."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forebay.spill.compaction import Compactor
from forebay_spark.errors import OptionError


@dataclass(frozen=True)
class SpillPlace:
    """Can be sent to other machines; each connects by itself."""

    service: str
    """Kind of the service, as `outfeed`."""
    uid: str
    """Identity of its resource."""
    url: str = field(default="", repr=False)
    """Of the Redis; one with a password belongs into a file."""
    url_file: str = ""
    """A file that holds the URL, on each machine. It is read at each connection."""

    def __post_init__(self) -> None:
        if bool(self.url) is bool(self.url_file):
            raise OptionError("url, urlFile: give the URL of the Redis by one of them, and not by both")
        for name in ("service", "uid"):
            if not getattr(self, name):
                raise OptionError(f"{name} is missing: name the service whose entries they are")

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "SpillPlace":
        """The place that options of a data source name. Raises `OptionError`."""
        given = (options.get(name, "") for name in ("service", "uid", "url", "urlFile"))
        return cls(*given)

    def options(self) -> dict[str, str]:
        """The options of a data source that name it."""
        named = {"service": self.service, "uid": self.uid, "url": self.url, "urlFile": self.url_file}
        return {name: value for name, value in named.items() if value}

    def connect(self) -> Compactor:
        """Connect. Raises `SpillError`, and `OSError` for the file."""
        url = self.url or Path(self.url_file).read_text().strip()
        return Compactor.connect(url, self.service, self.uid)


def add_places(parser: ArgumentParser) -> None:
    """Add the arguments that name places on one Redis."""
    parser.add_argument(
        "--service", action="append", help="kind of the service (default: outfeed); one for each --uid, or none"
    )
    parser.add_argument(
        "--uid", action="append", required=True, help="identity of the service's resource; may be repeated"
    )
    parser.add_argument("--url", default="", help="of the Redis; one with a password belongs into a file")
    parser.add_argument("--url-file", default="", metavar="FILE", help="a file with the URL, on each machine")


def places(options: Namespace) -> list[SpillPlace]:
    """The places that arguments name. Raises `OptionError`."""
    services = options.service or ["outfeed"] * len(options.uid)
    if len(services) != len(options.uid):
        raise OptionError("service: give one for each uid, in the same order, or none at all")
    pairs = zip(services, options.uid, strict=True)
    return [SpillPlace(service, uid, options.url, options.url_file) for service, uid in pairs]
