"""A client of Lectern, the HTTP/JSON API of a learning-management system."""

from ._core import Pages, Retries
from .errors import (
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidToken,
    LecternError,
    NotFound,
    RefusedRequest,
    ServiceFailed,
    TimedOut,
    TooManyRequests,
    UnprocessableEntity,
)
from .operations import Operations
from .webhooks import Webhook, WebhookRefused



class Lectern(Operations):
    """The service at an address. It has a method for each operation."""


__all__ = [
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "InvalidToken",
    "Lectern",
    "LecternError",
    "NotFound",
    "Pages",
    "RefusedRequest",
    "Retries",
    "ServiceFailed",
    "TimedOut",
    "TooManyRequests",
    "UnprocessableEntity",
    "Webhook",
    "WebhookRefused",
]
