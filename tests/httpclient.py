"""Answers over HTTP, read by a plain reader that takes nothing amiss but what is wrong."""

from typing import NamedTuple


class HttpAnswer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def parse(octets):
    """All answers that stand in the octets, which have nothing else in them."""
    answers = []
    while octets:
        head, end, octets = octets.partition(b"\r\n\r\n")
        assert end
        line, *lines = head.decode("ascii").split("\r\n")
        version, status, phrase = line.split(" ", 2)
        assert version == "HTTP/1.1"
        assert phrase
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        size = int(headers["content-length"])
        assert len(octets) >= size
        answers.append(HttpAnswer(int(status), headers, octets[:size]))
        octets = octets[size:]
    return answers
