import pytest

from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.program import Kubectl, program


def test_the_variable_names_the_program(monkeypatch):
    monkeypatch.setenv("KUBECTL", "/opt/kubectl")
    assert program() == "/opt/kubectl"


def test_without_kubectl_the_remedy_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("KUBECTL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KubectlError, match="no kubectl on PATH") as caught:
        program()
    assert "KUBECTL" in caught.value.remedy


def test_what_is_given_is_passed_on_and_nothing_else(monkeypatch):
    monkeypatch.setenv("KUBECTL", "kubectl")
    assert Kubectl().command("get", "pods") == ["kubectl", "get", "pods"]
    assert Kubectl("news", "east", "/config").command("get") == [
        "kubectl",
        "get",
        "--namespace=news",
        "--context=east",
        "--kubeconfig=/config",
    ]


def test_a_program_that_cannot_be_run_is_told(monkeypatch):
    monkeypatch.setenv("KUBECTL", "/nonexistent/kubectl")
    with pytest.raises(KubectlError, match="/nonexistent/kubectl: No such file"):
        Kubectl().get("pods")
