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
    """Of audit.list: list changes."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    application: NotRequired[str]
    """Changes of this application only."""
    actor_id: NotRequired[str]
    """Changes by this token or member only. 1 to 64 characters."""
    operation: NotRequired[str]
    """Changes by this operation only. 1 to 64 characters."""
    from_: NotRequired[Time]
    """Changes from this time on. ISO 8601."""
    to: NotRequired[Time]
    """Changes before this time. ISO 8601."""


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
    """Who changed what."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AuditWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AuditWithRawResponse(Audit(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AuditListInput]) -> AuditListPage:
        """List changes.

        Every change that was made through the control plane: by whom, and what it changed. Newest first.
        Refused requests changed nothing and are not listed; calls of models are in requests.list. Failed
        sign-ins of members are listed too: one entry for each account, network and hour, whose `after`
        counts them (`failures`, `site`, `first_at`, `last_at`). Beyond five networks an hour, failures
        are counted in one entry for all other networks.

        GET /v1/audit (an extension). Its inputs are those of AuditListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_AUDIT_LIST, given, options, AuditListPage)


class AuditWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Audit) -> None:
        self.list = raw(methods.list)


class AsyncAudit:
    """Who changed what."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAuditWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAuditWithRawResponse(AsyncAudit(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AuditListInput]) -> AsyncPageCall[types.AuditEntry, AsyncAuditListPage]:
        """List changes.

        Every change that was made through the control plane: by whom, and what it changed. Newest first.
        Refused requests changed nothing and are not listed; calls of models are in requests.list. Failed
        sign-ins of members are listed too: one entry for each account, network and hour, whose `after`
        counts them (`failures`, `site`, `first_at`, `last_at`). Beyond five networks an hour, failures
        are counted in one entry for all other networks.

        GET /v1/audit (an extension). Its inputs are those of AuditListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_AUDIT_LIST, given, options, AsyncAuditListPage)


class AsyncAuditWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncAudit) -> None:
        self.list = async_raw(methods.list)
