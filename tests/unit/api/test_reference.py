"""The reference page of the resources is current."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def test_page_is_current():
    command = [sys.executable, DOCS / "generate_resources.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_kind_has_its_part():
    page = (DOCS / "resources.md").read_text()
    assert [part.split("\n")[0] for part in page.split("\n## ")[1:]] == [
        "Metadata of all kinds", "Spill", "Outfeed", "Peerfeed", "Store", "StoreQueue", "Announcer", "Forwarder",
        "Router", "RouterLink", "ConduitNode", "Compaction",
    ]  # fmt: skip


def test_row_has_meaning_unit_default_and_bounds():
    meaning = "Commands that may be unanswered at once on one connection."
    assert f"| `spec.window` | {meaning} | commands | `400` | 1 to 10,000 |" in (DOCS / "resources.md").read_text()
