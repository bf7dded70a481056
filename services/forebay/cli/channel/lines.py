"""Lines that innd writes to a channel: each names an article, or is an instruction to the channel itself."""

import re
from dataclasses import dataclass

INSTRUCTION = "!"
_TOKEN = re.compile(r"@[0-9A-Fa-f]{36}@")


@dataclass(frozen=True, slots=True)
class Stored:
    """An article of INN's spool."""

    place: str
    """Its storage token, or the path of its file."""
    line: str
    """The whole line."""

    @property
    def is_token(self) -> bool:
        """Whether the place is a token, not a path."""
        return self.place.startswith("@")


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the channel is to do once all articles before have been taken."""

    verb: str
    arguments: tuple[str, ...] = ()


def is_instruction(line: str) -> bool:
    """Whether a line is one."""
    return line.lstrip().startswith(INSTRUCTION)


def read_line(line: str) -> Stored | Instruction:
    """What a line says. The token may be any of its words, whatever the order of `W` in newsfeeds; a path is the first.

    Raises `ValueError` where it names no article.
    """
    words = line.split()
    if not words:
        raise ValueError("the line is empty")
    if words[0].startswith(INSTRUCTION):
        return Instruction(words[0].lstrip(INSTRUCTION).lower(), tuple(words[1:]))
    token = next((word for word in words if _TOKEN.fullmatch(word)), "")
    if not token and "/" not in words[0]:
        raise ValueError(f"{line.strip()!r:.100} names no article: give the flag Wn to the entry in newsfeeds")
    return Stored(token or words[0], line)
