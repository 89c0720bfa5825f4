"""How a client is set up: what its caller says, else the environment, else the defaults."""

from __future__ import annotations

import math
import os
import platform
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import anyio
import httpx2
from typing_extensions import NotRequired, TypedDict

from .errors import TollgateError
from .version import version

Mode: TypeAlias = Literal["live", "test"]


def _now_ms() -> float:
    return time.time() * 1000


def _sleep(ms: float) -> None:
    time.sleep(ms / 1000)


async def _async_sleep(ms: float) -> None:
    await anyio.sleep(ms / 1000)


@dataclass(frozen=True)
class Clock:
    """Time and chance, for tests."""

    now: Callable[[], float] = _now_ms
    """Milliseconds since 1970."""
    random: Callable[[], float] = random.random
    """From 0 to below 1."""
    sleep: Callable[[float], None] = _sleep
    """Waits so many milliseconds."""


@dataclass(frozen=True)
class AsyncClock:
    """Time and chance, for tests."""

    now: Callable[[], float] = _now_ms
    """Milliseconds since 1970."""
    random: Callable[[], float] = random.random
    """From 0 to below 1."""
    sleep: Callable[[float], Awaitable[None]] = _async_sleep
    """Waits so many milliseconds."""


class PortalOptions(TypedDict):
    """Of a client of either kind."""

    token: NotRequired[str | None]
    """An `sk_` token, or for the portal a `ps_` session; `TOLLGATE_TOKEN` when left out (not for the portal). None:
    none, for what needs none."""
    base_url: NotRequired[str]
    """Address of the control plane; `TOLLGATE_BASE_URL` when left out, else `http://localhost:8080`."""
    max_retries: NotRequired[int]
    """How often a call is repeated that may succeed then; 2 when left out."""
    timeout_ms: NotRequired[float]
    """The longest that one try may take, its whole answer included, in milliseconds; 60,000 when left out."""
    total_timeout_ms: NotRequired[float]
    """The longest that a call may take with all its tries and waits, in milliseconds; without a limit when left
    out."""
    headers: NotRequired[Mapping[str, str]]
    """Sent with every request."""


class SettingOptions(PortalOptions):
    """Of a client of the control plane."""

    app: NotRequired[str]
    """Slug of the application that is meant; `TOLLGATE_APP` when left out. A call may name another."""
    mode: NotRequired[Mode]
    """Live or test data; `TOLLGATE_MODE` when left out, else live. A call may name the other."""


class ClientOptions(SettingOptions):
    """Of Tollgate."""

    http_client: NotRequired[httpx2.Client]
    """In place of one of its own. It stays yours to close."""
    clock: NotRequired[Clock]
    """Time and chance, for tests."""


class AsyncClientOptions(SettingOptions):
    """Of AsyncTollgate."""

    http_client: NotRequired[httpx2.AsyncClient]
    """In place of one of its own. It stays yours to close."""
    clock: NotRequired[AsyncClock]
    """Time and chance, for tests."""


class CallOptions(TypedDict, total=False):
    """Of one call; what is left out is as the client is."""

    app: str
    """Slug of the application that is meant."""
    mode: Mode
    """Live or test data."""
    idempotency_key: str
    """Names the change, so that it happens once however often it is asked for within a day. Made for you when left
    out, and kept over all tries of the call: pass one to make a repeat of your own safe too."""
    max_retries: int
    """How often it is repeated that may succeed then."""
    timeout_ms: float
    """The longest that one try may take, in milliseconds."""
    total_timeout_ms: float
    """The longest that the call may take with all its tries and waits, in milliseconds."""
    headers: Mapping[str, str]
    """Sent with it."""


class ConditionalOptions(CallOptions, total=False):
    """Of a call on configuration that has an ETag."""

    if_match: str
    """The ETag that it must still have (`with_raw_response` shows it); else PreconditionError, and nothing is
    changed."""
    if_none_match: str
    """`*`: it must not exist yet."""


class StreamOptions(CallOptions, total=False):
    """Of a call that answers events."""

    last_event_id: str
    """Goes on behind the event of that id, as the last one that was read had it."""


@dataclass(frozen=True)
class Settings:
    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    app: str | None
    max_retries: int
    timeout_ms: float
    total_timeout_ms: float


def settings_of(options: SettingOptions, environment: Mapping[str, str] = os.environ) -> Settings:
    """Raises TollgateError when an option cannot be what it is."""
    token = options["token"] if "token" in options else environment.get("TOLLGATE_TOKEN")
    # What is empty is not set.
    app = options.get("app") or environment.get("TOLLGATE_APP") or None
    mode = options.get("mode") or environment.get("TOLLGATE_MODE") or None
    if token:
        _check_token(token)
    if mode not in (None, "live", "test"):
        raise TollgateError(f"The mode is {mode!r}; it is 'live' or 'test'.")
    base_url = options.get("base_url") or environment.get("TOLLGATE_BASE_URL") or "http://localhost:8080"
    headers = {
        "accept": "application/json",
        "user-agent": _user_agent(),
        **({"authorization": f"Bearer {token}"} if token else {}),
        **({"x-svc-app": app} if app is not None else {}),
        **({"x-svc-mode": mode} if mode is not None else {}),
        **lowered(options.get("headers", {})),
    }
    return Settings(
        base_url=_base_url_of(base_url),
        headers=headers,
        app=app,
        max_retries=int(non_negative("max_retries", options.get("max_retries", 2))),
        timeout_ms=non_negative("timeout_ms", options.get("timeout_ms", 60_000)),
        total_timeout_ms=non_negative("total_timeout_ms", options.get("total_timeout_ms", math.inf)),
    )


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """Two spellings of one name would both be sent."""
    return {name.lower(): value for name, value in headers.items()}


def non_negative(name: str, value: float) -> float:
    """Raises TollgateError when it is no number from 0."""
    if value >= 0:
        return value
    raise TollgateError(f"{name} is {value}; it is a number from 0.")


def _check_token(token: str) -> None:
    """Its text is in no error: whoever sees the message must not learn a secret."""
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise TollgateError("The token has characters that no token has; check that it was copied whole.")
    if token.startswith("ak_"):
        raise TollgateError(
            "The token is an ak_ key, with which an end user calls the gateway; the control plane takes sk_ tokens."
        )


def _base_url_of(text: str) -> str:
    if not _is_address(text) or "?" in text or "#" in text:
        raise TollgateError(
            "base_url is no http or https address, or has a name, a query or a fragment in it; "
            "https://tollgate.example.com is one."
        )
    return text.rstrip("/")


def _is_address(text: str) -> bool:
    try:
        url = urlsplit(text)
        # Reading the port says whether it is one.
        return (
            url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0 and "@" not in url.netloc
        )
    except ValueError:
        return False


def _user_agent() -> str:
    runtime = f"{platform.python_implementation().lower()}/{platform.python_version()}"
    return f"tollgate-sdk/{version} python {runtime}"
