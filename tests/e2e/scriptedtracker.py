"""An upstream tracker, run within a pod: PORT. It puts each client off by a minute until that minute is over.

`/requests` tells of each announce so far: seconds since the epoch and the info hash.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_to_bytes, urlsplit

PATIENCE = 30.0
"""Seconds after the first announce of a torrent from which on it is answered."""
PUT_OFF = b"d14:failure reason9:come back8:retry in1:1e"
GOOD = b"d8:completei7e10:incompletei0e8:intervali900e5:peers0:e"
requests: list[tuple[float, str]] = []


class Tracker(BaseHTTPRequestHandler):
    """Answers announces, and tells of them."""

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        if place.path == "/announce":
            self.answer(answer_to(place.query))
        else:
            self.answer(json.dumps(requests).encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def answer_to(query: str) -> bytes:
    fields = dict(field.partition("=")[::2] for field in query.split("&"))
    info_hash, now = unquote_to_bytes(fields["info_hash"]).hex(), time.time()
    first = next((moment for moment, known in requests if known == info_hash), now)
    requests.append((now, info_hash))
    return GOOD if now - first > PATIENCE else PUT_OFF


ThreadingHTTPServer(("", int(sys.argv[1])), Tracker).serve_forever()
