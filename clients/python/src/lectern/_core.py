"""Requests: who calls, for how long, how often again, and from page to page."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from .errors import ConnectionFailed, RefusedRequest, TimedOut, refused

#: Methods that may be sent again without doing anything twice.
_IDEMPOTENT = {"GET", "HEAD", "PUT", "DELETE"}
#: Statuses that say: not now.
_LATER = {429, 503}

Self = TypeVar("Self", bound="Core")


@dataclasses.dataclass(frozen=True)
class Retries:
    """How often a request is sent again that may be, and how long is waited before.

    A wait that the service asks for (`Retry-After`) and that is longer than `longest` seconds ends the tries.
    """

    times: int = 3
    first: float = 0.5
    longest: float = 60.0

    def wait(self, tries: int, asked: float | None) -> float | None:
        """The seconds before the next of so many tries; `None` ends them."""
        if tries > self.times or (asked is not None and asked > self.longest):
            return None
        if asked is not None:
            # Those who were told the same moment should not all come at it.
            return asked + random.uniform(0, self.first)
        return random.uniform(self.first / 2, self.first) * 2 ** (tries - 1)


class Core:
    """What all operations need. `Lectern` adds a method for each of them."""

    def __init__(
        self,
        address: str,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._retries = Retries() if retries is None else retries
        self._sleep = sleep
        self._token = token
        # Redirects lead to pages for people, or to other hosts: none is followed, so that the token goes nowhere else.
        self._http = httpx.Client(
            base_url=address.rstrip("/"), timeout=timeout, transport=transport, follow_redirects=False
        )

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    def with_token(self: Self, token: str) -> Self:
        """The same for another caller; both share their connections."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _token=token)
        return other

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        form: Any = None,
        content: bytes | str | None = None,
        content_type: str | None = None,
        files: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        takes_token: bool = True,
    ) -> httpx.Response:
        """Sends any request, and answers what came if that is a success."""
        sent = dict(headers or {})
        if takes_token and self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        if content_type is not None:
            sent["Content-Type"] = content_type
        request = self._http.build_request(
            method,
            path,
            params=None if query is None else _pairs(query),
            json=body,
            data=None if form is None else dict(_flat(form)),
            content=content,
            files=files,
            headers=sent,
        )
        return self._send(request)

    def upload(
        self,
        announce: Callable[..., Any],
        *where: int | str,
        name: str,
        content: bytes,
        content_type: str | None = None,
        **options: Any,
    ) -> Any:
        """Uploads a file in its three steps.

        `announce` is the method that announces it, such as `create_course_file`, and `where` is what that one needs.
        """
        announced = {"name": name, "size": len(content), **options}
        if content_type is not None:
            announced["content_type"] = content_type
        answer = announce(*where, body=announced)
        ticket = answer.get("pre_attachment") or answer
        parameters = {key: str(value) for key, value in (ticket.get("upload_params") or {}).items()}
        file = (name, content, content_type or "application/octet-stream")
        # The address carries its own right, and the token is nobody else's business.
        sent = self._http.build_request(
            "POST", ticket["upload_url"], data=parameters, files={ticket.get("file_param") or "file": file}
        )
        stored = self._send(sent)
        location = stored.headers.get("location")
        return self._decoded(stored) if location is None else self._call("GET", self._own(location))

    def _call(self, method: str, path: str, **options: Any) -> Any:
        return self._decoded(self.request(method, path, **options))

    def _pages(self, method: str, path: str, *, records: str, **options: Any) -> Pages:
        return Pages(self, method, path, records, options)

    def _send(self, request: httpx.Request) -> httpx.Response:
        tries = 0
        while True:
            tries += 1
            error: ConnectionFailed | RefusedRequest
            path = request.url.path
            try:
                response = self._http.send(request)
            except httpx.TimeoutException as cause:
                error = TimedOut(f"{request.method} {path}: {cause or 'timed out'}")
                error.__cause__ = cause
            except httpx.TransportError as cause:
                error = ConnectionFailed(f"{request.method} {path}: {cause}")
                error.__cause__ = cause
            else:
                if response.status_code < 400:
                    return response
                error = refused(request.method, path, response.status_code, response.content, response.headers)
                if error.status not in _LATER:
                    raise error
            asked = error.retry_after if isinstance(error, RefusedRequest) else None
            wait = self._retries.wait(tries, asked) if request.method in _IDEMPOTENT else None
            if wait is None:
                raise error
            self._sleep(wait)

    def _own(self, address: str) -> str:
        """The path and query of an address of the service.

        A service may be called by another name than the one that it gives itself; the token goes to the one that was called.
        """
        parts = urlsplit(address)
        path = "/" + parts.path.removeprefix(self._http.base_url.path).lstrip("/")
        return f"{path}?{parts.query}" if parts.query else path

    @staticmethod
    def _decoded(response: httpx.Response) -> Any:
        """What JSON says; the bytes of anything else; `None` for nothing."""
        if not response.content:
            return None
        kind = response.headers.get("content-type", "").split(";")[0].strip()
        return response.json() if kind == "application/json" or kind.endswith("+json") else response.content


class Pages:
    """A list that comes in pages. Iterating over it goes through its records, and fetches pages as they are needed."""

    def __init__(self, core: Core, method: str, path: str, records: str, options: Mapping[str, Any]) -> None:
        self._core, self._method, self._path = core, method, path
        self._records, self._options = records, options

    def __iter__(self) -> Iterator[Any]:
        for answer in self.answers():
            yield from (answer[self._records] if self._records else answer)

    def answers(self) -> Iterator[Any]:
        """The answers, page by page, with what stands in them beside the records."""
        response = self._core.request(self._method, self._path, **self._options)
        while True:
            answer = self._core._decoded(response)
            yield answer
            following = response.links.get("next", {}).get("url") or _next_in(answer)
            if not following:
                return
            takes_token = self._options.get("takes_token", True)
            response = self._core.request(self._method, self._core._own(following), takes_token=takes_token)


def _next_in(answer: Any) -> str | None:
    """The next page where the body tells it: `links` of mastery tracking, `pagination` of badges that changed."""
    if not isinstance(answer, Mapping):
        return None
    links, pagination = answer.get("links"), answer.get("pagination")
    if isinstance(links, Mapping) and isinstance(links.get("next"), str):
        return links["next"]
    if isinstance(pagination, Mapping) and pagination.get("hasNext"):
        return pagination.get("nextResults")
    return None


def _pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs = []
    for name, value in query.items():
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        pairs += [(name, _text(one)) for one in values if one is not None]
    return pairs


def _flat(form: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """`{"a": {"b": [1]}}` as forms have it: `a[b][]=1`."""

    def walk(name: str, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, Mapping):
            for key, member in value.items():
                yield from walk(f"{name}[{key}]", member)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for member in value:
                yield from walk(f"{name}[]", member)
        elif value is not None:
            yield name, _text(value)

    fields: dict[str, list[str]] = {}
    for name, value in form.items():
        for key, text in walk(name, value):
            fields.setdefault(key, []).append(text)
    yield from fields.items()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
