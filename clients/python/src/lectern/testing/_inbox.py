"""A receiver of webhooks that stands in the sandbox."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..webhooks import Webhook

if TYPE_CHECKING:
    from ._sandbox import Sandbox


@dataclasses.dataclass(frozen=True)
class Delivery:
    """One attempt to deliver a webhook."""

    id: Any
    #: The time in the sandbox.
    at: str
    headers: Mapping[str, str]
    #: The body as it came.
    body: str
    #: `valid`, `invalid`, `missing`, or `unknown` where the inbox does not have the secret.
    signature: str
    #: What is wrong with the signature.
    problem: str | None

    @property
    def message(self) -> Any:
        """What the body says."""
        return json.loads(self.body)

    @property
    def event(self) -> str | None:
        """The name of the event, such as `grade_change`."""
        message = self.message
        metadata = message.get("metadata") if isinstance(message, Mapping) else None
        return metadata.get("event_name") if isinstance(metadata, Mapping) else None

    def verify(self, secret: str) -> Any:
        """What the body says, or `WebhookRefused`: as a receiver with that secret has it when it came."""
        return Webhook(secret).verify(self.body.encode(), self.headers, now=moment(self.at).timestamp())


class Inbox:
    """Takes webhooks, tells whether their signatures are good, and answers as the test wants."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self._sandbox, self._name, self._path = sandbox, name, f"/sandbox/inbox/{name}"
        #: Its address, for subscriptions that the integration makes; `expect_secret` tells it their secret.
        self.url = f"{sandbox.address}{self._path}"

    def subscribe(self, *events: str) -> str:
        """Subscribes it to events such as `GRADE_CHANGE`. It knows the signing secret, which is answered."""
        return self._sandbox.subscribe(f"inbox:{self._name}", *events)

    def deliveries(self) -> list[Delivery]:
        """What has come since the last restoration, oldest first."""
        names = [field.name for field in dataclasses.fields(Delivery)]
        found = self._sandbox.ask("GET", self._path)["events"]
        return [Delivery(**{name: one.get(name) for name in names}) for one in found]

    def wait_for(self, count: int = 1, *, event: str | None = None, timeout: float = 10.0) -> list[Delivery]:
        """Does background work until so many have come, of that event if one is named, and answers them."""
        __tracebackhide__ = True

        def enough() -> list[Delivery] | None:
            found = [one for one in self.deliveries() if event is None or one.event == event.lower()]
            return found if len(found) >= count else None

        try:
            return self._sandbox.wait_for(enough, timeout=timeout) or []
        except AssertionError:
            came = ", ".join(str(one.event) for one in self.deliveries()) or "nothing"
            wanted = f"{count} deliveries" + (f" of {event}" if event else "")
            raise AssertionError(f"{wanted} did not come within {timeout:g} s; there came: {came}") from None

    def answer_with(self, status: int) -> None:
        """Answers deliveries with that status from now on, so that a failing one is sent again."""
        self._sandbox.ask("PUT", self._path, {"status": status})

    def expect_secret(self, secret: str) -> None:
        """Tells it the secret of a subscription, by which it knows good signatures."""
        self._sandbox.ask("PUT", self._path, {"secret": secret})

    def clear(self) -> None:
        """Forgets what has come."""
        self._sandbox.ask("DELETE", self._path)


def moment(text: str) -> datetime.datetime:
    """A time as the sandbox writes it."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
