# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class AuditListInput(TypedDict):
    """Of audit.list: list audit log entries."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    application: NotRequired[str]
    """Only changes of this application."""
    actor_id: NotRequired[str]
    """Only changes by this token or member. 1 to 64 characters."""
    operation: NotRequired[str]
    """Only changes by this operation. 1 to 64 characters."""
    from_: NotRequired[Time]
    """Only changes at or after this time. ISO 8601."""
    to: NotRequired[Time]
    """Only changes before this time. ISO 8601."""


class AuditListOutput(Document):
    """What audit.list answers."""
    data: list[types.AuditEntry]
    next_cursor: str | None


class AuditListPage(AuditListOutput, Page[types.AuditEntry]):
    """A page of audit.list."""


class AsyncAuditListPage(AuditListOutput, AsyncPage[types.AuditEntry]):
    """A page of audit.list."""


_AUDIT_LIST = Route(
    id="audit.list",
    method="GET",
    path="/v1/audit",
    takes=AuditListInput,
    query=("limit", "cursor", "application", "actorId", "operation", "from", "to",),
)


class Audit:
    """Changes, and who made them."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AuditWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AuditWithRawResponse(Audit(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AuditListInput]) -> AuditListPage:
        """List audit log entries.

        Returns the changes made through the control plane, newest first, with their callers.

        - Rejected requests change nothing and are not listed. Gateway requests are in `requests.list`.
        - Failed sign-ins of members are listed, with one entry for each account, network and hour.
        `after` counts them (`failures`, `site`, `first_at`, `last_at`). Beyond five networks an hour,
        one entry counts the failures from all other networks.

        GET /v1/audit (an extension). Its inputs are those of AuditListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_AUDIT_LIST, given, options, AuditListPage)


class AuditWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Audit) -> None:
        self.list = raw(methods.list)


class AsyncAudit:
    """Changes, and who made them."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAuditWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAuditWithRawResponse(AsyncAudit(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AuditListInput]) -> AsyncPageCall[types.AuditEntry, AsyncAuditListPage]:
        """List audit log entries.

        Returns the changes made through the control plane, newest first, with their callers.

        - Rejected requests change nothing and are not listed. Gateway requests are in `requests.list`.
        - Failed sign-ins of members are listed, with one entry for each account, network and hour.
        `after` counts them (`failures`, `site`, `first_at`, `last_at`). Beyond five networks an hour,
        one entry counts the failures from all other networks.

        GET /v1/audit (an extension). Its inputs are those of AuditListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_AUDIT_LIST, given, options, AsyncAuditListPage)


class AsyncAuditWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncAudit) -> None:
        self.list = async_raw(methods.list)
