"""Places in R: where on Redis the tokens stand that were read back and are in memory or in flight."""

from collections.abc import Iterable, Sequence

from forebay.outfeed.token import Token


class ResendPlaces:
    """An id of an entry by seq, and what is known of tokens whose place was lost when the spool was taken over anew."""

    def __init__(self) -> None:
        self._ids: dict[int, bytes] = {}
        self._adrift: set[int] = set()
        """Seqs in flight whose place is not known any more."""
        self._elsewhere: set[int] = set()
        """Seqs that were written elsewhere while their place was not known: R may hold them still."""

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, seq: int) -> bytes:
        """The id of a token's entry; empty for one that has none."""
        return self._ids.get(seq, b"")

    def holds(self, seq: int) -> bool:
        """Whether a token that came from R is in memory or in flight."""
        return seq in self._ids or seq in self._adrift

    def is_elsewhere(self, seq: int) -> bool:
        """Whether a token that is found in R was written elsewhere meanwhile."""
        return seq in self._elsewhere

    def by_origin(self, tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
        """Split tokens into those that have no place here, and those that do."""
        if not self._ids:
            return list(tokens), []
        fresh = [token for token in tokens if token.seq not in self._ids]
        return fresh, [token for token in tokens if token.seq in self._ids]

    def add(self, seq: int, entry_id: bytes) -> None:
        """A token was read back."""
        self._ids[seq] = entry_id

    def add_all(self, seqs: Iterable[int], entry_ids: Iterable[bytes]) -> None:
        """As `add` for each."""
        self._ids.update(zip(seqs, entry_ids, strict=True))

    def know_none(self, seqs: set[int]) -> bool:
        """Whether neither `holds` nor `is_elsewhere` is true of any."""
        return self._ids.keys().isdisjoint(seqs) and seqs.isdisjoint(self._adrift) and seqs.isdisjoint(self._elsewhere)

    def find(self, seq: int, entry_id: bytes) -> bytes:
        """The place of a token that `holds` was found, after the spool was taken over anew.

        Returns the id of another entry for it, if there is one; one of them is too many.
        """
        earlier = self._ids.get(seq, entry_id)
        self._adrift.discard(seq)
        self._ids[seq] = entry_id
        return earlier if earlier != entry_id else b""

    def leave(self, seq: int) -> bytes:
        """A token has left R; the id that its entry had, empty if it had none."""
        return self._ids.pop(seq, b"")

    def finish(self, tokens: list[Token]) -> tuple[list[Token], list[bytes]]:
        """These are settled: returns those without a place, and the ids of the entries of the others."""
        if not self._ids and not self._adrift:
            return tokens, []
        entry_ids = [self._ids.pop(token.seq, b"") for token in tokens]
        if all(entry_ids):
            return [], entry_ids
        fresh = [token for token, entry_id in zip(tokens, entry_ids, strict=True) if not entry_id]
        self._adrift.difference_update(token.seq for token in fresh)
        return fresh, list(filter(None, entry_ids))

    def written_elsewhere(self, seqs: Iterable[int]) -> list[bytes]:
        """Tokens were written to another stream; the ids of the entries that they had here all the same."""
        seqs = list(seqs)
        self._elsewhere.update(self._adrift.intersection(seqs))
        self._adrift.difference_update(seqs)
        # One that was adrift may have been found in R again while it waited to be written.
        return [entry_id for seq in seqs if (entry_id := self.leave(seq))]

    def promoted(self) -> None:
        """R is another stream now."""
        self._elsewhere.clear()

    def lose(self, in_memory: set[int], *, restarted: bool) -> None:
        """The spool was taken over anew: those in memory are read again, those in flight are adrift."""
        if restarted:
            self._elsewhere.clear()
        self._adrift.update(seq for seq in self._ids if seq not in in_memory)
        self._ids.clear()
