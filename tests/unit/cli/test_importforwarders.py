"""`forebay import`: manifests out of a retracker's forwarders.yml."""

import stat

import pytest

from conftest import SHARED, missing
from forebay.api.manifests import read_files
from forebay.cli.errors import InputError
from forebay.cli.importing import import_files
from forebay.cli.options import Output

ANNOUNCER_FILE, FORWARDERS_FILE = "announcer.yaml", "forwarders.yaml"
ONE = "- uri: http://t.example/announce?passkey=0123456789\n"


def imported(tmp_path, text, announcer="lan"):
    file, folder = tmp_path / "forwarders.yml", tmp_path / "made" / "here"
    file.write_text(text)
    import_files([file], folder, announcer, Output.TABLE)
    return folder


def sample(name):
    path = SHARED / "inputs" / "forwarders" / name
    if not path.is_file():
        missing(f"needs inputs/forwarders/{name} in the folder that FOREBAY_SHARED names")
    return path.read_text()


def test_both_files_are_written_for_the_owner_alone(tmp_path, capsys):
    folder = imported(tmp_path, ONE)
    assert sorted(path.name for path in folder.iterdir()) == [ANNOUNCER_FILE, FORWARDERS_FILE]
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600, 0o600]
    printed = capsys.readouterr().out
    assert f"2 resources in {folder}" in printed
    assert "0123456789" not in printed


@pytest.mark.parametrize(
    ("name", "forwarders"),
    [("01-template.forwarders.yml", 5), ("02-readme-sample.forwarders.yml", 4), ("03-comments-only.forwarders.yml", 0)],
    ids=["template", "sample", "comments alone"],
)
def test_what_is_written_is_valid(tmp_path, name, forwarders):
    folder = imported(tmp_path, sample(name), "edge")
    resources = read_files([folder]).resources
    assert [each.metadata.name for each in resources if each.kind == "Announcer"] == ["edge"]
    found = [each for each in resources if each.kind == "Forwarder"]
    assert len(found) == forwarders
    assert {each.spec.announcer_ref.name for each in found} <= {"edge"}


def test_nothing_is_overwritten(tmp_path):
    folder = imported(tmp_path, ONE)
    before = (folder / FORWARDERS_FILE).read_text()
    (folder / ANNOUNCER_FILE).unlink()
    with pytest.raises(InputError, match=r"forwarders\.yaml is there already"):
        imported(tmp_path, ONE)
    assert (folder / FORWARDERS_FILE).read_text() == before
    assert not (folder / ANNOUNCER_FILE).exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"- uri: ftp://x.example/\n", "entry 1: uri"), (b"- uri: \xff\n", "entry 1: uri")],
    ids=["no tracker", "no text"],
)
def test_what_cannot_be_read_names_the_file_and_leaves_nothing(tmp_path, content, problem):
    file = tmp_path / "forwarders.yml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=rf"forwarders\.yml: .*{problem}"):
        import_files([file], tmp_path / "made", "lan", Output.TABLE)
    assert not (tmp_path / "made").exists()
