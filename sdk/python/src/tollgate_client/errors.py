"""Errors that calls raise."""

from __future__ import annotations

import builtins
import json
from typing import Any, Literal, cast

import httpx2

from .generated.error_code import ErrorCode


class TollgateError(Exception):
    """Base class of the errors of this package."""

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConnectionError(TollgateError, builtins.ConnectionError):
    """The response is missing or incomplete, because the connection failed. `__cause__` contains the original error."""


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """The response was not complete in time."""


class AnswerError(TollgateError):
    """A successful response could not be read, because the response is not JSON or is incomplete."""

    def __init__(
        self, message: str, *, status: int, headers: httpx2.Headers, request_id: str | None, body: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.request_id = request_id
        self.body = body


class ApiError(TollgateError):
    """An error response of the server or of a proxy in front of it."""

    status: int
    code: ErrorCode | str | None
    """Error code, which is stable, so that programs can compare it. None if the response is not from Tollgate, but for
    example from a proxy."""
    request_id: str | None
    """ID of the request. Include the ID when you report the error."""
    param: str | None
    """The field that caused the error, as it was sent."""
    details: dict[str, Any]
    """The numbers and names that the message contains."""
    headers: httpx2.Headers
    body: str
    """Body of the response, as text."""

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

    def __str__(self) -> str:
        """Returns the message with the status, the code and the request ID, for logs and tracebacks."""
        answer = str(self.status) if self.code is None else f"{self.status} {self.code}"
        facts = answer if self.request_id is None else f"{answer}, request {self.request_id}"
        return f"{self.message} ({facts})"


class BadRequestError(ApiError):
    """400: the request is not valid."""


class AuthenticationError(ApiError):
    """401: the credential is missing or not valid."""


class PaymentRequiredError(ApiError):
    """402: the credit or a limit does not cover the request. Retrying later does not help."""


class PermissionError(ApiError):
    """403: the credential does not permit the operation."""


class NotFoundError(ApiError):
    """404: the resource does not exist."""


class ConflictError(ApiError):
    """409: the request conflicts with the current state."""


class GoneError(ApiError):
    """410: the application is archived."""


class PreconditionError(ApiError):
    """412: the resource has changed since it was read (`if_match`)."""


class UnprocessableError(ApiError):
    """422: the request is well-formed but cannot be processed."""


class RateLimitError(ApiError):
    """429: too many requests. The request can be retried after waiting."""


class ServerError(ApiError):
    """500 and above: the server or a proxy in front of it failed."""


class StreamEndedError(TollgateError):
    """The server ended a stream and gave a reason."""

    def __init__(self, operation: str, *, event: str | None, data: object, last_event_id: str | None) -> None:
        told = _object(data)
        said = _text(told, "message") or "No reason was given."
        super().__init__(f"{operation}: the server ended the stream ({event or 'an event'}). {said}")
        self.event = event
        """Kind of the last event, such as `ended` or `dropped`."""
        self.data: Any = data
        """Data of the last event."""
        self.last_event_id = last_event_id
        """ID after which a later call can resume. None if the stream cannot be resumed."""


WebhookReason = Literal[
    "missing_signature", "malformed_signature", "signature_expired", "wrong_signature", "invalid_body"
]


class WebhookError(TollgateError):
    """A webhook delivery whose signature is not valid. Do not trust the delivery, and respond with 400."""

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
    """Returns the error for an unsuccessful response. The HTTP status determines the class of the error."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status=status, headers=headers, request_id=request_id, body=body)


def _foreign_message(status: int, headers: httpx2.Headers, body: str) -> str:
    """Returns the message for a response that is not from Tollgate."""
    if 300 <= status < 400:
        to = headers.get("location", "another address")
        return f"The server redirects to {to}, and redirects are not followed. Check base_url."
    kind = headers.get("content-type", "no content type")
    return f"HTTP {status}, and the response is not from Tollgate ({kind}, {len(body)} characters)."


def _error_in(body: str) -> dict[str, Any]:
    """Returns the error object in the body. Empty if the body contains no error of Tollgate."""
    try:
        document: Any = json.loads(body)
    # For a document that is nested too deeply, the parser raises RecursionError.
    except (ValueError, RecursionError):
        return {}
    return _object(_object(document).get("error"))


def _object(value: object) -> dict[str, Any]:
    """Returns the value if it is an object. Empty otherwise."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None
