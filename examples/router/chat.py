"""A chat over domains: `chat.py NAME DOMAIN,DOMAIN ROUTER...`. `@bob@west hello` goes to bob, all else to everyone."""

import asyncio
import sys

from forebay.client.router import Dropped, Event, Message, Process, Thread

HALL = "hall"  # the group that everyone of a domain who chats is in


async def hear(thread: Thread, message: Message) -> None:
    if message.sender != thread.address:
        print(f"{message.sender}: {message.body.decode()}", flush=True)


def note(thread: Thread, event: Event) -> None:
    if isinstance(event, Dropped):
        print(f"{event.recipient} did not get that: {event.name}", flush=True)


def say(member: Thread, domains: str, line: str) -> None:
    if line.startswith("@"):
        recipient, _, text = line[1:].partition(" ")
        member.send(recipient, "whisper", text.encode())
    else:
        for domain in domains.split(","):
            member.multicast(f"{HALL}@{domain}", "say", line.encode())


async def main(name: str, domains: str, *routers: str) -> None:
    async with Process.connect(routers, name) as process:
        member = await process.thread(name, hear, on_event=note)
        member.join(HALL)
        print(f"you are {member.address}", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            say(member, domains, line.strip())
            await member.drain()


asyncio.run(main(*sys.argv[1:]))
