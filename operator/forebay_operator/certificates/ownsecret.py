"""Secrets with certificates that users bring, in cert-manager's form."""

from collections.abc import Mapping
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY, Certificates
from forebay_operator.certificates.authority import Authority


def problem_of(data: Mapping[str, bytes], name: str, now: datetime) -> str:
    """Why a Secret's data can't serve as the certificate of a service of that DNS name; empty when it can."""
    if missing := [key for key in (CHAIN, KEY, AUTHORITIES) if not data.get(key)]:
        return f"has no {missing[0]}; it needs {CHAIN}, {KEY} and {AUTHORITIES}, as cert-manager writes them"
    try:
        chain = x509.load_pem_x509_certificates(data[CHAIN])
        x509.load_pem_x509_certificates(data[AUTHORITIES])
    except ValueError:
        return f"{CHAIN} or {AUTHORITIES} is no certificate in PEM"
    return _key_problem(data[KEY], chain[0]) or _use_problem(chain[0], name, now)


def combined(data: Mapping[str, bytes], authority: Authority) -> Certificates:
    """A sound Secret's certificate and key, with its own authorities and ours to believe."""
    believed = data[AUTHORITIES].rstrip() + b"\n" + authority.bundle
    end = x509.load_pem_x509_certificate(data[CHAIN]).not_valid_after_utc
    return Certificates(data[CHAIN], data[KEY], believed, end)


def _key_problem(pem: bytes, certificate: x509.Certificate) -> str:
    # What can't be read is quoted nowhere: it may be half a key.
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError):
        return f"{KEY} is no key in PEM, or has a password: give it without one"
    is_its = key.public_key() == certificate.public_key()
    return "" if is_its else f"{KEY} is not the key of {CHAIN}: both have to come from the same request"


def _use_problem(certificate: x509.Certificate, name: str, now: datetime) -> str:
    if now >= certificate.not_valid_after_utc:
        return f"its certificate ended on {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC: renew it"
    if now < certificate.not_valid_before_utc:
        return f"its certificate begins on {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC only: use another"
    names = _dns_names(certificate)
    if not any(_covers(pattern, name) for pattern in names):
        return f"its certificate is for {', '.join(names) or 'no DNS name'}: add {name} to its dnsNames"
    return ""


def _dns_names(certificate: x509.Certificate) -> list[str]:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return []
    return list(extension.value.get_values_for_type(x509.DNSName))


def _covers(pattern: str, name: str) -> bool:
    """Whether a name of a certificate stands for a host; a wildcard stands for one label, the first (RFC 6125)."""
    if pattern.startswith("*."):
        return pattern[1:].lower() == name[name.index(".") :].lower()
    return pattern.lower() == name.lower()
