"""What clients have asked the sandbox for, and what a test expects of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Call:
    """One request of a client, and how it was answered."""

    id: int
    #: The time in the sandbox.
    at: str
    method: str
    path: str
    #: The query as it was sent, without the question mark.
    query: str
    #: `None` where there was no answer, or is none yet.
    status: int | None
    milliseconds: int | None
    #: Who called, where the token told it.
    login: str | None
    #: The id of the fault that it met.
    fault: int | None
    request_headers: Mapping[str, str]
    #: The bodies as text, as far as they are text and not too long.
    request_body: str | None
    response_body: str | None

    @classmethod
    def read(cls, call: Mapping[str, Any]) -> Call:
        return cls(
            id=call["id"],
            at=call["at"],
            method=call["method"],
            path=call["path"],
            query=call.get("query") or "",
            status=call["status"],
            milliseconds=call["milliseconds"],
            login=call.get("login"),
            fault=call.get("fault"),
            request_headers=call.get("request_headers") or {},
            request_body=call.get("request_body"),
            response_body=call.get("response_body"),
        )

    @property
    def sent(self) -> Any:
        """What the client sent as JSON."""
        return _json(self.request_body)

    @property
    def answered(self) -> Any:
        """What it was answered as JSON."""
        return _json(self.response_body)

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        who = f" by {self.login}" if self.login else ""
        answer = "no answer" if self.status is None else f"{self.status}"
        how_long = "" if self.milliseconds is None else f", {self.milliseconds} ms"
        return f"{self.method} {self.path}{query}: {answer}{who}{how_long}"


class Calls(Sequence[Call]):
    """Calls in the order in which they came. The assertions show what was called instead."""

    def __init__(self, calls: Sequence[Call], wanted: str, everything: Callable[[], Calls]) -> None:
        self._calls, self._wanted, self._everything = calls, wanted, everything

    def __len__(self) -> int:
        return len(self._calls)

    def __getitem__(self, index: Any) -> Any:
        return self._calls[index]

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls)

    def __str__(self) -> str:
        return "\n".join(str(call) for call in self._calls)

    def __repr__(self) -> str:
        return f"<{len(self)} calls{''.join(f'; {call}' for call in self._calls[:20])}>"

    @property
    def statuses(self) -> list[int | None]:
        """How they were answered."""
        return [call.status for call in self._calls]

    def assert_called(self, times: int | None = None) -> Calls:
        """There was at least one such call, or that many. Answers them."""
        __tracebackhide__ = True
        if times is None and not self:
            raise self._failure("was not called")
        if times is not None and len(self) != times:
            raise self._failure(f"was called {_times(len(self))}, and not {_times(times)}")
        return self

    def assert_called_once(self) -> Call:
        """There was one such call. Answers it."""
        __tracebackhide__ = True
        self.assert_called(times=1)
        return self._calls[0]

    def assert_not_called(self) -> None:
        """There was no such call."""
        __tracebackhide__ = True
        self.assert_called(times=0)

    def assert_statuses(self, *statuses: int | None) -> Calls:
        """Such calls were answered with these statuses, in this order, and there were no others. Answers them."""
        __tracebackhide__ = True
        if tuple(self.statuses) != statuses:
            raise self._failure(f"was answered with {self.statuses}, and not with {list(statuses)}")
        return self

    def _failure(self, what: str) -> AssertionError:
        every = self._everything()
        lines = [f"    {call}" for call in every] or ["    none"]
        return AssertionError("\n".join([f"{self._wanted or 'anything'} {what}; the calls were:", *lines]))


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _json(text: str | None) -> Any:
    return None if text is None or text == "" else json.loads(text)
