"""The Lua scripts, and how they are called: by their digest, or by their text where Redis does not know them yet."""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files

Argument = str | bytes | int | float
Command = tuple[Argument, ...]


class Script:
    """One script; its source lies in `lua/`."""

    def __init__(self, name: str, common: str) -> None:
        flags, _, body = _source(name).partition("\n")
        self.text = f"{flags}\n{common}{body}"
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, keys: Sequence[str], args: Sequence[Argument] = ()) -> Command:
        """The command that runs it."""
        return ("EVALSHA", self.digest, len(keys), *keys, *args)


def with_text(command: Command) -> Command:
    """The same call with the script's text, after which Redis knows it."""
    return ("EVAL", _TEXTS[command[1]], *command[2:])


def _source(name: str) -> str:
    return files("forebay.spill").joinpath("lua", f"{name}.lua").read_text()


_COMMON = _source("common")
ACQUIRE = Script("acquire", _COMMON)
APPEND = Script("append", _COMMON)
CHECKPOINT = Script("checkpoint", _COMMON)
COMPACT = Script("compact", _COMMON)
FENCE = Script("fence", "")
FORGET = Script("forget", _COMMON)
LIMIT = Script("limit", _COMMON)
MOVE = Script("move", _COMMON)
PROBE = Script("probe", "")
PROMOTE = Script("promote", _COMMON)
PURGE = Script("purge", _COMMON)
REGISTER = Script("register", "")
RELEASE = Script("release", _COMMON)
RENEW = Script("renew", _COMMON)
STAGE = Script("stage", "")
STAGE_DROPPED = Script("stage_dropped", "")
TIMETABLE_PUT = Script("timetable_put", _COMMON)
TIMETABLE_STRIKE = Script("timetable_strike", _COMMON)

_ALL = (
    ACQUIRE,
    APPEND,
    CHECKPOINT,
    COMPACT,
    FENCE,
    FORGET,
    LIMIT,
    MOVE,
    PROBE,
    PROMOTE,
    PURGE,
    REGISTER,
    RELEASE,
    RENEW,
    STAGE,
    STAGE_DROPPED,
    TIMETABLE_PUT,
    TIMETABLE_STRIKE,
)
_TEXTS: dict[Argument, str] = {script.digest: script.text for script in _ALL}
