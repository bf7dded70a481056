"""Reading back: what of the entries of R is to be sent, and which of them are too many."""

from forebay.outfeed.peering.backlogowner import Owner
from forebay.outfeed.peering.entries import read_token
from forebay.outfeed.peering.resendplaces import ResendPlaces
from forebay.outfeed.peering.unsure import Unsure
from forebay.outfeed.token import decode_all
from forebay.spill import Entry


class Readback:
    """Fills the queue of a peer from R."""

    def __init__(self, owner: Owner, places: ResendPlaces, unsure: Unsure) -> None:
        self._owner = owner
        self._places = places
        self._unsure = unsure

    def take_in(self, entries: list[Entry]) -> list[bytes]:
        """Queue what is to be sent. Returns ids of entries for what the peer has, or what is on its way already."""
        if not entries or self._take_in_all(entries):
            return []
        return [entry_id for entry in entries if (entry_id := self._take_in_one(entry))]

    def in_log_alone(self, seq: int) -> bool:
        """Whether the feed log has handed out an article that was not written to Redis since."""
        return self._owner.logged(seq) and seq not in self._unsure

    def _take_in_all(self, entries: list[Entry]) -> bool:
        """Queue all at once if all are to be sent, as nearly always; otherwise nothing is done, and it is False."""
        entry_ids, data = zip(*entries, strict=True)
        try:
            tokens = decode_all(data)
        except ValueError:
            return False
        seqs = [token.seq for token in tokens]
        once = set(seqs)
        if len(once) < len(seqs) or not self._places.know_none(once) or not self._owner.needs_all(seqs):
            return False
        if not all(seq in self._unsure for seq in self._owner.logged_of(seqs)):
            return False
        self._places.add_all(seqs, entry_ids)
        self._owner.queue.resent.extend(tokens)
        self._owner.ledger.unspooled += len(tokens)
        return True

    def _take_in_one(self, entry: Entry) -> bytes:
        token = read_token(entry.data)
        if token is None or self._is_too_many(token.seq):
            return entry.id
        if self._places.holds(token.seq):
            # The spool was taken over anew while the token was in memory: this is its place now.
            return self._places.find(token.seq, entry.id)
        self._places.add(token.seq, entry.id)
        self._owner.queue.resent.append(token)
        self._owner.ledger.unspooled += 1
        return b""

    def _is_too_many(self, seq: int) -> bool:
        return self._places.is_elsewhere(seq) or not self._owner.needs(seq) or self.in_log_alone(seq)
