"""Converts the inputs of an operation to an HTTP request."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote, urlencode

from .document import wire_name
from .errors import TollgateError
from .inputs import hints_of, sent
from .settings import CallOptions, Settings, lowered


@dataclass(frozen=True)
class Route:
    """The HTTP request of an operation, generated from the table of operations."""

    id: str
    """ID of the operation: `noun.verb`."""
    method: Literal["GET", "PUT", "POST", "PATCH", "DELETE"]
    path: str
    """Path with a placeholder `{name}` for each input in the path."""
    takes: Any = None
    """TypedDict with the inputs. None if the operation has no inputs."""
    query: tuple[str, ...] = ()
    """Names of the inputs that are sent in the query. All other inputs are sent in the body."""
    body: Literal["json", "file"] | None = None
    """Kind of the request body. None if the operation has no request body."""
    is_keyed: bool = False
    """Whether the server recognizes retries by their Idempotency-Key."""
    accept: str | None = None
    """Media type that is requested instead of JSON."""
    event: str | None = None
    """Kind of the events that contain a document. None if every event contains a document."""


@dataclass(frozen=True)
class Prepared:
    id: str
    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes | None
    is_safe: bool
    """Whether a retry is safe, because it cannot make the same change a second time."""

    def numbered(self, retries: int) -> Prepared:
        if retries == 0:
            return self
        return replace(self, headers={**self.headers, "x-retry-count": str(retries)})


def prepare(
    route: Route, given: Mapping[str, object], options: CallOptions | None, settings: Settings
) -> Prepared:
    """Raises TollgateError for an input that is missing, is unknown or cannot be sent."""
    left = _inputs(route, given)
    path = re.sub(r"\{(\w+)\}", lambda match: _path_part(route, match.group(1), left), route.path)
    texts = {name: left.pop(name) for name in route.query if name in left}
    query = urlencode({name: _text_of(value) for name, value in texts.items() if value is not None})
    kind, body = _content_of(route, left)
    told: Mapping[str, Any] = options or {}
    key = told.get("idempotency_key") or secrets.token_hex(16)
    possible = {
        "accept": route.accept,
        "x-svc-app": told.get("app"),
        "x-svc-mode": told.get("mode"),
        "idempotency-key": key if route.is_keyed else None,
        "if-match": told.get("if_match"),
        "if-none-match": told.get("if_none_match"),
        "last-event-id": told.get("last_event_id"),
        "content-type": kind,
    }
    headers: dict[str, str] = {
        **settings.headers,
        **{name: value for name, value in possible.items() if value is not None},
        **lowered(told.get("headers", {})),
    }
    # The error omits the value, which may be a secret.
    odd = next((name for name, value in headers.items() if not re.fullmatch(r"[\x20-\x7e]+", value)), None)
    if odd is not None:
        raise TollgateError(f"{route.id}: {odd} must be non-empty printable ASCII.")
    return Prepared(
        id=route.id,
        url=f"{settings.base_url}{path}{f'?{query}' if query else ''}",
        method=route.method,
        headers=headers,
        body=body,
        is_safe=route.method in ("GET", "DELETE") or route.is_keyed,
    )


def _inputs(route: Route, given: Mapping[str, object]) -> dict[str, Any]:
    """Returns the inputs by their names in the API."""
    hints: dict[str, Any] = {} if route.takes is None else hints_of(route.takes)
    return {wire_name(name): sent(value, hints.get(name), name) for name, value in given.items()}


def _path_part(route: Route, name: str, left: dict[str, Any]) -> str:
    """Rejects empty path segments, `.` and `..`, because they would change the path."""
    value = left.pop(name, None)
    text = "" if value is None else _text_of(value)
    if text in ("", ".", ".."):
        raise TollgateError(f"{route.id}: {name} is {value!r}, which is not valid in a path.")
    return quote(text, safe="")


def _content_of(route: Route, left: dict[str, Any]) -> tuple[str | None, bytes | None]:
    if route.body == "file":
        file, kind = left.get("file"), left.get("type")
        if not isinstance(file, (bytes, bytearray)) or not isinstance(kind, str) or not kind:
            raise TollgateError(f"{route.id}: file must be bytes, together with the input type.")
        return kind, bytes(file)
    if route.body == "json":
        return "application/json", _json_of(route, left)
    if left:
        raise TollgateError(f"{route.id} has no input {next(iter(left))}.")
    return None, None


def _json_of(route: Route, value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as cause:
        raise TollgateError(f"{route.id}: an input cannot be converted to JSON.") from cause


def _text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
