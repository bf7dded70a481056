import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from forebay_operator.errors import SettingsFileError
from forebay_operator.main import app, own_namespace


def test_help_tells_how_to_try_it():
    text = CliRunner().invoke(app, ["--help"]).output
    assert "KUBECONFIG" in text
    assert "--settings" in text


def test_a_wrong_settings_file_is_told_without_a_traceback(tmp_path, monkeypatch):
    monkeypatch.setenv("POD_NAMESPACE", "system")
    (tmp_path / "settings.yaml").write_text("images: {}")
    result = CliRunner().invoke(app, ["--settings", str(tmp_path / "settings.yaml")])
    assert result.exit_code == 1
    assert "images: is unknown" in result.output


def test_its_namespace_has_to_be_known(monkeypatch):
    monkeypatch.delenv("POD_NAMESPACE", raising=False)
    with pytest.raises(SettingsFileError, match="POD_NAMESPACE"):
        own_namespace()


def test_grpc_writes_nothing_of_its_own_into_the_log():
    code = "import os, forebay_operator.main; print(os.environ['GRPC_VERBOSITY'])"
    # A process of its own: here other programs of ours may have been imported before.
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"}
    printed = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert printed.strip() == "NONE"
