import pytest
from pyspark.errors import PySparkException

from forebay_spark.sparkfailure import problem_of

TRACEBACK = """Job aborted due to stage failure: Task 0 failed
Traceback (most recent call last):
  File "worker.py", line 1, in main
forebay.spill.errors.SpillUnavailableError: Redis is away

\tat org.apache.spark.api.python.BasePythonRunner
"""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(TRACEBACK, "SpillUnavailableError: Redis is away", id="of Python"),
        pytest.param("No space left on device\n\tat java.io", "No space left on device", id="of Java"),
    ],
)
def test_of_a_long_text_the_cause_is_told(text: str, problem: str) -> None:
    assert problem_of(PySparkException(text)) == problem
