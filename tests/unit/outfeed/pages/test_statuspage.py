"""The page `/status`: innfeed's figures, for people without scripts and for programs."""

import json
from html.parser import HTMLParser

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from forebay.outfeed.pages.statuspage import LIFE, TOP_REFUSALS, StatusPage
from forebay.outfeed.sending.feed import Outcome
from manifests import peer_options


class Outline(HTMLParser):
    """What a browser without scripts makes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.tables, self.attributes = [], {}, []
        self._caption, self._row, self._open = "", None, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attrs]
        self._open = tag
        if tag == "tr":
            self._row = []
            self.tables[self._caption].append(self._row)
        elif tag in ("td", "th"):
            self._row.append("")

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open == "caption":
            self._caption = data
            self.tables[data] = []
        elif self._open in ("td", "th"):
            self._row[-1] += data

    def rows(self, caption):
        """Rows of a table as dictionaries."""
        head, *rows = self.tables[caption]
        return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.fixture
async def page(house):
    return StatusPage("hub", lambda: house.peers, house.clock)


async def shown(page, query=""):
    return (await page.answer(make_mocked_request("GET", f"/status{query}"))).text


@pytest.fixture
async def fed(house, made):
    """A peer with one article of each outcome, and one in flight."""
    await house.add("west")
    made.last.open()
    await house.offer("one", "two", "three", "four", "five", "six")
    feed = made.last.feed
    outcomes = [Outcome.ACCEPTED, Outcome.REFUSED, Outcome.REJECTED, Outcome.DEFERRED, Outcome.MISSING]
    for outcome in outcomes:
        feed.settle(outcome, feed.take(1), f"439 {outcome.value} <7@b.example>")
    feed.take(1)
    made.last.unanswered = 1


async def test_without_peers_the_page_is_whole(page):
    assert Outline(await shown(page)).rows("Peers") == []


async def test_it_needs_no_script_and_nothing_from_elsewhere_and_asks_again_by_itself(page, fed):
    text = await shown(page)
    outline = Outline(text)
    assert "script" not in outline.tags
    assert not [each for each in outline.attributes if each[1] in ("src", "onclick", "onload")]
    assert {value for tag, name, value in outline.attributes if name == "href"} == {"?format=json"}
    assert ("meta", "http-equiv", "refresh") in outline.attributes
    assert "prefers-color-scheme: dark" in text


async def test_html_has_the_figures_of_a_peer(page, fed):
    outline = Outline(await shown(page))
    (peer,) = outline.rows("Peers")
    assert (peer["peer"], peer["state"], peer["accepted"], peer["accept %"]) == ("west", "connected", "1", "33.3")
    assert (peer["active"], peer["idle"], peer["sleeping"], peer["waiting"]) == ("1", "0", "0", "2")
    (articles,) = outline.rows("Articles")
    names = ("offered", "refused", "rejected", "deferred", "missing", "in flight", "put offs")
    assert [articles[name] for name in names] == ["6", "1", "1", "1", "1", "1", "1"]


async def test_json_has_the_same_exactly(house, page, fed):
    told = json.loads(await shown(page, "?format=json"))
    (peer,) = told["peers"]
    assert (told["outfeed"], peer["name"], peer["offered"], peer["missing"]) == ("hub", "west", 6, 1)
    assert peer["accepted_bytes"] == house.peers["west"].feed.ledger.bytes_accepted
    assert peer["connections"] == {"active": 1, "idle": 0, "sleeping": 0, "most": peer["connections"]["most"]}
    assert list(peer["queue"]["looks"]) == ["empty", "below 25 %", "below 50 %", "below 75 %", "below 100 %", "full"]
    assert {"outcome": "put_off", "text": "439 deferred <id>", "articles": 1} in peer["refusals"]


async def test_limits_of_the_backlog_and_what_they_cost_are_told(house, page, made):
    await house.apply(peer_options("west", backlog={"maxBytes": "5MB", "maxAge": "2h"}))
    ledger = house.peers["west"].feed.ledger
    ledger.dropped["limit-bytes"] = 7
    outline = Outline(await shown(page))
    (spooled,) = outline.rows("Spooled to the backlog")
    assert (spooled["most octets"], spooled["longest, s"]) == ("5,000,000", "7,200.0")
    assert outline.rows("Dropped") == [{"peer": "west", "articles": "7", "why": "limit-bytes"}]
    (peer,) = json.loads(await shown(page, "?format=json"))["peers"]
    assert (peer["dropped"], peer["dropped_by_reason"]) == (7, {"limit-bytes": 7})


@pytest.mark.parametrize(("secured", "compresses"), [(True, False), (False, True)], ids=["tls", "compressed"])
async def test_what_connections_are_under_is_told(house, page, made, secured, compresses):
    await house.add("west")
    made.last.open()
    house.peers["west"].lines.open[0].is_secured, made.last.compresses = secured, compresses
    (peer,) = Outline(await shown(page)).rows("Peers")
    assert (peer["TLS"], peer["compressed"]) == ("yes" if secured else "no", "yes" if compresses else "no")


async def test_what_peers_say_is_escaped(house, page, made):
    await house.add("west")
    made.last.open()
    await house.offer("one")
    made.last.feed.settle(Outcome.REJECTED, made.last.feed.take(1), "439 <script>alert(1)</script>")
    text = await shown(page)
    assert "<script" not in text
    (row,) = Outline(text).rows("What peers say when they do not take articles")
    assert row["text"] == "439 <script>alert(#)</script>"


async def test_only_the_most_frequent_texts_are_in_html(house, page, made):
    await house.add("west")
    for letter in "abcdefghijklmnopq":
        house.peers["west"].feed.replies.add(Outcome.REJECTED, f"439 {letter}", 1)
    text = await shown(page)
    assert len(Outline(text).rows("What peers say when they do not take articles")) == TOP_REFUSALS


async def test_a_peer_that_cannot_be_reached_sleeps_and_says_why(house, page, made):
    await house.add("west")
    made.last.end("no route")
    outline = Outline(await shown(page))
    (peer,) = outline.rows("Peers")
    assert (peer["state"], peer["sleeping"]) == ("backing off", peer["most"])
    assert outline.rows("Troubles") == [
        {"peer": "west", "why it is in its state": "no route", "last error": "no route"}
    ]


async def test_one_peer_can_be_asked_for(house, page, made):
    await house.add("east", "west")
    assert [each["peer"] for each in Outline(await shown(page, "?peer=west")).rows("Peers")] == ["west"]
    with pytest.raises(web.HTTPNotFound, match="Not Found"):
        await shown(page, "?peer=north")


async def test_another_format_is_refused(page):
    with pytest.raises(web.HTTPBadRequest):
        await shown(page, "?format=xml")


async def test_peers_are_looked_at_once_a_second_at_most(house):
    looks = []
    page = StatusPage("hub", lambda: looks.append(1) or (), house.clock)
    await shown(page)
    await shown(page, "?format=json")
    assert len(looks) == 1
    house.clock.advance(LIFE)
    await shown(page)
    assert len(looks) == 2
