"""Verify a message store: checksums, messages that nobody needs, references to what is not there, garbage by file.

The folder is only read. That of a running service can be verified as well as a snapshot of its volume; whether the
store keeps messages that nobody needs can be told after a clean stop alone.
"""

import argparse
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from forebay.msgstore import MessageStoreError
from forebay_spark.datafolder import DataFolder
from forebay_spark.errors import JobError
from forebay_spark.figures import Figure, Figures
from forebay_spark.inspection import Inspection
from forebay_spark.verdict import Verdict


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the job."""
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="data folder of a service, or its copy")


def run(options: argparse.Namespace, spark: SparkSession) -> Figures:
    """Verify and print the table. Raises `JobError`, `OptionError` and `OSError`."""
    inspection = Inspection(spark, DataFolder(options.data.absolute()))
    try:
        verdict = inspection.verdict()
    except MessageStoreError as error:
        raise JobError(f"{options.data}: {error}") from error
    finally:
        inspection.close()
    sys.stdout.writelines(f"{line}\n" for line in verdict.lines())
    return _figures(verdict)


def _figures(verdict: Verdict) -> Figures:
    values: dict[str, Figure] = {
        "files": len(verdict.files),
        "bytesIn": sum(file.octets for file in verdict.files),
        "messages": verdict.messages,
        "garbageBytes": sum(file.garbage for file in verdict.files),
        "tornFiles": verdict.torn,
        "faults": dict(verdict.faults),
    }
    found = ", ".join(f"{count} {kind}" for kind, count in verdict.faults.items())
    return Figures(values, [f"the store is not sound: {found}"] if found else [])
