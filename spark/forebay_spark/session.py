"""The Spark session of a job: what spark-submit has set up, or a local one."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from forebay_spark.errors import SparkFailedError
from forebay_spark.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Settings = dict[str, bool | float | int | str | None]

COMMON: Settings = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.python.daemon.module": "forebay_spark.daemon",
    "spark.sql.session.timeZone": "UTC",
}
LOCAL: Settings = {
    # Nobody else is to reach what has no password.
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Python does most of the work, on the same cores: what Java would spend on better code and on collecting garbage in
many threads, it takes away from that."""
SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit, whose Java already runs and whose settings count."""


@contextmanager
def spark_session(job: str, cores: int | None = None) -> Iterator["SparkSession"]:
    """A session for the time of the block, where what Spark raises becomes `SparkFailedError`.

    Without spark-submit everything runs in this process and its children, on `cores` cores (None: all there are).
    Raises `JavaMissingError`.
    """
    from forebay_spark.sparkfailure import SPARK_FAILURES, problem_of

    try:
        session = _started(job, cores)
        try:
            yield session
        finally:
            session.stop()
    except SPARK_FAILURES as error:
        raise SparkFailedError(problem_of(error)) from error


def _started(job: str, cores: int | None) -> "SparkSession":
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(f"forebay {job}").config(map=COMMON)
    with as_file(files("forebay_spark").joinpath("log4j2.properties")) as logging:
        if SUBMITTED not in os.environ:
            _prepare()
            options: Settings = {
                **LOCAL,
                "spark.driver.extraJavaOptions": f"{JAVA} -Dlog4j2.configurationFile={logging}",
            }
            builder = builder.master(f"local[{cores or '*'}]").config(map=options)
        return builder.getOrCreate()


def _prepare() -> None:
    home = java_home(os.environ)
    if home:
        os.environ["JAVA_HOME"] = home
    # Else workers are whatever `python3` is on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
