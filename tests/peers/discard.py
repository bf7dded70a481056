"""A news peer that wants everything and keeps nothing, to measure how fast articles are sent.

    python discard.py [--port PORT]

It listens on 127.0.0.1 (port 0, the default, takes a free one) and prints one JSON object when it is ready and one,
the summary, at SIGTERM or SIGINT:

    {"port": 40119}
    {"connections": 1, "checks": 100, "articles": 100, "octets": 212345, "seconds": 0.004}

`octets` is all that was read, commands too; `seconds` goes from the first offer to the last article. Every read is
answered with one write: CHECK with 238, TAKETHIS with 239, each with its message-id. Articles are counted by their
ends, not looked into.
"""

import argparse
import asyncio
import json
import signal
import sys
import time

import uvloop

ARTICLE_END = b"\r\n.\r\n"
OTHER = {b"MODE": b"203 streaming\r\n", b"QUIT": b"205 bye\r\n"}


class Totals:
    """What all connections got."""

    def __init__(self):
        self.connections = self.checks = self.articles = self.octets = 0
        self.first = self.last = 0.0

    def offered(self):
        self.first = self.first or time.perf_counter()

    def summary(self):
        counts = {name: getattr(self, name) for name in ("connections", "checks", "articles", "octets")}
        return counts | {"seconds": round(max(0.0, self.last - self.first), 6)}


class Discard(asyncio.Protocol):
    """One connection. Between reads it keeps an unfinished command line, or the last octets of an unfinished body."""

    def __init__(self, totals):
        self.totals = totals
        self.tail = b""
        self.in_body = False

    def connection_made(self, transport):
        self.transport = transport
        self.totals.connections += 1
        transport.write(b"200 discard\r\n")

    def data_received(self, data):
        self.totals.octets += len(data)
        if self.tail:
            data = self.tail + data
        replies = []
        position = 0
        while position < len(data):
            next_position = self.body(data, position) if self.in_body else self.commands(data, position, replies)
            if next_position == position:
                break
            position = next_position
        self.tail = data[position:]
        if replies:
            self.transport.write(b"".join(replies))

    def body(self, data, position):
        end = data.find(ARTICLE_END, position)
        if end < 0:
            return max(position, len(data) - len(ARTICLE_END) + 1)
        self.in_body = False
        self.totals.articles += 1
        self.totals.last = time.perf_counter()
        return end + len(ARTICLE_END)

    def commands(self, data, position, replies):
        """Answer the commands from `position` on, up to the first body; returns where it stopped."""
        if data.startswith(b"CHECK ", position):
            return self.checks(data, position, replies)
        line_end = data.find(b"\r\n", position)
        if line_end < 0:
            return position
        if data.startswith(b"TAKETHIS ", position):
            self.totals.offered()
            replies.append(b"239 " + data[position + 9 : line_end + 2])
            self.in_body = True
            return line_end
        replies.append(OTHER.get(data[position : position + 4], b"500 what?\r\n"))
        return line_end + 2

    def checks(self, data, position, replies):
        """Answer all CHECKs that follow each other at once."""
        end = data.find(b"TAKETHIS ", position)
        end = data.rfind(b"\r\n", position) + 2 if end < 0 else end
        block = data[position:end].removesuffix(b"QUIT\r\n")
        if end < position + 2:
            return position
        self.totals.offered()
        self.totals.checks += block.count(b"\r\n")
        replies.append(block.replace(b"CHECK ", b"238 "))
        return position + len(block)


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


async def main():
    parser = argparse.ArgumentParser(description="A news peer that discards what it gets.")
    parser.add_argument("--port", type=int, default=0)
    totals = Totals()
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    server = await loop.create_server(lambda: Discard(totals), "127.0.0.1", parser.parse_args().port)
    say({"port": server.sockets[0].getsockname()[1]})
    await stopped.wait()
    server.close()
    say(totals.summary())


if __name__ == "__main__":
    uvloop.run(main())
