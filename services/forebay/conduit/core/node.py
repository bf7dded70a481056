"""A node without sockets: datagrams come in, datagrams go out, and time is told to it."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, Protocol

from forebay.conduit.core.conduits.publisher import Publisher, PublisherSettings, Write
from forebay.conduit.core.conduits.reception import Reception
from forebay.conduit.core.conduits.transmission import Transmission

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from forebay.conduit.core.session.events import PeerEvent
