"""Client of Tollgate: its control plane, its webhooks, and options for the official clients."""

from .client import AsyncTollgate, Tollgate
from .clients import ClientsFor, clients_for
from .document import Document
from .errors import (
    AnswerError,
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionError,
    GoneError,
    NotFoundError,
    PaymentRequiredError,
    PermissionError,
    PreconditionError,
    RateLimitError,
    ServerError,
    StreamEndedError,
    TimeoutError,
    TollgateError,
    UnprocessableError,
    WebhookError,
)
from .generated import params, types
from .generated.error_code import ErrorCode
from .money import dollars, format_micros
from .page import AsyncPage, AsyncPageCall, Page
from .portal import AsyncTollgatePortal, TollgatePortal
from .response import RawResponse
from .settings import (
    AsyncClientOptions,
    AsyncClock,
    CallOptions,
    ClientOptions,
    Clock,
    ConditionalOptions,
    Mode,
    PortalOptions,
    StreamOptions,
)
from .stream import AsyncStream, Stream, Streamed
from .version import version as __version__
from .webhook import UsageRecorded, WebhookBatch, verify_webhook

__all__ = [
    "AnswerError",
    "ApiError",
    "AsyncClientOptions",
    "AsyncClock",
    "AsyncPage",
    "AsyncPageCall",
    "AsyncStream",
    "AsyncTollgate",
    "AsyncTollgatePortal",
    "AuthenticationError",
    "BadRequestError",
    "CallOptions",
    "ClientOptions",
    "ClientsFor",
    "Clock",
    "ConditionalOptions",
    "ConflictError",
    "ConnectionError",
    "ErrorCode",
    "GoneError",
    "Mode",
    "Document",
    "NotFoundError",
    "Page",
    "PaymentRequiredError",
    "PermissionError",
    "PortalOptions",
    "PreconditionError",
    "RateLimitError",
    "RawResponse",
    "ServerError",
    "Stream",
    "StreamEndedError",
    "StreamOptions",
    "Streamed",
    "TimeoutError",
    "Tollgate",
    "TollgateError",
    "TollgatePortal",
    "UnprocessableError",
    "UsageRecorded",
    "WebhookBatch",
    "WebhookError",
    "__version__",
    "clients_for",
    "dollars",
    "format_micros",
    "params",
    "types",
    "verify_webhook",
]
