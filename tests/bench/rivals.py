"""What other senders reach on this machine: innfeed with small articles, a bare loop of `sendall` with large ones.

    cd tests && ../.venv/bin/python -m bench.rivals [--articles N] [--large N] [--rounds N]

Needs root and Debian's inn2. Rates are the receiver's own, in articles a second.
"""

import argparse
import asyncio
import functools
import resource
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import corpus
from articles import Article
from bench.common import in_turns, scratch_folder
from bench.receivers import RECEIVERS, MakeReceiver, discarding
from bench.sendings import Spent
from peers.innsend import InnSender

SMALL = 2_048
LARGE = 750_000


@contextmanager
def innfeed_spool(count: int) -> Iterator[InnSender]:
    """A spool of `count` articles of 2 KB."""
    with scratch_folder() as folder:
        sender = InnSender(folder)
        sender.spool(corpus.synthetic(count, SMALL))
        yield sender


async def innfeed_rate(
    sender: InnSender, receiver: MakeReceiver, connections: int = 1, spent: Spent | None = None
) -> float:
    """Articles a second of `innfeed -x` sending its whole spool to a fresh receiver."""
    async with receiver() as peer:
        before = children_cpu()
        await sender.innfeed(peer.port, connections=connections)
        used = children_cpu() - before
    assert peer.articles == len(sender.batch), f"{peer.articles} of {len(sender.batch)} articles arrived"
    if spent:
        spent.note(used, peer)
    return peer.rate


def children_cpu() -> float:
    """Seconds of CPU of all programs that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


async def sendall_rate(articles: Sequence[Article]) -> float:
    """Articles a second of a bare loop that sends what it has in memory and looks at no answer before the end."""
    async with discarding() as peer:
        await asyncio.to_thread(send_all, peer.port, articles)
    assert peer.articles == len(articles)
    return peer.rate


def send_all(port: int, articles: Sequence[Article]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as replies:
        replies.readline()
        for article in articles:
            connection.sendall(b"TAKETHIS " + article.message_id + b"\r\n")
            connection.sendall(article.wire)
        for _ in articles:
            assert replies.readline().startswith(b"239")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=30_000)
    parser.add_argument("--large", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with innfeed_spool(options.articles) as sender:
        small = {
            f"innfeed to {name}, {connections} connections": functools.partial(
                innfeed_rate, sender, receiver, connections
            )
            for name, receiver in RECEIVERS.items()
            for connections in (1, 2)
        }
        for name, rate in (await in_turns(small, options.rounds)).items():
            print(f"{name}: {rate:,.0f} articles/s of 2 KB")
    large = list(corpus.synthetic(options.large, LARGE))
    rates = await in_turns({"sendall": functools.partial(sendall_rate, large)}, options.rounds)
    print(f"sendall to discard: {rates['sendall']:,.0f} articles/s of 750 KB")


if __name__ == "__main__":
    asyncio.run(main())
