"""A data folder is of one process at a time."""

import pytest

from forebay.runtime.datafolder import DataFolder
from forebay.runtime.errors import SettingsError


async def test_it_is_made_and_locked_until_it_is_released(tmp_path):
    path = tmp_path / "a" / "b"
    first, second = DataFolder(path), DataFolder(path)
    await first.take()
    with pytest.raises(SettingsError, match=f"{path} is in use by pid"):
        await second.take()
    await first.release()
    await second.take()
    await second.release()
