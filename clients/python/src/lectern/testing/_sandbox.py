"""A running sandbox: who calls, what time it is, what goes wrong, and what is there."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, Union

from .. import Lectern, Retries
from .._core import Core
from ._calls import Call, Calls
from ._inbox import Inbox, moment

#: The snapshot that a sandbox makes of its start.
START = "start"
#: How long an answer of the sandbox itself may take.
ANSWER_SECONDS = 300.0
#: The pause between two looks at what is waited for.
_PAUSE_SECONDS = 0.1
#: A scenario: what a file of one says, or the path of such a file.
Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]"]
#: The ids of what scenarios made, by kind and name: `ids["users"]["ada"]`, `ids["courses"]["Biology"]`. What lies in a
#: course has its name before the own one: `ids["assignments"]["Biology/Essay"]`.
Ids = dict[str, dict[str, Any]]
Found = TypeVar("Found")


class Sandbox:
    """A service with a school of its own. Nothing in it outlives it."""

    def __init__(self, address: str, *, end: Callable[[], None] | None = None) -> None:
        #: Where it serves, without a slash at the end.
        self.address = address.rstrip("/")
        #: What the scenarios made that are loaded, by kind and name.
        self.ids: Ids = {}
        self.clock = Clock(self)
        self.faults = Faults(self)
        self._end = end
        # An answer of the sandbox itself is never worth another try. The first scenario has components compiled.
        self._core = Core(self.address, timeout=ANSWER_SECONDS, retries=Retries(times=0))
        self._clients: list[Lectern] = []
        self._loaded: dict[str, Ids] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections, and the sandbox if we have started it."""
        self.close_clients()
        self._core.close()
        if self._end is not None:
            self._end()

    def state(self) -> dict[str, Any]:
        """What the sandbox tells of itself: address, time, tokens, snapshots, faults."""
        return self.ask("GET", "/sandbox")

    @property
    def tokens(self) -> dict[str, str]:
        """The tokens that are there, by login."""
        return self.state()["tokens"]

    def token(self, login: str, *, account: str | None = None, expired: bool = False) -> str:
        """A token of a user, in the account of that name if it is not the first; or one whose time is over."""
        wanted: dict[str, Any] = {"login": login}
        if account is not None:
            wanted["account"] = account
        if expired:
            wanted["expired"] = True
        return self.ask("POST", "/sandbox/tokens", wanted)["token"]

    def client(self, login: str = "admin", *, account: str | None = None, **settings: Any) -> Lectern:
        """The client as that user, with settings of `Lectern` such as `retries`."""
        client = Lectern(self.address, self.token(login, account=account), **settings)
        self._clients.append(client)
        return client

    def close_clients(self) -> None:
        """Ends the connections of all clients that were given out."""
        while self._clients:
            self._clients.pop().close()

    def calls(
        self,
        method: str | None = None,
        path: str | None = None,
        *,
        login: str | None = None,
        status: int | None = None,
        since: datetime.datetime | Call | None = None,
    ) -> Calls:
        """What clients have asked for since the last restoration, or after a call or from a time on, oldest first.

        In `path` a `*` stands for anything.
        """
        after = since.id if isinstance(since, Call) else since and _moment(since)
        wanted = {"method": method, "path": path, "since": after}
        found = self.ask(
            "GET", "/sandbox/calls", query={name: value for name, value in wanted.items() if value is not None}
        )
        listed = [Call.read(one) for one in found]
        kept = [one for one in listed if login in (None, one.login) and status in (None, one.status)]
        shown = {"method": method, "path": path, "login": login, "status": status, "since": after}
        return Calls(kept, " ".join(str(value) for value in shown.values() if value is not None), self.calls)

    def forget_calls(self) -> None:
        """Empties the list of calls."""
        self.ask("DELETE", "/sandbox/calls")

    def inbox(self, name: str = "default") -> Inbox:
        """A receiver of webhooks in the sandbox."""
        return Inbox(self, name)

    def tick(self) -> Any:
        """Does the background work that is due now, such as sending webhooks."""
        return self.ask("POST", "/sandbox/tick")

    def wait_for(self, condition: Callable[[], Found], *, timeout: float = 10.0) -> Found:
        """Does background work until the condition holds, and answers what it is then.

        The service also sends webhooks by itself, after other requests: what one `tick` has sent may not be all.
        """
        __tracebackhide__ = True
        end = time.monotonic() + timeout
        while not (found := condition()):
            if time.monotonic() > end:
                raise AssertionError(f"what was waited for did not happen within {timeout:g} s")
            self.tick()
            time.sleep(_PAUSE_SECONDS)
        return found

    def snapshot(self, name: str) -> None:
        """Keeps what is there and what time it is under that name, in place of what was kept under it before."""
        self.ask("POST", "/sandbox/snapshots", {"name": name})
        self._loaded[name] = self.ids

    def restore(self, name: str = START) -> None:
        """Makes all as it was at the snapshot, or at the start. Faults, calls and inboxes are empty then."""
        self.ask("POST", f"/sandbox/snapshots/{name}/restore")
        self.ids = self._loaded.get(name, {})

    def scenario(self, scenario: Scenario) -> Ids:
        """Loads a scenario into what is there. Answers the ids of what it made, which `ids` has from now on, too."""
        loaded = self.ask("POST", "/sandbox/scenario", content=_content(scenario))
        # Subscriptions have no names, and are a list.
        made: Ids = {kind: dict(ids) for kind, ids in loaded.items() if isinstance(ids, Mapping)}
        self.ids = {kind: {**self.ids.get(kind, {}), **ids} for kind, ids in made.items()}
        return made

    def subscribe(self, url: str, *events: str) -> str:
        """Subscribes a receiver to events such as `GRADE_CHANGE`, as a tool of its own. Answers the signing secret."""
        wanted = {"webhooks": [{"url": url, "events": list(events)}]}
        [webhook] = self.ask("POST", "/sandbox/scenario", wanted)["webhooks"]
        return webhook["secret"]

    def begin(self, *scenarios: Scenario) -> None:
        """Makes all as it was at the start with these scenarios loaded. They are loaded once, then restored."""
        name = START
        loaded = hashlib.sha256()
        for scenario in scenarios:
            loaded.update(_content(scenario) + b"\0")
            name = f"scenario-{loaded.hexdigest()[:16]}"
        if name != START and name not in self._loaded:
            self.restore()
            for scenario in scenarios:
                self.scenario(scenario)
            self.snapshot(name)
        self.restore(name)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> Any:
        """Any request to the sandbox itself. What it refuses is an error as the service's are."""
        return Core._decoded(self._core.request(method, path, query=query, body=body, content=content))


