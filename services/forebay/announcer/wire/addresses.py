"""Addresses as octets: 4 or 16. An IPv4 address that is written as an IPv6 one is taken for what it is."""

from socket import AF_INET, AF_INET6, inet_pton

_MAPPED = bytes(10) + b"\xff\xff"


def packed(host: str) -> bytes:
    """The octets of an address. Raises `ValueError` for what is none."""
    try:
        if ":" not in host:
            return inet_pton(AF_INET, host)
        octets = inet_pton(AF_INET6, host.partition("%")[0])
    except OSError:
        raise ValueError(f"{host!r} is no address") from None
    return unmapped(octets)


def unmapped(octets: bytes) -> bytes:
    """The IPv4 address that an IPv6 one stands for, or the address itself."""
    return octets[len(_MAPPED) :] if octets.startswith(_MAPPED) and len(octets) == 16 else octets
