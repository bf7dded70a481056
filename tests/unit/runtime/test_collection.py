import gc

from forebay.runtime.collection import collection_paused


def test_collection_is_paused_and_taken_up_again() -> None:
    with collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
