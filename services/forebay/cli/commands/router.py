"""`forebay router`: using a running router."""

from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from forebay.cli.options import DEFAULT_ROUTER, Output, OutputOption, RouterAddressOption, TlsOption

HELP = """Send messages to threads; see the threads of a domain, its alarms, and messages as they pass.

A thread is what sends and takes messages: part of a process that has attached to a router by `forebay.client.router`.
Its address is NAME@DOMAIN. See what there is by `forebay router threads`; send to one by `forebay router send`.
"""
group = typer.Typer(no_args_is_help=True, help=HELP)


@group.callback()
def router() -> None:
    """Send messages to threads; see the threads of a domain, its alarms, and messages as they pass."""


@group.command(epilog="Example: `forebay router send lobby@east say 'hello all' --field room=12`")
def send(
    recipient: Annotated[
        str,
        typer.Argument(
            metavar="NAME[@DOMAIN]", help="The thread that gets it; without a domain, one of the router's own."
        ),
    ],
    name: Annotated[str, typer.Argument(metavar="MESSAGE", help="What the message is about, as its handler knows it.")],
    body: Annotated[str, typer.Argument(metavar="[BODY]", help="What it says, as UTF-8; - reads standard input.")] = "",
    field: Annotated[
        list[str] | None,
        typer.Option("--field", metavar="NAME=VALUE", help="Text that it carries under a name. May be repeated."),
    ] = None,
    group: Annotated[
        bool, typer.Option("--group", help="It is for all members of a group of that name; nobody tells of drops.")
    ] = False,
    urgent: Annotated[bool, typer.Option("--urgent", help="It goes before those that are not urgent.")] = False,
    ttl: Annotated[int, typer.Option("--ttl", metavar="ROUTERS", min=0, max=255, help="Routers that it may pass.")] = 4,
    reply: Annotated[
        float | None,
        typer.Option("--reply", metavar="SECONDS", min=0, help="Wait so long for a reply, and print it."),
    ] = None,
    sender: Annotated[
        str, typer.Option("--from", metavar="NAME", help="The thread that sends it. Left out: a name of its own.")
    ] = "",
    address: RouterAddressOption = DEFAULT_ROUTER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Send one message, and wait until the recipient's process has it. Exit status 1 when it was dropped."""
    from forebay.cli.routersending import Letter, send_letter

    letter = Letter(recipient, name, body, field or [], group, urgent, ttl, reply, sender)
    _run(send_letter(letter, address, tls, output))


@group.command(epilog="Example: `forebay router threads lobby`")
def threads(
    prefix: Annotated[str, typer.Argument(metavar="[PREFIX]", help="What their names begin with; left out: all.")] = "",
    routers: Annotated[
        bool,
        typer.Option("--routers", help="Show the router too: its processes, its links, its ways to other domains."),
    ] = False,
    address: RouterAddressOption = DEFAULT_ROUTER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the threads of the router's domain, wherever in it they are, with their groups."""
    from forebay.cli.routerviews import show_threads

    _run(show_threads(prefix, address, tls, output, routers=routers))


@group.command(epilog="Example: `forebay router alarms --watch`")
def alarms(
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and show each change, until Ctrl-C.")] = False,
    clear: Annotated[
        list[str] | None,
        typer.Option("--clear", metavar="ALARM=ORIGIN", help="First turn this one off. May be repeated."),
    ] = None,
    address: RouterAddressOption = DEFAULT_ROUTER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the alarms that are on in the domain, the oldest first."""
    from forebay.cli.routerviews import show_alarms, watch_alarms

    _run((watch_alarms if watch else show_alarms)(clear or [], address, tls, output))


@group.command(epilog="Example: `forebay router trace lobby@east --limit 20`")
def trace(
    of: Annotated[
        str,
        typer.Argument(metavar="[NAME@DOMAIN]", help="Only messages from or for this thread or group; left out: all."),
    ] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="NUMBER", min=1, help="End after so many. Left out: at Ctrl-C.")
    ] = None,
    address: RouterAddressOption = DEFAULT_ROUTER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show messages as they pass the router: from whom, to whom, and which way they went or why they were dropped."""
    from forebay.cli.routerviews import trace_messages

    _run(trace_messages(of, limit, address, tls, output))


def _run(command: Coroutine[Any, Any, None]) -> None:
    from forebay.cli.calling import run_call

    run_call(command)
