"""What a table tells of messages, as columns of numpy.

Tasks that judge messages take these. Rows of Arrow cost them more, and make each of them load pandas.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray


class Facts(NamedTuple):
    """Something about each of some messages."""

    ids: NDArray[np.void]
    columns: Mapping[str, NDArray[np.int64]]
    """By their names in the table; all are as long as `ids`."""


def binaries(values: NDArray[np.void]) -> pa.Array:
    """Octets, the same number in each value, for Arrow."""
    size, count = values.dtype.itemsize, len(values)
    ends = np.arange(0, size * count + 1, size, dtype="<i4")
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(ends), pa.py_buffer(values.tobytes())])
