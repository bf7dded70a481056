"""`forebay announcer`: using a running announcer."""

from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from forebay.cli.clientevent import ClientEvent
from forebay.cli.options import DEFAULT_ANNOUNCER, AnnouncerAddressOption, Output, OutputOption, TlsOption

group = typer.Typer(no_args_is_help=True, help="Announce to a tracker; see its swarms, its queue and its forwarders.")
TorrentArgument = Annotated[
    str, typer.Argument(metavar="INFO_HASH", help="Info hash of the torrent, as 40 hexadecimal digits.")
]


@group.callback()
def announcer() -> None:
    """Announce to a tracker; see its swarms, its queue and its forwarders."""


@group.command(epilog="Example: `forebay announcer announce 0123456789abcdef0123456789abcdef01234567 --port 6881`")
def announce(
    info_hash: TorrentArgument,
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Where the client takes connections.")
    ] = 6881,
    ip: Annotated[str, typer.Option("--ip", metavar="ADDRESS", help="Its address. Left out: the caller's.")] = "",
    peer_id: Annotated[
        str, typer.Option("--peer-id", metavar="HEX", help="Its peer id, as 40 hexadecimal digits. Left out: drawn.")
    ] = "",
    event: Annotated[
        ClientEvent, typer.Option("--event", help="What has happened to its download.")
    ] = ClientEvent.NONE,
    left: Annotated[
        int | None,
        typer.Option("--left", metavar="OCTETS", min=0, help="What is missing; 0: nothing. Left out: not told."),
    ] = None,
    numwant: Annotated[
        int | None, typer.Option("--numwant", metavar="NUMBER", min=0, help="How many peers are wanted.")
    ] = None,
    address: AnnouncerAddressOption = DEFAULT_ANNOUNCER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Announce one client, and show the answer with its peers. Exit status 1 when it is refused."""
    from forebay.cli.announcerviews import Client, announce_client

    client = Client(info_hash, port, ip, peer_id, event, left, numwant)
    _run(announce_client(client, address, tls, output))


@group.command(epilog="Example: `forebay announcer scrape 0123456789abcdef0123456789abcdef01234567`")
def scrape(
    info_hashes: Annotated[
        list[str], typer.Argument(metavar="INFO_HASH...", help="Info hashes, as 40 hexadecimal digits each.")
    ],
    address: AnnouncerAddressOption = DEFAULT_ANNOUNCER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the sizes of swarms."""
    from forebay.cli.announcerviews import scrape_swarms

    _run(scrape_swarms(info_hashes, address, tls, output))


@group.command(epilog="Example: `forebay announcer forwarders --enable open-tracker`")
def forwarders(
    enable: Annotated[
        list[str] | None,
        typer.Option("--enable", metavar="NAME", help="First give announces to this one again. May be repeated."),
    ] = None,
    address: AnnouncerAddressOption = DEFAULT_ANNOUNCER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show all forwarders as they are now, the disabled and suspended ones with their reasons."""
    from forebay.cli.announcerviews import show_forwarders

    _run(show_forwarders(enable or [], address, tls, output))


@group.command(epilog="Example: `forebay announcer queue`")
def queue(
    address: AnnouncerAddressOption = DEFAULT_ANNOUNCER, tls: TlsOption = None, output: OutputOption = Output.TABLE
) -> None:
    """Show the job queue, the workers, and the next ten scheduled jobs."""
    from forebay.cli.announcerviews import show_queue

    _run(show_queue(address, tls, output))


@group.command(epilog="Example: `forebay announcer swarms --limit 20`")
def swarms(
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="NUMBER", min=1, help="Most to show. Left out: all.")
    ] = None,
    address: AnnouncerAddressOption = DEFAULT_ANNOUNCER,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the swarms, by info hash."""
    from forebay.cli.announcerviews import show_swarms

    _run(show_swarms(limit, address, tls, output))


def _run(command: Coroutine[Any, Any, None]) -> None:
    from forebay.cli.calling import run_call

    run_call(command)
