"""A client of Redis that blocks, for jobs: of one server, of the master that Sentinels name, or of a cluster."""

from functools import cached_property
from itertools import chain
from typing import Any

from redis import Redis
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import ConnectionPool
from redis.exceptions import RedisError, ResponseError
from redis.sentinel import Sentinel

from forebay.spill.address import Address, Form, parse_url
from forebay.spill.answers import meaning_of
from forebay.spill.dialogue import Dialogue, Question, asked_alone
from forebay.spill.errors import SpillUnavailableError
from forebay.spill.link import Reply
from forebay.spill.scripts import Command, with_text
from forebay.spill.settings import TlsFiles

CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 60.0
"""Seconds; a job rather waits than begins anew."""


class BlockingClient:
    """Connects with the first command, and again after each loss."""

    def __init__(self, url: str, tls: TlsFiles) -> None:
        """Raises `SpillSettingsError` when the URL cannot be used."""
        self._address = parse_url(url)
        self._tls = tls
        self._dialogues: dict[ConnectionPool, Dialogue] = {}

    def run(self, *command: Any) -> Reply:
        """The answer to a command. It may be carried out twice, when the first answer was lost.

        Raises `SpillUnavailableError`, `SpillFullError`, `SpillCheckError` and `SpillAnswerError`.
        """
        try:
            return self._client.execute_command(*command)  # type: ignore[no-untyped-call]
        except ResponseError as error:
            raise meaning_of(error, self._address) from error
        except (RedisError, OSError) as error:
            raise SpillUnavailableError(f"{self._address}: {error}") from error

    def run_script(self, command: Command) -> Reply:
        """The answer to a call of a script; raises what `run` does."""
        return self.run(*with_text(command))

    def ask(self, key: str, *command: Any) -> Question:
        """Send a command that is about a key, and go on without its answer.

        It is carried out behind all that were asked before about keys of the same owner. It may be carried out twice.
        """
        dialogue = self._dialogue(key)
        if dialogue is not None:
            return dialogue.ask(command)
        question = Question(command)
        asked_alone(question, self.run)
        return question

    def close(self) -> None:
        """End all connections; the next command makes new ones."""
        self._dialogues.clear()
        if client := self.__dict__.pop("_client", None):
            client.close()

    def _dialogue(self, key: str) -> Dialogue | None:
        """The one with the server that has a key; None when nobody knows which that is."""
        try:
            pool = self._pool(key)
        except (RedisError, OSError):
            return None
        dialogue = self._dialogues.get(pool)
        if dialogue is None or not dialogue.is_sound:
            self._dialogues[pool] = dialogue = Dialogue(pool, self.run)
        return dialogue

    def _pool(self, key: str) -> ConnectionPool:
        client = self._client
        if isinstance(client, RedisCluster):
            client = client.get_redis_connection(client.get_node_from_key(key))  # type: ignore[no-untyped-call]
        return client.connection_pool

    @cached_property
    def _client(self) -> "Redis | RedisCluster":
        client = _new_client(self._address, self._tls)
        # Else each of millions of entries becomes a dictionary on its way.
        client.set_response_callback("XRANGE", _flat if isinstance(client, RedisCluster) else _unchanged)
        return client


def _new_client(address: Address, tls: TlsFiles) -> "Redis | RedisCluster":
    common: dict[str, Any] = {
        "username": address.username,
        "password": address.password,
        "socket_connect_timeout": CONNECT_TIMEOUT,
        "socket_timeout": ANSWER_TIMEOUT,
        "protocol": 2,
    }
    if address.tls:
        files = {"ssl_ca_certs": tls.ca_file, "ssl_certfile": tls.cert_file, "ssl_keyfile": tls.key_file}
        common |= {"ssl": True, **files}
    endpoints = address.endpoints
    if address.form is Form.CLUSTER:
        nodes = [ClusterNode(host, port) for host, port in endpoints]  # type: ignore[no-untyped-call]
        return RedisCluster(startup_nodes=nodes, **common)
    if address.form is Form.UNIX:
        return Redis(unix_socket_path=address.path, db=address.db, **common)
    if address.form is Form.SENTINEL:
        return _master(address, common)
    return Redis(endpoints[0].host, endpoints[0].port, db=address.db, **common)


def _master(address: Address, common: dict[str, Any]) -> Redis:
    waits = {"socket_timeout": CONNECT_TIMEOUT, "socket_connect_timeout": CONNECT_TIMEOUT}
    sentinel = Sentinel(list(address.endpoints), sentinel_kwargs=waits)  # type: ignore[no-untyped-call]
    master: Redis = sentinel.master_for(address.service, db=address.db, **common)  # type: ignore[no-untyped-call]
    return master


def _unchanged(reply: Reply, **_: Any) -> Reply:
    return reply


def _flat(reply: Reply, **_: Any) -> Reply:
    """Entries as Redis answers with them, where the client of a cluster's node has made dictionaries already."""
    return [[entry_id, [*chain.from_iterable(fields.items())]] for entry_id, fields in reply]
