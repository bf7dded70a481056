import json
from pathlib import Path

import pytest

from forebay.cli.errors import InputError
from forebay.cli.spillplaces import embedded_url, given_place, place_of

QUICKSTART = Path(__file__).parents[3] / "examples" / "quickstart"
OUTFEED = """\
apiVersion: forebay.dev/v1alpha1
kind: Outfeed
metadata: {name: hub}
spec: {spillRef: {name: main}, listeners: {grpc: {port: 7119}}}
---
apiVersion: forebay.dev/v1alpha1
kind: Spill
metadata: {name: main}
spec:
"""


@pytest.fixture
def data(tmp_path):
    """A data folder in which the Outfeed `hub` ran."""
    (tmp_path / "uids").write_text(json.dumps({"Outfeed/default/hub": "its-uid"}))
    return tmp_path


def url_in(arguments) -> str:
    assert arguments[:3] == ["--uid", "its-uid", "--url-file"]
    return Path(arguments[3]).read_text()


def manifests(folder: Path, spill: str) -> list[Path]:
    (folder / "manifests.yaml").write_text(OUTFEED + spill)
    return [folder / "manifests.yaml"]


def test_the_outfeed_with_peers_is_meant(data):
    with place_of([QUICKSTART], data, "", "redis://127.0.0.1:1") as arguments:
        assert url_in(arguments) == "redis://127.0.0.1:1"


def test_a_url_is_that_of_the_spill(data):
    with place_of(manifests(data, "  url: redis://host:6379\n"), data, "hub", "") as arguments:
        assert url_in(arguments) == "redis://host:6379"


def test_a_url_with_a_password_is_that_of_the_secret_and_never_an_argument(data):
    secret = """\
  urlFrom: {secretRef: {name: redis, key: url}}
---
apiVersion: v1
kind: Secret
metadata: {name: redis}
stringData: {url: "redis://user:hunter2@host:6379"}
"""
    with place_of(manifests(data, secret), data, "hub", "") as arguments:
        assert "hunter2" in url_in(arguments)
        assert "hunter2" not in str(arguments)
        file = Path(arguments[3])
    assert not file.exists()


def test_a_managed_spill_is_the_embedded_valkey_that_runs(data):
    folder = data / "valkey" / "default.main"
    folder.mkdir(parents=True)
    (folder / "lock").write_text("4711 /tmp/forebay-x\n")
    assert embedded_url(folder) == "unix:///tmp/forebay-x/valkey"


def test_an_embedded_valkey_that_does_not_run_is_told(data):
    with pytest.raises(InputError, match="no Valkey runs"):
        embedded_url(data / "valkey" / "default.main")


def test_an_outfeed_that_never_ran_is_told(tmp_path):
    with pytest.raises(InputError, match="never ran"), place_of([QUICKSTART], tmp_path, "", ""):
        pass


@pytest.mark.parametrize(
    "given",
    [("", "redis://a", None), ("uid", "", None), ("uid", "redis://a", Path("url"))],
    ids=["no uid", "no url", "both"],
)
def test_what_names_a_place_is_all_given_and_once(given):
    with pytest.raises(InputError, match="--uid"):
        given_place(*given)


def test_a_place_is_named_by_identity_and_url():
    with given_place("uid", "", Path("/run/url")) as arguments:
        assert arguments == ["--uid", "uid", "--url-file", "/run/url"]
