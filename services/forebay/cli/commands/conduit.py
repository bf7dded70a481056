"""`forebay conduit`: using a running node of conduit, or being one at the edge."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from forebay.cli.commands.conduitbridge import bridge
from forebay.cli.conduitchoices import CongestionChoice, KindChoice, ModeChoice, SlowChoice
from forebay.cli.options import DEFAULT_CONDUIT, ConduitAddressOption, Output, OutputOption, TlsOption

HELP = """Publish samples and subscribe to them; see peers, and what is declared.

A node of conduit has sessions with peers, over networks that may lose datagrams. What is published under a URI, as
/plant/oven-1/temp, goes to all peers that subscribe to it, or to a pattern such as /plant/&ast;/temp or /plant/**.

The commands use a node that runs as a service (`forebay serve conduitnode`). `pub` and `sub` do without: with --join
they are a node themselves, as a device at the edge is.
"""
group = typer.Typer(no_args_is_help=True, help=HELP)
group.command(epilog="Example: `forebay conduit bridge --peer udp/press:7448 --connect tcp/zenoh:7447`")(bridge)

JoinOption = Annotated[
    list[str] | None,
    typer.Option(
        "--join",
        metavar="udp/HOST:PORT",
        help="Be a node without a service, and look for a peer there, or in a multicast group such as "
        "udp/239.255.0.1:7447. May be repeated.",
    ),
]
ListenOption = Annotated[
    str, typer.Option("--udp", metavar="HOST:PORT", help="With --join: where datagrams come in; port 0: any.")
]
KeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="ID=FILE",
        help="With --join: a key that datagrams are sealed with, in a file of its own; the first one seals. May be "
        "repeated.",
    ),
]
UriArgument = Annotated[str, typer.Argument(metavar="URI", help="What is published, as /plant/oven-1/temp.")]
PatternArgument = Annotated[
    str, typer.Argument(metavar="PATTERN", help="A URI, or a pattern of URIs, as /plant/*/temp or /plant/**.")
]


@group.callback()
def conduit() -> None:
    """Publish samples and subscribe to them; see peers, and what is declared."""


@group.command(epilog="Example: `forebay conduit pub /plant/oven-1/temp 181.5 182.0`")
def pub(
    uri: UriArgument,
    samples: Annotated[
        list[str] | None, typer.Argument(metavar="[SAMPLE]...", help="Samples, as UTF-8, in their order.")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="PATH", help="A file that is one sample; - is standard input. May be repeated."),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line of the files is a sample.")] = False,
    unreliable: Annotated[
        bool, typer.Option("--unreliable", help="Samples may be lost: nothing waits for acknowledgement.")
    ] = False,
    conduit: Annotated[
        int, typer.Option("--conduit", metavar="NUMBER", min=0, help="The conduit to all peers that they go by.")
    ] = 0,
    congestion: Annotated[
        CongestionChoice | None,
        typer.Option(
            "--congestion",
            help="What becomes of samples without room in the window. `block`: they wait. `drop`: they are dropped. "
            "`error`: they are refused. `spill`: they wait in the service's Spill. Left out: as the node says.",
        ),
    ] = None,
    deadline: Annotated[
        float | None, typer.Option("--deadline", metavar="SECONDS", min=0, help="How long they wait; 0: for ever.")
    ] = None,
    switching: Annotated[
        bool, typer.Option("--switching", help="While one peer alone subscribes, they go by its own conduit.")
    ] = False,
    history: Annotated[
        int, typer.Option("--history", metavar="NUMBER", min=0, help="So many of the last are kept for late ones.")
    ] = 0,
    wait: Annotated[
        float,
        typer.Option("--wait", metavar="SECONDS", min=0, help="With --join: wait so long for somebody to subscribe."),
    ] = 10.0,
    join: JoinOption = None,
    listen: ListenOption = "0.0.0.0:0",
    key: KeyOption = None,
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Publish samples, and tell what became of them. Exit status 1 when some were not accepted.

    What nobody subscribes to goes nowhere, and counts as accepted.
    """
    from forebay.cli.conduitedge import edge_settings
    from forebay.cli.conduitpublishing import Publication, publish_at_edge, publish_by_service

    publication = Publication(uri, False if unreliable else None, conduit, congestion, deadline, switching, history)
    source = publication.source(samples or [], file or [], lines=lines)
    if join:
        _run(publish_at_edge(publication, source, edge_settings(listen, join, key or []), wait, output))
    else:
        _run(publish_by_service(publication, source, address, tls, output))


@group.command(epilog="Example: `forebay conduit sub '/plant/**' --limit 10`")
def sub(
    pattern: PatternArgument,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="NUMBER", min=1, help="End after so many. Left out: at Ctrl-C.")
    ] = None,
    history: Annotated[
        int,
        typer.Option("--history", metavar="NUMBER", min=0, help="First the last ones, so many of each resource."),
    ] = 0,
    mode: Annotated[
        ModeChoice,
        typer.Option("--mode", help="`push`: as they are published. `pull`: what peers keep, asked for once."),
    ] = ModeChoice.PUSH,
    slow: Annotated[
        SlowChoice,
        typer.Option(
            "--slow",
            help="When this command is too slow. `drop`: the oldest samples are left out, and counted. `hold`: they "
            "stay with their senders, which holds up others. `end`: it ends.",
        ),
    ] = SlowChoice.DROP,
    join: JoinOption = None,
    listen: ListenOption = "0.0.0.0:0",
    key: KeyOption = None,
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print samples as they come, each with its URI and the id of the peer that published it."""
    from forebay.cli.conduitedge import edge_settings
    from forebay.cli.conduitsubscribing import Wanted, subscribe_at_edge, subscribe_by_service

    wanted = Wanted(pattern, limit, history, mode, slow)
    if join:
        _run(subscribe_at_edge(wanted, edge_settings(listen, join, key or []), output))
    else:
        _run(subscribe_by_service(wanted, address, tls, output))


@group.command(epilog="Example: `forebay conduit peers --watch`")
def peers(
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and show each change, until Ctrl-C.")] = False,
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the node, and the peers that it has sessions with."""
    from forebay.cli.conduitviews import show_peers, watch_peers

    _run((watch_peers if watch else show_peers)(address, tls, output))


@group.command(epilog="Example: `forebay conduit declarations /plant --kind subscriber`")
def declarations(
    prefix: Annotated[str, typer.Argument(metavar="[PREFIX]", help="What URIs begin with; left out: all.")] = "",
    kind: Annotated[KindChoice | None, typer.Option("--kind", help="Only of this kind.")] = None,
    peer: Annotated[
        str, typer.Option("--peer", metavar="ID", help="Only of the peer of that id; the node's own: its own.")
    ] = "",
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show what the node and its peers have declared, by URI."""
    from forebay.cli.conduitviews import show_declarations

    _run(show_declarations(prefix, kind, peer, address, tls, output))


@group.command(epilog="Example: `forebay conduit query '/plant/*/recipe' --deadline 2`")
def query(
    pattern: PatternArgument,
    payload: Annotated[str, typer.Argument(metavar="[QUESTION]", help="What is asked, as UTF-8.")] = "",
    deadline: Annotated[
        float, typer.Option("--deadline", metavar="SECONDS", min=0.001, max=300, help="How long to wait for answers.")
    ] = 10.0,
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Ask all peers, and print their answers as they come. Exit status 1 when a peer did not answer."""
    from forebay.cli.conduitviews import ask

    _run(ask(pattern, payload, deadline, address, tls, output))


@group.command(epilog="Example: `forebay conduit close udp/192.0.2.7:7448`")
def close(
    peer: Annotated[
        str,
        typer.Argument(metavar="PEER", help="Id of the peer, or its address, as `forebay conduit peers` shows them."),
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for whoever watches peers.")] = "",
    address: ConduitAddressOption = DEFAULT_CONDUIT,
    tls: TlsOption = None,
) -> None:
    """End the session with a peer. One that looks for the node has another session soon."""
    from forebay.cli.conduitviews import close_session

    _run(close_session(peer, reason, address, tls))


def _run(command: Coroutine[Any, Any, None]) -> None:
    import uvloop

    from forebay.runtime import configure_logs

    configure_logs("warning")
    uvloop.run(command)
