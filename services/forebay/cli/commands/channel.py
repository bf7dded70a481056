"""`forebay channel`."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import DEFAULT_ADDRESS, AddressOption, TlsOption


def channel(
    address: AddressOption = DEFAULT_ADDRESS,
    tls: TlsOption = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            metavar="FILE",
            dir_okay=False,
            help="Where lines are kept that are not confirmed; they come first at the next start.",
        ),
    ] = None,
    grace: Annotated[
        float,
        typer.Option(
            "--grace", metavar="SECONDS", min=0, help="How long the outfeed may be silent after the end of the input."
        ),
    ] = 30.0,
    articles: Annotated[
        Path, typer.Option("--articles", metavar="FOLDER", file_okay=False, help="Where relative paths begin.")
    ] = Path(),
    sm: Annotated[
        Path, typer.Option("--sm", metavar="FILE", help="INN's program that reads articles by their tokens.")
    ] = Path("/usr/lib/news/bin/sm"),
    one: Annotated[
        bool, typer.Option("--article", help="Standard input is one article, as innd gives it to a program feed (Tp).")
    ] = False,
) -> None:
    """Offer what innd writes: the program of a channel feed (Tc, Tx) in newsfeeds, in innfeed's place.

    Each line of standard input names an article by its storage token or path (Wn); what else it says does not matter.
    Lines that begin with ! are instructions, carried out once all articles before are confirmed: !flush for all peers,
    !flush, !pause (or !drop) and !resume (or !begin) for those that are named. innd sends them to an exploder (Tx), by
    `ctlinnd send` or as it carries out flush, drop and begin. While the outfeed is away nothing is read, so that innd
    keeps what comes in.
    """
    import uvloop

    from forebay.cli.channel.newsspool import NewsSpool
    from forebay.cli.channel.running import Connect, offer_article, run_channel
    from forebay.runtime import configure_logs

    configure_logs("warning")
    connect = Connect(address, tls, grace)
    uvloop.run(offer_article(connect) if one else run_channel(connect, NewsSpool(sm, articles), journal))
