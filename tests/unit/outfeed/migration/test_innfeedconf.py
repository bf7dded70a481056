from pathlib import Path

import pytest

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.innfeedconf import read_innfeed_conf

from .inputs import real_file

FILE = Path("etc/innfeed.conf")


def read(text, files=None):
    return read_innfeed_conf(FILE, text, lambda path: (files or {})[str(path)])


def values(scope):
    return {key: setting.value for key, setting in scope.settings.items()}


def of_real_server(number):
    file = real_file("innfeed", number)
    return read_innfeed_conf(file, file.read_text(), Path.read_text)


def test_a_file_of_comments_has_no_setting_and_no_peer():
    conf = of_real_server("05")
    assert values(conf.top) == {}
    assert conf.peers == {}


def test_a_file_of_global_values_has_no_peer():
    conf = of_real_server("06")
    assert len(values(conf.top)) == 38
    assert conf.peers == {}
    assert conf.top.find("backlog-factor").value == 1.1
    assert conf.top.find("max-queue-size").value == 25
    assert conf.top.find("use-mmap").value is False


@pytest.mark.parametrize(
    ("peer", "connections"),
    [("peer22", 5), ("peer23", 10), ("data.peer23.example.com", 15), ("bb.peer23.example.com", 20)],
)
def test_a_peer_inherits_from_the_closest_scope(peer, connections):
    assert of_real_server("07").peers[peer].find("max-connections").value == connections


def test_values_have_the_forms_of_c():
    top = of_real_server("07").top
    assert top.find("eg-string").value == "New\tconfig\tfile\n"
    assert top.find("eg-simple-string").value == "A-no-quote-string"
    assert top.find("eg-integer").value == 10
    assert top.find("eg-boolean").value is True
    assert top.find("eg-char").value == "a"
    assert top.find("eg-ctrl-g").value == "\a"
    lines = top.find("eg-long-string").value.split("\n")
    assert [line.strip() for line in lines] == [
        "A long string that goes",
        "over multiple lines.  The",
        "newline is kept in the",
        "string except when quoted",
        "with a backslash" + " " * 20 + "as here.",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("k:v", "v", id="no blanks"),
        pytest.param("k :\n v # c", "v", id="over lines"),
        pytest.param('k: "a # b"', "a # b", id="hash within quotes"),
        pytest.param('k: "2001:db8::1"', "2001:db8::1", id="colons within quotes"),
        pytest.param(r'k: "say \"a\""', 'say "a"', id="escaped quotes"),
        pytest.param(r"k: '\''", "'", id="escaped character"),
        pytest.param("k: TRUE", True, id="truth in capitals"),
        pytest.param('k: "12"', "12", id="number as text"),
        pytest.param("k: -3", -3, id="negative"),
        pytest.param("k: 1.50", 1.5, id="real"),
        pytest.param("k: 192.0.2.1", "192.0.2.1", id="address"),
    ],
)
def test_reads_a_value(text, value):
    assert values(read(text).top) == {"k": value}


def test_groups_nest():
    conf = read("a: 1\ngroup x { b: 2 group y { a: 3 peer p { } } peer q { b: 4 } }\npeer r {}")
    found = {name: [(peer.find(key) or (None, None))[1] for key in "ab"] for name, peer in conf.peers.items()}
    assert found == {"p": [3, 2], "q": [1, 4], "r": [1, None]}
    assert [scope.name for scope in conf.scopes] == ["", "x", "y", "p", "q", "r"]


def test_a_key_may_be_called_peer():
    assert values(read("peer: 5").top) == {"peer": 5}


def test_a_place_names_the_file_and_line():
    conf = read("# one\n\npeer p {\n  a: 1\n}")
    assert str(conf.peers["p"].settings["a"].place) == "etc/innfeed.conf:4"


def test_includes_may_open_and_close_blocks():
    files = {"etc/more.conf": "peer p {\n $INCLUDE body.conf\n", "etc/body.conf": "a: 1 }\nb: 2"}
    conf = read("$INCLUDE more.conf # here", files)
    assert values(conf.peers["p"]) == {"a": 1}
    assert values(conf.top) == {"b": 2}
    assert str(conf.top.settings["b"].place) == "etc/body.conf:2"


def test_an_include_of_itself_ends():
    with pytest.raises(MigrationError, match="deeper than 10"):
        read("$INCLUDE loop", {"etc/loop": "$INCLUDE loop"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('a: 1\nb: "x', "etc/innfeed.conf:2: .*no end: close it", id="open quote"),
        pytest.param("a: 1\na: 2", "2: a is given twice", id="key twice"),
        pytest.param("peer p {}\npeer p {}", "2: peer p is given twice", id="peer twice"),
        pytest.param("peer p { group g { } }", "group g stands within peer p", id="group in a peer"),
        pytest.param("}", "closes nothing", id="stray brace"),
        pytest.param("a: 1\npeer p {", "2: the block of p has no end", id="open block"),
        pytest.param("peer p a: 1", "peer p has no block", id="no block"),
        pytest.param("a:", "the file ends after ':'", id="ends early"),
        pytest.param("a: }", "a has no value", id="no value"),
        pytest.param("a: 2001:db8::1", "a value with a colon needs quotes", id="colons"),
        pytest.param("a b", "begins neither", id="no colon"),
    ],
)
def test_tells_what_cannot_be_read(text, problem):
    with pytest.raises(MigrationError, match=problem):
        read(text)
