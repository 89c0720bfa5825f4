"""Configures a client from its options, else from environment variables, else from the defaults."""

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
    """Source of time and randomness, which tests replace."""

    now: Callable[[], float] = _now_ms
    """Milliseconds since 1970."""
    random: Callable[[], float] = random.random
    """Returns a random number, at least 0 and below 1."""
    sleep: Callable[[float], None] = _sleep
    """Waits the given number of milliseconds."""


@dataclass(frozen=True)
class AsyncClock:
    """Source of time and randomness, which tests replace."""

    now: Callable[[], float] = _now_ms
    """Milliseconds since 1970."""
    random: Callable[[], float] = random.random
    """Returns a random number, at least 0 and below 1."""
    sleep: Callable[[float], Awaitable[None]] = _async_sleep
    """Waits the given number of milliseconds."""


class PortalOptions(TypedDict):
    """Options that all clients share."""

    token: NotRequired[str | None]
    """An `sk_` token, or for the portal a `ps_` session. Defaults to `TOLLGATE_TOKEN`, except for the portal. With
    None, no token is sent, as for operations that require no token."""
    base_url: NotRequired[str]
    """Address of the control plane. Defaults to `TOLLGATE_BASE_URL`, else to `http://localhost:8080`."""
    max_retries: NotRequired[int]
    """Maximum number of retries per call. Only calls that a retry can help are retried. Defaults to 2."""
    timeout_ms: NotRequired[float]
    """Maximum duration of one attempt, including its complete response, in milliseconds. Defaults to 60,000."""
    total_timeout_ms: NotRequired[float]
    """Maximum duration of a call with all its retries and waits, in milliseconds. Defaults to no limit."""
    headers: NotRequired[Mapping[str, str]]
    """Headers sent with every request."""


class SettingOptions(PortalOptions):
    """Options of a control plane client."""

    app: NotRequired[str]
    """Slug of the application. Defaults to `TOLLGATE_APP`. The options of a call override this application."""
    mode: NotRequired[Mode]
    """Live or test data. Defaults to `TOLLGATE_MODE`, else to live. The options of a call override this mode."""


class ClientOptions(SettingOptions):
    """Options of Tollgate."""

    http_client: NotRequired[httpx2.Client]
    """HTTP client to use instead of a new one. The caller must close it."""
    clock: NotRequired[Clock]
    """Source of time and randomness, which tests replace."""


class AsyncClientOptions(SettingOptions):
    """Options of AsyncTollgate."""

    http_client: NotRequired[httpx2.AsyncClient]
    """HTTP client to use instead of a new one. The caller must close it."""
    clock: NotRequired[AsyncClock]
    """Source of time and randomness, which tests replace."""


class CallOptions(TypedDict, total=False):
    """Options of one call. Omitted options have the values of the client."""

    app: str
    """Slug of the application."""
    mode: Mode
    """Live or test data."""
    idempotency_key: str
    """Identifies the change. The server makes the change only once for all requests with the same key within a day.
    Defaults to a new key that all attempts of the call share. Set a key to make your own retries safe, too."""
    max_retries: int
    """Maximum number of retries."""
    timeout_ms: float
    """Maximum duration of one attempt, in milliseconds."""
    total_timeout_ms: float
    """Maximum duration of the call with all its retries and waits, in milliseconds."""
    headers: Mapping[str, str]
    """Additional headers of the request."""


class ConditionalOptions(CallOptions, total=False):
    """Options of a call that reads or changes a resource with an ETag."""

    if_match: str
    """The ETag that the resource must still have, as `with_raw_response` returns it. If the resource has another ETag,
    PreconditionError is raised.
    """
    if_none_match: str
    """Set to `*` to require that the resource does not exist yet."""


class StreamOptions(CallOptions, total=False):
    """Options of a call that returns events."""

    last_event_id: str
    """Resumes after the event with this ID, usually the ID of the last event that was read."""


@dataclass(frozen=True)
class Settings:
    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    app: str | None
    max_retries: int
    timeout_ms: float
    total_timeout_ms: float


def settings_of(options: SettingOptions, environment: Mapping[str, str] = os.environ) -> Settings:
    """Raises TollgateError if an option is not valid."""
    token = options["token"] if "token" in options else environment.get("TOLLGATE_TOKEN")
    # An empty variable counts as unset.
    app = options.get("app") or environment.get("TOLLGATE_APP") or None
    mode = options.get("mode") or environment.get("TOLLGATE_MODE") or None
    if token:
        _check_token(token)
    if mode not in (None, "live", "test"):
        raise TollgateError(f"The mode must be 'live' or 'test', but is {mode!r}.")
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
    """Converts header names to lower case, because a name in two spellings would be sent twice."""
    return {name.lower(): value for name, value in headers.items()}


def non_negative(name: str, value: float) -> float:
    """Raises TollgateError if the value is not a number, or is negative."""
    if value >= 0:
        return value
    raise TollgateError(f"{name} must be a number of at least 0, but is {value}.")


def _check_token(token: str) -> None:
    """Errors never contain the token, because other people may see error messages."""
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise TollgateError("The token contains invalid characters. Check that it was copied completely.")
    if token.startswith("ak_"):
        raise TollgateError(
            "The token is an ak_ key, which end users send to the gateway. The control plane requires an sk_ token."
        )


def _base_url_of(text: str) -> str:
    if not _is_address(text) or "?" in text or "#" in text:
        raise TollgateError(
            "base_url must be an http or https address without a user name, a query or a fragment, "
            "like https://tollgate.example.com."
        )
    return text.rstrip("/")


def _is_address(text: str) -> bool:
    try:
        url = urlsplit(text)
        # Reading the port also validates it.
        return (
            url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0 and "@" not in url.netloc
        )
    except ValueError:
        return False


def _user_agent() -> str:
    runtime = f"{platform.python_implementation().lower()}/{platform.python_version()}"
    return f"tollgate-sdk/{version} python {runtime}"
