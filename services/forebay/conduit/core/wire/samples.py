"""SDATA in bulk: nearly all that a conduit carries, so it is read and written in loops without a call a message.

The general way of `decoder` takes some ten times as long for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.wire.header import ID_MASK, SDATA, A, R, S
from forebay.conduit.core.wire.messages import Data
from forebay.conduit.core.wire.vle import id_to_wire, vle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.wire.messages import Message

_PLAIN = tuple(head & ID_MASK == SDATA and not head & A for head in range(256))
"""Which first octets begin a message of the kind that is read here: without a second id."""
_RELIABLE = tuple(bool(head & R) for head in range(256))
_SYNC = tuple(bool(head & S) for head in range(256))
_OCTETS_2, _OCTETS_3, _OCTETS_4, _OCTETS_5 = (1 << 7 * octets for octets in range(1, 5))
"""The first numbers that take so many octets; a sum of fewer reaches one when its last octet says that more follow."""


def read_samples(data: bytes, at: int, conduit: int, numbers: int, messages: list[Message]) -> int:  # noqa: C901 (a loop without calls)
    """Add the plain samples that begin at `at` to the messages; return where the first other message begins.

    Numbers of samples are below `numbers`. Whatever is not quite plain ends the run, be it a payload of 16 KiB or
    damage: the general way reads that one.
    """
    plain, reliable, sync, make, append = _PLAIN, _RELIABLE, _SYNC, tuple.__new__, messages.append
    size = len(data)
    try:
        while at < size and plain[head := data[at]]:
            number, next = data[at + 1], at + 2
            if number >= _OCTETS_2:
                number += (data[next] << 7) - _OCTETS_2
                next += 1
                if number >= _OCTETS_3:
                    number += (data[next] << 14) - _OCTETS_3
                    next += 1
                    if number >= _OCTETS_4:
                        number += (data[next] << 21) - _OCTETS_4
                        next += 1
                if number >= numbers or number >= _OCTETS_5 or not data[next - 1]:
                    break
            wire_id = data[next]
            next += 1
            if wire_id >= _OCTETS_2:
                wire_id += (data[next] << 7) - _OCTETS_2
                next += 1
                if wire_id >= _OCTETS_3 or not data[next - 1]:
                    break
            length = data[next]
            next += 1
            if length >= _OCTETS_2:
                length += (data[next] << 7) - _OCTETS_2
                next += 1
                if length >= _OCTETS_3 or not data[next - 1]:
                    break
            end = next + length
            if end > size:
                break
            rid = ~(wire_id >> 1) if wire_id & 1 else wire_id >> 1
            append(make(Data, (conduit, reliable[head], sync[head], number, rid, None, data[next:end])))
            at = end
    except IndexError:
        pass  # the datagram ends within a message: the general way tells in which field
    return at


def encode_samples(
    numbers: Sequence[bytes], rid: int, payloads: Sequence[bytes], *, reliable: bool = True
) -> list[bytes]:
    """Samples of one resource or selection, each as its SDATA message.

    `numbers` are those of the samples, in their order, as they look on the wire. A message asks for an acknowledgement
    once its first octet is or-ed with `header.S`.
    """
    head, wire_id = bytes((SDATA | R * reliable,)), vle(id_to_wire(rid))
    middles = {length: wire_id + vle(length) for length in set(map(len, payloads))}
    return [head + number + middles[len(payload)] + payload for number, payload in zip(numbers, payloads, strict=True)]
