"""Options of gRPC: one that it does not know is ignored in silence."""

from pathlib import Path

import pytest
from grpc._cython import cygrpc

from forebay.runtime.channel import ChannelSettings
from forebay.runtime.grpcserver import GrpcSettings

LIBRARY = Path(cygrpc.__file__).read_bytes()
NAMES = sorted({name for name, _ in (*GrpcSettings().options(), *ChannelSettings().options())})


@pytest.mark.parametrize("name", NAMES)
def test_grpc_knows_it(name):
    assert name.encode() in LIBRARY
