from base64 import b64decode

import pytest

from forebay.runtime.document import ConfigDocument, decode, encode
from forebay_operator.resources import config_secret, tls_secret, valkey_secret
from forebay_operator.resources.secrets import quoted
from operatorobjects import managed_spill, outfeed


def data(secret):
    return {key: b64decode(value, validate=True) for key, value in secret["data"].items()}


def test_a_service_can_read_its_configuration():
    document = ConfigDocument(7, ({"kind": "Outfeed"},))
    secret = config_secret(outfeed(), 7, encode(document))
    assert secret["metadata"]["name"] == "hub-outfeed-config"
    assert decode(int(data(secret)["revision"]), data(secret)["document"]) == document


def test_certificates_are_in_cert_managers_form():
    secret = tls_secret(outfeed(), "hub-outfeed-tls", b"chain", b"key", b"authorities")
    assert secret["type"] == "kubernetes.io/tls"
    assert data(secret) == {"tls.crt": b"chain", "tls.key": b"key", "ca.crt": b"authorities"}


def test_a_valkeys_secret_tells_clients_its_url():
    secret = valkey_secret(managed_spill(), "pa/ss@word")
    assert secret["metadata"]["name"] == "main-valkey"
    assert data(secret)["url"] == b"redis://:pa%2Fss%40word@main-valkey.news.svc:6379/0"
    assert data(secret)["password"] == b"pa/ss@word"


@pytest.mark.parametrize("password", ['a"b', "a\nprotected-mode no", "a b", "ü"])
def test_a_password_cannot_end_its_line_of_the_configuration(password):
    text = data(valkey_secret(managed_spill(), password))["valkey.conf"].decode()
    assert text == f"requirepass {quoted(password)}\n"
    assert set(quoted(password)) <= set('"\\x0123456789abcdef')
