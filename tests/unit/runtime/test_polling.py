"""How gRPC is told to poll: it reads that when it is imported, and never again."""

import os
import subprocess
import sys

import pytest

LOOK = """
import os, sys

class Look:
    def find_spec(self, name, path=None, target=None):
        if name == "grpc":
            print(os.environ.get("GRPC_EXPERIMENTS"))

sys.meta_path.insert(0, Look())
import {module}
"""


def told(module, **environment):
    inherited = {key: value for key, value in os.environ.items() if key != "GRPC_EXPERIMENTS"}
    command = [sys.executable, "-c", LOOK.format(module=module)]
    return subprocess.run(command, env=inherited | environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "module", ["forebay.runtime", "forebay.client.router", "forebay.cli.hosting", "forebay.cli.pod"]
)
def test_it_is_told_before_it_is_imported(module):
    assert told(module) == "-event_engine_client,-event_engine_listener\n"


def test_who_has_said_how_it_is_to_be_is_heeded():
    assert told("forebay.runtime", GRPC_EXPERIMENTS="") == "\n"
