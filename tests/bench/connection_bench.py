"""How fast one outgoing connection feeds a peer in another process that only discards.

    python tests/bench/connection_bench.py [--articles N] [--window N] [--rounds N]

Prints the median of the rounds for articles of 2 KB without and with CHECK, and for articles of 750 KB beside a plain
loop of `sendall` over the same octets, taken in turns.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import uvloop

from forebay.outfeed.sending.connection import Connection
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.nocheck import NoCheckSettings
from forebay.outfeed.token import Token, message_key

PEER = Path(__file__).parent.parent / "peers" / "discard.py"


class MemoryFeed:
    """A feed whose tokens and bodies are in memory; `done` is set when all are accepted."""

    def __init__(self, tokens, body):
        self.tokens = tokens
        self.body = body
        self.taken = self.accepted = 0
        self.done = asyncio.Event()
        self.ready = asyncio.Event()

    def take(self, limit):
        tokens = self.tokens[self.taken : self.taken + limit]
        self.taken += len(tokens)
        return tokens

    def load(self, tokens, later):
        return [self.body] * len(tokens)

    def settle(self, outcome, tokens, reply):
        assert outcome is Outcome.ACCEPTED, (outcome, reply)
        self.accepted += len(tokens)
        if self.accepted == len(self.tokens):
            self.done.set()

    def give_back(self, tokens):
        raise AssertionError("the connection broke")

    def up(self, connection):
        self.ready.set()

    def down(self, connection, reason):
        assert self.done.is_set(), reason


def article(size):
    head = b"Path: bench!not-for-mail\r\nNewsgroups: test.feed\r\nSubject: bench\r\n\r\n"
    line = b"x" * 70 + b"\r\n"
    return (head + line * (size // len(line)))[: size - 5] + b"\r\n.\r\n"


def make_tokens(count, size):
    ids = [b"<%d.bench@forebay.example>" % number for number in range(count)]
    return [Token(name, message_key(name), number, 0, size, 0) for number, name in enumerate(ids)]


async def feed(port, tokens, body, settings):
    """Seconds from the first offer to the last reply."""
    memory = MemoryFeed([], body)
    connection = Connection(memory, settings)
    await connection.connect("127.0.0.1", port)
    await memory.ready.wait()
    started = time.perf_counter()
    memory.tokens = tokens
    connection.wake()
    await memory.done.wait()
    seconds = time.perf_counter() - started
    connection.close("done")
    return seconds


def sendall(port, tokens, body):
    """The same octets by the simplest program there is."""
    heads = [b"TAKETHIS " + token.message_id + b"\r\n" for token in tokens]
    expected = sum(len(b"239 \r\n") + len(token.message_id) for token in tokens)
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.recv(1024)
        started = time.perf_counter()
        for head in heads:
            peer.sendall(head)
            peer.sendall(body)
        while expected > 0:
            expected -= len(peer.recv(65536))
        return time.perf_counter() - started


@contextlib.contextmanager
def discarding_peer():
    with subprocess.Popen([sys.executable, PEER], stdout=subprocess.PIPE, text=True) as peer:
        yield json.loads(peer.stdout.readline())["port"]
        peer.terminate()
        print("peer", peer.stdout.read().strip())


async def small(name, port, options, nocheck):
    size = 2048
    tokens, body = make_tokens(options.articles, size), article(size)
    settings = ConnectionSettings(window=options.window, nocheck=NoCheckSettings(enabled=nocheck))
    rates = [len(tokens) / await feed(port, tokens, body, settings) for _ in range(options.rounds)]
    print(f"{name} articles/s={statistics.median(rates):.0f} window={options.window}")


async def large(port, options):
    size = 750_000
    tokens, body = make_tokens(500, size), article(size)
    settings = ConnectionSettings(window=options.window)
    ours, rival = [], []
    for _ in range(options.rounds):
        rival.append(len(tokens) * size / sendall(port, tokens, body) / 1e6)
        ours.append(len(tokens) * size / await feed(port, tokens, body, settings) / 1e6)
    figures = statistics.median(ours), statistics.median(rival)
    print(f"large ours={figures[0]:.0f} rival={figures[1]:.0f} MB/s ratio={figures[0] / figures[1]:.2f}")


async def main():
    parser = argparse.ArgumentParser(description="Measure one outgoing connection.")
    parser.add_argument("--articles", type=int, default=300_000)
    parser.add_argument("--window", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with discarding_peer() as port:
        await small("nocheck", port, options, nocheck=True)
        await small("check", port, options, nocheck=False)
        await large(port, options)


if __name__ == "__main__":
    uvloop.run(main())
