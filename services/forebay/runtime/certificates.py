"""A folder of certificate files, as Kubernetes mounts a TLS Secret and cert-manager names its keys."""

from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import structlog
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from forebay.runtime.errors import CertificateError

CHAIN, KEY, AUTHORITIES = "tls.crt", "tls.key", "ca.crt"

log = structlog.stdlib.get_logger(__name__)


class Certificates(NamedTuple):
    """What both ends of mutual TLS need, as PEM."""

    chain: bytes
    """Our certificate, then those that lead to its authority."""
    key: bytes
    authorities: bytes
    """Whose certificates we believe."""
    expires: datetime
    """When our certificate ends (UTC)."""

    def __repr__(self) -> str:
        return f"Certificates(expires={self.expires:%Y-%m-%dT%H:%M:%SZ})"


def load(folder: Path) -> Certificates:
    """Read and check the three files of a folder.

    Raises `CertificateError` when one is missing or is no PEM, or when key and certificate do not belong together.
    """
    try:
        chain, key, authorities = ((folder / name).read_bytes() for name in (CHAIN, KEY, AUTHORITIES))
    except OSError as error:
        raise CertificateError(
            f"{error.filename}: {error.strerror}; the folder needs {CHAIN}, {KEY} and {AUTHORITIES}"
        ) from error
    try:
        certificate = x509.load_pem_x509_certificate(chain)
        private_key = load_pem_private_key(key, None)
        x509.load_pem_x509_certificates(authorities)
    except (ValueError, TypeError) as error:
        raise CertificateError(f"{folder}: a file is no PEM of its kind, or the key has a password: {error}") from error
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    if private_key.public_key().public_bytes(*form) != certificate.public_key().public_bytes(*form):
        raise CertificateError(f"{folder}: {KEY} is not the key of {CHAIN}; both have to come from the same Secret")
    return Certificates(chain, key, authorities, certificate.not_valid_after_utc)


class CertificateFolder:
    """The certificates of a folder, read again when its files have changed; the last good ones are kept.

    The folder has to be mounted whole: a file mounted by subPath is never renewed by Kubernetes. May be used by any
    thread.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `CertificateError` when there is nothing good to begin with."""
        self.folder = folder
        self._lock = Lock()
        self._stamp = self._look()
        self.current = load(folder)
        self.problem = ""
        """Why the newest files are not used; empty when they are."""

    def refresh(self) -> bool:
        """Look at the files, and read them when they differ from last time; whether `current` is new."""
        with self._lock:
            stamp = self._look()
            if stamp == self._stamp:
                return False
            return self._reload(stamp)

    def _look(self) -> tuple[object, ...]:
        """What changes when one of the files does."""
        return tuple(self._look_at(name) for name in (CHAIN, KEY, AUTHORITIES))

    def _look_at(self, name: str) -> tuple[int, int, int] | None:
        try:
            found = (self.folder / name).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _reload(self, stamp: tuple[object, ...]) -> bool:
        try:
            fresh = load(self.folder)
        except CertificateError as error:
            # The stamp stays old: files that were read while they were being replaced are read again next time.
            if str(error) != self.problem:
                log.error("certificates kept, the new ones cannot be used", problem=str(error))
            self.problem = str(error)
            return False
        changed = fresh != self.current
        self.current, self._stamp, self.problem = fresh, stamp, ""
        if changed:
            log.info("certificates renewed", folder=str(self.folder), expires=fresh.expires.isoformat())
        return changed
