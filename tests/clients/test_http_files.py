"""The `.http` files of `clients/http`, sent as a reader of such files sends them."""

import os
import pathlib
import re
import time
import uuid

import jwt
import pytest
import requests

from conftest import TOKEN, URL

FILES = sorted(pathlib.Path(__file__).parents[2].glob("clients/http/*.http"))
# The client with which every installation is set up.
CLIENT = {name: os.environ[f"LECTERN_{name.upper()}"] for name in ("client_id", "client_secret")}


class File:
    def __init__(self, text):
        head, *self.requests = re.split(r"^###.*\n", text, flags=re.MULTILINE)
        self.variables = dict(re.findall(r"^@(\w+) = (.*)$", head, re.MULTILINE))
        self.variables |= {"address": URL, "token": TOKEN, "receiver": "http://127.0.0.1:9/hook", **CLIENT}
        self.answers = {}

    def value(self, expression):
        name, *path = re.findall(r"[\w$]+", expression)
        if expression == "$guid":
            return uuid.uuid4().hex
        if not path:
            return self.assertion() if name == "assertion" else self.variables[name]
        assert path[:3] == ["response", "body", "$"], expression
        found = self.answers[name]
        for key in path[3:]:
            found = found[int(key) if key.isdigit() else key]
        return str(found)

    def assertion(self):
        """What the tool of the file signs."""
        tool, now = self.answers["tool"], int(time.time())
        address = f"{URL}/api/lti/accounts/1/authorize"
        claims = {"sub": tool["guid"], "aud": address, "iat": now, "exp": now + 60, "jti": uuid.uuid4().hex}
        return jwt.encode(claims, tool["shared_secret"], algorithm="HS256")

    def send(self, request):
        request = re.sub(r"\{\{([^}]+)\}\}", lambda match: self.value(match[1]), request)
        name = re.search(r"^# @name (\w+)$", request, re.MULTILINE)
        lines = [line for line in request.strip().splitlines() if not line.startswith("#")]
        head, _, body = "\n".join(lines).partition("\n\n")
        (method, address), *headers = [line.split(": " if number else " ", 1) for number, line in enumerate(head.splitlines())]
        headers = dict(headers)
        if "multipart" in headers.get("Content-Type", ""):
            body = body.replace("\n", "\r\n") + "\r\n"
        answer = requests.request(method, address, headers=headers, data=body.encode() or None, timeout=60)
        assert answer.ok, f"{method} {address}: {answer.status_code} {answer.text}"
        if name:
            self.answers[name[1]] = answer.json()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_its_requests_are_answered(path):
    file = File(path.read_text())
    for request in file.requests:
        file.send(request)


def test_there_are_files():
    assert len(FILES) >= 7
