"""What Spark raises when work fails, and what of its long text tells why."""

import re

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

SPARK_FAILURES = (PySparkException, Py4JJavaError)
"""What is raised on the driver when a task fails, or Spark itself."""
_PROBLEM = re.compile(r"^(?:\w+\.)*(\w+Error: .*)$", re.MULTILINE)
"""The last line of a traceback from Python."""


def problem_of(error: Exception) -> str:
    """What an error says, of whose text most is where in Spark it came from."""
    found = _PROBLEM.findall(str(error))
    return found[-1] if found else str(error).partition("\n")[0]
