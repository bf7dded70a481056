"""What the generators of pages share: to write a page, or to tell that it is not current."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def main(page: Path, text: Callable[[], str], generator: Path, summary: str) -> None:
    """Write the page, or, with --check on the command line, compare with it."""
    parser = argparse.ArgumentParser(description=summary.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is not current")
    if not parser.parse_args().check:
        page.write_text(text())
    elif not page.exists() or page.read_text() != text():
        sys.exit(f"{page.name} is not current. Run docs/{generator.name} and commit the result.")
