"""The plots of a report."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from forebay_spark.report.drawing import FAINT, INK, REST, SERIES, Drawing
from forebay_spark.report.numbers import exact, short
from forebay_spark.report.summary import HourCount, Summary, Waiting

OTHERS = "all others"
HEIGHT = 2.5
"""Of a plot over time, in inches."""
BAR_HEIGHT = 0.35
"""Of a bar with its name above it, in inches."""
LONGEST_NAME = 42
HOUR = timedelta(hours=1)
DAY = 86_400
EPOCH = date(1970, 1, 1)
FEW_DAYS = 2
"""So many are told apart by quarters of a day."""
Line = Mapping[datetime, int]


class Bar(NamedTuple):
    """A bar that lies, with its name above it."""

    name: str
    value: int


def colours(summary: Summary) -> dict[str, str]:
    """A colour for each peer that has a line of its own, and one for all others together."""
    found = dict(zip(summary.named, SERIES, strict=False))
    return found if len(summary.peers) == len(found) else {**found, OTHERS: REST}


def lines(summary: Summary, points: Iterable[HourCount | Waiting]) -> dict[str, Line]:
    """What `colours` has a colour for, over time."""
    found: dict[str, defaultdict[datetime, int]] = {name: defaultdict(int) for name in colours(summary)}
    for time, peer, articles in points:
        found[peer if peer in found else OTHERS][time] += articles
    return dict(found)


def accepted(summary: Summary) -> str:
    """Articles accepted in each hour, the peers' parts upon one another."""
    drawing = Drawing("accepted", HEIGHT)
    total = Counter[datetime]()
    for count in summary.hours:
        total[count.hour] += count.articles
    hours = _hours(total)
    if hours:
        heights = [[line.get(hour, 0) for hour in hours] for line in lines(summary, summary.hours).values()]
        drawing.axes.stackplot(_days(hours), heights, colors=colours(summary).values(), step="post", linewidth=0)
    _over_time(drawing.axes, summary)
    most = max(total, key=total.__getitem__, default=None)
    told = f"the most, {exact(total[most])}, in the hour from {_when(most)}" if most else "there were none"
    return drawing.svg(f"Stacked bars of the articles that peers accepted in each hour: {told}.")


def backlog(summary: Summary) -> str:
    """Articles that waited for each peer."""
    drawing = Drawing("backlog", HEIGHT)
    for name, line in lines(summary, summary.waiting).items():
        drawing.axes.plot(_days(line), list(line.values()), color=colours(summary)[name], linewidth=1.4)
    _over_time(drawing.axes, summary)
    peak = max(summary.waiting, key=lambda waiting: waiting.articles, default=None)
    told = f"the most, {exact(peak.articles)}, for {peak.peer} at {_when(peak.time)}" if peak else "there is no sample"
    return drawing.svg(f"Lines of the articles that waited for each peer: {told}.")


def refusals(summary: Summary) -> str:
    """The most frequent reasons for which articles were not accepted."""
    bars = [Bar(f"{refusal.outcome}: {refusal.reason}", refusal.articles) for refusal in summary.refusals]
    return _bars("refusals", bars, SERIES[3], "the reasons for which articles were not accepted")


def groups(summary: Summary) -> str:
    """The groups with the most accepted articles."""
    bars = [Bar(total.group, total.articles) for total in summary.groups]
    return _bars("groups", bars, SERIES[0], "the groups with the most accepted articles")


def _over_time(axes: Axes, summary: Summary) -> None:
    first, stop = ((day - EPOCH).days for day in (summary.first, summary.last + timedelta(days=1)))
    axes.set_xlim(first, stop)
    axes.xaxis.set_major_locator(MultipleLocator(0.25) if stop - first <= FEW_DAYS else MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda day, _: _moment(datetime.fromtimestamp(day * DAY, UTC))))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=6)


def _bars(name: str, bars: Sequence[Bar], colour: str, what: str) -> str:
    drawing = Drawing(name, BAR_HEIGHT * max(len(bars), 1))
    axes, places = drawing.axes, range(len(bars))
    most = max((bar.value for bar in bars), default=1)
    axes.set_axis_off()
    axes.set_xlim(0, most)
    axes.set_ylim(len(bars) - 0.6, -0.8)
    axes.barh(places, [most] * len(bars), 0.26, color=FAINT)
    axes.barh(places, [bar.value for bar in bars], 0.26, color=colour)
    for place, bar in enumerate(bars):
        axes.text(0, place - 0.22, _shortened(bar.name), va="bottom", parse_math=False, color=INK, in_layout=False)
        axes.text(most, place - 0.22, short(bar.value), ha="right", va="bottom", color=INK, in_layout=False)
    told = "; ".join(f"{bar.name}: {exact(bar.value)}" for bar in bars[:3]) or "there are none"
    return drawing.svg(f"Bars of {what}: {told}.")


def _hours(counted: Iterable[datetime]) -> list[datetime]:
    """All hours from the first that is counted to the last, and the end of that."""
    first, last = min(counted, default=None), max(counted, default=None)
    if first is None or last is None:
        return []
    return [first + number * HOUR for number in range((last - first) // HOUR + 2)]


def _shortened(name: str) -> str:
    plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 1]}…"


def _days(times: Iterable[datetime]) -> list[float]:
    return [time.timestamp() / DAY for time in times]


def _moment(time: datetime) -> str:
    return f"{time:%d %b}" if time.hour == 0 else f"{time:%H:%M}"


def _when(time: datetime) -> str:
    return f"{time:%d %B, %H:%M}"
