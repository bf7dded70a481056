"""The commands as a user types them, as far as no cluster is needed."""

import pytest

from forebay.cli.kubectl.main import app


@pytest.fixture
def plugin(capsys):
    """Run a command; its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            app([*arguments])
        printed = capsys.readouterr()
        return caught.value.code or 0, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    "command",
    [
        "status",
        "peers",
        "top",
        "explain",
        "refusals",
        "dead-letters",
        "replay",
        "forwarders",
        "queue",
        "swarms",
        "threads",
        "alarms",
        "clients",
        "access",
        "purges",
    ],
)
def test_every_command_teaches_by_example(plugin, command):
    status, out, _ = plugin(command, "--help")
    assert status == 0
    assert f"Usage: kubectl forebay {command}" in out
    assert f"Example: kubectl forebay {command}" in out
    assert "--namespace" in out


def test_without_kubectl_every_command_says_so(plugin, monkeypatch, tmp_path):
    monkeypatch.delenv("KUBECTL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, err = plugin("status")
    assert status == 1
    assert err.startswith("Error: there is no kubectl on PATH\n")


def test_a_kubeconfig_that_is_not_there_counts_as_out_of_reach(plugin, monkeypatch, tmp_path):
    standin = tmp_path / "kubectl"
    standin.write_text("#!/bin/sh\necho 'error: stat /nope: no such file or directory' >&2\nexit 1\n")
    standin.chmod(0o755)
    monkeypatch.setenv("KUBECTL", str(standin))
    status, _, err = plugin("status", "--kubeconfig", "/nope")
    assert status == 3
    assert "stat /nope" in err
    assert "--kubeconfig" in err
