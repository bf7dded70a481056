"""The page `/stats`: what the tracker does now, for people as HTML that needs no scripts, for programs as JSON."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from forebay.announcer.fronts.httpresponse import Page
from forebay.announcer.fronts.stats import figures
from forebay.runtime.htmlpage import REFRESH, html_page, html_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.announcer.fronts.stats import Json, Moment
    from forebay.runtime.clock import Clock

PATH = b"/stats"
LIFE = 1.0
"""Seconds that a page is shown to whoever asks: many who look cost no more than one."""


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
    links = 'For programs: <a href="?format=json">JSON</a>.'
    head = f"<p>As it is now; this page asks again every {REFRESH} seconds. {links}</p>\n"
    tables = "".join(table(told) for table in (_queue, _forwarders, _scheduled, _swarms, _fronts, _largest))
    return Page(html_page("Tracker", head + tables).encode(), b"text/html; charset=utf-8")


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
    return html_table("Queue", ("", ">"), rows)


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
    return html_table("Forwarders", heads, rows)


def _reason(forwarder: Json) -> str:
    seconds = forwarder["suspended_seconds"]
    return f"{forwarder['reason']}, for {seconds:.0f} s more" if seconds else forwarder["reason"]


def _scheduled(told: Json) -> str:
    rows = [
        [each["info_hash"], each["forwarder"], f"{each['time_to_exec']:.0f}"] for each in told["scheduled_announces"]
    ]
    return html_table("Scheduled next", ("#info hash", "forwarder", ">in seconds"), rows)


def _swarms(told: Json) -> str:
    rows = [["torrents", told["tracked_hashes"]], ["peers", told["peers"]]]
    return html_table("Swarms", ("", ">"), rows)


def _fronts(told: Json) -> str:
    names = ("announces", "scrapes", "failures", "ignored")
    rows = [[protocol, *(tally[name] for name in names)] for protocol, tally in told["fronts"].items()]
    table = html_table("Requests", ("protocol", *(f">{name}" for name in names)), rows)
    return table + f"<p>Connections of HTTP that are open: {told['http_connections']:,}</p>\n"


def _largest(told: Json) -> str:
    heads = ("#info hash", ">peers here", ">told by others", ">seeders", ">leechers", ">completed")
    names = ("local_unique", "forwarder_unique", "complete", "incomplete", "downloaded")
    rows = [[info_hash, *(swarm[name] for name in names)] for info_hash, swarm in told["hash_peer_stats"].items()]
    return html_table("Largest swarms", heads, rows)


def _or_blank(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
