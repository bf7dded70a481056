"""Pages for people that need no scripts: figures in tables, which ask again by themselves."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REFRESH = 10
"""Seconds after which a browser asks again."""

_KINDS = {">": ' class="number"', "#": ' class="hash"'}
"""What a mark before the head of a column makes of it."""

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="{refresh}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ --ink: #1b1f24; --paper: #fff; --line: #c9ced6; --link: #0b57a4; }}
@media (prefers-color-scheme: dark) {{
:root {{ --ink: #dde1e7; --paper: #15181c; --line: #444b55; --link: #8ab8f0; }}
}}
body {{ background: var(--paper); color: var(--ink); font: 16px/1.4 system-ui, sans-serif; margin: 1rem; }}
a {{ color: var(--link); }}
section {{ overflow-x: auto; }}
table {{ border-collapse: collapse; margin-bottom: 1.5rem; }}
caption {{ font-weight: bold; text-align: left; padding: 0.3rem 0; }}
th, td {{ text-align: left; padding: 0.15rem 1rem 0.15rem 0; vertical-align: top; white-space: nowrap; }}
td:last-child {{ overflow-wrap: anywhere; white-space: normal; }}
thead th {{ border-bottom: 1px solid var(--line); font-weight: normal; }}
tbody th {{ font-weight: normal; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
.hash {{ font-family: monospace; }}
</style>
</head>
<body>
<h1>{title}</h1>
{content}</body>
</html>
"""


def html_page(title: str, content: str) -> str:
    """A whole page; `content` is HTML, `title` is text."""
    return _PAGE.format(refresh=REFRESH, title=escape(title), content=content)


def html_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain texts and numbers; `>` before a head: its column has numbers, `#`: hashes.

    Without the text of any head the table has no line of heads.
    """
    kinds = [_KINDS.get(head[:1], "") for head in heads]
    names = [escape(head[1:] if kind else head) for kind, head in zip(kinds, heads, strict=True)]
    top = "".join(f'<th scope="col"{kind}>{name}</th>' for kind, name in zip(kinds, names, strict=True))
    head = f"<thead><tr>{top}</tr></thead>\n" if any(names) else ""
    body = "".join(_row(kinds, row) for row in rows)
    return (
        f"<section><table>\n<caption>{escape(caption)}</caption>\n{head}<tbody>\n{body}</tbody>\n</table></section>\n"
    )


def _row(kinds: Sequence[str], cells: Sequence[object]) -> str:
    texts = [escape(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in cells]
    first, *others = zip(kinds, texts, strict=True)
    rest = "".join(f"<td{kind}>{text}</td>" for kind, text in others)
    return f'<tr><th scope="row"{first[0]}>{first[1]}</th>{rest}</tr>\n'
