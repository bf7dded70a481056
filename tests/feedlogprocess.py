"""A process that works on a feed log until it is killed, and says what the log has confirmed.

Lines on standard output: `logged SEQ NUMBER COUNT`, `releasing SEQ COUNT`, `handed SEQ COUNT`.
"""

import asyncio
import sys

from feedlogs import SETTINGS, records, tokens
from forebay.msgstore.disk import RealDisk
from forebay.outfeed.log.feedlog import FeedLog

BATCH = 100


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def main(folder: str, number: int) -> None:
    log = FeedLog.open(RealDisk(folder), SETTINGS)
    peer = await log.add_peer("a")
    while True:
        seq = await log.append(records(number, BATCH))
        say("logged", seq, number, BATCH)
        say("releasing", seq, BATCH // 2)
        log.release(peer, tokens(seq, BATCH // 2, number))
        log.advance(peer, seq)
        await log.flush()
        say("handed", seq, BATCH // 2)
        number += BATCH
        if number % 1000 == 0:
            log.history_mark = log.head - 1
            await log.tidy()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
