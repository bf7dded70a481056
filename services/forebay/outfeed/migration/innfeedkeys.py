"""Every key of innfeed.conf(5), and where it went."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forebay.outfeed.migration.draft import Draft
from forebay.outfeed.migration.innfeedconf import Setting

Carry = Callable[[Draft, Setting], None]
"""Puts a setting into a draft. Raises `ValueError` with the reason where its value is none of its key's."""

MOST_CONNECTIONS = 100
SMALLEST_QUEUE = 10
METHODS = ("free", "rate", "queue", "both")
"""Values of `dynamic-method`, by number."""
LONGEST_RESPONSE = "1h"
LONGEST_IDLE = "1d"
LONGEST_LIFE = "365d"


@dataclass(frozen=True)
class Key:
    """What became of a key."""

    where: str
    """Where it went, or why nowhere; a line of Markdown."""
    carry: Carry | None = None
    """None where it is not carried over."""


def whole(setting: Setting) -> int:
    """The value as a whole number that is not negative."""
    if type(setting.value) is not int or setting.value < 0:
        raise ValueError(f"{setting.value!r} is no whole number of 0 or more")
    return setting.value


def truth(setting: Setting) -> bool:
    """The value as true or false."""
    if not isinstance(setting.value, bool):
        raise ValueError(f"{setting.value!r} is neither true nor false")
    return setting.value


def _number(path: str) -> Carry:
    def carry(draft: Draft, setting: Setting) -> None:
        if isinstance(setting.value, bool | str):
            raise ValueError(f"{setting.value!r} is no number")
        draft.put(path, setting.value)

    return carry


def _word(path: str) -> Carry:
    return lambda draft, setting: draft.put(path, str(setting.value))


def _whole(path: str) -> Carry:
    return lambda draft, setting: draft.put(path, whole(setting))


def _truth(path: str) -> Carry:
    return lambda draft, setting: draft.put(path, truth(setting))


def _seconds(path: str, without_end: str = "") -> Carry:
    """`without_end` is the longest time, which stands for a 0."""

    def carry(draft: Draft, setting: Setting) -> None:
        seconds = whole(setting)
        draft.put(path, without_end if without_end and not seconds else f"{seconds}s")

    return carry


def _host(draft: Draft, setting: Setting) -> None:
    draft.put("hosts", [str(setting.value)])


def _most_connections(draft: Draft, setting: Setting) -> None:
    wanted = whole(setting)
    most = min(wanted or MOST_CONNECTIONS, MOST_CONNECTIONS)
    if most != wanted:
        draft.note(setting.place, setting.key, f"{wanted} became {most}, the most there can be")
    draft.put("connections.max", most)


def _initial_connections(draft: Draft, setting: Setting) -> None:
    draft.put("connections.initial", min(whole(setting), MOST_CONNECTIONS))


def _growth(draft: Draft, setting: Setting) -> None:
    method = whole(setting)
    if method >= len(METHODS):
        raise ValueError(f"{method} is no method, of which there are 0 to {len(METHODS) - 1}")
    draft.put("connections.growth", METHODS[method])


def _queue_size(draft: Draft, setting: Setting) -> None:
    draft.put("queue.size", max(whole(setting), SMALLEST_QUEUE))


def _backlog_limit(draft: Draft, setting: Setting) -> None:
    if octets := whole(setting):
        draft.put("backlog.maxBytes", f"{octets}B")


def _drop_deferred(draft: Draft, setting: Setting) -> None:
    if truth(setting):
        draft.put("deferral.maxTries", 1)


def _no_backlog(draft: Draft, setting: Setting) -> None:
    if truth(setting):
        draft.put("backlog.enabled", False)


def _username(draft: Draft, setting: Setting) -> None:
    draft.username = str(setting.value)


def _password(draft: Draft, setting: Setting) -> None:
    draft.password = str(setting.value)


def _lifetime(draft: Draft, setting: Setting) -> None:
    seconds = whole(setting)
    draft.put("timeouts.lifetime", f"{max(seconds, 60)}s" if seconds else LONGEST_LIFE)


def _lifetime_of_names(draft: Draft, setting: Setting) -> None:
    if "lifetime" not in draft.spec.get("timeouts", {}):
        _lifetime(draft, setting)


def _bind(other: str) -> Carry:
    """`other` is the family that is left where this one is not to be used."""

    def carry(draft: Draft, setting: Setting) -> None:
        address = str(setting.value)
        if address == "none":
            draft.put("network.family", other)
        elif address != "any":
            draft.put("network.bind", [*draft.spec.get("network", {}).get("bind", ()), address])

    return carry


def _force_ipv4(draft: Draft, setting: Setting) -> None:
    if truth(setting):
        draft.put("network.family", "ipv4")


OWN_FILES = "nowhere: there is no such file; all that is durable is in the data folder and on Redis"
OWN_LOGS = "nowhere: logs go to standard error as JSON"
OWN_STATISTICS = "nowhere: the page `/status`, `forebay top` and `/metrics` tell at any time"
OWN_CHECKPOINTS = "nowhere: checkpoints need no period; nothing that was answered is offered again"
OWN_INPUT = "nowhere: articles come in over gRPC or NNTP"
ONE_LIMIT = "nowhere: `backlog.maxBytes` is the limit itself, the oldest goes entry by entry"
IMAP = "nowhere: delivery over IMAP is not what Forebay does"

