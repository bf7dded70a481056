"""A certificate authority for tests."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Authority:
    """Issues certificates that end in `days`."""

    def __init__(self, name: str = "test authority") -> None:
        self.key = generate_private_key(SECP256R1())
        self.certificate = self._signed(name, name, self.key, [], authority=True)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    def issue(self, common_name: str, *names: x509.GeneralName, days: int = 1) -> tuple[bytes, bytes]:
        """A certificate with subject alternative names, and its key, as PEM."""
        key = generate_private_key(SECP256R1())
        subject = self.certificate.subject.rfc4514_string().removeprefix("CN=")
        certificate = self._signed(common_name, subject, key, list(names), days=days)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return certificate.public_bytes(Encoding.PEM), private

    def write(self, folder: Path, common_name: str, *names: x509.GeneralName, days: int = 1) -> Path:
        """Put a new certificate into a folder as Kubernetes mounts a Secret: all files change at once."""
        chain, key = self.issue(common_name, *names, days=days)
        return mount(folder, {"tls.crt": chain, "tls.key": key, "ca.crt": self.pem})

    def _signed(
        self,
        subject: str,
        issuer: str,
        key: EllipticCurvePrivateKey,
        names: list[x509.GeneralName],
        authority: bool = False,
        days: int = 1,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(distinguished(subject))
            .issuer_name(distinguished(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.BasicConstraints(authority, None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self.key, hashes.SHA256())


def distinguished(common_name: str) -> x509.Name:
    """A name with nothing but the common name; an empty one for none."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)] if common_name else [])


def mount(folder: Path, files: dict[str, bytes]) -> Path:
    """Replace a folder's files as the kubelet does: a new hidden folder, and one rename of the link to it."""
    folder.mkdir(exist_ok=True)
    version = folder / f"..{os.urandom(4).hex()}"
    version.mkdir()
    for name, content in files.items():
        (version / name).write_bytes(content)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(Path("..data") / name)
    link = folder / "..new"
    link.symlink_to(version.name)
    link.rename(folder / "..data")
    return folder
