"""Offering files to a running outfeed."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from forebay.cli.articlefiles import article_files, read_articles
from forebay.cli.errors import UndoneError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.client import ArticleTooLargeError, Offering, OfferSettings, Outcome, OutfeedClient, Tally


class Rejected(NamedTuple):
    """A file whose article was rejected."""

    file: str
    message_id: str
    reason: str


class Report:
    """What becomes of the articles of files."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self.tally = Tally()
        self.rejected: list[Rejected] = []

    async def follow(self, offering: Offering) -> None:
        """Take all verdicts down. Raises `ServiceError`, `ClientError`, `OSError`, or `UndoneError` for a huge file."""
        self.tally = offering.tally
        try:
            async for verdict in offering:
                if verdict.outcome == Outcome.OUTCOME_REJECTED:
                    self.rejected.append(Rejected(str(self.files[verdict.first]), verdict.message_id, verdict.reason))
        except ArticleTooLargeError as error:
            raise UndoneError(
                f"{self.files[error.number]} has {error.size} octets, more than the {error.limit} that gRPC takes",
                f"Those before it were offered ({self.tally.accepted} accepted). Leave it out, or feed it over NNTP.",
            ) from error

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**verdict_counts(self.tally), "rejections": [each._asdict() for each in self.rejected]}


def verdict_counts(tally: Tally) -> dict[str, int]:
    """Articles by verdict."""
    return {
        "offered": tally.offered,
        "accepted": tally.accepted,
        "duplicate": tally.duplicate,
        "no_peer": tally.no_peer,
        "rejected": tally.rejected,
    }


async def offer_articles(
    paths: Sequence[Path], address: str, tls: Path | None, patience: float, output: Output
) -> None:
    """Offer files, and print what became of them. Raises `UndoneError` when one was rejected."""
    files = article_files(paths)
    report = Report(files)
    async with OutfeedClient.connect(address, tls) as client:
        await report.follow(client.offer(read_articles(files), OfferSettings(patience=patience)))
    if output is Output.JSON:
        print_json(report.plain())
    else:
        counts = verdict_counts(report.tally)
        print_table("", [f">{name.replace('_', ' ')}" for name in counts], [tuple(counts.values())])
        for each in report.rejected:
            print(f"rejected: {each.file}: {each.reason}", file=sys.stderr)
    if report.rejected:
        raise UndoneError(f"{len(report.rejected)} of {report.tally.offered} articles were rejected")
