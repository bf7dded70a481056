import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_about_commands_is_current():
    command = [sys.executable, DOCS / "generate_cli.py", "--check"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
