"""Changes for whoever watches."""

from forebay.conduit.board import Board


async def test_each_watcher_sees_what_comes_while_it_watches():
    board = Board(10)
    board.tell(1)
    with board.watched() as early:
        board.tell(2)
        with board.watched() as late:
            board.tell(3)
        board.tell(4)
    board.tell(5)
    assert early.news.is_set()
    assert (early.take(), late.take()) == ([2, 3, 4], [3])
    assert early.take() == []


async def test_one_that_does_not_look_is_overrun_alone():
    board = Board(2)
    with board.watched() as slow, board.watched() as quick:
        for change in range(4):
            board.tell(change)
            assert quick.take() == [change]
        assert (slow.overrun, quick.overrun) == (True, False)
        assert slow.take() == [0, 1]
