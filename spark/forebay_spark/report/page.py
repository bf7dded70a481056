"""The page of a report: one file of HTML that needs nothing else, on a phone as on a desk, by day and by night."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from forebay_spark.report import plots
from forebay_spark.report.drawing import VARIABLES
from forebay_spark.report.numbers import exact, octets, share, short
from forebay_spark.report.summary import ACCEPTED, ANSWERS, Summary

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Feed report, {period}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>Feed report</h1><p>{period}</p></header>
<main>
{content}
</main>
</body>
</html>
"""


def render(summary: Summary) -> str:
    """The page."""
    legend = _legend(plots.colours(summary))
    sections = [
        _headline(summary),
        _section("Peers", _peers(summary), kind="wide"),
        _section("Accepted, by hour and peer", plots.accepted(summary), legend, _folded(_hours(summary))),
        _section("Backlog over time", plots.backlog(summary), legend, _folded(_waiting(summary))),
        _section("Not accepted, by reason", plots.refusals(summary), _folded(_refusals(summary))),
        _section("Top groups", plots.groups(summary), _folded(_groups(summary))),
    ]
    return _page(_period(summary), "\n".join(sections))


def render_empty() -> str:
    """The page while there are no outcomes."""
    return _page("no outcomes yet", "<p>When the outcome log has been compacted, its figures are told here.</p>")


def _page(period: str, content: str) -> str:
    style = files("forebay_spark.report").joinpath("style.css").read_text()
    return _PAGE.format(period=period, style=style, content=content)


def _period(summary: Summary) -> str:
    days = sorted({summary.first, summary.last})
    return f"{' to '.join(f'{day:%d %B %Y}' for day in days)}, times in UTC"


def _headline(summary: Summary) -> str:
    counts = {outcome: summary.count(outcome) for outcome in summary.outcomes}
    figures = [(outcome.capitalize(), short(count)) for outcome, count in counts.items()]
    size = sum(total.octets for total in summary.totals if total.outcome == ACCEPTED)
    figures[1:1] = [("Accepted, size", octets(size))]
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{value}</dd></div>" for name, value in figures)
    return f'<dl class="headline">{items}</dl>'


def _section(title: str, *content: str, kind: str = "plot") -> str:
    return f'<section class="{kind}">\n<h2>{title}</h2>\n{"".join(content)}</section>'


def _folded(table: str) -> str:
    return f"<details><summary>The figures</summary>\n{table}</details>\n"


def _legend(colours: dict[str, str]) -> str:
    items = (f'<li style="--colour: var({VARIABLES[colour]})">{escape(name)}</li>' for name, colour in colours.items())
    return f'<ul class="legend">{"".join(items)}</ul>\n'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """heads and rows: plain text; the first of each row is its head."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(map(_row, rows))
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>\n'


def _row(cells: Sequence[str]) -> str:
    first, *others = map(escape, cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>\n'


def _peers(summary: Summary) -> str:
    totals = {(total.peer, total.outcome): total for total in summary.totals}

    def row(peer: str) -> list[str]:
        counts = {outcome: count.articles for outcome in summary.outcomes if (count := totals.get((peer, outcome)))}
        taken = counts.get(ACCEPTED, 0)
        answered = sum(counts.get(outcome, 0) for outcome in ANSWERS)
        size = totals[peer, ACCEPTED].octets if taken else 0
        return [peer, share(taken, answered), octets(size), *(exact(counts.get(name, 0)) for name in summary.outcomes)]

    return _table(["Peer", "Taken", "Size", *map(str.capitalize, summary.outcomes)], map(row, summary.peers))


def _hours(summary: Summary) -> str:
    return _over_time("Hour", plots.lines(summary, summary.hours))


def _waiting(summary: Summary) -> str:
    return _over_time("From", plots.lines(summary, summary.waiting))


def _over_time(head: str, lines: dict[str, plots.Line]) -> str:
    times = sorted({time for line in lines.values() for time in line})
    rows = ([f"{time:%d %b %H:%M}", *(exact(line.get(time, 0)) for line in lines.values())] for time in times)
    return _table([head, *lines], rows)


def _refusals(summary: Summary) -> str:
    rows = (
        [refusal.reason, refusal.outcome, exact(refusal.articles), exact(refusal.peers)] for refusal in summary.refusals
    )
    return _table(["Reason", "Outcome", "Articles", "Peers"], rows)


def _groups(summary: Summary) -> str:
    rows = ([total.group, exact(total.articles), octets(total.octets)] for total in summary.groups)
    return _table(["Group", "Articles", "Size"], rows)
