"""The jobs of Spark as users run them, of modules that are compiled as those of an image are."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

CORES = "2"


def job(name: str, *arguments: str) -> list[str]:
    """The command line of a job."""
    return [sys.executable, "-m", "forebay_spark", name, "--cores", CORES, *arguments]


@contextmanager
def warmed_up() -> Iterator[None]:
    """Have Python keep the bytecode of modules, also where it is told not to: else each job compiles them once more."""
    kept = dict(os.environ)
    with TemporaryDirectory(prefix="bench-") as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        subprocess.run([sys.executable, "-c", "import forebay_spark.daemon, forebay_spark.inspection"], check=True)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(kept)
