"""What calls raise."""

from __future__ import annotations

import builtins
import json
from typing import Any, Literal, cast

import httpx2

from .generated.error_code import ErrorCode


class TollgateError(Exception):
    """Everything that this package raises of its own."""

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConnectionError(TollgateError, builtins.ConnectionError):
    """There was no whole answer: no connection, or one that broke. Its `__cause__` says how."""


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """There was no whole answer in time."""


class AnswerError(TollgateError):
    """A success that cannot be read: it is no JSON, or it is cut off."""

    def __init__(
        self, message: str, *, status: int, headers: httpx2.Headers, request_id: str | None, body: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.request_id = request_id
        self.body = body


class ApiError(TollgateError):
    """A refusal or a failure that the server, or something in front of it, answered."""

    status: int
    code: ErrorCode | str | None
    """Stable; what programs look at. None: the answer is not one of Tollgate, but of a proxy, say."""
    request_id: str | None
    """Quote it when you report the error."""
    param: str | None
    """The field at fault, as it was sent."""
    details: dict[str, Any]
    """The numbers and names in the message."""
    headers: httpx2.Headers
    body: str
    """The body as text."""

    def __init__(self, *, status: int, headers: httpx2.Headers, request_id: str | None, body: str) -> None:
        said = _error_in(body)
        super().__init__(_text(said, "message") or _foreign_message(status, headers, body))
        self.status = status
        self.code = _text(said, "code")
        self.request_id = request_id if request_id is not None else _text(said, "requestId")
        self.param = _text(said, "param")
        self.details = _object(said.get("details"))
        self.headers = headers
        self.body = body


class BadRequestError(ApiError):
    """400: the request is wrong."""


class AuthenticationError(ApiError):
    """401: there is no credential, or it is not valid here."""


class PaymentRequiredError(ApiError):
    """402: there is no money for it. Waiting never helps."""


class PermissionError(ApiError):
    """403: the credential may not do this."""


class NotFoundError(ApiError):
    """404: there is no such thing."""


class ConflictError(ApiError):
    """409: something else stands in its way."""


class GoneError(ApiError):
    """410: the application is archived."""


class PreconditionError(ApiError):
    """412: the resource has changed since it was read (`if_match`)."""


class UnprocessableError(ApiError):
    """422: the request is well-formed, and cannot be taken."""


class RateLimitError(ApiError):
    """429: too many at once, or too fast. Waiting helps."""


class ServerError(ApiError):
    """500 and above: a fault of the server, or of what is in front of it."""


class StreamEndedError(TollgateError):
    """A stream that the server has ended, and its reason."""

    def __init__(self, operation: str, *, event: str | None, data: object, last_event_id: str | None) -> None:
        told = _object(data)
        said = _text(told, "message") or "It does not say why."
        super().__init__(f"{operation}: the server ended the stream ({event or 'an event'}). {said}")
        self.event = event
        """Kind of the last event, such as `ended` or `dropped`."""
        self.data: Any = data
        """What that event says."""
        self.last_event_id = last_event_id
        """Where a later call can go on; None: nowhere."""


WebhookReason = Literal[
    "missing_signature", "malformed_signature", "signature_expired", "wrong_signature", "invalid_body"
]


class WebhookError(TollgateError):
    """A delivery that must not be trusted. Answer it with 400."""

    def __init__(self, reason: WebhookReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionError,
    422: UnprocessableError,
    429: RateLimitError,
}


def api_error(*, status: int, headers: httpx2.Headers, request_id: str | None, body: str) -> ApiError:
    """The error of an answer that is no success: its class is that of its status."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status=status, headers=headers, request_id=request_id, body=body)


def _foreign_message(status: int, headers: httpx2.Headers, body: str) -> str:
    """Of an answer that is not one of Tollgate."""
    if 300 <= status < 400:
        to = headers.get("location", "another address")
        return f"A redirect to {to}, which is not followed; check base_url."
    kind = headers.get("content-type", "no content type")
    return f"HTTP {status} without an error of Tollgate ({kind}, {len(body)} characters)."


def _error_in(body: str) -> dict[str, Any]:
    """Empty: the body holds no error of Tollgate."""
    try:
        document: Any = json.loads(body)
    # Of a document that is nested deeper than the parser goes.
    except (ValueError, RecursionError):
        return {}
    return _object(_object(document).get("error"))


def _object(value: object) -> dict[str, Any]:
    """Empty: it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None
