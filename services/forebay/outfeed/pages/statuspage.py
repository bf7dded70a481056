"""The page `/status`: how the feeds to all peers go, for people as HTML that needs no scripts, for programs as JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aiohttp import web

from forebay.outfeed.pages.figures import figures
from forebay.outfeed.peering.fullness import BUCKETS
from forebay.runtime.htmlpage import REFRESH, html_page, html_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forebay.outfeed.pages.figures import Json
    from forebay.outfeed.peering.peer import Peer
    from forebay.runtime.clock import Clock

PATH = "/status"
LIFE = 1.0
"""Seconds that figures are shown to whoever asks: many who look cost little more than one."""
TOP_REFUSALS = 10
"""Texts shown of each peer in HTML; JSON has all."""


class StatusPage:
    """Answers requests for the page; the peers are looked at once a second at most."""

    def __init__(self, title: str, look: Callable[[], Iterable[Peer]], clock: Clock) -> None:
        self._title = title
        self._look = look
        self._clock = clock
        self._figures: list[Json] = []
        self._until = float("-inf")

    async def answer(self, request: web.Request) -> web.Response:
        """The page; the query `format` may be `html` or `json`, and `peer` the name of one peer."""
        wanted = request.query.get("format", "html")
        if wanted not in ("html", "json"):
            raise web.HTTPBadRequest(text="format is html or json\n")
        told = self._told()
        if (name := request.query.get("peer")) is not None:
            told = [each for each in told if each["name"] == name]
            if not told:
                raise web.HTTPNotFound(text=f"there is no peer {name!r}: leave `peer` out for all\n")
        if wanted == "json":
            return web.Response(text=json.dumps(self._json(told), indent=1) + "\n", content_type="application/json")
        return web.Response(text=status_html(self._title, told), content_type="text/html")

    def _told(self) -> list[Json]:
        now = self._clock.monotonic()
        if now >= self._until:
            self._figures, self._until = figures(self._look(), self._clock.wall()), now + LIFE
        return self._figures

    def _json(self, told: list[Json]) -> Json:
        time = datetime.fromtimestamp(self._clock.wall(), UTC).isoformat(timespec="seconds")
        return {"outfeed": self._title, "time": time, "peers": told}


def status_html(title: str, told: Sequence[Json]) -> str:
    """The page as HTML."""
    links = 'For programs: <a href="?format=json">JSON</a>. Counts are those since the start of the service.'
    head = f"<p>As it is now; this page asks again every {REFRESH} seconds. {links}</p>\n"
    tables = (_peers, _articles, _dropped, _spooling, _waiting, _queues, _octets, _refusals, _troubles)
    return html_page(f"Outfeed {title}", head + "".join(table(told) for table in tables))


def _peers(told: Sequence[Json]) -> str:
    heads = (
        *("peer", "state", ">accepted", ">accept %", ">articles/s", ">waiting", ">oldest, s", ">active", ">idle"),
        *(">sleeping", ">most", ">window", "streams", "skips CHECK", "TLS", "compressed"),
    )
    rows = [
        [
            each["name"],
            each["state"].replace("_", " "),
            each["accepted"],
            _number(each["accept_pct"]),
            _number(each["articles_per_second"]),
            each["queued"] + each["deferred"] + each["in_flight"],
            _number(each["oldest_seconds"]),
            *each["connections"].values(),
            each["window"],
            _yes(each["streaming"]),
            *(_yes(each[name]) for name in ("no_check", "tls", "compressed")),
        ]
        for each in told
    ]
    return html_table("Peers", heads, rows)


def _articles(told: Sequence[Json]) -> str:
    names = ("offered", "accepted", "refused", "rejected", "deferred", "missing", "expired", "dropped")
    more = ("dead_lettered", "queued", "in_flight", "requeued", "put_offs")
    return _columns("Articles", told, (*names, *more))


def _spooling(told: Sequence[Json]) -> str:
    names = ("spooled_overflow", "spooled_on_close", "spooled_sleeping", "unspooled")
    heads = (
        *("peer", ">overflow", ">on close", ">sleeping", ">unspooled", ">entries now", ">octets now", ">segments"),
        *(">most octets", ">longest, s"),
    )
    rows = [[each["name"], *(each[name] for name in names), *_backlog(each["backlog"])] for each in told]
    return html_table("Spooled to the backlog", heads, rows)


def _backlog(told: Json) -> list[object]:
    return [value if isinstance(value, int) else _number(value) for value in told.values()]


def _dropped(told: Sequence[Json]) -> str:
    rows = [[each["name"], count, why] for each in told for why, count in each["dropped_by_reason"].items()]
    return html_table("Dropped", ("peer", ">articles", "why"), rows) if rows else ""


def _waiting(told: Sequence[Json]) -> str:
    places = ("log", "queue", "backlog", "deferred", "resend")
    rows = [[each["name"], *(_number(each["oldest_seconds_by_place"].get(place)) for place in places)] for each in told]
    return html_table("Age of the oldest article, in seconds", ("peer", *(f">{place}" for place in places)), rows)


def _queues(told: Sequence[Json]) -> str:
    heads = ("peer", ">now", ">mean", ">longest", ">size", *(f">{name}" for name in BUCKETS))
    rows = [
        [
            each["name"],
            *(each["queue"]["length"], _number(each["queue"]["mean"]), each["queue"]["longest"], each["queue"]["size"]),
            *_shares(list(each["queue"]["looks"].values())),
        ]
        for each in told
    ]
    return html_table("Queue in memory, and how full it was", heads, rows)


def _octets(told: Sequence[Json]) -> str:
    return _columns(
        "Octets", told, [f"{name}_bytes" for name in ("offered", "accepted", "refused", "rejected", "put_off")]
    )


def _refusals(told: Sequence[Json]) -> str:
    rows = [
        [each["name"], said["articles"], said["outcome"].replace("_", " "), said["text"]]
        for each in told
        for said in each["refusals"][:TOP_REFUSALS]
    ]
    return html_table("What peers say when they do not take articles", ("peer", ">articles", "outcome", "text"), rows)


def _troubles(told: Sequence[Json]) -> str:
    rows = [[each["name"], each["reason"], each["last_error"]] for each in told if each["reason"] or each["last_error"]]
    return html_table("Troubles", ("peer", "why it is in its state", "last error"), rows) if rows else ""


def _columns(caption: str, told: Sequence[Json], names: Sequence[str]) -> str:
    heads = ("peer", *(f">{name.removesuffix('_bytes').replace('_', ' ')}" for name in names))
    return html_table(caption, heads, [[each["name"], *(each[name] for name in names)] for each in told])


def _shares(counts: Sequence[int]) -> list[str]:
    total = sum(counts)
    return [f"{100 * count / total:.0f} %" if total else "" for count in counts]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}"


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
