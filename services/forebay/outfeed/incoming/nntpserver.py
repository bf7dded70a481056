"""The receiving side of an NNTP feed (RFC 3977, RFC 4644): what is answered to each command, without any I/O."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from forebay.outfeed.incoming.arriving import Arriving
from forebay.outfeed.incoming.article import MESSAGE_ID_OCTETS, message_id_problem
from forebay.outfeed.incoming.intake import Intake, Judged, Verdict, Want
from forebay.outfeed.incoming.nntpinput import Command, CommandReader

CAPABILITIES = (
    b"101 Capability list:\r\nVERSION 2\r\nIMPLEMENTATION Forebay "
    + version("forebay").encode()
    + b"\r\nIHAVE\r\nSTREAMING\r\n.\r\n"
)
HELP = (
    b"100 Commands:\r\nCAPABILITIES\r\nCHECK message-id\r\nDATE\r\nHELP\r\nIHAVE message-id\r\nMODE STREAM\r\nQUIT\r\n"
    b"STAT message-id\r\nTAKETHIS message-id\r\n.\r\n"
)
_ANSWERS_TO_CHECK = {Want.SEND: b"238 ", Want.HAVE: b"438 ", Want.LATER: b"431 ", Want.PAUSED: b"431 "}
# An article that nobody wants was taken all the same: its sender has nothing to mend, and no reason to worry.
_TAKEN = (Verdict.ACCEPTED, Verdict.NO_PEER)
_ID_HEADER = re.compile(rb"(?i)(?:\A|\r\n)message-id:(?:[ \t]|\r\n[ \t])*(<[^\r]*>)")
_ID_HEADER_OCTETS = len(b"Message-ID: ")
_UNPRINTABLE = re.compile(rb"[^ -~]")
_TEXT_OCTETS = 200


@dataclass(slots=True)
class Turn:
    """The answers to commands that were read together, in their order.

    Those to articles are open until the verdicts are there: `articles` are to be taken, then `fill` or `refuse` called.
    """

    answers: list[bytes] = field(default_factory=list)
    articles: list[bytes] = field(default_factory=list)
    closing: bool = False
    """The connection ends after these answers."""
    _open: list[tuple[int, bytes]] = field(default_factory=list)
    """Place of each open answer, and the message-id of a TAKETHIS or nothing for an IHAVE."""

    @classmethod
    def ending(cls, reason: str) -> "Turn":
        """The last of a connection."""
        return cls([_line(b"400", reason)], closing=True)

    @property
    def ready(self) -> bool:
        """No answer is open."""
        return not self._open

    def leave_open(self, message_id: bytes, article: bytes) -> None:
        """Answer later; an IHAVE has no message-id."""
        self._open.append((len(self.answers), message_id))
        self.answers.append(b"")
        self.articles.append(article)

    def fill(self, judged: Sequence[Judged]) -> None:
        """Answer with verdicts, one for each of the articles."""
        for (place, message_id), (verdict, reason, _) in zip(self._open, judged, strict=True):
            if verdict in _TAKEN:
                self.answers[place] = b"239 " + message_id + b"\r\n" if message_id else b"235 article taken\r\n"
            else:
                self.answers[place] = _rejection(message_id, reason or "seen before")
        self._open.clear()

    def refuse(self, reason: str) -> None:
        """Nothing could be taken. No answer to TAKETHIS can say so, but 400 and the end (RFC 4644 section 2.5)."""
        for place, message_id in self._open:
            if message_id:
                self.answers[place:] = [_line(b"400", reason)]
                self.closing = True
                break
            self.answers[place] = _line(b"436", reason)
        self._open.clear()


class NntpServer:
    """One sender's commands, and what is answered."""

    def __init__(self, reader: CommandReader, intake: Intake, arriving: Arriving) -> None:
        self.reader = reader
        self._intake = intake
        self._arriving = arriving
        self._handlers: dict[bytes, Callable[[Command, Turn], None]] = {
            b"CAPABILITIES": lambda _, turn: turn.answers.append(CAPABILITIES),
            b"DATE": self._date,
            b"HELP": lambda _, turn: turn.answers.append(HELP),
            b"IHAVE": self._ihave,
            b"MODE": self._mode,
            b"QUIT": self._quit,
            b"STAT": self._stat,
            b"TAKETHIS": self._takethis,
        }

    def receive(self, data: bytes) -> list[Turn]:
        """Read on. After a closing turn nothing is read any more."""
        turns: list[Turn] = []
        while commands := self.reader.feed(data):
            turns.append(self._turn(commands))
            if turns[-1].closing:
                break
            data = b""
        return turns

    def gone(self) -> None:
        """The connection has ended."""
        self._arriving.forget(self)

    def _turn(self, commands: list[Command]) -> Turn:
        turn = Turn()
        checks: list[tuple[int, bytes]] = []
        for command in commands:
            if command.verb == b"CHECK" and not command.fault and not message_id_problem(command.argument):
                checks.append((len(turn.answers), command.argument))
                turn.answers.append(b"")
            else:
                self._answer(command, turn)
                if turn.closing:
                    break
        if checks:
            self._answer_checks(checks, turn)
        return turn

    def _answer(self, command: Command, turn: Turn) -> None:
        handler = self._handlers.get(command.verb)
        if command.fault and command.body is None:
            turn.answers.append(_line(b"501", command.fault))
        elif command.verb == b"CHECK":
            problem = message_id_problem(command.argument)
            turn.answers.append(_line(b"438 " + _echo(command.argument), problem))
        elif handler is None:
            turn.answers.append(_line(b"500", "unknown command; HELP lists what there is"))
        else:
            handler(command, turn)

    def _answer_checks(self, checks: list[tuple[int, bytes]], turn: Turn) -> None:
        now = time.monotonic()
        wants = self._intake.wanted([message_id for _, message_id in checks])
        for (place, message_id), want in zip(checks, wants, strict=True):
            if want is Want.SEND and not self._arriving.claim(message_id, self, now):
                want = Want.LATER
            turn.answers[place] = _ANSWERS_TO_CHECK[want] + message_id + b"\r\n"

    def _takethis(self, command: Command, turn: Turn) -> None:
        message_id, body = command.argument, command.body or b""
        self._arriving.release((message_id,))
        if not message_id:
            turn.answers.append(_line(b"501", command.fault or "TAKETHIS needs a message-id"))
        elif problem := command.fault or _upload_problem(message_id, body):
            turn.answers.append(_rejection(_echo(message_id), problem))
        else:
            turn.leave_open(message_id, body)

    def _ihave(self, command: Command, turn: Turn) -> None:
        message_id = command.argument
        if command.body is not None:
            self._arriving.release((message_id,))
            if problem := command.fault or _upload_problem(message_id, command.body):
                turn.answers.append(_rejection(b"", problem))
            else:
                turn.leave_open(b"", command.body)
        elif problem := message_id_problem(message_id):
            turn.answers.append(_line(b"435", problem) if message_id else _line(b"501", "IHAVE needs a message-id"))
        else:
            turn.answers.append(self._answer_ihave(command))

    def _answer_ihave(self, command: Command) -> bytes:
        (want,) = self._intake.wanted([command.argument])
        if want is Want.HAVE:
            return b"435 seen before\r\n"
        if want is not Want.SEND or not self._arriving.claim(command.argument, self, time.monotonic()):
            return b"436 try again later\r\n"
        self.reader.expect_article(command)
        return b"335 send it\r\n"

    def _stat(self, command: Command, turn: Turn) -> None:
        if message_id_problem(command.argument):
            turn.answers.append(b"412 no newsgroup is ever selected here; give a message-id\r\n")
            return
        match self._intake.wanted([command.argument]):
            case [Want.HAVE]:
                turn.answers.append(b"223 0 " + command.argument + b"\r\n")
            case [Want.PAUSED]:
                turn.answers.append(b"403 paused\r\n")
            case _:
                turn.answers.append(b"430 not seen\r\n")

    def _mode(self, command: Command, turn: Turn) -> None:
        match command.argument.upper():
            case b"STREAM":
                turn.answers.append(b"203 streaming permitted\r\n")
            case b"READER":
                # RFC 3977 section 5.3.2: 502 says that there will never be a reader, and ends the connection.
                turn.answers.append(b"502 no reading here\r\n")
                turn.closing = True
            case _:
                turn.answers.append(b"501 MODE STREAM is known\r\n")

    def _date(self, _: Command, turn: Turn) -> None:
        turn.answers.append(time.strftime("111 %Y%m%d%H%M%S\r\n", time.gmtime()).encode())

    def _quit(self, _: Command, turn: Turn) -> None:
        turn.answers.append(b"205 bye\r\n")
        turn.closing = True


def _upload_problem(message_id: bytes, body: bytes) -> str:
    """Why an article cannot be the one of the command; what else may be wrong with it shows when it is taken."""
    if problem := message_id_problem(message_id):
        return problem
    # In nearly all articles the header is where the message-id is met first.
    first = body.find(message_id)
    if body[max(first - _ID_HEADER_OCTETS, 0) : max(first, 0)].lower() == b"message-id: ":
        return ""
    header = _ID_HEADER.search(body, 0, body.find(b"\r\n\r\n") + 1)
    return "header Message-ID is not the message-id of the command" if header and header[1] != message_id else ""


def _rejection(message_id: bytes, reason: str) -> bytes:
    return _line(b"439 " + message_id if message_id else b"437", reason)


def _line(start: bytes, text: str) -> bytes:
    return start + b" " + _UNPRINTABLE.sub(b"?", text.encode()[:_TEXT_OCTETS]) + b"\r\n"


def _echo(argument: bytes) -> bytes:
    """What was given for a message-id, fit for a reply."""
    return re.sub(rb"[^!-~]", b"?", argument[:MESSAGE_ID_OCTETS]) or b"?"
