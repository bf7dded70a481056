import subprocess
import sys

import pytest

import forebay.runtime


def test_the_public_names_are_sorted_and_there():
    assert forebay.runtime.__all__ == sorted(forebay.runtime.__all__)
    assert all(hasattr(forebay.runtime, name) for name in forebay.runtime.__all__)


def test_a_name_that_is_not_there_is_told_of():
    with pytest.raises(AttributeError, match=r"module 'forebay\.runtime' has no attribute 'Sponge'"):
        forebay.runtime.Sponge  # type: ignore[attr-defined] # noqa: B018


def test_errors_and_back_offs_are_had_without_a_server():
    code = "import sys, forebay.runtime; print(*sorted({'aiohttp', 'pydantic', 'grpc.aio'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["grpc.aio"]  # which grpc itself loads
