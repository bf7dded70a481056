"""The operator's own certificates as folders of files, since that is what channels follow."""

from pathlib import Path

from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY, Certificates


def write(folder: Path, certificates: Certificates) -> None:
    """Put certificates into a folder, of which nobody else may read; each file is replaced as a whole.

    A reader that comes in between finds a key without its certificate, keeps what it had, and looks again.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    chain, key, authorities, _ = certificates
    for name, content in ((AUTHORITIES, authorities), (CHAIN, chain), (KEY, key)):
        new = folder / f"{name}.new"
        new.touch(mode=0o600)
        new.write_bytes(content)
        new.replace(folder / name)
