import json
import stat

import pytest

from forebay.api import read_files
from forebay.cli.errors import InputError
from forebay.cli.importing import import_files
from forebay.cli.options import Output

CONF = "peer p { username: u\n password: secret-word\n stdio-fdmax: 1 }\n"
FEEDS = "ME:::\np:*:Tm:innfeed!\ninnfeed!:!*:Tc,Wnm*:innfeed\n"


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, text in (("innfeed.conf", CONF), ("newsfeeds", FEEDS)):
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    return paths


def test_writes_manifests_that_can_be_used(files, tmp_path, capsys):
    import_files(files, tmp_path / "to", "inn", Output.TABLE)
    manifests = read_files([tmp_path / "to"])
    kinds = [resource.identity[0::2] for resource in manifests.resources]
    assert kinds == [("Spill", "main"), ("Outfeed", "inn"), ("Peerfeed", "p")]
    printed = capsys.readouterr().out
    assert "3 resources" in printed
    assert "stdio-fdmax" in printed
    assert "secret-word" not in printed


def test_passwords_are_for_nobody_else(files, tmp_path):
    import_files(files, tmp_path / "to", "inn", Output.JSON)
    secrets = tmp_path / "to" / "secrets.yaml"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert "secret-word" in secrets.read_text()
    assert "secret-word" not in (tmp_path / "to" / "peers.yaml").read_text()


def test_tells_programs_what_was_done(files, tmp_path, capsys):
    import_files(files, tmp_path / "to", "inn", Output.JSON)
    found = json.loads(capsys.readouterr().out)
    assert [file.rpartition("/")[2] for file in found["files"]] == ["outfeed.yaml", "peers.yaml", "secrets.yaml"]
    assert {"kind": "Peerfeed", "name": "p"} in found["resources"]
    [note] = found["notes"]
    assert (note["place"], note["subject"]) == (f"{files[0]}:3", "stdio-fdmax")


def test_overwrites_nothing(files, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "peers.yaml").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        import_files(files, tmp_path / "to", "inn", Output.TABLE)
    assert [file.name for file in (tmp_path / "to").iterdir()] == ["peers.yaml"]


def test_reads_what_a_file_includes(files, tmp_path, capsys):
    files[0].write_text("$INCLUDE more")
    (tmp_path / "more").write_text(CONF)
    import_files(files, tmp_path / "to", "inn", Output.JSON)
    assert {"kind": "Peerfeed", "name": "p"} in json.loads(capsys.readouterr().out)["resources"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        pytest.param("other", "nothing\n", "other is no file that can be imported", id="unknown"),
        pytest.param("innfeed.conf", "peer {", "innfeed.conf:1: 'peer' begins neither", id="faulty"),
    ],
)
def test_tells_what_it_cannot_use(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        import_files([tmp_path / name], tmp_path / "to", "inn", Output.TABLE)
    assert not (tmp_path / "to").exists()


def test_an_included_file_that_is_missing_is_told(files, tmp_path):
    files[0].write_text("$INCLUDE gone")
    with pytest.raises(FileNotFoundError):
        import_files(files, tmp_path / "to", "inn", Output.TABLE)


def test_reads_files_of_another_character_set(files, tmp_path, capsys):
    files[0].write_bytes(b"# \xe9\npeer p { mystery: \xe9 }")
    import_files(files, tmp_path / "to", "inn", Output.TABLE)
    assert "mystery" in capsys.readouterr().out
