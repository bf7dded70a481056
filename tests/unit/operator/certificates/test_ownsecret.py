from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from authority import Authority as Stranger
from forebay_operator.certificates import Authority, combined, problem_of

NAME = "hub-outfeed.news.svc"


@pytest.fixture(scope="module")
def stranger():
    return Stranger("users' own")


@pytest.fixture(scope="module")
def data(stranger):
    chain, key = stranger.issue("hub", x509.DNSName(NAME), days=30)
    return {"tls.crt": chain, "tls.key": key, "ca.crt": stranger.pem}


def now(days=0):
    return datetime.now(UTC) + timedelta(days=days)


def issued(stranger, *names):
    chain, key = stranger.issue("hub", *map(x509.DNSName, names))
    return {"tls.crt": chain, "tls.key": key, "ca.crt": stranger.pem}


def test_a_sound_secret_has_no_problem(data):
    assert problem_of(data, NAME, now()) == ""


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt"])
def test_a_missing_key_is_named(data, key):
    lacking = {name: value for name, value in data.items() if name != key}
    assert problem_of(lacking, NAME, now()).startswith(f"has no {key}; it needs tls.crt, tls.key and ca.crt")


@pytest.mark.parametrize("key", ["tls.crt", "ca.crt"])
def test_what_is_no_certificate_is_told(data, key):
    assert problem_of(data | {key: b"nonsense"}, NAME, now()) == "tls.crt or ca.crt is no certificate in PEM"


def test_what_is_no_key_is_told_and_not_quoted(data):
    problem = problem_of(data | {"tls.key": b"hunter2"}, NAME, now())
    assert "tls.key is no key in PEM" in problem
    assert "hunter2" not in problem


def test_a_key_of_another_certificate_is_told(data, stranger):
    other = issued(stranger, NAME)["tls.key"]
    assert "tls.key is not the key of tls.crt" in problem_of(data | {"tls.key": other}, NAME, now())


def test_a_certificate_that_ended_is_told(data):
    assert problem_of(data, NAME, now(days=31)).endswith("UTC: renew it")


def test_a_certificate_that_has_not_begun_is_told(data):
    assert "begins on" in problem_of(data, NAME, now(days=-1))


def test_a_certificate_for_other_names_is_told_with_the_one_to_add(stranger):
    problem = problem_of(issued(stranger, "other.example"), NAME, now())
    assert problem == f"its certificate is for other.example: add {NAME} to its dnsNames"


def test_a_certificate_without_a_dns_name_is_told(stranger):
    assert "is for no DNS name" in problem_of(issued(stranger), NAME, now())


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        pytest.param("*.news.svc", True, id="wildcard"),
        pytest.param("HUB-outfeed.news.SVC", True, id="case"),
        pytest.param("*.svc", False, id="wildcard-of-two-labels"),
        pytest.param("*.other.svc", False, id="wildcard-elsewhere"),
    ],
)
def test_names_are_compared_as_tls_does(stranger, pattern, covers):
    assert (problem_of(issued(stranger, pattern), NAME, now()) == "") is covers


def test_a_combined_one_believes_the_users_authorities_and_ours(data, stranger):
    ours = Authority.make("news", now())
    certificates = combined(data, ours)
    assert (certificates.chain, certificates.key) == (data["tls.crt"], data["tls.key"])
    assert len(x509.load_pem_x509_certificates(certificates.authorities)) == 2
    assert certificates.authorities.endswith(ours.bundle)
    assert certificates.expires > now(days=29)
