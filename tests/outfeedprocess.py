"""The program of a test's outfeed: one Outfeed as a process of its own, to be killed and started again.

It is forked from a process that has imported everything already, so that a start takes a tenth of a second.
"""

import multiprocessing
import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

import uvloop

from forebay.outfeed import service
from forebay.outfeed.configuration import Surroundings
from forebay.outfeed.peering import custody
from forebay.runtime import (
    DrainSettings,
    GrpcSettings,
    HostSettings,
    configure_logs,
    run,
)
from forebay.runtime.document import decode
from forebay.spill import SpillSettings

IDENTITY = ("default", "hub")
POLL_SECONDS, GRACE, RETRY_SECONDS = 0.25, 2.0, 1.25
"""A quarter of what is usual, so that tests wait less."""


@dataclass(frozen=True)
class Plan:
    """What one run of the process is given."""

    folder: Path
    """Data, which stays from run to run."""
    log: Path
    """JSON lines are appended."""
    grpc_port: int
    http_port: int
    lease: float
    """Seconds for which a killed process keeps its spools from its successor."""
    impatient: bool = True
    """Waits of seconds are cut short; not for benches, which measure the service as it is."""
    revision: int = 1
    document: bytes = b""

    def with_document(self, revision: int, document: bytes) -> "Plan":
        return replace(self, revision=revision, document=document)


def fork(plan: Plan) -> BaseProcess:
    """Start the process."""
    context = multiprocessing.get_context("forkserver")
    # The folder of tests is not on the path yet when these are imported.
    context.set_forkserver_preload(["__main__", service.__name__, "uvloop"])
    process = context.Process(target=serve, args=(plan,), daemon=True)
    process.start()
    return process


def serve(plan: Plan) -> None:
    """Run the outfeed until SIGTERM. The exit code is 0 after a drain, 1 after a failure, which the log tells."""
    with plan.log.open("ab") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    configure_logs("info", "json")
    if plan.impatient:
        service.POLL_SECONDS, service.GRACE, custody.RETRY_SECONDS = POLL_SECONDS, GRACE, RETRY_SECONDS
        service.SpillSettings = partial(SpillSettings, lease_ttl=plan.lease, reconnect_max=0.5)  # type: ignore[misc]
    outfeed = service.OutfeedService(IDENTITY, plan.folder, Surroundings(lambda _: "", lambda _: "127.0.0.1"))
    settings = HostSettings(
        grpc=GrpcSettings(listen=f"127.0.0.1:{plan.grpc_port}"),
        http=f"127.0.0.1:{plan.http_port}",
        drain=DrainSettings(calls=5),
    )
    uvloop.run(run(outfeed, settings, decode(plan.revision, plan.document)))
