"""`kubectl forebay` as a process."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from kubeaccess import program

PLUGIN = Path(sys.executable).with_name("kubectl-forebay")
STANDIN = Path(__file__).with_name("standin.py")


class Result(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


class Plugin:
    """The plugin on an API server; the files of its calls are in `folder`, and gone when it ended."""

    def __init__(self, folder, kubeconfig):
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        standin = folder / "kubectl"
        standin.write_text(f'#!/bin/sh\nexec {sys.executable} {STANDIN} "$@"\n')
        standin.chmod(0o755)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(self.temporary),
            "KUBECONFIG": str(kubeconfig),
            "KUBECTL": str(standin),
            "REAL_KUBECTL": str(program("kubectl")),
        }

    async def start(self, *arguments):
        return await asyncio.create_subprocess_exec(
            PLUGIN,
            *map(str, arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.environment,
        )

    async def __call__(self, *arguments, within=60.0) -> Result:
        """Run a command to its end."""
        process = await self.start(*arguments)
        try:
            async with asyncio.timeout(within):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert not [*self.temporary.iterdir()], "files were left behind"
        return Result(process.returncode, out.decode(), err.decode())
