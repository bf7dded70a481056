from pathlib import Path

import pytest

from forebay_spark import java
from forebay_spark.errors import JavaMissingError


def program(folder: Path) -> str:
    (folder / "java").write_text("#!/bin/sh\n")
    (folder / "java").chmod(0o755)
    return str(folder)


def test_java_home_counts(tmp_path) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin")
    assert java.java_home({"JAVA_HOME": str(tmp_path), "PATH": "/nowhere"}) is None


def test_a_java_home_without_a_java_is_told_by_its_place(tmp_path) -> None:
    with pytest.raises(JavaMissingError, match=f"{tmp_path}/bin/java is no program.*unset it"):
        java.java_home({"JAVA_HOME": str(tmp_path), "PATH": program(tmp_path)})


def test_a_java_on_the_path_counts(tmp_path) -> None:
    assert java.java_home({"PATH": program(tmp_path)}) is None


def test_else_it_is_that_of_the_wheel() -> None:
    home = java.java_home({"PATH": "/nowhere"})
    assert home is not None
    assert (Path(home) / "bin" / "java").exists()


def test_without_any_the_error_names_the_remedy(monkeypatch) -> None:
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    with pytest.raises(JavaMissingError, match=r"JAVA_HOME.*install"):
        java.java_home({"PATH": "/nowhere"})
