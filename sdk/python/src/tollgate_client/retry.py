"""Whether and when a try is repeated.

1. Only where a repeat is safe. A call without an Idempotency-Key that changes something is repeated only when the
   server says that it did nothing.
2. Only where it may help: the server says so (`x-should-retry`), else the status does.
3. When the server says (`retry-after-ms`, `retry-after`), if that is within a minute; else after a random part of a
   span that doubles (full jitter), so that clients do not come back together.
4. Not beyond the total time of the call, and not when this client repeats more than a fifth of its calls.
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
"""Who is told to wait longer is told so by the error instead."""

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_REFUSING = frozenset({429, 503})
"""The statuses that say that nothing was begun."""


class Chance(Protocol):
    def now(self) -> float:
        """Milliseconds since 1970."""
        ...

    def random(self) -> float:
        """From 0 to below 1."""
        ...


def retry_wait_ms(error: TollgateError, retries: int, is_safe: bool, clock: Chance) -> float | None:
    """Milliseconds to wait; None: it is not repeated.

    `retries` is how many there were already. Not `is_safe`: there is nothing by which the server would know a repeat.
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
    """None: the server says nothing that can be understood."""
    ms = headers.get("retry-after-ms", "")
    if _is_number(ms):
        return float(ms)
    after = headers.get("retry-after", "")
    if _is_number(after):
        return float(after) * 1000
    at = _date_ms(after)
    if at is None:
        return None
    # By the clock that the time was read from, where it is known.
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
    """What keeps a client from doubling the load of a server that has trouble.

    Twenty repeats, and one more for every five calls that succeed.
    """

    def __init__(self) -> None:
        self._left = 20.0

    def earn(self) -> None:
        self._left = min(20.0, self._left + 0.2)

    def take(self) -> bool:
        """False when there is none left."""
        if self._left < 1:
            return False
        self._left -= 1
        return True
