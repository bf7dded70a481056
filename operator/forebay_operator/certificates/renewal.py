"""When certificates are issued anew, and what takes their place."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY, Certificates
from forebay_operator.certificates.authority import Authority, is_late


def certificates_in(data: Mapping[str, bytes]) -> Certificates | None:
    """The certificates in a Secret's data; None when they are incomplete or damaged, and others are to be issued."""
    try:
        chain, key, authorities = data[CHAIN], data[KEY], data[AUTHORITIES]
        certificate = x509.load_pem_x509_certificate(chain)
        belongs = load_pem_private_key(key, None).public_key() == certificate.public_key()
    except (KeyError, ValueError, TypeError):
        return None
    return Certificates(chain, key, authorities, certificate.not_valid_after_utc) if belongs else None


def renewed(
    current: Certificates | None, authority: Authority, names: Sequence[str], now: datetime, believed: bytes = b""
) -> Certificates:
    """The certificates to use now: the very same object when nothing is due.

    `believed` are the authorities to believe as PEM, where they are more than this authority's own bundle.
    """
    bundle = believed or authority.bundle
    if current is None or due(current.chain, authority, names, now):
        return authority.issue(names, now)._replace(authorities=bundle)
    return current if current.authorities == bundle else current._replace(authorities=bundle)


def due(chain: bytes, authority: Authority, names: Sequence[str], now: datetime) -> bool:
    """Whether a certificate (PEM) has to be issued anew.

    It has when two thirds of its life are over or it has not begun, as after a clock was wrong, when it has other
    names, when its authority is not believed any more, and when it can't be read.
    """
    try:
        certificate = x509.load_pem_x509_certificate(chain)
        alternative = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (ValueError, x509.ExtensionNotFound):
        return True
    if alternative.value.get_values_for_type(x509.DNSName) != list(names):
        return True
    is_early = now < certificate.not_valid_before_utc
    return is_early or is_late(certificate, now) or not authority.has_issued(certificate)
