"""Numbers of variable length: base 128, the lowest seven bits first, the top bit of an octet meaning that more follow.

The last octet of a longer one is never zero. Ids of resources and selections are doubled on the wire, those of
selections plus one; inside they are told apart by sign, so that an id is one plain number everywhere.
"""

MORE = 0x80
"""The bit that says that more octets follow."""


def vle(number: int) -> bytes:
    """How a number, 0 or more, looks on the wire."""
    if number < MORE:
        return bytes((number,))
    octets = bytearray()
    while number >= MORE:
        octets.append(number & 0x7F | MORE)
        number >>= 7
    octets.append(number)
    return bytes(octets)


def vle_size(number: int) -> int:
    """Octets that `vle` makes of it."""
    return max(1, (number.bit_length() + 6) // 7)


def id_to_wire(rid: int) -> int:
    """The number that stands on the wire for the id of a resource, or for that of a selection, which is below 0."""
    return rid << 1 if rid >= 0 else ~rid << 1 | 1


def id_from_wire(number: int) -> int:
    """The id of the resource, or of the selection, that stands on the wire as this number."""
    return ~(number >> 1) if number & 1 else number >> 1
