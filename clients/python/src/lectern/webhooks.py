"""Deliveries of webhooks, as Standard Webhooks signs them (scheme `v1`, HMAC-SHA256)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

_PREFIX = "whsec_"


class WebhookRefused(Exception):
    """A request is no delivery of this subscription, or not a fresh one."""


class Webhook:
    """Knows the deliveries of a subscription by its `SigningSecret`.

    While a secret is rotated deliveries are signed with both, so that either is enough.
    """

    def __init__(self, secret: str, *, tolerance: float = 300.0) -> None:
        try:
            self._key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except binascii.Error as error:
            raise ValueError("a signing secret is base64 after `whsec_`") from error
        if not self._key:
            raise ValueError("a signing secret is not empty")
        self._tolerance = tolerance

    def verify(self, body: bytes, headers: Mapping[str, str], *, now: float | None = None) -> Any:
        """What the body says, or `WebhookRefused`. The body must be the bytes that came, not JSON that was read and written."""
        by_name = {name.lower(): value for name, value in headers.items()}
        try:
            message, sent, signatures = (by_name[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        except KeyError as error:
            raise WebhookRefused(f"the header {error.args[0]} is missing") from None
        if not (sent.isascii() and sent.isdigit() and len(sent) < 16):
            raise WebhookRefused("webhook-timestamp is no time")
        if abs((time.time() if now is None else now) - int(sent)) > self._tolerance:
            raise WebhookRefused("webhook-timestamp is too far from now")
        mac = hmac.new(self._key, f"{message}.{sent}.".encode() + body, hashlib.sha256)
        expected = b"v1," + base64.b64encode(mac.digest())
        matches = [hmac.compare_digest(one.encode("utf-8", "replace"), expected) for one in signatures.split(" ")]
        if not any(matches):
            raise WebhookRefused("no signature is ours")
        return json.loads(body)
