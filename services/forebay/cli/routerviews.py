"""Showing threads, alarms and messages of a running router."""

from collections.abc import Sequence
from pathlib import Path

from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_json_line, print_table
from forebay.client.router import Flag, RouterClient
from forebay.pb.router.v1 import router_pb2 as pb

ALARM_COLUMNS = ("since", "severity", "alarm", "origin", "comment")
_SEVERITY = pb.Alarm.DESCRIPTOR.fields_by_name["severity"]
SHOWN = 60
"""Characters of a body that a line of a trace has room for."""


async def show_threads(prefix: str, address: str, tls: Path | None, output: Output, *, routers: bool) -> None:
    """Print the threads whose names have a prefix, behind the router if that is wanted."""
    async with RouterClient.connect(address, tls) as client:
        found = [thread async for thread in client.threads(prefix)]
        router = await client.router() if routers else None
    if output is Output.JSON:
        threads = [plain(thread) for thread in found]
        print_json({"router": plain(router), "threads": threads} if router else threads)
        return
    if router:
        print_router(router)
    rows = ((each.name, each.process, each.router, _time(each.since), " ".join(each.groups)) for each in found)
    print_table("", ("thread", "process", "router", "since", "groups"), rows)


def print_router(router: pb.GetRouterResponse) -> None:
    """Print a router, its processes, its links and its ways to other domains."""
    print_table(f"Router {router.router} of domain {router.domain}", ("", ">"), router_rows(router))
    rows = ((each.process, each.threads, each.waiting_octets, _time(each.since)) for each in router.processes)
    print()
    print_table("Processes", ("process", ">threads", ">octets waiting", "since"), rows)
    if router.links:
        print()
        print_table("Links", ("router", "domain", "link", "state", ">octets waiting"), map(link_row, router.links))
    if router.routes:
        print()
        ways = ((each.domain, each.cost, " ".join(each.path)) for each in router.routes)
        print_table("Ways to other domains", ("domain", ">cost", "path"), ways)
    print()


def router_rows(router: pb.GetRouterResponse) -> list[tuple[str, object]]:
    """Its figures by name."""
    return [
        ("threads of the domain", router.threads),
        ("messages passed on", router.messages),
        *((f"dropped: {notice}", count) for notice, count in sorted(router.dropped.items())),
        ("octets spilled", router.spilled_octets),
        ("alarms", router.alarms),
    ]


def link_row(link: pb.LinkStatus) -> tuple[object, ...]:
    """A link as a row of a table."""
    state = "up" if link.up else "suspended" if link.suspended else f"down: {link.problem}"
    return (link.router, link.domain, link.name, state, link.waiting_octets)


async def show_alarms(cleared: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Turn some off, then print those that are on."""
    async with RouterClient.connect(address, tls) as client:
        await _clear(client, cleared)
        alarms = await client.alarms()
    if output is Output.JSON:
        print_json([plain(alarm) for alarm in alarms])
    else:
        print_table("", ALARM_COLUMNS, map(alarm_row, alarms))


async def watch_alarms(cleared: Sequence[str], address: str, tls: Path | None, output: Output) -> None:
    """Turn some off, then print those that are on, and each that changes, for ever."""
    async with RouterClient.connect(address, tls) as client:
        await _clear(client, cleared)
        async for alarm in client.watch_alarms():
            if output is Output.JSON:
                print_json_line(plain(alarm))
            else:
                time, severity, name, origin, comment = alarm_row(alarm)
                print(f"{time} {severity if alarm.on else 'off'} {name} {origin}: {comment}", flush=True)


async def _clear(client: RouterClient, alarms: Sequence[str]) -> None:
    for text in alarms:
        name, equals, origin = text.partition("=")
        if not (equals and origin):
            raise InputError(f"--clear {text}: give ALARM=ORIGIN, as skal-drop-ttl=east-0@east")
        await client.clear_alarm(name, origin)


def alarm_row(alarm: pb.Alarm) -> tuple[str, ...]:
    """An alarm as a row of a table."""
    return (_time(alarm.time), short_name(_SEVERITY, alarm.severity), alarm.name, alarm.origin, alarm.comment)


async def trace_messages(of: str, limit: int | None, address: str, tls: Path | None, output: Output) -> None:
    """Print messages as they pass, so many, or for ever."""
    shown = 0
    async with RouterClient.connect(address, tls) as client:
        async for response in client.trace(of):
            if response.missed and output is Output.TABLE:
                print(f"({response.missed} are not shown: they pass faster than they are read)", flush=True)
            for traced in response.messages:
                print_traced(traced, output)
                shown += 1
                if shown == limit:
                    return


def print_traced(traced: pb.TracedMessage, output: Output) -> None:
    """Print one message that has passed, on a line of its own."""
    message = traced.message
    body = message.body.decode(errors="replace")
    flags = [flag.name.lower().replace("_", "-") for flag in Flag if flag and traced.flags & flag and flag.name]
    if output is Output.JSON:
        values = {
            "sender": traced.sender,
            "recipient": traced.recipient,
            "marker": f"{traced.sender}#{traced.incarnation:x}.{traced.sequence}",
            "ttl": traced.ttl,
            "flags": flags,
            "name": message.name,
            "body": body,
            "way": traced.way,
        }
        print_json_line(values)
        return
    text = body if len(body) <= SHOWN else f"{body[:SHOWN]}…"
    marks = f" [{' '.join(flags)}]" if flags else ""
    print(f"{traced.sender} -> {traced.recipient} by {traced.way}: {message.name} {text!r}{marks}", flush=True)


def _time(stamp: object) -> str:
    return str(stamp.ToJsonString())  # type: ignore[attr-defined]
