import pytest
from cryptography.x509 import DNSName, UniformResourceIdentifier

from authority import Authority
from forebay.cli.kubectl.clients import clients, expiry, plain
from forebay.cli.kubectl.errors import KubectlError

from .bodies import secret

NAMES = {"inn": "hub-outfeed-client-inn", "kubectl": "hub-outfeed-client-kubectl"}


def issued(*names):
    chain, key = Authority().issue("ignored", *names)
    return secret(NAMES["inn"], **{"tls.crt": chain, "tls.key": key, "ca.crt": b"x"})


def test_a_client_is_who_its_certificate_says():
    names = DNSName("inn.news.client.forebay"), UniformResourceIdentifier("spiffe://news/inn")
    inn, own = clients(NAMES, {NAMES["inn"]: issued(*names)})
    assert inn.principals == ("inn.news.client.forebay", "spiffe://news/inn")
    assert expiry(inn).endswith("Z")
    assert (own.principals, expiry(own)) == ((), "")


def test_a_certificate_without_names_is_nobody():
    assert clients(NAMES, {NAMES["inn"]: issued()})[0].principals == ()


def test_what_is_no_certificate_is_told():
    broken = secret(NAMES["inn"], **{"tls.crt": b"x", "tls.key": b"x", "ca.crt": b"x"})
    with pytest.raises(KubectlError, match=r"tls\.crt is no certificate"):
        clients(NAMES, {NAMES["inn"]: broken})


def test_the_plain_form_has_no_key():
    found = plain(clients(NAMES, {})[1])
    assert found == {"client": "kubectl", "secret": NAMES["kubectl"], "principals": [], "expires": None}
