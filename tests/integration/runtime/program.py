"""A program that serves the echo service as a process: `python -m integration.runtime.program [crash]`."""

import sys

import structlog
import uvloop

from forebay.runtime import DrainSettings, HostSettings, configure_logs, run

from .echo import EchoService

log = structlog.stdlib.get_logger("program")


class Program(EchoService):
    """Logs what happens to it."""

    async def start(self, tasks):
        await super().start(tasks)
        if "crash" in sys.argv:
            tasks.spawn("poller", self.crash)

    async def crash(self):
        raise ValueError("of the task")

    def quiesce(self):
        super().quiesce()
        log.info("quiesced")

    async def drain(self):
        log.info("flushed")


async def reload():
    log.info("reloaded")


if __name__ == "__main__":
    configure_logs("info", "json")
    settings = HostSettings(drain=DrainSettings(endpoints=0.2, calls=5))
    uvloop.run(run(Program(), settings, reload=reload))
