"""What goes wrong, in one form for all areas of the API, whose bodies of errors differ."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any


class LecternError(Exception):
    """Anything that this library raises about a request."""


class ConnectionFailed(LecternError):
    """The service could not be reached, or ended the connection."""


class TimedOut(ConnectionFailed):
    """The service took longer than the timeout."""


class RefusedRequest(LecternError):
    """The service answered with an error."""

    def __init__(
        self,
        method: str,
        path: str,
        status: int,
        body: Any,
        headers: Mapping[str, str],
    ) -> None:
        self.method = method
        self.path = path
        #: The status of HTTP.
        self.status = status
        #: The body as it came: what JSON says, or text.
        self.body = body
        #: The word of the area for the kind of error, where it has one.
        self.code, self.message, self.fields = _read(body)
        #: After how many seconds the request may be sent again, if the service says so.
        self.retry_after = retry_after(headers)
        #: By which the operator finds the request in the logs.
        self.request_id = headers.get("x-request-context-id")
        super().__init__(f"{method} {path}: {status} {self.message or ''}".rstrip())


class BadRequest(RefusedRequest):
    """400: a parameter is missing, cannot be read or is refused; `fields` says which."""


class InvalidToken(RefusedRequest):
    """401: no token, a bad one, or one without the scope."""


class Forbidden(RefusedRequest):
    """403: the caller lacks the right."""


class NotFound(RefusedRequest):
    """404: there is no such record for the caller."""


class Conflict(RefusedRequest):
    """409: the record is not in a state for this."""


class UnprocessableEntity(RefusedRequest):
    """422: a value is refused; `fields` says which where the area does."""


class TooManyRequests(RefusedRequest):
    """429: more than may be done in some time."""


class ServiceFailed(RefusedRequest):
    """5xx: the service cannot do it now, or not at all."""


_KINDS: dict[int, type[RefusedRequest]] = {
    400: BadRequest,
    401: InvalidToken,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: UnprocessableEntity,
    429: TooManyRequests,
}


def refused(
    method: str, path: str, status: int, content: bytes, headers: Mapping[str, str]
) -> RefusedRequest:
    """The error of an answer."""
    text = content.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    kind = _KINDS.get(status, ServiceFailed if status >= 500 else RefusedRequest)
    return kind(method, path, status, body, headers)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of `Retry-After`, which may also be a date."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        then = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, then.timestamp() - time.time())


Fields = dict[str, list[str]]


def _read(body: Any) -> tuple[str | None, str | None, Fields]:
    """The code, the message and what is said of fields."""
    if not isinstance(body, Mapping):
        return None, body.strip()[:1000] or None if isinstance(body, str) else None, {}
    if isinstance(body.get("status"), Mapping):
        return _of_badges(body)
    fields: Fields = {}
    messages: list[str] = []
    codes: list[str] = []
    _collect(body.get("errors"), fields, messages, codes)
    for name, found in (("error", codes if "error_description" in body else messages), ("error_description", messages)):
        if isinstance(body.get(name), str):
            found.insert(0, body[name])
    if isinstance(body.get("status"), str):
        codes.append(body["status"])
    if not codes and not messages and isinstance(body.get("message"), str):
        messages.append(body["message"])
    # OAuth alone says `error` in place of a code, and some tools' answers have nothing beside it.
    said = messages or [f"{name} {text}" for name, texts in fields.items() for text in texts]
    return (codes[0] if codes else None), ("; ".join(dict.fromkeys(said)) or None), fields


def _collect(errors: Any, fields: Fields, messages: list[str], codes: list[str]) -> None:
    """Reads `errors`: a text, a list of errors, or errors by field."""
    if isinstance(errors, str):
        messages.append(errors)
    elif isinstance(errors, list):
        for error in errors:
            if isinstance(error, Mapping):
                _collect_one(error, fields, messages, codes)
            elif isinstance(error, str):
                messages.append(error)
    elif isinstance(errors, Mapping):
        for name, said in errors.items():
            for one in said if isinstance(said, list) else [said]:
                text = one.get("message") if isinstance(one, Mapping) else one
                fields.setdefault(name, []).append(str(text))
                if isinstance(one, Mapping) and isinstance(one.get("type"), str):
                    codes.append(one["type"])


def _collect_one(error: Mapping[str, Any], fields: Fields, messages: list[str], codes: list[str]) -> None:
    text = error.get("message") or error.get("detail") or error.get("title")
    if isinstance(text, str):
        messages.append(text)
        if isinstance(error.get("attribute"), str):
            fields.setdefault(error["attribute"], []).append(text)
    else:
        for name, said in error.items():
            if isinstance(said, str):
                fields.setdefault(name, []).append(said)
    for name in ("code", "error_code", "error_type", "type"):
        if isinstance(error.get(name), str):
            codes.append(error[name])


def _of_badges(body: Mapping[str, Any]) -> tuple[str | None, str | None, Fields]:
    described = body["status"].get("description")
    fields = {name: [str(text) for text in texts] for name, texts in (body.get("fieldErrors") or {}).items()}
    said = [str(text) for text in body.get("validationErrors") or []]
    said += [f"{name} {text}" for name, texts in fields.items() for text in texts]
    return None, "; ".join(said) or described, fields
