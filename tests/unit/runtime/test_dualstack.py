"""Sockets that listen on all addresses of both families."""

import socket

import pytest

from forebay.runtime.dualstack import EVERYWHERE, dualstack_socket
from ports import free_port, loopbacks


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "localhost"])
def test_other_hosts_are_left_to_who_listens(host):
    assert dualstack_socket(host, 0) is None


@pytest.mark.skipif(EVERYWHERE != "::", reason="this machine has no IPv6")
@pytest.mark.parametrize("host", loopbacks())
def test_all_families_are_taken(host):
    with dualstack_socket("::", 0) as listening, socket.create_connection((host, listening.getsockname()[1])):
        listening.accept()[0].close()


@pytest.mark.skipif(EVERYWHERE != "::", reason="this machine has no IPv6")
def test_a_port_that_is_taken_is_an_error_of_the_system():
    port = free_port()
    with dualstack_socket("::", port), pytest.raises(OSError, match="in use"):
        dualstack_socket("::", port)
