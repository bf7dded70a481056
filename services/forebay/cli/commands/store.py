"""`forebay store`: using a running store."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from forebay.cli.errors import InputError
from forebay.cli.options import DEFAULT_STORE, Output, OutputOption, StoreAddressOption, TlsOption
from forebay.cli.settling import Ending

group = typer.Typer(no_args_is_help=True, help="Publish to a store and consume from it; see and empty its queues.")
QueueArgument = Annotated[str, typer.Argument(metavar="QUEUE", help="Name of the StoreQueue.")]


@group.callback()
def store() -> None:
    """Publish to a store and consume from it; see and empty its queues."""


@group.command(epilog="Example: `forebay store publish orders.eu.new --body 'one boat hook'`")
def publish(
    to: Annotated[str, typer.Argument(metavar="TO", help="Address of the messages, as orders.eu.new.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", allow_dash=True, help="Files, each one message; - is standard input."),
    ] = None,
    body: Annotated[
        list[str] | None, typer.Option("--body", metavar="TEXT", help="A message. May be repeated.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line of the files is a message.")] = False,
    header: Annotated[
        list[str] | None,
        typer.Option("--header", metavar="NAME=VALUE", help="Goes with each message. May be repeated."),
    ] = None,
    ttl: Annotated[
        str, typer.Option("--ttl", metavar="DURATION", help="How long they may wait in a queue, as 30s.")
    ] = "",
    priority: Annotated[
        int, typer.Option("--priority", metavar="NUMBER", min=0, max=255, help="The higher, the sooner.")
    ] = 0,
    transient: Annotated[
        bool, typer.Option("--transient", help="They need not survive a restart of the store.")
    ] = False,
    publisher: Annotated[
        str,
        typer.Option(
            "--publisher",
            metavar="NAME",
            help="Number the messages under this name: the store passes over those it has had from it, so that a "
            "command that failed can be given again.",
        ),
    ] = "",
    first: Annotated[
        int, typer.Option("--first", metavar="NUMBER", min=1, help="With --publisher: number of the first message.")
    ] = 1,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    patience: Annotated[
        float, typer.Option("--patience", metavar="SECONDS", min=0, help="How long to try while the store is away.")
    ] = 30.0,
    output: OutputOption = Output.TABLE,
) -> None:
    """Publish messages, wait until they are kept, and tell what became of them. Exit status 1 if one is not kept."""
    from forebay.cli.storepublishing import Letter, Numbering, bodies_of, headers_of, publish_messages, seconds_of

    if not body and not paths:
        raise InputError("there is nothing to publish", "Give files, or - for standard input, or --body.")
    letter = Letter(to, headers_of(header or []), seconds_of("--ttl", ttl), priority, transient)
    bodies = bodies_of(body or [], paths or [], lines)
    _run(publish_messages(letter, bodies, Numbering(publisher, first), address, tls, patience, output))


@group.command(epilog="Example: `forebay store consume orders --idle 1`")
def consume(
    queue: QueueArgument,
    count: Annotated[
        int | None, typer.Option("--count", metavar="NUMBER", min=1, help="End after so many messages.")
    ] = None,
    idle: Annotated[
        float | None, typer.Option("--idle", metavar="SECONDS", min=0.01, help="End when none has come for so long.")
    ] = None,
    then: Annotated[Ending, typer.Option("--then", help="What becomes of a message once it is printed.")] = Ending.ACK,
    prefetch: Annotated[
        int, typer.Option("--prefetch", metavar="NUMBER", min=1, max=65535, help="Most messages to hold at once.")
    ] = 256,
    exclusive: Annotated[bool, typer.Option("--exclusive", help="Nobody else may consume meanwhile.")] = False,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print the messages of a queue as they come, each body on a line, until Ctrl-C.

    A message is acknowledged once it was printed. With --then requeue all are held and go back at the end, so that no
    more come than --prefetch. With --output json: an object a line, with headers and history.
    """
    from forebay.cli.storeconsuming import Appetite, consume_messages

    _run(consume_messages(queue, Appetite(count, idle, prefetch), then, exclusive, address, tls, output))


@group.command(epilog="Example: `forebay store get orders --count 10`")
def get(
    queue: QueueArgument,
    count: Annotated[int, typer.Option("--count", metavar="NUMBER", min=1, max=1000, help="Most to take.")] = 1,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Take messages from the head of a queue, and show them. They count as acknowledged."""
    from forebay.cli.storeviews import get_messages

    _run(get_messages(queue, count, address, tls, output))


@group.command(epilog="Example: `forebay store browse orders --limit 20`")
def browse(
    queue: QueueArgument,
    position: Annotated[
        int, typer.Option("--position", metavar="NUMBER", min=0, help="Where to begin. 0: at the head.")
    ] = 0,
    limit: Annotated[int, typer.Option("--limit", metavar="NUMBER", min=1, help="Most to show.")] = 100,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show messages of a queue, those that consumers hold among them. Nothing is taken."""
    from forebay.cli.storeviews import browse_messages

    _run(browse_messages(queue, position, limit, address, tls, output))


@group.command(epilog="Example: `forebay store purge rejects`")
def purge(
    queue: QueueArgument,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Remove all messages of a queue that no consumer holds, for good, and tell how many that were."""
    from forebay.cli.storeviews import purge_queue

    _run(purge_queue(queue, address, tls, output))


@group.command(epilog="Example: `forebay store queues --output json`")
def queues(
    address: StoreAddressOption = DEFAULT_STORE, tls: TlsOption = None, output: OutputOption = Output.TABLE
) -> None:
    """Show all queues as they are now."""
    from forebay.cli.storeviews import show_queues

    _run(show_queues(address, tls, output))


@group.command(epilog="Example: `forebay store queue orders`")
def queue(
    queue: QueueArgument,
    address: StoreAddressOption = DEFAULT_STORE,
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Show one queue: its figures, its consumers, and what goes on inside."""
    from forebay.cli.storeviews import show_queue

    _run(show_queue(queue, address, tls, output))


@group.command(epilog="Example: `forebay store status`")
def status(
    address: StoreAddressOption = DEFAULT_STORE, tls: TlsOption = None, output: OutputOption = Output.TABLE
) -> None:
    """Show how the store is: what makes publishers wait, its disk and its memory."""
    from forebay.cli.storeviews import show_store

    _run(show_store(address, tls, output))


def _run(command: Coroutine[Any, Any, None]) -> None:
    from forebay.cli.calling import run_call

    run_call(command)
