"""Commands built in bulk."""

from forebay.outfeed.sending.commands import LARGE, checks, replies, takethises


def test_checks_of_many():
    assert checks([b"<a@b>", b"<c@d>"]) == b"CHECK <a@b>\r\nCHECK <c@d>\r\n"


def test_replies_to_many():
    assert replies(b"239", [b"<a@b>", b"<c@d>"]) == b"239 <a@b>\r\n239 <c@d>\r\n"


def test_small_bodies_go_out_as_one_buffer():
    batch = takethises([b"<a@b>", b"<c@d>"], [b"one\r\n.\r\n", memoryview(b"two\r\n.\r\n")])
    assert batch == [b"TAKETHIS <a@b>\r\none\r\n.\r\nTAKETHIS <c@d>\r\ntwo\r\n.\r\n"]


def test_large_bodies_are_not_copied():
    large = bytes(LARGE)
    batch = takethises([b"<a@b>", b"<c@d>", b"<e@f>"], [large, b"small", large])
    assert [buffer is large for buffer in batch] == [False, True, False, True]
    assert b"".join(batch) == b"".join(
        (b"TAKETHIS <a@b>\r\n", large, b"TAKETHIS <c@d>\r\nsmallTAKETHIS <e@f>\r\n", large),
    )


def test_a_small_body_after_a_large_one_is_not_lost():
    assert takethises([b"<a@b>", b"<c@d>"], [bytes(LARGE), b"small"])[-1].endswith(b"small")