PEER_KEYS: Mapping[str, Key] = {
    "ip-name": Key("`hosts`; without it the peer's name", _host),
    "port-number": Key("`port`", _whole("port")),
    "max-connections": Key("`connections.max`; 0, which is no limit, becomes 100", _most_connections),
    "initial-connections": Key("`connections.initial`", _initial_connections),
    "close-period": Key("`timeouts.lifetime`; 0 becomes 365 days, below a minute becomes a minute", _lifetime),
    "dynamic-method": Key("`connections.growth`: 0 `free`, 1 `rate`, 2 `queue`, 3 `both`", _growth),
    "dynamic-backlog-low": Key("`connections.low`", _number("connections.low")),
    "dynamic-backlog-high": Key("`connections.high`", _number("connections.high")),
    "dynamic-backlog-filter": Key("`connections.filter`", _number("connections.filter")),
    "min-queue-connection": Key("nowhere: the oldest connection with room gets the article"),
    "max-queue-size": Key("`window`", _whole("window")),
    "streaming": Key("`streaming`", _truth("streaming")),
    "no-check-high": Key("`noCheck.high`", _number("noCheck.high")),
    "no-check-low": Key("`noCheck.low`", _number("noCheck.low")),
    "no-check-filter": Key("`noCheck.filter`", _number("noCheck.filter")),
    "article-timeout": Key("`timeouts.idle`; 0 becomes a day", _seconds("timeouts.idle", LONGEST_IDLE)),
    "response-timeout": Key("`timeouts.response`; 0 becomes an hour", _seconds("timeouts.response", LONGEST_RESPONSE)),
    "username": Key("`auth.username`", _username),
    "password": Key("a Secret that `auth.passwordFrom` names", _password),
    "drop-deferred": Key("`deferral.maxTries: 1`, which makes a dead letter of what is put off", _drop_deferred),
    "backlog-limit": Key("`backlog.maxBytes`; 0 is no limit", _backlog_limit),
    "backlog-factor": Key(ONE_LIMIT),
    "backlog-limit-highwater": Key(ONE_LIMIT),
    "backlog-feed-first": Key("`backlog.first`", _truth("backlog.first")),
    "no-backlog": Key("`backlog.enabled: false`", _no_backlog),
    "bindaddress": Key("`network.bind`; `none` is `network.family: ipv6`, `any` the default", _bind("ipv6")),
    "bindaddress6": Key("`network.bind`; `none` is `network.family: ipv4`, `any` the default", _bind("ipv4")),
    "force-ipv4": Key("`network.family: ipv4`", _force_ipv4),
}
"""Keys that a peer, a group or the file may have."""

PROCESS_KEYS: Mapping[str, Key] = {
    "host-queue-highwater": Key("`queue.size` of every peer; below 10 becomes 10", _queue_size),
    "initial-reconnect-time": Key("`reconnect.initial` of every peer", _seconds("reconnect.initial")),
    "max-reconnect-time": Key("`reconnect.maximum` of every peer", _seconds("reconnect.maximum")),
    "dns-retry": Key("nowhere: names are looked up anew at each try to connect"),
    "dns-expire": Key("`timeouts.lifetime` of every peer without a `close-period`", _lifetime_of_names),
    "backlog-highwater": Key("nowhere: what a peer can't take goes to its backlog once `queue.size` is reached"),
    "backlog-directory": Key("nowhere: backlogs are on the Redis of the Spill"),
    "backlog-ckpt-period": Key(OWN_CHECKPOINTS),
    "backlog-rotate-period": Key("nowhere: `backlog.rotateBytes` and `backlog.rotateAge` say when a stream is full"),
    "backlog-newfile-period": Key("nowhere: no one else writes into a backlog"),
    "initial-sleep": Key("`connections.startDelay` of every peer", _seconds("connections.startDelay")),
    "fast-exit": Key("nowhere: what is in flight at the end is kept in the backlog"),
    "news-spool": Key(OWN_INPUT),
    "input-file": Key(OWN_INPUT),
    "use-mmap": Key(OWN_INPUT),
    "pid-file": Key(OWN_FILES),
    "log-file": Key(OWN_LOGS),
    "log-time-format": Key(OWN_LOGS),
    "debug-level": Key(OWN_LOGS),
    "debug-shrinking": Key(OWN_LOGS),
    "status-file": Key(OWN_STATISTICS),
    "gen-html": Key(OWN_STATISTICS),
    "connection-stats": Key(OWN_STATISTICS),
    "stats-period": Key(OWN_STATISTICS),
    "stats-reset": Key("nowhere: counters never go back while the service runs"),
    "stdio-fdmax": Key("nowhere: it was for systems that Forebay does not run on"),
    "deliver-authname": Key(IMAP),
    "deliver-password": Key(IMAP),
    "deliver-username": Key(IMAP),
    "deliver-realm": Key(IMAP),
    "deliver-rcpt-to": Key(IMAP),
    "deliver-to-header": Key(IMAP),
}
"""Keys that only the file may have."""

KEYS = {**PEER_KEYS, **PROCESS_KEYS}
