"""The certificate authority of a namespace over its whole life. Pure: the time is given.

A new authority is introduced before the old one is needed no more: it is in the bundle for a day before it signs, and
the old one stays there until all that it signed has ended. So whoever has a bundle of a day ago believes everybody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY, Certificates
from forebay_operator.certificates.issuing import BACKDATED, LEAF_LIFE, Signer, new_leaf, new_signer
from forebay_operator.errors import AuthorityError

NEXT_CHAIN, NEXT_KEY = "next.crt", "next.key"
INTRODUCTION = timedelta(days=1)
"""How long a new authority is in the bundle before it signs: more than Secrets need to reach all pods."""


@dataclass(frozen=True)
class Authority:
    """An authority: what it signs with, what it will sign with, and whom else it believes."""

    namespace: str
    signer: Signer
    upcoming: Signer | None = None
    """Signs from a day after it was made."""
    former: tuple[x509.Certificate, ...] = ()
    """Signed before; believed until what they signed has ended."""

    @classmethod
    def make(cls, namespace: str, now: datetime) -> Self:
        """A new authority."""
        return cls(namespace, new_signer(namespace, now))

    @classmethod
    def from_secret(cls, namespace: str, data: Mapping[str, bytes]) -> Self:
        """Read what `to_secret` gave.

        Raises `AuthorityError` when it is damaged; the message holds nothing of the keys.
        """
        try:
            signer = _signer(data[CHAIN], data[KEY])
            upcoming = _signer(data[NEXT_CHAIN], data[NEXT_KEY]) if NEXT_CHAIN in data else None
            bundle = x509.load_pem_x509_certificates(data[AUTHORITIES])
        except (KeyError, ValueError, TypeError) as error:
            # The cause may quote what it could not read.
            raise AuthorityError(namespace, type(error).__name__) from None
        ours = {signer.certificate, upcoming.certificate if upcoming else None}
        return cls(namespace, signer, upcoming, tuple(each for each in bundle if each not in ours))

    def check(self, now: datetime) -> None:
        """Raise `AuthorityError` when nobody would believe it yet, as after a clock was wrong."""
        begin = self.signer.certificate.not_valid_before_utc
        if now < begin:
            raise AuthorityError(self.namespace, f"it begins on {begin:%Y-%m-%d %H:%M}, it is {now:%Y-%m-%d %H:%M} UTC")

    def to_secret(self) -> dict[str, bytes]:
        """The data of its Secret, not in base64."""
        data = {CHAIN: self.signer.pem, KEY: self.signer.key_pem, AUTHORITIES: self.bundle}
        if self.upcoming:
            data |= {NEXT_CHAIN: self.upcoming.pem, NEXT_KEY: self.upcoming.key_pem}
        return data

    @property
    def bundle(self) -> bytes:
        """The certificates of all authorities to believe now, as PEM."""
        return b"".join(each.public_bytes(Encoding.PEM) for each in self._believed)

    @property
    def _believed(self) -> list[x509.Certificate]:
        upcoming = [self.upcoming.certificate] if self.upcoming else []
        return [self.signer.certificate, *upcoming, *self.former]

    def advance(self, now: datetime) -> "Authority":
        """The authority as it has to be now; the very same object when nothing is due.

        A third before the end of the signer another is introduced, after a day it signs, and when all that was signed
        before it has ended, the former are forgotten.
        """
        return self._promoted(now)._begun_anew(now)._introduced(now)._forgetful(now)

    def _promoted(self, now: datetime) -> "Authority":
        if self.upcoming is None:
            return self
        is_introduced = now >= _made(self.upcoming.certificate) + INTRODUCTION
        if not is_introduced and now < self.signer.certificate.not_valid_after_utc:
            return self
        return replace(self, signer=self.upcoming, upcoming=None, former=(self.signer.certificate, *self.former))

    def _begun_anew(self, now: datetime) -> "Authority":
        # Nobody believes an authority that has ended: there is nothing left to introduce another to.
        is_over = now >= self.signer.certificate.not_valid_after_utc
        return Authority.make(self.namespace, now) if is_over else self

    def _introduced(self, now: datetime) -> "Authority":
        if self.upcoming is not None or not is_late(self.signer.certificate, now):
            return self
        return replace(self, upcoming=new_signer(self.namespace, now))

    def _forgetful(self, now: datetime) -> "Authority":
        # It signs since the introduction ended, at the earliest; to wait a day more costs nothing.
        all_ended = _made(self.signer.certificate) + 2 * INTRODUCTION + LEAF_LIFE
        return replace(self, former=()) if self.former and now >= all_ended else self

    def issue(self, names: Sequence[str], now: datetime) -> Certificates:
        """A certificate for DNS names, for servers and clients alike, with its key and the bundle."""
        chain, key = new_leaf(self.signer, names, now)
        return Certificates(chain, key, self.bundle, x509.load_pem_x509_certificate(chain).not_valid_after_utc)

    def has_issued(self, certificate: x509.Certificate) -> bool:
        """Whether one of those that are believed has signed a certificate."""
        return any(_signed(certificate, issuer) for issuer in self._believed)


def _signer(chain: bytes, key: bytes) -> Signer:
    """Raises `ValueError` or `TypeError` when they are no PEM, or don't belong together."""
    certificate, private = x509.load_pem_x509_certificate(chain), load_pem_private_key(key, None)
    if not isinstance(private, EllipticCurvePrivateKey) or private.public_key() != certificate.public_key():
        raise ValueError("not the key of the certificate")
    return Signer(certificate, private)


def _signed(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def _made(certificate: x509.Certificate) -> datetime:
    return certificate.not_valid_before_utc + BACKDATED


def is_late(certificate: x509.Certificate, now: datetime) -> bool:
    """Whether less than a third of a certificate's life remains."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return end - now < (end - begin) / 3
