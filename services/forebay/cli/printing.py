"""Printing: tables for people, JSON for programs."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text


def print_json(value: Any) -> None:
    """Print a value as JSON, indented."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """Print a value as JSON on a line of its own, at once."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def make_table(columns: Sequence[str]) -> Table:
    """An empty table. Columns whose name begins with `>` hold numbers."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold underline")
    for column in columns:
        number = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="right" if number else "left", no_wrap=number)
    return table


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; what is too wide for the terminal is folded."""
    table = make_table(columns)
    for row in rows:
        table.add_row(*map(str, row))
    # The title is not the table's own: that would be folded to its width.
    stdout().print(Group(*([Text(title)] if title else []), table))


def stdout() -> Console:
    """Standard output; where it is no terminal, lines are as long as they need to be."""
    console = Console(highlight=False, markup=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, width=240)
