"""Entry of `kubectl forebay`."""

import os
from typing import Any

from forebay.cli.kubectl import commands, outfeedcalls
from forebay.cli.main import Application

HELP = """Forebay on this cluster: how it fares, who may call it, and what its services say.

Begin with `kubectl forebay status`. It and `clients`, `access` and `purges` ask the API server alone; `peers`, `top`,
`explain`, `refusals`, `dead-letters`, `replay`, `forwarders`, `queue`, `swarms`, `threads` and `alarms` call a service,
through a port-forward of their own and with a certificate that the operator issued.
"""
NAME = "kubectl forebay"

# What gRPC itself says of a connection that a replaced pod ends would stand between the lines of a table.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")


class Plugin(Application):
    """The whole plugin, which is called by kubectl and looks like a part of it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name, and end the process."""
        return super().__call__(*args, prog_name=NAME, **kwargs)


app = Plugin(
    name=NAME,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command(epilog="Example: `kubectl forebay status outfeed/hub`")(commands.status)
app.command(epilog="Example: `kubectl forebay peers hub west`")(outfeedcalls.peers)
app.command(epilog="Example: `kubectl forebay top hub --interval 0.5`")(outfeedcalls.top)
app.command(epilog="Example: `kubectl forebay explain hub some.article`")(outfeedcalls.explain)
app.command(epilog="Example: `kubectl forebay refusals hub west`")(outfeedcalls.refusals)
app.command(epilog="Example: `kubectl forebay dead-letters hub west --reason quota`")(outfeedcalls.dead_letters)
app.command(epilog="Example: `kubectl forebay replay hub west '<20260701.1@news.example>'`")(outfeedcalls.replay)
app.command(epilog="Example: `kubectl forebay forwarders main --enable west`")(commands.forwarders)
app.command(epilog="Example: `kubectl forebay queue main`")(commands.queue)
app.command(epilog="Example: `kubectl forebay swarms main --limit 20`")(commands.swarms)
app.command(epilog="Example: `kubectl forebay threads chat --routers`")(commands.threads)
app.command(epilog="Example: `kubectl forebay alarms chat`")(commands.alarms)
app.command(epilog="Example: `kubectl forebay clients hub --save inn ./inn-certificate`")(commands.clients)
app.command(epilog="Example: `kubectl forebay access hub --check inn Offer`")(commands.access)
app.command(epilog="Example: `kubectl forebay purges --all-namespaces`")(commands.purges)
