"""The proxies of the examples for operators, started as they are but for addresses and certificates, in front of a
server that tells what has arrived."""

import base64
import grp
import http.client
import http.server
import json
import os
import pwd
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from check import free_port

ROOT = Path(__file__).resolve().parents[2]
KEYS = ROOT / "tests/keys"
SECONDS = 60
Installed = Callable[[str], str]
UPLOADS = [
    "/files_api/1",
    "/api/v1/accounts/1/sis_imports",
    "/api/v1/accounts/self/mastery_imports",
    "/api/quiz/v1/media/1",
]
SHORT = ["/api/v1/courses", "/api/v1/accounts/1/sis_imports/2", "/x/files_api/1", "/internal/bounces"]
# Programs that normalise paths in different ways are how somebody gets by a rule.
INTERNAL = [
    "/internal/tick",
    "/internal/status",
    "//internal/tick",
    "/internal//tick",
    "/%69nternal/tick",
    "/internal%2Ftick",
    "/x/../internal/tick",
    "/internal/bounces/../tick",
    "/internal/bounces/%2e%2e/tick",
]
MESSAGES = "/api/v1/courses/1/ai_experiences/2/conversations/3/messages"


class Service(http.server.BaseHTTPRequestHandler):
    """Stands for the service: answers with what it was asked."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def body(self) -> int:
        """The length of what has come."""
        if "Transfer-Encoding" not in self.headers:
            return len(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        length = 0
        while size := int(self.rfile.readline() or "0", 16):
            length += len(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return length

    def do_POST(self) -> None:
        self.server.arrived.append(self.path)
        headers = {name.lower(): self.headers.get_all(name) for name in self.headers}
        answer = json.dumps({"headers": headers, "length": self.body()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        """The second half of a message comes when somebody has read the first."""
        if self.path != MESSAGES:
            return self.do_POST()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"data: 1\n\n")
        self.server.read.wait(2 * SECONDS)
        self.wfile.write(b"data: 2\n\n")

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Service)
        self.arrived: list[str] = []
        self.read = threading.Event()

    def handle_error(self, *_: object) -> None:
        """A body that a proxy cuts off."""


@dataclass
class Proxy:
    connect: Callable[[], http.client.HTTPConnection]
    service: Server

    def ask(self, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str) -> tuple[int, dict]:
        """The status and what the service had to answer, with headers whose words are joined by `_`."""
        connection = self.connect()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request("GET" if body is None else "POST", path, body, named)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass  # It has answered before all was sent.
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if answer.status == 200 else {}


def replaced(text: str, places: dict[str, str]) -> str:
    for place, other in places.items():
        assert place in text, f"the example has no {place}"
        text = text.replace(place, other)
    return text


@contextmanager
def running(command: list[str], port: int, folder: Path, **variables: str) -> Iterator[None]:
    """A program that listens, until it is not needed any more."""
    with (folder / "log").open("w") as log:
        options = {"env": os.environ | variables, "cwd": folder, "stdin": subprocess.DEVNULL}
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)
    try:
        end = time.monotonic() + SECONDS
        while True:
            assert process.poll() is None and time.monotonic() < end, (folder / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), SECONDS).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def nginx(program: str, folder: Path, service: Server) -> Iterator[Proxy]:
    port, other = free_port(), free_port()
    key = base64.encodebytes((KEYS / "rsa.der").read_bytes()).decode()
    (folder / "key.pem").write_text(f"-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n")
    places = {
        "127.0.0.1:3000": f"127.0.0.1:{service.server_port}",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        "listen [::]:443 ": f"listen 127.0.0.1:{other} ",
        "/etc/ssl/lectern/fullchain.pem": str(KEYS / "certificate.pem"),
        "/etc/ssl/lectern/privkey.pem": str(folder / "key.pem"),
    }
    (folder / "lectern.conf").write_text(replaced((ROOT / "deploy/nginx.conf").read_text(), places))
    user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    temporary = [f"{kind}_temp_path {kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]]
    main = ["daemon off;", "worker_processes 1;", "pid nginx.pid;", "error_log stderr;", "events {}"]
    # Only who is the superuser can become somebody else, and is asked for it.
    main += [f"user {user} {group};"] if os.geteuid() == 0 else []
    main += ["http {", "access_log off;", *temporary, f"include {folder}/lectern.conf;", "}"]
    (folder / "nginx.conf").write_text("\n".join(main))
    # Before it reads this, it may say that it cannot write to the log of the machine; that is no error.
    command = [program, "-p", str(folder), "-c", "nginx.conf"]
    checked = subprocess.run([*command, "-t"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert checked.returncode == 0, checked.stdout
    context = ssl.create_default_context(cafile=KEYS / "certificate.pem")
    context.check_hostname = False
    with running(command, port, folder):
        yield Proxy(lambda: http.client.HTTPSConnection("127.0.0.1", port, timeout=SECONDS, context=context), service)


@contextmanager
def caddy(program: str, folder: Path, service: Server) -> Iterator[Proxy]:
    port = free_port()
    homes = {name: str(folder) for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]}
    example = ROOT / "deploy/container/Caddyfile"
    adapted = ["--adapter", "caddyfile", "--config"]
    checked = subprocess.run(
        [program, "validate", *adapted, str(example)],
        env=os.environ | homes | {"DOMAIN": "lms.example.edu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout
    file = folder / "Caddyfile"
    served = replaced(example.read_text(), {"lectern:3000": f"127.0.0.1:{service.server_port}"})
    file.write_text("{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n" + served)
    domain = f"http://127.0.0.1:{port}"
    with running([program, "run", *adapted, str(file)], port, folder, DOMAIN=domain, **homes):
        yield Proxy(lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS), service)


@pytest.fixture(scope="module")
def service() -> Iterator[Server]:
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, installed: Installed, service: Server, tmp_path_factory) -> Iterator[Proxy]:
    name = request.param.__name__
    with request.param(installed(name), tmp_path_factory.mktemp(name), service) as proxy:
        yield proxy


@pytest.mark.parametrize("path", INTERNAL)
def test_what_is_internal_is_not_there(proxy: Proxy, path: str) -> None:
    proxy.service.arrived.clear()
    assert proxy.ask(path, b"")[0] == 404
    assert not proxy.service.arrived


@pytest.mark.parametrize("path", ["/internal/bounces", "/internal/bounces/sns", "/api/v1/courses", "/internals"])
def test_everything_else_is(proxy: Proxy, path: str) -> None:
    assert proxy.ask(path, b"")[0] == 200
    assert proxy.service.arrived[-1] == path


def test_the_service_hears_who_calls_and_not_what_they_say_of_it(proxy: Proxy) -> None:
    status, answer = proxy.ask("/api/v1/courses", X_Forwarded_For="203.0.113.9", x_forwarded_for="203.0.113.10, ::1")
    assert status == 200 and answer["headers"]["x-forwarded-for"] == ["127.0.0.1"]


def sent(length: int, in_chunks: bool) -> bytes | Iterator[bytes]:
    part = b"x" * 100_000
    return (part for _ in range(length // len(part))) if in_chunks else b"x" * length


@pytest.mark.parametrize("in_chunks", [False, True], ids=["whole", "in chunks"])
def test_only_uploads_are_large(proxy: Proxy, in_chunks: bool) -> None:
    for path in SHORT:
        assert proxy.ask(path, sent(9_000_000, in_chunks))[1]["length"] == 9_000_000
        assert proxy.ask(path, sent(11_000_000, in_chunks))[0] == 413, path
    for path in UPLOADS:
        assert proxy.ask(path, sent(11_000_000, in_chunks))[1]["length"] == 11_000_000


def test_answers_of_a_model_come_while_they_are_written(proxy: Proxy) -> None:
    proxy.service.read.clear()
    connection = proxy.connect()
    connection.request("GET", MESSAGES)
    answer = connection.getresponse()
    assert answer.readline() == b"data: 1\n"
    proxy.service.read.set()
    assert answer.read() == b"\ndata: 2\n\n"
    connection.close()


def test_a_proxy_gives_an_idle_connection_up_before_the_service_does() -> None:
    def seconds(file: str, before: str) -> int:
        return int(re.search(rf"^[^#\n]*{before}(\d+)", (ROOT / file).read_text(), re.MULTILINE)[1])

    service = seconds("host/src/server.rs", r"header_timeout: Duration::from_secs\(")
    assert seconds("deploy/nginx.conf", "keepalive_timeout ") < service
    assert seconds("deploy/container/Caddyfile", "keepalive ") < service


@pytest.mark.parametrize(("path", "burst"), [("/login/oauth2/token", 30), ("/o/token", 30), ("/login", 200)])
def test_many_logins_are_too_many(installed: Installed, service: Server, tmp_path: Path, path: str, burst: int) -> None:
    with nginx(installed("nginx"), tmp_path, service) as proxy:
        connection, statuses = proxy.connect(), []
        for _ in range(burst + 20):
            connection.request("POST", path, b"")
            with connection.getresponse() as answer:
                statuses.append(answer.status)
                answer.read()
    # One is let in each second on top of them.
    assert set(statuses) == {200, 429} and burst < statuses.index(429) <= burst + SECONDS, statuses
