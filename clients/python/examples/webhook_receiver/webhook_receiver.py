"""An integration: a receiver of webhooks that keeps the scores of all who were graded."""

from __future__ import annotations

import http.server
from collections.abc import Callable

from lectern import Webhook, WebhookRefused


class Receiver(http.server.ThreadingHTTPServer):
    """Takes each event once, however often it is delivered; `on_score` gets user and score."""

    def __init__(self, address: tuple[str, int], on_score: Callable[[str, float], None]) -> None:
        super().__init__(address, _Handler)
        #: The signing secret, which the answer to the subscription has.
        self.secret = ""
        self.on_score = on_score
        self.seen: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/webhooks"

    def take(self, body: bytes, headers: dict[str, str]) -> int:
        """The status for a delivery. 500 asks for it once more."""
        try:
            message = Webhook(self.secret).verify(body, headers)
        except WebhookRefused:
            return 401
        identity = headers["webhook-id"]
        if identity not in self.seen and message["metadata"]["event_name"] == "grade_change":
            try:
                self.on_score(message["body"]["student_id"], message["body"]["score"])
            except OSError:
                return 500
        self.seen.add(identity)
        return 200


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.send_response(self.server.take(body, headers))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass
