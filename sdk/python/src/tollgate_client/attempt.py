"""Sends a request once and receives its response within the time limit."""

from __future__ import annotations

import math
import time

import anyio
import httpx2

from .errors import ConnectionError, TimeoutError, TollgateError, api_error
from .request import Prepared
from .response import Answer


def attempt(http: httpx2.Client, prepared: Prepared, timeout_ms: float, is_streamed: bool) -> Answer:
    """If no data arrives, the response is canceled when the time limit is over. If a response arrives slowly, it is
    canceled as soon as a piece arrives after the time limit.

    If `is_streamed` is true, the time limit covers only the headers, and the body is returned as it arrives.

    Raises ConnectionError, ApiError.
    """
    ends_at = time.monotonic() + timeout_ms / 1000
    request = _request(http, prepared)
    left = _TimeLeft(ends_at)
    request.extensions["timeout"] = left
    try:
        # Redirects are not followed, because they would send the token and the body to another address.
        response = http.send(request, stream=True, follow_redirects=False)
        if is_streamed and response.is_success:
            left.is_limited = False
            return _answer(response, b"", response)
        try:
            pieces: list[bytes] = []
            for piece in response.iter_bytes():
                if time.monotonic() > ends_at:
                    raise _late(prepared, timeout_ms)
                pieces.append(piece)
        finally:
            response.close()
    except httpx2.TimeoutException as cause:
        raise _late(prepared, timeout_ms) from cause
    except (httpx2.RequestError, httpx2.InvalidURL) as cause:
        raise _failed(prepared) from cause
    return _whole(response, b"".join(pieces))


async def async_attempt(
    http: httpx2.AsyncClient, prepared: Prepared, timeout_ms: float, is_streamed: bool
) -> Answer:
    """Like `attempt`, with a time limit that is exact to the millisecond."""
    request = _request(http, prepared)
    request.extensions["timeout"] = {}
    response: httpx2.Response | None = None
    with anyio.move_on_after(None if math.isinf(timeout_ms) else timeout_ms / 1000):
        try:
            response = await http.send(request, stream=True, follow_redirects=False)
            if is_streamed and response.is_success:
                return _answer(response, b"", response)
            try:
                body = await response.aread()
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()
        except (httpx2.RequestError, httpx2.InvalidURL) as cause:
            raise _failed(prepared) from cause
        return _whole(response, body)
    raise _late(prepared, timeout_ms)


class _TimeLeft(dict[str, float]):
    """Tells the transport how many seconds it may still wait. The transport reads the value at the beginning of each
    phase of a request."""

    def __init__(self, ends_at: float) -> None:
        super().__init__()
        self._ends_at = ends_at
        self.is_limited = not math.isinf(ends_at)

    def get(self, key: str, default: float | None = None) -> float | None:  # type: ignore[override]
        # Return more than zero, because zero would mean non-blocking.
        return max(0.001, self._ends_at - time.monotonic()) if self.is_limited else None


def _request(http: httpx2.Client | httpx2.AsyncClient, prepared: Prepared) -> httpx2.Request:
    return http.build_request(
        prepared.method, prepared.url, headers=dict(prepared.headers), content=prepared.body
    )


def _answer(response: httpx2.Response, content: bytes, stream: httpx2.Response | None = None) -> Answer:
    headers = response.headers
    return Answer(response.status_code, headers, headers.get("x-request-id"), content, stream)


def _whole(response: httpx2.Response, content: bytes) -> Answer:
    if response.is_success:
        return _answer(response, content)
    raise api_error(
        status=response.status_code,
        headers=response.headers,
        request_id=response.headers.get("x-request-id"),
        body=content.decode("utf-8", "replace"),
    )


def _late(prepared: Prepared, timeout_ms: float) -> TollgateError:
    return TimeoutError(f"{prepared.id}: the response was not complete within {timeout_ms:.0f} ms.")


def _failed(prepared: Prepared) -> TollgateError:
    return ConnectionError(f"{prepared.id}: the connection failed before the response was complete.")
