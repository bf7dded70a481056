"""The page `/stats`: what the tracker does now, for people as HTML that needs no scripts, for programs as JSON."""

from __future__ import annotations

import json
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from forebay.announcer.fronts.httpresponse import Page
from forebay.announcer.fronts.stats import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forebay.announcer.fronts.stats import Json, Moment
    from forebay.runtime.clock import Clock

PATH = b"/stats"
LIFE = 1.0
"""Seconds that a page is shown to whoever asks: many who look cost no more than one."""
REFRESH = 10
"""Seconds after which a browser asks again."""

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="{refresh}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tracker</title>
<style>
body {{ font: 16px/1.4 system-ui, sans-serif; margin: 1rem auto; max-width: 70rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; margin-bottom: 1.5rem; }}
caption {{ font-weight: bold; text-align: left; padding: 0.3rem 0; }}
th, td {{ text-align: left; padding: 0.15rem 1rem 0.15rem 0; vertical-align: top; overflow-wrap: anywhere; }}
thead th {{ border-bottom: 1px solid; font-weight: normal; }}
tbody th {{ font-weight: normal; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
.hash {{ font-family: monospace; }}
</style>
</head>
<body>
<h1>Tracker</h1>
<p>As it is now; this page asks again every {refresh} seconds. For programs: <a href="?format=json">JSON</a>.</p>
{tables}</body>
</html>
"""


class StatsPage:
    """Answers requests for the page; `look` is asked at most once a second."""

    def __init__(self, look: Callable[[], Moment], clock: Clock) -> None:
        self._look = look
        self._clock = clock
        self._figures: Json = {}
        self._pages: dict[str, Page] = {}
        self._until = float("-inf")

    def __call__(self, query: bytes) -> Page:
        """The page for a query: `format` may be `html` or `json`."""
        wanted = parse_qs(query.decode("latin-1")).get("format", ["html"])[-1]
        if wanted not in _WRITERS:
            return Page(b"format is html or json\n", status=HTTPStatus.BAD_REQUEST)
        now = self._clock.monotonic()
        if now >= self._until:
            self._figures, self._pages, self._until = figures(self._look()), {}, now + LIFE
        if wanted not in self._pages:
            self._pages[wanted] = _WRITERS[wanted](self._figures)
        return self._pages[wanted]


def _json(told: Json) -> Page:
    return Page(json.dumps(told, indent=1).encode() + b"\n", b"application/json")


def _html(told: Json) -> Page:
    tables = _queue(told) + _forwarders(told) + _scheduled(told) + _swarms(told) + _fronts(told) + _largest(told)
    return Page(_PAGE.format(refresh=REFRESH, tables=tables).encode(), b"text/html; charset=utf-8")


_WRITERS = {"html": _html, "json": _json}


def _queue(told: Json) -> str:
    rows = [
        ["jobs that wait for a worker", told["queue_depth"]],
        ["most that may wait", told["queue_capacity"]],
        ["fill", f"{told['queue_fill_pct']:g} %"],
        ["workers", told["active_workers"]],
        ["most workers", told["max_workers"]],
        ["jobs queued, scheduled and carried out", told["pending_jobs"]],
        ["jobs that wait for their time", told["scheduled_jobs"]],
        ["jobs that wait in Redis", told["spilled_jobs"]],
        ["announces go to fewer forwarders", "yes" if told["throttling"] else "no"],
        ["jobs dropped for want of room", told["dropped_full"]],
        ["first announces refused for want of room", told["refused_full"]],
        ["first announces refused by the rate limit", told["rate_limited"]],
        ["forwarders left out by the throttle", told["throttled_forwarders"]],
        ["scheduled jobs put off, the queue being full", told["parked"]],
        ["retries dropped as duplicates", told["duplicates"]],
        ["jobs taken back since their client stopped", told["cancelled"]],
    ]
    return _table("Queue", ("", ">"), rows)


def _forwarders(told: Json) -> str:
    heads = ("forwarder", "tracker", "condition", "reason", ">failures", ">answers", ">mean ms", ">last answer, s ago")
    rows = [
        [
            each["name"],
            each["tracker"],
            each["condition"].lower(),
            _reason(each),
            each["failures"],
            each["sample_count"],
            _or_blank(each["avg_response_time_ms"]),
            _or_blank(each["seconds_since_last_announce"]),
        ]
        for each in told["forwarders"]
    ]
    return _table("Forwarders", heads, rows)


def _reason(forwarder: Json) -> str:
    seconds = forwarder["suspended_seconds"]
    return f"{forwarder['reason']}, for {seconds:.0f} s more" if seconds else forwarder["reason"]


def _scheduled(told: Json) -> str:
    rows = [
        [each["info_hash"], each["forwarder"], f"{each['time_to_exec']:.0f}"] for each in told["scheduled_announces"]
    ]
    return _table("Scheduled next", ("#info hash", "forwarder", ">in seconds"), rows)


def _swarms(told: Json) -> str:
    rows = [["torrents", told["tracked_hashes"]], ["peers", told["peers"]]]
    return _table("Swarms", ("", ">"), rows)


def _fronts(told: Json) -> str:
    names = ("announces", "scrapes", "failures", "ignored")
    rows = [[protocol, *(tally[name] for name in names)] for protocol, tally in told["fronts"].items()]
    table = _table("Requests", ("protocol", *(f">{name}" for name in names)), rows)
    return table + f"<p>Connections of HTTP that are open: {told['http_connections']:,}</p>\n"


def _largest(told: Json) -> str:
    heads = ("#info hash", ">peers here", ">told by others", ">seeders", ">leechers", ">completed")
    names = ("local_unique", "forwarder_unique", "complete", "incomplete", "downloaded")
    rows = [[info_hash, *(swarm[name] for name in names)] for info_hash, swarm in told["hash_peer_stats"].items()]
    return _table("Largest swarms", heads, rows)


def _or_blank(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain texts and numbers; `>` before a head: its column has numbers, `#`: info hashes."""
    kinds = [{">": ' class="number"', "#": ' class="hash"'}.get(head[:1], "") for head in heads]
    names = [head.lstrip(">#") for head in heads]
    top = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for kind, name in zip(kinds, names, strict=True))
    body = "".join(_row(kinds, row) for row in rows)
    head = f"<thead><tr>{top}</tr></thead>\n" if any(names) else ""
    return f"<table>\n<caption>{escape(caption)}</caption>\n{head}<tbody>\n{body}</tbody>\n</table>\n"


def _row(kinds: Sequence[str], cells: Sequence[object]) -> str:
    texts = [escape(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in cells]
    first, *others = zip(kinds, texts, strict=True)
    rest = "".join(f"<td{kind}>{text}</td>" for kind, text in others)
    return f'<tr><th scope="row"{first[0]}>{first[1]}</th>{rest}</tr>\n'
