"""What the start of a store or a queue index found."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from forebay.msgstore.scan import Damage

NAMED = 1000
"""Damages that a report names; beyond it they are only counted."""

log = logging.getLogger(__name__)


@dataclass
class RecoveryReport:
    """What the start of a store found. Whatever is not named here is served."""

    clean: bool = False
    """The stop before was clean: the index was read from its snapshot, not from the message files."""
    files: int = 0
    messages: int = 0
    octets: int = 0
    """Of all message files."""
    seconds: float = 0.0
    damaged: int = 0
    """Stretches set aside; each a record, or a place where records may have been."""
    torn: int = 0
    """Files that end in an unfinished write, as a crash leaves it; nothing confirmed is lost by that."""
    missing_files: list[str] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    """By name, the first thousand."""

    def add(self, damages: Sequence[Damage]) -> None:
        """Count and name what a file has lost."""
        torn = sum(damage.torn for damage in damages)
        self.torn += torn
        self.damaged += len(damages) - torn
        self.damages += damages[: NAMED - len(self.damages)]
        for damage in damages:
            level = logging.WARNING if damage.torn else logging.ERROR
            log.log(
                level, "%s: %d octets at %d hold no whole record %s", damage.file, damage.size, damage.offset, damage.id
            )
