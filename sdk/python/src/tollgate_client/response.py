"""What came, and how."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, cast

import httpx2

from .errors import AnswerError

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Answer:
    """A success."""

    status: int
    headers: httpx2.Headers
    request_id: str | None
    content: bytes
    """Whole; empty for an answer that is streamed."""
    stream: httpx2.Response | None = None
    """As it comes; None: `content` has it whole."""

    def unreadable(self, message: str, body: str) -> AnswerError:
        return AnswerError(
            message, status=self.status, headers=self.headers, request_id=self.request_id, body=body
        )


def json_of(operation: str, answer: Answer) -> Any:
    """The answer's JSON; None: it has no body."""
    if not answer.content:
        return None
    body = answer.content.decode("utf-8", "replace")
    kind = answer.headers.get("content-type", "")
    if not re.match(r"application/(?:[\w.-]+\+)?json\b", kind, re.IGNORECASE):
        said = f"the answer is {kind or 'of no type'} and no JSON; is this the address of the control plane?"
        raise answer.unreadable(f"{operation}: {said}", body)
    try:
        return json.loads(body)
    # Of a document that is nested deeper than the parser goes.
    except (ValueError, RecursionError) as cause:
        raise answer.unreadable(f"{operation}: the answer is cut off, or no JSON.", body) from cause


class RawResponse(Generic[T]):
    """What is answered, unread, and the response that it came in. Refusals and failures raise all the same."""

    def __init__(self, answer: Answer, parse: Callable[[Answer], T]) -> None:
        self._answer = answer
        self._parse = parse

    def parse(self) -> T:
        """What the method itself would have given."""
        return self._parse(self._answer)

    @property
    def status(self) -> int:
        return self._answer.status

    @property
    def headers(self) -> httpx2.Headers:
        return self._answer.headers

    @property
    def request_id(self) -> str | None:
        """Quote it when you report a problem."""
        return self._answer.request_id

    @property
    def etag(self) -> str | None:
        """What the configuration is now, for `if_match`; None: it has none."""
        return self._answer.headers.get("etag")

    @property
    def content(self) -> bytes:
        return self._answer.content

    @property
    def text(self) -> str:
        return self._answer.content.decode("utf-8", "replace")

    def __repr__(self) -> str:
        return f"RawResponse(status={self.status}, request_id={self.request_id!r})"


def raw(method: Callable[P, T]) -> Callable[P, RawResponse[T]]:
    """The type of a method whose sender gives raw responses."""
    return cast("Callable[P, RawResponse[T]]", method)


def async_raw(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[RawResponse[T]]]:
    """The type of a method whose sender gives raw responses."""
    return cast("Callable[P, Awaitable[RawResponse[T]]]", method)
