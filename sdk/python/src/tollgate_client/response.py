"""The data of a response, together with its status and headers."""

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
    """A successful response."""

    status: int
    headers: httpx2.Headers
    request_id: str | None
    content: bytes
    """Complete body. Empty for a streamed response."""
    stream: httpx2.Response | None = None
    """Streamed body. None if `content` has the complete body."""

    def unreadable(self, message: str, body: str) -> AnswerError:
        return AnswerError(
            message, status=self.status, headers=self.headers, request_id=self.request_id, body=body
        )


def json_of(operation: str, answer: Answer) -> Any:
    """Returns the parsed JSON of the response. None if the response has no body."""
    if not answer.content:
        return None
    body = answer.content.decode("utf-8", "replace")
    kind = answer.headers.get("content-type", "")
    if not re.match(r"application/(?:[\w.-]+\+)?json\b", kind, re.IGNORECASE):
        said = (
            f"the response is {kind or 'of no type'} and not JSON. "
            "Check that base_url is the address of the control plane."
        )
        raise answer.unreadable(f"{operation}: {said}", body)
    try:
        return json.loads(body)
    # For a document that is nested too deeply, the parser raises RecursionError.
    except (ValueError, RecursionError) as cause:
        raise answer.unreadable(f"{operation}: the response is incomplete or not JSON.", body) from cause


class RawResponse(Generic[T]):
    """The response with its unparsed data. Error responses raise an error as usual."""

    def __init__(self, answer: Answer, parse: Callable[[Answer], T]) -> None:
        self._answer = answer
        self._parse = parse

    def parse(self) -> T:
        """Returns the same value as the method without `with_raw_response`."""
        return self._parse(self._answer)

    @property
    def status(self) -> int:
        return self._answer.status

    @property
    def headers(self) -> httpx2.Headers:
        return self._answer.headers

    @property
    def request_id(self) -> str | None:
        """ID of the request. Include the ID when you report a problem."""
        return self._answer.request_id

    @property
    def etag(self) -> str | None:
        """ETag of the resource, for `if_match`. None if the resource has no ETag."""
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
    """Returns the same method, with the type for raw responses."""
    return cast("Callable[P, RawResponse[T]]", method)


def async_raw(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[RawResponse[T]]]:
    """Returns the same method, with the type for raw responses."""
    return cast("Callable[P, Awaitable[RawResponse[T]]]", method)
