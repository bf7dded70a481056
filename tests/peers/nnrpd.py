"""INN's nnrpd before a running innd: a peer that secures, asks for a login, compresses, and knows IHAVE alone."""

import asyncio
import os
import shutil
import signal
from pathlib import Path

from eventually import eventually
from peers.inn import NEWS_BIN, InnPeer
from peers.process import as_news, run

USER, PASSWORD = "feeder", "s3cret"
READERS_CONF = """\
auth all {{ hosts: "*" auth: "ckpasswd -f {passwords}" }}
access all {{ users: "*" newsgroups: "*" access: RPIA }}
"""
INN_CONF = """\
tlscertfile: {folder}/tls.crt
tlskeyfile: {folder}/tls.key
tlscafile: {folder}/ca.crt
"""


class Nnrpd:
    """nnrpd on 127.0.0.1:`port`, which hands what it takes to an innd."""

    def __init__(self, inn: InnPeer, port: int, certificates: Path) -> None:
        """`certificates` is a folder with tls.crt, tls.key and ca.crt."""
        self.port = port
        self._etc = inn.folder / "etc"
        self._certificates = certificates
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Configure and start it; it listens then."""
        passwords = self._etc / "passwords"
        hashed = (await run("openssl", "passwd", "-6", PASSWORD)).strip()
        passwords.write_text(f"{USER}:{hashed}\n")
        (self._etc / "readers.conf").write_text(READERS_CONF.format(passwords=passwords))
        for name in ("tls.crt", "tls.key", "ca.crt"):
            shutil.copyfile(self._certificates / name, self._etc / name)
        (self._etc / "tls.key").chmod(0o600)
        conf = self._etc / "inn.conf"
        # nnrpd does not serve without an overview, though nobody here reads.
        settings = conf.read_text().replace("enableoverview: false", "enableoverview: true")
        conf.write_text(settings + INN_CONF.format(folder=self._etc))
        if os.geteuid() == 0:
            for file in self._etc.iterdir():
                shutil.chown(file, "news", "news")
        environment = {"INNCONF": str(conf)}
        await run(*as_news(), NEWS_BIN / "makehistory", "-O", "-x", "-a", environment=environment)
        command = [*as_news(), NEWS_BIN / "nnrpd", "-D", "-f", "-p", self.port]
        self._process = await asyncio.create_subprocess_exec(*map(str, command), env={**os.environ, **environment})
        await eventually(self._listens)

    async def stop(self) -> None:
        """End it."""
        if self._process:
            self._process.send_signal(signal.SIGTERM)
            await self._process.wait()

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True
