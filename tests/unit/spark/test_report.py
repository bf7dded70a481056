import re
from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from forebay_spark.report import plots
from forebay_spark.report.numbers import exact, octets, share, short
from forebay_spark.report.page import render, render_empty
from forebay_spark.report.summary import PeerTotal, Refusal, Summary, Waiting
from reports import summary

DAY = date(2025, 11, 22)
MORNING = datetime(2025, 11, 22, tzinfo=UTC)
PEERS = [f"peer-{number}" for number in range(1, 11)]
NOTHING = Summary(DAY, DAY, [], [], [], [], [])


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (1234, "1.2k"), (9960, "10k"), (999_600, "1M"), (38_400_000, "38M")],
)
def test_short_number_has_few_digits(number, text):
    assert short(number) == text


def test_octets_have_a_unit():
    assert [octets(950), octets(1_234_000)] == ["950\N{NO-BREAK SPACE}B", "1.2\N{NO-BREAK SPACE}MB"]


def test_exact_number_has_all_digits():
    assert exact(1234567).split("\N{NARROW NO-BREAK SPACE}") == ["1", "234", "567"]


def test_share_of_nothing_is_a_dash():
    assert [share(1, 3), share(0, 0)] == ["33.3\N{NO-BREAK SPACE}%", "–"]


def test_peers_with_large_parts_of_what_was_accepted_or_waited_are_named():
    named = summary(PEERS).named
    assert named == PEERS[:8]


def test_peer_that_only_keeps_waiting_is_named():
    waiting = [Waiting(MORNING, "stuck", 100_000)]
    busy = summary(PEERS)
    found = replace(busy, waiting=[*busy.waiting, *waiting])
    assert "stuck" in found.named


def test_outcomes_are_told_of_in_a_fixed_order():
    totals = [PeerTotal("hub", outcome, 1, 1) for outcome in ("unheard-of", "dropped", "rejected", "accepted")]
    found = replace(NOTHING, totals=totals)
    assert found.outcomes == ["accepted", "rejected", "dropped", "unheard-of"]


def test_peers_without_a_colour_are_drawn_as_one():
    found = summary(PEERS)
    others = plots.lines(found, found.hours)[plots.OTHERS]
    hour = found.hours[0].hour
    assert others[hour] == sum(
        count.articles for count in found.hours if count.hour == hour and count.peer in PEERS[8:]
    )


@pytest.mark.parametrize("plot", [plots.accepted, plots.backlog, plots.refusals, plots.groups])
@pytest.mark.parametrize("found", [summary(PEERS), NOTHING], ids=["busy", "nothing"])
def test_plot_is_sound_xml_with_a_text(plot, found):
    svg = ElementTree.fromstring(plot(found))  # noqa: S314 - it is our own
    assert svg.get("role") == "img"
    assert svg.get("aria-label", "").endswith(".")


def test_plots_have_no_colours_but_those_of_the_page():
    page = "".join(plot(summary(PEERS)) for plot in (plots.accepted, plots.backlog, plots.refusals, plots.groups))
    outside = re.sub(r"var\([^)]*\)", "", page)
    assert not re.findall(r"#[0-9a-f]{6}\b(?=[;\"])", outside)


def test_plot_is_in_the_font_of_the_page():
    fonts = re.findall(r"font(?:-family)?: [^;\"]*", plots.groups(summary(PEERS)))
    assert fonts
    assert all("DejaVu" not in font for font in fonts)


def test_text_of_a_plot_names_the_peak():
    assert "for peer-3 at 25 November, 18:00" in plots.backlog(summary(PEERS))


class Checker(HTMLParser):
    """Collects what a page would fetch, and whether its elements nest."""

    VOID = frozenset({"meta", "path", "use", "rect", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.fetched += [value for name, value in attributes if name in {"src", "href"} and value and value[0] != "#"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return checker


def test_page_nests_and_needs_no_network():
    page = render(summary(PEERS))
    assert checked(page).fetched == []
    assert "<script" not in page
    assert "url(http" not in page


def test_page_fits_a_phone_and_the_night():
    page = render(summary(PEERS))
    assert 'name="viewport" content="width=device-width' in page
    assert "prefers-color-scheme: dark" in page


def test_figures_of_the_plots_are_in_tables_too():
    found = summary(PEERS)
    texts = checked(render(found)).texts
    assert {exact(total.articles) for total in found.totals} <= set(texts)
    assert {refusal.reason for refusal in found.refusals} <= set(texts)
    assert {total.group for total in found.groups} <= set(texts)


def test_names_from_outside_are_text():
    evil = "<script>alert(1)</script>$x^2$\x00"
    page = render(summary([evil, "b", "c"], groups=[evil]))
    checker = checked(page)
    assert "<script" not in page
    assert any(evil[:25] in text for text in checker.texts)


def test_reason_that_is_long_is_shortened_in_the_plot():
    refusal = Refusal("rejected", "439 " + "very long " * 20, 1, 1)
    assert "…" in plots.refusals(replace(NOTHING, refusals=[refusal]))


def test_page_without_outcomes_says_so():
    assert "no outcomes yet" in render_empty()
