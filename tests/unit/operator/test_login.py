from datetime import UTC, datetime

import pytest

from forebay_operator.errors import SettingsFileError
from forebay_operator.login import VALID, login
from kubeaccess import Access


async def test_a_kubeconfig_is_used_and_read_again(tmp_path, monkeypatch):
    (tmp_path / "ca.crt").touch()
    access = Access(tmp_path, "https://127.0.0.1:1", tmp_path / "ca.crt", "admin", "token")
    monkeypatch.setenv("KUBECONFIG", str(access.kubeconfig))
    found = await login()
    assert (found.server, found.scheme, found.token) == ("https://127.0.0.1:1", "Bearer", "token")
    assert datetime.now(UTC) < found.expiration <= datetime.now(UTC) + VALID


async def test_neither_a_pod_nor_a_kubeconfig_is_told(monkeypatch):
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(SettingsFileError, match="set KUBECONFIG"):
        await login()
