"""`forebay outfeed`: using a running outfeed."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from forebay.cli.options import (
    DEFAULT_ADDRESS,
    AddressOption,
    LimitOption,
    MessageIdsArgument,
    NamesArgument,
    Output,
    OutputOption,
    PeerArgument,
    ReasonOption,
    TlsOption,
)

group = typer.Typer(no_args_is_help=True, help="Offer articles to an outfeed; see and steer its peers.")


@group.command(epilog="Example: `forebay outfeed offer examples/articles`")
def offer(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            allow_dash=True,
            help="Files, each one article with CRLF line ends; folders of such, taken in the order of their names; - "
            "is one article from standard input.",
        ),
    ],
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    patience: Annotated[
        float,
        typer.Option(
            "--patience", metavar="SECONDS", min=0, help="How long to try again while the service is away or full."
        ),
    ] = 30.0,
    output: OutputOption = Output.TABLE,
) -> None:
    """Offer articles, and tell what became of them. Exit status 1 if one was rejected."""
    from forebay.cli.offers import offer_articles

    _run(offer_articles(paths, address, tls, patience, output))


@group.command(epilog="Example: `forebay outfeed peers --output json`")
def peers(
    names: NamesArgument = None,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the peers as they are now."""
    from forebay.cli.peerviews import show_peers

    _run(show_peers(names or [], address, tls, output))


@group.command(epilog="Example: `forebay outfeed top --interval 0.5`")
def top(
    names: NamesArgument = None,
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", min=0.1, max=3600, help="Time between two looks.")
    ] = 1.0,
    once: Annotated[
        bool, typer.Option("--once", help="Print what two looks tell, and end; with exit status 3 if nobody answers.")
    ] = False,
    addresses: Annotated[
        list[str],
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            envvar="FOREBAY_OUTFEED",
            help="Where the outfeed serves gRPC. May be repeated: the peers of all are shown together.",
        ),
    ] = [DEFAULT_ADDRESS],  # noqa: B006 typer copies it
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the peers, those for which most waits first, again and again until Ctrl-C.

    Rates are those since the look before. With --output json: an object a line.
    """
    from forebay.cli.topview import Watch, watch_peers

    _run(watch_peers(Watch(names or [], interval, output, once), addresses, tls))


@group.command(epilog="Example: `forebay outfeed explain examples/articles/001-plain-sluice-opened.article`")
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|<MESSAGE-ID>",
            help="An article, or its headers; - is standard input. Or the message-id, in its angle brackets, of an "
            "article that the outfeed keeps.",
        ),
    ],
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Tell which peers would get an article, and which rule stops the others. Nothing is stored or sent."""
    from forebay.cli.peerviews import explain_article

    _run(explain_article(file, address, tls, output))


@group.command(epilog="Example: `forebay outfeed pause west`")
def pause(
    peer: PeerArgument,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Stop sending to a peer until `resume`, or until the service is started again; its articles are kept."""
    from forebay.cli.peerviews import pause_peer

    _run(pause_peer(peer, address, tls, output))


@group.command(epilog="Example: `forebay outfeed resume west`")
def resume(
    peer: PeerArgument,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Go on sending to a peer."""
    from forebay.cli.peerviews import resume_peer

    _run(resume_peer(peer, address, tls, output))


@group.command(epilog="Example: `forebay outfeed flush west`")
def flush(
    peer: PeerArgument,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Move what waits for a peer in memory to its backlog."""
    from forebay.cli.peerviews import flush_peer

    _run(flush_peer(peer, address, tls, output))


@group.command(epilog="Example: `forebay outfeed refusals west`")
def refusals(
    names: NamesArgument = None,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show what peers say when they do not take articles, and how often, since the service started.

    Numbers, message-ids and host names are masked, so that replies for one reason are one row.
    """
    from forebay.cli.peerviews import show_refusals

    _run(show_refusals(names or [], address, tls, output))


@group.command(epilog="Example: `forebay outfeed dead-letters west --reason quota`")
def dead_letters(
    peer: PeerArgument,
    message_ids: MessageIdsArgument = None,
    reason: ReasonOption = "",
    limit: LimitOption = 100,
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the articles that were given up for a peer, and why."""
    from forebay.cli.peerviews import Chosen, show_dead_letters

    _run(show_dead_letters(peer, Chosen(message_ids or [], reason), limit, address, tls, output))


@group.command(epilog="Example: `forebay outfeed replay west '<20260701.1@news.example>'`")
def replay(
    peer: PeerArgument,
    message_ids: MessageIdsArgument = None,
    reason: ReasonOption = "",
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Queue given-up articles for their peer again."""
    from forebay.cli.peerviews import Chosen, replay_dead_letters

    _run(replay_dead_letters(peer, Chosen(message_ids or [], reason), address, tls, output))


def _run(command: Coroutine[Any, Any, None]) -> None:
    from forebay.cli.calling import run_call

    run_call(command)
