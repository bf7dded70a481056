"""The end of a process whose services do not end."""

import asyncio
import sys

PROGRAM = """
import asyncio, time
import uvloop
from forebay.cli.running import to_the_end
from forebay.runtime import DrainTimeoutError

async def serve():
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
    raise DrainTimeoutError("outfeed was not drained within 25 s")

uvloop.run(to_the_end(serve()))
"""


async def test_a_thread_that_hangs_does_not_keep_the_process_once_the_drain_was_cut_off():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, stderr=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(30):
            _, text = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 1
    assert text == b"Error: outfeed was not drained within 25 s\n"
