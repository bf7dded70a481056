import json

import pytest

from forebay.runtime import FileLease, LeaseError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


async def test_the_file_names_the_holder_and_its_epoch(path):
    lease = FileLease(path)
    assert await lease.take("a", 15) == 1
    assert json.loads(path.read_text()) == {"holder": "a", "epoch": 1}
    assert await lease.holder() == "a"
    await lease.release("a")
    assert await lease.holder() == ""


async def test_only_one_holds_it(path):
    first, second = FileLease(path), FileLease(path)
    await first.take("a", 15)
    assert await second.take("b", 15) is None
    assert await second.holder() == "a"
    await first.release("a")
    assert await second.take("b", 15) == 2
    await second.release("b")


async def test_it_is_ours_as_long_as_the_file_is_the_same(path):
    lease = FileLease(path)
    await lease.take("a", 15)
    assert await lease.renew("a", 15)
    path.rename(path.with_name("moved"))
    assert not await lease.renew("a", 15)
    path.touch()
    assert not await lease.renew("a", 15)
    await lease.release("a")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"holder": "x"}', b"\xff" * 10_000])
async def test_a_damaged_file_does_not_keep_others_out(path, content):
    path.write_bytes(content)
    lease = FileLease(path)
    assert await lease.holder() == ""
    assert await lease.take("a", 15) == 1
    assert await lease.holder() == "a"
    await lease.release("a")


async def test_before_it_is_taken_nobody_holds_it(path):
    lease = FileLease(path)
    assert await lease.holder() == ""
    assert not await lease.renew("a", 15)
    await lease.release("a")
    assert not path.exists()


async def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(LeaseError, match="none/lock: No such file or directory"):
        await FileLease(tmp_path / "none" / "lock").take("a", 15)