class Clock:
    """The time in the sandbox: tokens end by it, due dates pass, webhooks are dated. It goes on unless it is frozen."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def now(self) -> datetime.datetime:
        """The time there, with its zone."""
        return self._read(self._sandbox.ask("GET", "/sandbox/clock"))

    def set(self, now: datetime.datetime | str) -> datetime.datetime:
        """Makes it that time, and does the background work that has become due."""
        return self._put({"now": _moment(now)})

    def advance(
        self,
        by: datetime.timedelta | None = None,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
    ) -> datetime.datetime:
        """Lets that much time pass at once, and does the background work that has become due."""
        passed = datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds) + (
            by or datetime.timedelta()
        )
        return self._put({"advance_seconds": round(passed.total_seconds())})

    def freeze(self, now: datetime.datetime | str | None = None) -> datetime.datetime:
        """Stops the clock, at that time if one is given."""
        return self._put({"is_frozen": True} if now is None else {"now": _moment(now), "is_frozen": True})

    def unfreeze(self) -> datetime.datetime:
        """Lets it go on from where it stands."""
        return self._put({"is_frozen": False})

    @property
    def is_frozen(self) -> bool:
        """True if it stands still."""
        return self._sandbox.ask("GET", "/sandbox/clock")["is_frozen"]

    def _put(self, wanted: Mapping[str, Any]) -> datetime.datetime:
        return self._read(self._sandbox.ask("PUT", "/sandbox/clock", wanted))

    @staticmethod
    def _read(answer: Mapping[str, Any]) -> datetime.datetime:
        return moment(answer["now"])


class Faults:
    """What goes wrong with requests of clients, until a snapshot is restored."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def add(
        self,
        method: str | None = None,
        path: str | None = None,
        *,
        kind: str | None = None,
        status: int | None = None,
        retry_after: int | None = None,
        delay_ms: int | None = None,
        body: Any = None,
        times: int = 1,
    ) -> Fault:
        """Answers the next `times` such requests with a fault; 0: all of them. In `path` a `*` stands for anything.

        `kind` is `status` (with `status`, and `retry_after` and `body` if wanted), `delay` (by `delay_ms`),
        `disconnect`, `expired_token` or `empty_page`; it may be left out where `status` or `delay_ms` tells it.
        """
        kind = kind or ("delay" if status is None and delay_ms is not None else "status")
        wanted = {
            "method": method,
            "path": path,
            "kind": kind,
            "status": status,
            "retry_after": retry_after,
            "delay_ms": delay_ms,
            "body": body,
            "times": times,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return Fault(self._sandbox, self._sandbox.ask("POST", "/sandbox/faults", given)["id"])

    def all(self) -> list[dict[str, Any]]:
        """Those that are there, each with `id` and `left`."""
        return self._sandbox.ask("GET", "/sandbox/faults")

    def clear(self) -> None:
        """Lets everything go well again."""
        self._sandbox.ask("DELETE", "/sandbox/faults")


@dataclasses.dataclass(frozen=True)
class Fault:
    """One kind of thing that goes wrong."""

    _sandbox: Sandbox = dataclasses.field(repr=False)
    id: int

    @property
    def left(self) -> int | None:
        """How many more requests meet it; `None`: all."""
        return self._sandbox.ask("GET", f"/sandbox/faults/{self.id}")["left"]

    def remove(self) -> None:
        """Lets such requests go well again."""
        self._sandbox.ask("DELETE", f"/sandbox/faults/{self.id}")


def _moment(moment: datetime.datetime | str) -> str:
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone: datetime(…, tzinfo=timezone.utc)")
    return moment.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def _content(scenario: Scenario) -> bytes:
    """YAML, of which JSON is a part."""
    return json.dumps(scenario).encode() if isinstance(scenario, Mapping) else Path(scenario).read_bytes()
