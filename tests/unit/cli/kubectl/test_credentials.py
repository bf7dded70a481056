import stat

import pytest

from forebay.cli.errors import InputError
from forebay.cli.kubectl.credentials import FILES, certificate_files, clients_of, files_of, private_folder, write_files
from forebay.cli.kubectl.errors import KubectlError

from .bodies import outfeed_model, secret, store_model

CONTENT = {name: name.encode() for name in FILES}


class Secrets:
    """A kubectl that knows these Secrets and no others."""

    def __init__(self, *known):
        self.known = {each.name: each.body for each in known}

    def items(self, kind, *names):
        assert kind == "secrets"
        return [self.known[name] for name in names if name in self.known]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_this_command_is_always_a_client():
    assert clients_of(outfeed_model(clients=["inn"])) == ["inn", "kubectl"]
    assert clients_of(outfeed_model()) == ["kubectl"]


def test_the_files_of_a_client_are_in_its_secret():
    kubectl = Secrets(secret("hub-outfeed-client-inn", **CONTENT))
    assert certificate_files(kubectl, outfeed_model(clients=["inn"]), "inn") == CONTENT


def test_the_secret_of_a_client_of_a_store_is_named_by_its_kind():
    kubectl = Secrets(secret("shop-store-client-till", **CONTENT))
    assert certificate_files(kubectl, store_model(clients=["till"]), "till") == CONTENT
    with pytest.raises(KubectlError) as caught:
        certificate_files(kubectl, store_model(), "kubectl")
    assert "kubectl forebay status store/shop -n news" in caught.value.remedy


def test_a_client_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(InputError, match="there is no client in") as caught:
        certificate_files(Secrets(), outfeed_model(clients=["inn"]), "in")
    assert caught.value.remedy == "Did you mean inn?"


def test_a_certificate_that_is_not_issued_yet_is_told():
    with pytest.raises(KubectlError, match="no Secret hub-outfeed-client-kubectl") as caught:
        certificate_files(Secrets(), outfeed_model(), "kubectl")
    assert "kubectl forebay status outfeed/hub -n news" in caught.value.remedy


@pytest.mark.parametrize("data", [{"tls.crt": "eA=="}, {"tls.crt": "eA==", "tls.key": "?", "ca.crt": "eA=="}])
def test_a_secret_that_holds_something_else_is_told_without_its_content(data):
    broken = secret("broken")
    broken.body["data"] = data
    with pytest.raises(KubectlError, match="Secret broken does not hold") as caught:
        files_of(broken)
    assert "eA==" not in str(caught.value)


def test_a_private_folder_is_for_this_user_alone_and_goes():
    with private_folder(CONTENT) as folder:
        assert mode(folder) == 0o700
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
        assert {mode(path) for path in folder.iterdir()} == {0o600}
    assert not folder.exists()


def test_files_that_are_there_are_replaced_and_kept_private(tmp_path):
    folder = tmp_path / "a" / "b"
    write_files(folder, {"tls.key": b"old"})
    (folder / "tls.key").chmod(0o644)
    write_files(folder, {"tls.key": b"new"})
    assert ((folder / "tls.key").read_bytes(), mode(folder / "tls.key")) == (b"new", 0o600)
    assert [path.name for path in folder.iterdir()] == ["tls.key"]
