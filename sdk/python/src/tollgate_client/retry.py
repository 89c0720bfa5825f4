"""Decides whether and when to retry a request.

1. Retry only if a retry is safe. A change without an Idempotency-Key is retried only if the server reports that it did
   nothing.
2. Retry only if a retry can help. The header `x-should-retry` states whether a retry can help. Without the header, the
   status decides.
3. Wait as long as the server requests (`retry-after-ms`, `retry-after`), up to one minute. Otherwise, wait a random
   part of a delay that doubles (full jitter), so that clients do not retry at the same time.
4. Do not exceed the total time of the call. Stop retrying when more than a fifth of this client's calls need a retry.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Protocol

import httpx2

from .errors import ApiError, ConnectionError, TollgateError

_FIRST_SPAN_MS = 500
_LONGEST_SPAN_MS = 8_000
_LONGEST_HINT_MS = 60_000
"""If the server requests a longer wait, the request is not retried. The error is raised instead, and contains the
requested wait."""

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_REFUSING = frozenset({429, 503})
"""Statuses that mean that the server did not start the operation."""


class Chance(Protocol):
    def now(self) -> float:
        """Returns the time in milliseconds since 1970."""
        ...

    def random(self) -> float:
        """Returns a random number, at least 0 and below 1."""
        ...


def retry_wait_ms(error: TollgateError, retries: int, is_safe: bool, clock: Chance) -> float | None:
    """Returns the milliseconds to wait. None if the request is not retried.

    `retries` is the number of retries so far. If `is_safe` is false, the server cannot recognize a retry.
    """
    if isinstance(error, ConnectionError):
        return _backoff_ms(retries, clock) if is_safe else None
    if not isinstance(error, ApiError):
        return None
    told = error.headers.get("x-should-retry")
    may = told == "true" or (told != "false" and error.status in _PASSING)
    if not may or not (is_safe or (told == "true" and error.status in _REFUSING)):
        return None
    hint_ms = _hinted_ms(error.headers, clock)
    if hint_ms is None:
        return _backoff_ms(retries, clock)
    return hint_ms if hint_ms <= _LONGEST_HINT_MS else None


def _backoff_ms(retries: int, clock: Chance) -> float:
    return clock.random() * min(_LONGEST_SPAN_MS, _FIRST_SPAN_MS * 2.0**retries)


def _hinted_ms(headers: httpx2.Headers, clock: Chance) -> float | None:
    """Returns the delay that the server requests, in milliseconds. None if the header has no valid delay."""
    ms = headers.get("retry-after-ms", "")
    if _is_number(ms):
        return float(ms)
    after = headers.get("retry-after", "")
    if _is_number(after):
        return float(after) * 1000
    at = _date_ms(after)
    if at is None:
        return None
    # Use the time of the server's clock if the response contains it.
    date = _date_ms(headers.get("date", ""))
    return max(0.0, at - (clock.now() if date is None else date))


def _date_ms(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() * 1000
    except (ValueError, OverflowError):
        return None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text) is not None


class RetryBudget:
    """Limits retries, so that clients do not double the load of an overloaded server.

    The budget allows twenty retries, and one more retry for every five successful calls.
    """

    def __init__(self) -> None:
        self._left = 20.0

    def earn(self) -> None:
        self._left = min(20.0, self._left + 0.2)

    def take(self) -> bool:
        """Returns False if no further retry is allowed."""
        if self._left < 1:
            return False
        self._left -= 1
        return True
