"""Logs: one JSON object a line, or colours on a terminal; whatever a library logs comes out the same way."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, Literal, TextIO, TypeAlias

import structlog
from structlog.typing import Processor

from forebay.runtime.secret import MASK, Secret

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
Form: TypeAlias = Literal["auto", "json", "console"]

SECRET_KEYS = frozenset(
    {
        "password",
        "passwd",
        "secret",
        "secrets",
        "authorization",
        "credentials",
        "private_key",
        "api_key",
        "access_token",
    }
)
USER_INFO = re.compile(r"(?<=://)[^/@\s]*:[^/@\s]*(?=@)")


def configure_logs(level: Level = "info", form: Form = "auto", stream: TextIO | None = None) -> None:
    """Send all logs of the process to a stream, by default standard error; `auto` means console on a terminal.

    Called once by a program, never by a library.
    """
    stream = stream or sys.stderr
    console = form == "console" or (form == "auto" and stream.isatty())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=ending(console), foreign_pre_chain=common()))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *common(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def common() -> list[Processor]:
    """What every entry gets, whoever logged it: bound values such as the request id, level, logger and time."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.stdlib.ExtraAdder(),
    ]


def ending(console: bool) -> list[Processor]:
    """How an entry becomes a line. Tracebacks become text before secrets are looked for."""
    render: Processor = structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer(default=str)
    return [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        redact,
        render,
    ]


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Mask what is named like a secret and the passwords inside URLs, at any depth."""
    for key, value in event.items():
        event[key] = masked(key, value)
    return event


def masked(key: object, value: Any) -> Any:
    """A value that may be shown."""
    if isinstance(key, str) and key.lower() in SECRET_KEYS:
        return MASK
    if isinstance(value, str):
        return USER_INFO.sub(MASK, value) if "://" in value else value
    if isinstance(value, Mapping):
        return {name: masked(name, each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [masked(None, each) for each in value]
    return MASK if isinstance(value, Secret) else value
