"""The octet that begins every message: its id in the low five bits, three flags above them.

A flag has one letter a message, so several letters share a bit; flags that a message does not know are zero when
sent and ignored when received.
"""

from typing import Final

ID_MASK: Final = 0x1F

S: Final = 0x20
"""Numbered messages and SYNCH: acknowledge at once."""
M: Final = 0x20
"""ACKNACK: a mask follows."""
P: Final = 0x20
"""Session messages and declarations: properties follow."""
I: Final = 0x20  # noqa: E741 (the protocol's name)
"""MIGRATE: one resource or selection alone is moved."""
R: Final = 0x40
"""Data and SYNCH: of the reliable channel."""
C: Final = 0x40
"""DECLARE: committed already."""
N: Final = 0x40
"""PULL and FRAGMENT: a count follows."""
Z: Final = 0x80
"""CONDUIT: the compact form."""
A: Final = 0x80
"""Data: the resource itself is named beside the one that matched."""
O: Final = 0x20  # noqa: E741 (one letter as all of them)
"""SEALED: for one peer alone."""
U: Final = 0x80
"""SYNCH: the count of samples not yet acknowledged follows."""
F: Final = 0x80
"""PULL and REPLY: the last one."""
G: Final = 0x80
"""SELECTION and BINDID: the selection id is valid for all nodes."""

SCOUT: Final = 1
HELLO: Final = 2
OPEN: Final = 3
ACCEPT: Final = 4
CLOSE: Final = 5
DECLARE: Final = 6
SDATA: Final = 7
BDATA: Final = 8
WDATA: Final = 9
QUERY: Final = 10
PULL: Final = 11
PING: Final = 12
PONG: Final = 13
SYNCH: Final = 14
ACKNACK: Final = 15
KEEPALIVE: Final = 16
CONDUIT_CLOSE: Final = 17
FRAGMENT: Final = 18
CONDUIT: Final = 19
MIGRATE: Final = 20
REPLY: Final = 25
"""Not of the protocol: the answer to a QUERY, which it leaves open."""
SEALED: Final = 26
"""Not of the protocol: an authenticated datagram; see `authentication`."""

OWN_IDS: Final = frozenset({BDATA, QUERY, PULL, CONDUIT_CLOSE, FRAGMENT, MIGRATE, REPLY, SEALED})
"""A zhe program resets the session on these: for peers alone with whom the extras were agreed."""
