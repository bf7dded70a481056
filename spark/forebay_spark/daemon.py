"""The parent of Spark's Python workers: it imports once what each of them needs, then forks them.

Spark starts it as the module that `spark.python.daemon.module` names, in the place of its own, which imports nothing.
"""

import gc

from pyspark.daemon import manager

import forebay_spark.split  # noqa: F401 workers need it

if __name__ == "__main__":
    # Workers look for garbage after each task; none of this will ever be any.
    gc.freeze()
    manager()
