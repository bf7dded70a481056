import pytest

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.newsfeeds import read_newsfeeds

from .inputs import real_file


def of_real_server(number):
    file = real_file("newsfeeds", number)
    return read_newsfeeds(file.name, file.read_text())


def entries(feeds):
    return {entry.name: entry for entry in feeds.entries}


def only(text):
    [entry] = read_newsfeeds("nf", f"ME:::\n{text}").entries
    return entry


def test_current_sample():
    feeds = of_real_server("05")
    assert (feeds.me.patterns, feeds.me.distributions, feeds.notes) == (("!*",), ("!local",), [])
    [control] = feeds.entries
    assert control.name == "controlchan!"
    assert control.flags == ("AC", "Tc", "Wnsm")
    assert control.parameter == "@bindir@/controlchan"


def test_sample_of_branch_2_2():
    feeds = of_real_server("06")
    assert feeds.entries == []
    assert feeds.me.patterns == ("*", "@alt.binaries.warez.*", "!junk", "!control*", "!local*", "!foo.*")
    assert len(feeds.me.distributions) == 12
    assert feeds.me.distributions[0] == "world"


def test_examples_of_the_manual():
    found = entries(of_real_server("07"))
    assert found["news.example.com"].patterns == ("local.*", "example.*")
    assert found["news.example.net"].patterns == ("*", "@local.*", "@example.*", "!control", "!control.*")
    assert found["example"].excludes == ("feed3.example.com",)
    assert found["watcher!"].parameter == (
        """exec awk '$1 > 1000000 { print "BIG", $2, $3 }' >> /var/log/news/bigart"""
    )
    assert found["watcher2!"].flags == ("Tc", ">1000000", "Wbnm")
    assert found["mailer!"].flags == ("W*", "Tp")
    assert found["mailer!"].parameter == 'sm %s | innmail -s "News article" *'
    assert found["innfeed!"].parameter == "/usr/lib/news/bin/innfeed -y"
    assert {name: entry.kind for name, entry in found.items()} == {
        "news.example.com": "f",
        "news.example.net": "f",
        "feed.example.com": "f",
        "feed2.example.com": "m",
        "example": "m",
        "innfeed!": "c",
        "watcher!": "c",
        "watcher2!": "c",
        "mailer!": "p",
        "user1@example.com": "m",
        "user2@example.com": "m",
        "controlchan!": "c",
    }


def test_a_file_without_me_is_read_and_told():
    feeds = of_real_server("10")
    assert list(entries(feeds)) == ["innfeed!", "imapfeed!", "filechan!"]
    assert feeds.me is None
    assert [note.subject for note in feeds.notes] == ["ME"]


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        pytest.param("s:a,\\\n   b:Tm:", ("a", "b"), id="joined without its indent"),
        pytest.param("s:a,\\\n#b:Tm:", ("a", "#b"), id="joined before a comment is looked for"),
        pytest.param("# s:a\\\nt:b:Tm:\ns:c:Tm:", ("c",), id="comment joined with the next line"),
        pytest.param("s\\\n\\\n:a:Tm:", ("a",), id="joined twice"),
        pytest.param("s:a,,b,:Tm:", ("a", "b"), id="empty items"),
        pytest.param("s::Tm:", (), id="none"),
        pytest.param("$X=a,b\n$Y=$X,c\ns:!$Y,$X:Tm:", ("!a", "!b", "!c", "a", "b"), id="variables within variables"),
    ],
)
def test_reads_patterns(text, patterns):
    assert only(text).patterns == patterns


@pytest.mark.parametrize("blank", [" ", "\r"])
def test_a_backslash_before_something_else_joins_nothing(blank):
    with pytest.raises(MigrationError, match="nf:2: "):
        read_newsfeeds("nf", f"ME:::\ns\\{blank}\n:a:Tm:\n")


def test_reads_all_fields():
    entry = only("s/x,y:a/world,!local:<1000,Tc:run: it / so")
    assert (entry.name, entry.excludes, entry.patterns) == ("s", ("x", "y"), ("a",))
    assert (entry.distributions, entry.flags) == (("world", "!local"), ("<1000", "Tc"))
    assert (entry.parameter, str(entry.place)) == ("run: it / so", "nf:2")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("s:a", "nf:1: 's:a' is no entry", id="fields missing"),
        pytest.param("\n$=a", "nf:2: .* sets no variable", id="nameless variable"),
        pytest.param("s:!$X:Tm:", r"s: !\$X names a variable that is not set", id="unknown variable"),
        pytest.param("ME:::\n\nME:::", "nf:3: there is a second entry ME", id="two ME"),
    ],
)
def test_tells_what_cannot_be_read(text, problem):
    with pytest.raises(MigrationError, match=problem):
        read_newsfeeds("nf", text)
