"""Dead letters of a peer: articles that were given up, to be looked at and sent again."""

from dataclasses import dataclass

from forebay.outfeed.peering.entries import read_token
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.token import Token
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, UnavailableError
from forebay.spill import DeadLetter, SpillError

PAGE = 1000
RETRY_SECONDS = 5.0


async def page(peer: Peer, size: int, token: str) -> list[DeadLetter]:
    """Up to `size` dead letters behind the place that `token` names.

    Raises `InvalidArgumentError` for a token that is none, `UnavailableError` while Redis is away.
    """
    milliseconds, dash, number = token.partition("-")
    if token and not (token.isascii() and dash and milliseconds.isdecimal() and number.isdecimal()):
        problem = "is not a token that was given out: leave it empty for the first page"
        raise InvalidArgumentError(f"page_token: {problem}", violations=[FieldViolation("page_token", problem)])
    return await _letters(peer, size, token.encode() or None)


async def _letters(peer: Peer, size: int, after: bytes | None) -> list[DeadLetter]:
    try:
        return await peer.spool.dead_letters(size, after)
    except SpillError as error:
        raise UnavailableError(f"peer {peer.options.name}: {error}", retry_after=RETRY_SECONDS) from error


@dataclass(frozen=True)
class Choice:
    """Which dead letters are meant; the default is all."""

    message_ids: frozenset[bytes] = frozenset()
    """With their angle brackets; empty for any."""
    reason: str = ""
    """Text in the reason, whatever the case of its letters; empty for any."""

    def takes(self, letter: DeadLetter) -> bool:
        """Whether a letter is meant. One about nothing readable has no message-id."""
        if self.reason.casefold() not in letter.reason.casefold():
            return False
        if not self.message_ids:
            return True
        token = read_token(letter.data)
        return token is not None and token.message_id in self.message_ids


async def replay(peer: Peer, choice: Choice) -> int:
    """Queue dead letters again with no tries counted; returns how many.

    Raises `UnavailableError` while the backlog cannot be used.
    """
    if peer.backlog.trouble:
        raise UnavailableError(f"peer {peer.options.name}: {peer.backlog.trouble}", retry_after=RETRY_SECONDS)
    replayed, after = 0, None
    while letters := await _letters(peer, PAGE, after):
        after = letters[-1].id
        chosen = [
            (letter.id, token) for letter in letters if choice.takes(letter) and (token := read_token(letter.data))
        ]
        if chosen:
            replayed += await _replay(peer, chosen)
    peer.backlog.wake()
    return replayed


async def _replay(peer: Peer, letters: list[tuple[bytes, Token]]) -> int:
    # A crash may leave two letters of one article, or one of an article that is sent again all the same.
    count = len({token.seq for _, token in letters if peer.backlog.lacks(token.seq)})
    try:
        await peer.spool.replay([(letter_id, token._replace(tries=0).encode()) for letter_id, token in letters])
    except SpillError as error:
        raise UnavailableError(f"peer {peer.options.name}: {error}", retry_after=RETRY_SECONDS) from error
    peer.feed.ledger.replay(count)
    return count


def message(letter: DeadLetter) -> pb.DeadLetter:
    """The message for a dead letter."""
    found = pb.DeadLetter(reason=letter.reason, tries=letter.tries)
    found.dead_letter_time.FromMilliseconds(letter.time)
    if token := read_token(letter.data):
        found.message_id = token.message_id.decode("ascii", "replace")
        found.size = token.size
        found.arrival_time.FromMilliseconds(token.arrival)
    return found
