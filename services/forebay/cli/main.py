"""Entry of the `forebay` command."""

import os
import sys
from typing import Any

import typer

from forebay.cli.commands import announcer, conduit, outfeed, router, spark, spill, store
from forebay.cli.commands.apply import apply
from forebay.cli.commands.channel import channel
from forebay.cli.commands.imports import import_
from forebay.cli.commands.serve import serve
from forebay.cli.commands.up import up
from forebay.cli.commands.validate import validate
from forebay.cli.commands.version import version
from forebay.cli.errors import INTERRUPTED
from forebay.cli.failures import report

HELP = """In once, kept once, out to everyone at each one's own pace.

Begin with `forebay up -f examples/quickstart`, which runs all that the files describe in one process; then look at
`forebay outfeed peers`. Shell completion: `forebay --install-completion`.
"""


# No child of ours uses gRPC, and what it would say about forks helps nobody.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")


class Application(typer.Typer):
    """The whole command; its errors are told without a traceback."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name, and end the process."""
        try:
            return super().__call__(*args, **kwargs)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except Exception as error:  # noqa: BLE001 the one place where nothing may pass
            sys.exit(report(error))


app = Application(
    name="forebay", help=HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown"
)
app.command(epilog="Example: `forebay up -f examples/quickstart --offer examples/articles`")(up)
app.add_typer(serve, name="serve")
app.command(epilog="Example: `forebay apply -f examples/quickstart`")(apply)
app.command(epilog="Example: `forebay validate -f examples/quickstart`")(validate)
app.command("import", epilog="Example: `forebay import innfeed.conf newsfeeds --to manifests`")(import_)
app.command(epilog="Example: `forebay channel --journal /var/spool/news/outgoing/forebay.journal`")(channel)
app.command(epilog="Example: `forebay version --output json`")(version)
app.command(epilog="Example: `forebay top --address hub:7119 --address spare:7119`")(outfeed.top)
app.add_typer(outfeed.group, name="outfeed")
app.add_typer(store.group, name="store")
app.add_typer(announcer.group, name="announcer")
app.add_typer(router.group, name="router")
app.add_typer(conduit.group, name="conduit")
app.add_typer(spill.group, name="spill")
app.add_typer(spark.group, name="spark")
