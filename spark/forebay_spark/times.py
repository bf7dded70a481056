"""Times in the ids of stream entries."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def times_of(ids: Sequence[bytes]) -> NDArray[np.int64]:
    """When entries were appended, milliseconds since the epoch: the first parts of their ids."""
    numbers = np.fromstring(b"-".join(ids), np.int64, sep="-") if ids else np.empty(0, np.int64)
    return numbers[::2]
