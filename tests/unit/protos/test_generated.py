"""The protos pass their lint, and what was generated from them is current."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from forebay.pb.config.v1 import config_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2, outfeed_pb2_grpc

PROTOS = Path(__file__).parents[3] / "protos"


@pytest.fixture(scope="module")
def generate():
    spec = spec_from_file_location("generate", PROTOS / "generate.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lint_is_clean():
    buf = Path(sys.executable).with_name("buf")
    done = subprocess.run([buf, "lint", PROTOS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_committed_files_are_current(generate):
    assert generate.compare(generate.generated(), generate.committed()) == []


def test_check_passes_on_current_files():
    command = [sys.executable, PROTOS / "generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_comparison_names_each_difference(generate):
    wanted, present = {"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"}
    assert generate.compare(wanted, present) == ["pb/a: missing", "pb/c: stale", "pb/d: left over"]


def test_write_replaces_and_removes(generate, tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "TARGET", tmp_path)
    (tmp_path / "old_pb2.py").write_text("old")
    generate.write({"x/new_pb2.py": "new"}, generate.committed())
    assert generate.committed() == {"x/new_pb2.py": "new"}


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        pytest.param(
            "from forebay.outfeed.v1 import outfeed_pb2 as x", "from forebay.pb.outfeed.v1 import outfeed_pb2 as x",
            id="import",
        ),
        pytest.param(
            "Build(DESCRIPTOR, 'forebay.outfeed.v1.outfeed_pb2', _globals)",
            "Build(DESCRIPTOR, 'forebay.pb.outfeed.v1.outfeed_pb2', _globals)",
            id="module",
        ),
        pytest.param(
            "'/forebay.outfeed.v1.OutfeedService/Offer'", "'/forebay.outfeed.v1.OutfeedService/Offer'", id="wire"
        ),
    ],
)  # fmt: skip
def test_modules_move_and_wire_names_stay(generate, text, moved):
    assert generate.moved(text) == moved


def test_wire_names():
    assert outfeed_pb2.DESCRIPTOR.services_by_name["OutfeedService"].full_name == "forebay.outfeed.v1.OutfeedService"
    assert config_pb2.DESCRIPTOR.services_by_name["ConfigService"].full_name == "forebay.config.v1.ConfigService"


def test_python_names():
    assert outfeed_pb2.Verdict.__module__ == "forebay.pb.outfeed.v1.outfeed_pb2"
    assert outfeed_pb2_grpc.OutfeedServiceStub.__module__ == "forebay.pb.outfeed.v1.outfeed_pb2_grpc"
