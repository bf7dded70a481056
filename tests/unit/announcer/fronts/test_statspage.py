"""The page of a tracker's figures, and the figures themselves."""

import json
from html.parser import HTMLParser
from http import HTTPStatus

import pytest

from fakeclock import FakeClock
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.forwarding.overview import forwarder_statuses
from forebay.announcer.fronts.stats import MOST_FORWARDERS, Moment, figures
from forebay.announcer.fronts.statspage import REFRESH, StatsPage
from forebay.announcer.fronts.tally import Tally
from forebay.announcer.swarms.outside import News
from forebay.api.v1alpha1 import AnnouncerSpec
from forwardings import Driven, failure, octets, spec
from swarms import announce, endpoint, swarm_table

KEY = "0123456789abcdef"
RETRACKERS_KEYS = {
    "config", "pending_jobs", "tracked_hashes", "disabled_forwarders", "active_forwarders", "forwarders",
    "hash_peer_stats", "queue_depth", "queue_capacity", "queue_fill_pct", "active_workers", "max_workers",
    "dropped_full", "rate_limited", "throttled_forwarders", "scheduled_announces",
}  # fmt: skip


class Site:
    """A dispatcher and swarms, and how often somebody looked."""

    def __init__(self, driven=None):
        self.driven = driven or Driven()
        self.table = swarm_table()
        self.paused = []
        self.spec = AnnouncerSpec()
        self.looks = 0

    def look(self):
        self.looks += 1
        return Moment(
            spec=self.spec,
            queue=self.driven.status(workers=10),
            spilled=3,
            forwarders=forwarder_statuses(self.driven.core, self.driven.now),
            paused=self.paused,
            peers=self.table.peers,
            swarms=len(self.table),
            largest=list(self.table),
            tallies={"http": Tally(announces=12_345, failures=1), "udp": Tally(ignored=7)},
            connections=4,
        )

    @property
    def figures(self):
        return figures(self.look())


