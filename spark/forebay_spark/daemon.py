"""The parent of Spark's Python workers: it imports once what each of them needs, then forks them.

Spark starts it as the module that `spark.python.daemon.module` names, in the place of its own, which imports nothing.
"""

import gc
import sys
from pathlib import Path


def copied(entry: str) -> bool:
    """Whether a place of the search path is an archive that lies in the very package whose copy it holds.

    Spark puts such archives first, and Python compiles whatever comes from them at each start anew.
    """
    archive = Path(entry)
    return archive.suffix == ".zip" and archive.parts[-4:-1] == ("pyspark", "python", "lib")


if __name__ == "__main__":
    sys.path.sort(key=copied)

    import pyspark.worker  # noqa: F401 workers need it
    from pyspark.daemon import manager

    import forebay_spark.inspection
    import forebay_spark.split  # noqa: F401 workers need them

    # Workers look for garbage after each task; none of this will ever be any.
    gc.freeze()
    manager()
