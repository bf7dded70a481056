"""Commands that need no service, within this process."""

import json
import logging
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import structlog

from forebay.cli.main import app

QUICKSTART = Path(__file__).parents[3] / "examples" / "quickstart"
FAULTY = """\
apiVersion: forebay.dev/v1alpha1
kind: Outfeed
metadata:
  name: hub
spec:
  spillRef: {name: gone}
  listeners: {grpc: {prt: 1}}
"""


@pytest.fixture
def logs():
    """Logs go on as before, whatever a command did to them."""
    root, configuration = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configuration)


@pytest.fixture
def forebay(capsys, logs):
    """Run a command; its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            app([*map(str, arguments)])
        printed = capsys.readouterr()
        return caught.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def faulty(tmp_path):
    (tmp_path / "hub.yaml").write_text(FAULTY)
    return tmp_path


def test_version_tells_the_version(forebay):
    assert forebay("version") == (0, version("forebay") + "\n", "")
    assert json.loads(forebay("version", "--output", "json")[1]) == {"version": version("forebay")}


def test_validate_tells_what_there_is(forebay):
    status, out, _ = forebay("validate", "-f", QUICKSTART)
    assert status == 0
    assert "6 resources, no fault" in out


def test_validate_tells_every_fault_with_its_place_and_remedy(forebay, faulty):
    status, _, err = forebay("validate", "-f", faulty)
    assert status == 1
    assert f"{faulty}/hub.yaml:6: Outfeed/hub: spec.spillRef.name: there is no Spill gone" in err
    assert "hub.yaml:7: Outfeed/hub: spec.listeners.grpc.prt: is unknown; did you mean port?" in err


def test_validate_tells_faults_to_programs(forebay, faulty):
    status, out, _ = forebay("validate", "-f", faulty, "-o", "json")
    found = json.loads(out)
    assert status == 1
    assert (found["valid"], len(found["problems"])) == (False, 2)


def test_validate_tells_resources_to_programs(forebay):
    found = json.loads(forebay("validate", "-f", QUICKSTART, "-o", "json")[1])
    assert found["valid"]
    assert {"kind": "Outfeed", "namespace": "default", "name": "hub"} in found["resources"]


@pytest.mark.parametrize("command", ["up", "apply"])
def test_faulty_files_start_and_send_nothing(forebay, faulty, command):
    status, _, err = forebay(command, "-f", faulty, "--data", faulty / "data")
    assert status == 1
    assert "did you mean port?" in err


def test_delivery_without_articles_is_misuse(forebay):
    status, _, err = forebay("up", "-f", QUICKSTART, "--until-delivered")
    assert status == 2
    assert "--offer" in err


def test_compaction_without_delivery_is_misuse(forebay):
    status, _, err = forebay("up", "-f", QUICKSTART, "--compact")
    assert status == 2
    assert "--until-delivered" in err


def test_serve_needs_a_name_where_there_are_several(forebay, tmp_path):
    status, _, err = forebay("serve", "outfeed", "-f", QUICKSTART, "--data", tmp_path)
    assert status == 2
    assert "default/hub, default/east, default/west" in err


def test_a_url_that_is_none_is_told_without_its_password(forebay, tmp_path):
    url = "http://:hidden@localhost"
    status, out, err = forebay("up", "-f", QUICKSTART, "--data", tmp_path, "--redis", url)
    assert status == 1
    assert "its scheme is unknown" in err
    assert "hidden" not in out + err


def test_every_command_has_help_with_an_example(forebay):
    commands = [
        ["up"],
        ["apply"],
        ["validate"],
        ["import"],
        ["channel"],
        ["version"],
        ["serve", "outfeed"],
        ["serve", "store"],
    ]
    commands += [["outfeed", name] for name in ("offer", "peers", "top", "explain", "pause", "resume", "flush")]
    commands += [
        ["outfeed", "dead-letters"],
        ["outfeed", "replay"],
        ["outfeed", "refusals"],
        ["top"],
        ["spill", "purge"],
    ]
    calls = ("publish", "consume", "get", "browse", "purge", "queues", "queue", "status")
    commands += [["store", name] for name in calls]
    for command in commands:
        status, out, _ = forebay(*command, "--help")
        assert status == 0
        assert " ".join(["Example: forebay", *command]) in out.replace("\n", " ")


LIGHT = """
import sys
from forebay.cli.main import app
try:
    app(sys.argv[1:])
except SystemExit:
    pass
heavy = "grpc", "redis", "uvloop", "aiohttp", "forebay.runtime", "forebay.api"
print([name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize(
    "arguments", [["version"], ["--help"], ["outfeed", "--help"], ["store", "--help"], ["spill", "--help"]]
)
def test_what_needs_no_service_imports_none(arguments):
    command = [sys.executable, "-c", LIGHT, *arguments]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1] == "[]"