class Reader(HTMLParser):
    """Cells of all rows, by the captions of their tables."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.tables = [], [], {}
        self.caption = self.cells = None
        self.feed(page.body.decode())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.cells = []
        elif tag in ("td", "th") and self.cells is not None:
            self.cells.append("")

    def handle_endtag(self, tag):
        if tag == "caption":
            self.rows = self.tables.setdefault(self.caption, [])
        elif tag == "tr":
            self.rows.append(self.cells)
            self.cells = None

    def handle_data(self, data):
        if self.caption == "" and self.tags[-1] == "caption":
            self.caption += data
        elif self.cells:
            self.cells[-1] += data


def html(site, clock=None):
    return Reader(StatsPage(site.look, clock or FakeClock())(b""))


def with_forwarders(*specs):
    site = Site(Driven(forwarders=0))
    site.driven.specs = list(specs)
    site.driven.configure()
    return site


# Figures


def test_the_keys_that_other_programs_read():
    assert Site().figures.keys() >= RETRACKERS_KEYS


def test_nothing_is_told_that_json_cannot_hold():
    json.dumps(Site().figures)


def test_a_disabled_forwarder_is_listed_with_its_reason():
    site = Site(Driven(forwarders=2))
    site.driven.announced()
    job = site.driven.take()
    site.driven.done(job, failure(Cause.REJECTED, reason="HTTP 404 Not Found"))
    told = site.figures
    assert told["disabled_forwarders"] == [{"name": job.forwarder, "cause": "REJECTED", "reason": "HTTP 404 Not Found"}]
    assert told["active_forwarders"] == 1
    assert told["forwarders"][0]["condition"] == "DISABLED"


def test_a_forwarder_that_answered():
    site = Site()
    site.driven.announced()
    job = site.driven.take()
    site.driven.now += 0.25
    site.driven.done(job, Answer(interval=900.0))
    site.driven.now += 7
    assert site.figures["forwarders"] == [
        {
            "name": "f0",
            "tracker": "http://tracker.example",
            "protocol": "http",
            "condition": "ENABLED",
            "cause": "",
            "reason": "",
            "suspended_seconds": 0.0,
            "failures": 0,
            "avg_response_time_ms": 250.0,
            "last_interval_seconds": 900.0,
            "sample_count": 1,
            "seconds_since_last_announce": 7.0,
            "has_stats": True,
        }
    ]


def test_a_paused_forwarder_has_a_condition_of_its_own():
    site = with_forwarders()
    site.paused = [spec("off", f"udp://t.example:1/{KEY}")]
    (told,) = site.figures["forwarders"]
    assert (told["condition"], told["reason"], told["tracker"]) == ("PAUSED", "spec.pause is true", "udp://t.example:1")
    assert (site.figures["paused_forwarders"], site.figures["disabled_forwarders"]) == (1, [])


def test_no_more_forwarders_than_a_page_holds_and_the_disabled_ones_first():
    site = with_forwarders(*(spec(f"f{number:04}") for number in range(MOST_FORWARDERS + 10)))
    site.driven.core.forwarders.get("f0505").disable(Cause.REJECTED, "no")
    site.paused = [spec("off")]
    told = site.figures
    assert len(told["forwarders"]) == MOST_FORWARDERS
    assert [each["name"] for each in told["forwarders"][:2]] == ["f0505", "f0000"]
    assert told["active_forwarders"] == MOST_FORWARDERS + 9


def test_the_next_ten_scheduled_with_their_time():
    site = Site()
    for number in range(12):
        site.driven.announced(f"t{number}")
        site.driven.work(failure(wait=500.0 - number))
    told = site.figures["scheduled_announces"]
    assert len(told) == 10
    assert told[0] == {"info_hash": octets("t11").hex(), "forwarder": "f0", "time_to_exec": 489.0}


def test_peers_of_a_swarm_here_and_elsewhere():
    site = Site()
    site.table.announce(announce(1, left=0), 1.0)
    site.table.announce(announce(2), 1.0)
    site.table.hear(octets("torrent"), News(endpoint(7) + endpoint(8) + endpoint(9), complete=3), 1.0)
    assert site.figures["hash_peer_stats"] == {
        octets("torrent").hex(): {
            "local_unique": 2,
            "forwarder_unique": 3,
            "complete": 3,
            "incomplete": 1,
            "downloaded": 0,
        }
    }
    assert (site.figures["tracked_hashes"], site.figures["peers"]) == (1, 2)


# The page


def test_json_by_its_format():
    site = Site()
    page = StatsPage(site.look, FakeClock())(b"format=json")
    assert (page.status, page.content_type) == (HTTPStatus.OK, b"application/json")
    assert json.loads(page.body) == site.figures


def test_an_unknown_format_is_refused_with_the_remedy():
    page = StatsPage(Site().look, FakeClock())(b"format=<xml>")
    assert page == (b"format is html or json\n", b"text/plain", HTTPStatus.BAD_REQUEST)


@pytest.mark.parametrize("query", [b"", b"format=html", b"other=1", b"%ff&&=", b"format"])
def test_html_otherwise(query):
    page = StatsPage(Site().look, FakeClock())(query)
    assert page.content_type == b"text/html; charset=utf-8"
    assert page.body.startswith(b"<!DOCTYPE html>")


def test_the_page_refreshes_itself_and_needs_no_scripts():
    read = html(Site())
    assert ("meta", {"http-equiv": "refresh", "content": str(REFRESH)}) in read.attributes
    assert "script" not in read.tags
    assert not any(name.startswith("on") for _, attributes in read.attributes for name in attributes)


def test_all_tables_are_there():
    read = html(Site())
    assert list(read.tables) == ["Queue", "Forwarders", "Scheduled next", "Swarms", "Requests", "Largest swarms"]
    queue = dict(read.tables["Queue"])
    assert (queue["most workers"], queue["fill"], queue["jobs that wait in Redis"]) == ("20", "0 %", "3")
    assert read.tables["Requests"][1:] == [["http", "12,345", "0", "1", "0"], ["udp", "0", "0", "0", "7"]]


def test_rows_of_forwarders_and_jobs():
    site = Site(Driven(forwarders=1))
    site.driven.announced()
    site.driven.work(failure(Cause.TOO_MANY_REQUESTS, reason="HTTP 429"))
    forwarder = html(site).tables["Forwarders"][1]
    assert forwarder[:4] == ["f0", "http://tracker.example", "suspended", "HTTP 429, for 300 s more"]
    site = Site()
    site.driven.announced()
    site.driven.work(failure(wait=90.0))
    assert html(site).tables["Scheduled next"][1] == [octets("torrent").hex(), "f0", "90"]


def test_what_a_tracker_says_is_escaped():
    site = with_forwarders(spec("one", "http://t.example/<b>"))
    site.driven.core.forwarders.get("one").disable(Cause.FAILURE_REASON, "<script>alert('x')</script>&amp;")
    page = StatsPage(site.look, FakeClock())(b"")
    assert b"<script" not in page.body
    assert html(site).tables["Forwarders"][1][3] == "<script>alert('x')</script>&amp;"


@pytest.mark.parametrize("query", [b"", b"format=json"])
def test_keys_of_urls_are_not_shown(query):
    site = with_forwarders(spec("one", f"http://me:{KEY}@t.example/{KEY}/announce?passkey={KEY}"))
    site.paused = [spec("off", f"https://t.example/announce?passkey={KEY}")]
    page = StatsPage(site.look, FakeClock())(query)
    assert b"http://t.example" in page.body
    assert KEY.encode() not in page.body


def test_many_who_look_within_a_second_cost_no_more_than_one():
    site, clock = Site(), FakeClock()
    page = StatsPage(site.look, clock)
    first = page(b"")
    assert page(b"format=html") is first
    page(b"format=json")
    clock.advance(0.99)
    page(b"")
    assert site.looks == 1
    clock.advance(0.01)
    assert page(b"") is not first
    assert site.looks == 2


def test_which_torrents_a_list_allows_is_told_to_nobody():
    site = Site(Driven())
    site.driven.announced("secret")
    site.driven.work(failure(wait=120.0))
    site.table.announce(announce(torrent="secret"), 1000.0)
    assert octets("secret").hex() in str(site.figures)
    site.spec = AnnouncerSpec.model_validate({"torrents": {"mode": "allow", "infoHashes": [octets("secret").hex()]}})
    assert octets("secret").hex() not in str(site.figures)
    assert site.figures["tracked_hashes"] == 1
    assert len(site.figures["scheduled_announces"]) == 1
