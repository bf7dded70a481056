"""The articles of examples/articles, in the order of their names."""

import re
from functools import cache
from pathlib import Path

from articles import Article

FOLDER = Path(__file__).parent.parent / "examples" / "articles"
MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<\S+>)", re.IGNORECASE | re.MULTILINE)


@cache
def example_articles() -> tuple[Article, ...]:
    """All of them; the file's name is not kept."""
    contents = (path.read_bytes() for path in sorted(FOLDER.glob("*.article")))
    return tuple(Article(message_id_of(content), content) for content in contents)


def message_id_of(content: bytes) -> bytes:
    """The message-id of a whole article."""
    head = content.partition(b"\r\n\r\n")[0]
    found = MESSAGE_ID.search(head)
    assert found is not None, head
    return found[1]
