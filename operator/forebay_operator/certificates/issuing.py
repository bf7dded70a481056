"""Certificates as X.509 (RFC 5280): authorities, and what they issue. Keys are ECDSA on P-256."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_LIFE = timedelta(days=3650)
LEAF_LIFE = timedelta(days=90)
BACKDATED = timedelta(minutes=5)
"""What clocks may differ by: a certificate counts from so much before it was made."""


class Signer(NamedTuple):
    """An authority's certificate with its key."""

    certificate: x509.Certificate
    key: EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """The certificate as PEM."""
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        """The key as PEM, PKCS 8."""
        return private_pem(self.key)


def new_signer(namespace: str, now: datetime) -> Signer:
    """An authority that signs itself. Each has a name of its own, so that a chain leads to one alone."""
    key = generate_private_key(SECP256R1())
    name = _named(f"Forebay {namespace} {now:%Y-%m-%d %H:%M}"[:64])
    certificate = (
        _begun(name, name, key, now, now + AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .sign(key, SHA256())
    )
    return Signer(certificate, key)


def new_leaf(signer: Signer, names: Sequence[str], now: datetime) -> tuple[bytes, bytes]:
    """A certificate for DNS names, for servers and clients, and its key, as PEM. It does not outlive its signer."""
    key = generate_private_key(SECP256R1())
    end = min(now + LEAF_LIFE, signer.certificate.not_valid_after_utc)
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate = (
        _begun(_named("Forebay"), signer.certificate.subject, key, now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), critical=False)
        .sign(signer.key, SHA256())
    )
    return certificate.public_bytes(Encoding.PEM), private_pem(key)


def private_pem(key: EllipticCurvePrivateKey) -> bytes:
    """A key as PEM, PKCS 8, not encrypted: Kubernetes keeps it in a Secret."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _named(organisation: str) -> x509.Name:
    # A common name would be believed as a principal where a certificate has no other name.
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
