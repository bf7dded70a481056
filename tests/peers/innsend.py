"""INN's senders, innfeed and innxmit, feeding a host and port from article files in batch mode."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from articles import Article
from peers.inn import NEWS_BIN
from peers.process import as_news, run

INN_CONF = """\
mta: "/bin/true %s"
domain: sender.example
pathhost: sender.example
runasuser: news
runasgroup: news
hismethod: hisv6
enableoverview: false
pathnews: {bin.parent}
pathbin: {bin}
pathetc: {folder}/etc
pathdb: {folder}/db
pathrun: {folder}/run
pathlog: {folder}/log
pathtmp: {folder}/tmp
pathspool: {folder}/spool
patharticles: {folder}/spool/articles
pathoutgoing: {folder}/spool/outgoing
"""
INNFEED_CONF = """\
backlog-directory: {folder}/spool/outgoing
initial-sleep: 0
initial-connections: {connections}
max-connections: {connections}
dynamic-method: 0
initial-reconnect-time: 1
max-reconnect-time: 2
max-queue-size: {window}
response-timeout: 60
peer forebay {{ ip-name: 127.0.0.1 port-number: {port} }}
"""
STORAGE_CONF = "method tradspool {\n  newsgroups: *\n  class: 0\n}\n"


class InnSender:
    """A spool of article files and the configuration that innfeed and innxmit need, below `folder`.

    User news must be able to walk into `folder`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.batch: list[bytes] = []
        for name in ("etc", "db", "run", "log", "tmp", "spool/articles", "spool/outgoing"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "etc/inn.conf").write_text(INN_CONF.format(bin=NEWS_BIN, folder=folder))
        (folder / "etc/storage.conf").write_text(STORAGE_CONF)
        (folder / "db/active").touch()

    def spool(self, articles: Iterable[Article]) -> None:
        """Write the articles into the spool, to be sent by every later call in this order."""
        for article in articles:
            path = self.folder / "spool/articles" / str(len(self.batch) + 1)
            path.write_bytes(article.wire)
            self.batch.append(str(path).encode() + b" " + article.message_id)

    async def innfeed(self, port: int, *, connections: int = 1, window: int = 20, timeout: float = 120) -> None:  # noqa: ASYNC109
        """Send the spool with `innfeed -x`; returns when innfeed has had an answer for every article.

        A window of 20 articles is innfeed's own default, with which it is fastest to a peer on the same machine.
        """
        conf = INNFEED_CONF.format(folder=self.folder, port=port, connections=connections, window=window)
        (self.folder / "etc/innfeed.conf").write_text(conf)
        self.write_batch()
        await self.run("innfeed", "-x", "-l", self.folder / "log/innfeed.log", timeout=timeout)

    async def innxmit(self, port: int, *, timeout: float = 120) -> None:  # noqa: ASYNC109
        """Send the spool with `innxmit` over one connection."""
        await self.run("innxmit", "-P", port, "127.0.0.1", self.write_batch(), timeout=timeout)

    def write_batch(self) -> Path:
        """Put the batch file where innfeed looks for the peer's, and give all files to user news."""
        batch = self.folder / "spool/outgoing/forebay"
        for left in batch.parent.iterdir():
            left.unlink()
        batch.write_bytes(b"\n".join(self.batch) + b"\n")
        for folder in (self.folder, *(path for path in self.folder.rglob("*") if path.is_dir())):
            shutil.chown(folder, "news", "news")
        shutil.chown(batch, "news", "news")
        return batch

    async def run(self, program: str, *arguments: object, timeout: float) -> str:  # noqa: ASYNC109
        command = (*as_news(), NEWS_BIN / program, *arguments)
        return await run(*command, environment={"INNCONF": str(self.folder / "etc/inn.conf")}, timeout=timeout)
