"""Where the backlogs of an Outfeed are: found by its manifests, or named on the command line."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from forebay.api import Manifests, read_files
from forebay.api.uids import NAME, read_uids, title
from forebay.api.v1alpha1 import Outfeed, Spill
from forebay.cli.choices import fed_one, one_of
from forebay.cli.errors import InputError
from forebay.cli.valkey import LOCK

Arguments = Sequence[str]
"""Of a Spark job; valid as long as the context is entered."""


def given_place(uid: str, url: str, url_file: Path | None) -> AbstractContextManager[Arguments]:
    """The place of an identity and a URL. Raises `InputError` when they are not there."""
    if not uid or bool(url) is (url_file is not None):
        raise InputError("name the backlogs by manifests (-f), or by --uid with either --url or --url-file")
    return nullcontext(["--uid", uid, *(["--url", url] if url_file is None else ["--url-file", str(url_file)])])


@contextmanager
def place_of(files: Sequence[Path], data: Path, name: str, redis: str) -> Iterator[Arguments]:
    """The place of an Outfeed of manifests whose service runs, or ran, in a data folder.

    Raises `InputError`, `ApiError`, and `OSError`.
    """
    manifests = read_files(files)
    outfeed = one_of(manifests, Outfeed, name) if name else fed_one(manifests)
    uid = outfeed.metadata.uid or read_uids(data / NAME).get(title(outfeed))
    if not uid:
        raise InputError(f"{title(outfeed)} never ran in {data}, so it has no backlogs", "Give its folder by --data.")
    # A URL may hold a password, and arguments are no secret.
    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        file = Path(folder) / "url"
        file.write_text(url_of(manifests, outfeed, data, redis))
        yield ["--uid", uid, "--url-file", str(file)]


def url_of(manifests: Manifests, outfeed: Outfeed, data: Path, redis: str) -> str:
    """The URL of the Redis of an Outfeed. Raises `InputError` when an embedded Valkey does not run."""
    namespace, name = outfeed.metadata.namespace, outfeed.spec.spill_ref.name
    spill = next(spill for spill in manifests.of(Spill) if spill.identity == ("Spill", namespace, name))
    if spill.spec.url_from:
        return manifests.secret(namespace, spill.spec.url_from.secret_ref)
    if spill.spec.url:
        return spill.spec.url
    return redis or embedded_url(data / "valkey" / f"{namespace}.{name}")


def embedded_url(folder: Path) -> str:
    """The URL of the embedded Valkey of a folder. Raises `InputError` when it does not run."""
    lock = folder / LOCK
    _, _, sockets = lock.read_text().strip().partition(" ") if lock.exists() else ("", "", "")
    if not sockets:
        raise InputError(f"no Valkey runs in {folder}", "Start `forebay up`, or name another folder by --data.")
    return f"unix://{sockets}/valkey"
