"""The page about the way from innfeed names every key and flag that INN's manuals do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from forebay.outfeed.migration.innfeedkeys import KEYS
from forebay.outfeed.migration.siteflags import FLAGS

from .inputs import real_file

DOCS = Path(__file__).parents[4] / "docs"
CHECKS = "cCdefjoOp"
LETTERS = "<>BCFGHINOPQSTUW"


def rows():
    return re.findall(r"(?m)^\| `(\S+)` \| (.+) \|$", (DOCS / "from-innfeed.md").read_text())


def test_is_current():
    command = [sys.executable, DOCS / "generate_from_innfeed.py", "--check"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def test_has_a_row_for_every_key_and_flag():
    assert {name for name, _ in rows()} >= KEYS.keys() | FLAGS.keys()


def test_every_flag_of_the_manual_is_known():
    assert FLAGS.keys() == {*LETTERS, *(f"A{check}" for check in CHECKS)}


@pytest.mark.parametrize("number", ["05", "06"])
def test_every_key_of_the_samples_is_known(number):
    text = real_file("innfeed", number).read_text()
    named = set(re.findall(r"(?m)^#?\s{0,8}([a-z][a-z0-9]+(?:-[a-z0-9]+)+):", text)) - {"ip-name"}
    named |= set(re.findall(r"deliver-[a-z-]+", text))
    assert {name for name in named if not name.startswith("eg-")} <= KEYS.keys()
    assert len(named) > 30


def test_what_is_carried_over_names_a_field_and_the_rest_says_nowhere():
    for name, known in (KEYS | FLAGS).items():
        if known.carry:
            assert "`" in known.where or "Secret" in known.where, name
        else:
            assert known.where.startswith("nowhere") or name == "Ap", name
