from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.token import Token, decode, message_key
from forebay_spark.tokens import HEAD, heads_of, message_id, signed, with_tries

TOKENS = st.builds(
    lambda name, seq, arrival, size, tries: Token(name, message_key(name), seq, arrival, size, tries),
    st.binary(min_size=1, max_size=30),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**16 - 1),
)


@given(st.lists(TOKENS, max_size=5))
def test_heads_say_what_the_service_wrote(tokens: list[Token]) -> None:
    heads = heads_of([token.encode() for token in tokens])
    found = [tuple(map(int, head)) for head in heads]
    assert found == [(token.seq, token.arrival, token.size, token.tries) for token in tokens]


@given(TOKENS)
def test_message_id_is_the_services(token: Token) -> None:
    assert message_id(token.encode()) == token.message_id


@given(TOKENS, st.integers(0, 2**16 - 1))
def test_tries_alone_change(token: Token, tries: int) -> None:
    assert decode(with_tries(token.encode(), tries)) == token._replace(tries=tries)


def test_a_short_entry_has_zeros() -> None:
    assert heads_of([b"", b"\0" * 7 + b"\1"]).tolist() == [(0, 0, 0, 0), (1, 0, 0, 0)]


def test_numbers_beyond_a_signed_one_are_the_largest() -> None:
    heads = heads_of([b"\xff" * HEAD.itemsize])
    assert signed(heads["arrival"]).tolist() == [2**63 - 1]
