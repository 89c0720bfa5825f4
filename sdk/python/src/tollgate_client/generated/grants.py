# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount, Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class GrantsListInput(TypedDict):
    """Of grants.list: list grants."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class GrantsListOutput(Document):
    """What grants.list answers."""
    data: list[types.Grant]
    next_cursor: str | None


class GrantsListPage(GrantsListOutput, Page[types.Grant]):
    """A page of grants.list."""


class AsyncGrantsListPage(GrantsListOutput, AsyncPage[types.Grant]):
    """A page of grants.list."""


class GrantsIssueInput(TypedDict):
    """Of grants.issue: credit end users."""
    end_users: NotRequired[Sequence[str]]
    """External IDs of end users. 1 to 10000 of them."""
    amount_units: Amount
    """Amount for each end user, in micros. An integer as a decimal string."""
    reason: str
    """Reason shown on the ledger of each end user. 1 to 256 characters."""
    starts_at: NotRequired[Time | None]
    """When the credit can first be spent. Requires `expires_at`. Omit or set to None to start now. ISO
    8601.
    """
    expires_at: NotRequired[Time | None]
    """When the unspent credit expires, in the future and after `starts_at`. Omit or set to None for
    credit that does not expire. ISO 8601.
    """
    idempotency_key: NotRequired[str]
    """Idempotency key, which credits each end user once. The `Idempotency-Key` header can be sent
    instead. 1 to 255 characters.
    """
    bundle: NotRequired[str]
    """Slug of a bundle. Credits every end user who is on the bundle now."""
    everyone: NotRequired[Literal[True]]
    """Whether to credit every end user that the application has now."""


class GrantsShowInput(TypedDict):
    """Of grants.show: show a grant."""
    id: str
    """ID of the grant, `gr_…`. 1 to 64 characters."""


class GrantsReverseInput(TypedDict):
    """Of grants.reverse: reverse a grant."""
    id: str
    """ID of the grant, `gr_…`. 1 to 64 characters."""
    end_users: NotRequired[Sequence[str]]
    """External IDs of end users who received the grant. Omit for all of them. 1 to 10000 of them."""
    reason: str
    """Reason shown on the ledger of each end user. 1 to 256 characters."""


_GRANTS_LIST = Route(
    id="grants.list",
    method="GET",
    path="/v1/grants",
    takes=GrantsListInput,
    query=("limit", "cursor",),
)


_GRANTS_ISSUE = Route(
    id="grants.issue",
    method="POST",
    path="/v1/grants",
    takes=GrantsIssueInput,
    body="json",
    is_keyed=True,
)


_GRANTS_SHOW = Route(
    id="grants.show",
    method="GET",
    path="/v1/grants/{id}",
    takes=GrantsShowInput,
)


_GRANTS_REVERSE = Route(
    id="grants.reverse",
    method="POST",
    path="/v1/grants/{id}/reverse",
    takes=GrantsReverseInput,
    body="json",
    is_keyed=True,
)


class Grants:
    """Credit given to end users."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> GrantsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return GrantsWithRawResponse(Grants(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[GrantsListInput]) -> GrantsListPage:
        """List grants.

        Returns the grants issued in the mode of the request, newest first.

        GET /v1/grants. Its inputs are those of GrantsListInput.
        """
        return self._sender.page(_GRANTS_LIST, given, options, GrantsListPage)

    def issue(self, *, options: CallOptions | None = None, **given: Unpack[GrantsIssueInput]) -> types.Grant:
        """Credit end users.

        Credits each end user with the same amount, in the mode of the request. Set exactly one of
        `end_users`, `bundle` and `everyone`.

        - Without `expires_at`, the credit goes to the wallet. With `expires_at`, it is spent before the
        wallet, soonest expiry first, and unspent credit expires with a ledger entry. Plan pools are
        never credited.
        - The end users are fixed when the grant is issued, and each one is credited once.
        - A repeat with the same idempotency key, in the body or in the header, returns the same grant.
        It continues the grant if it was interrupted.
        - A grant to many end users returns after at most ten seconds and continues. `done` of
        `end_users` have been credited.

        POST /v1/grants. Its inputs are those of GrantsIssueInput.

        Raises ApiError: not_found, idempotency_mismatch.
        """
        return self._sender.call(_GRANTS_ISSUE, given, options, types.Grant)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[GrantsShowInput]) -> types.Grant:
        """Show a grant.

        Returns one grant, with its progress and its reversals.

        GET /v1/grants/{id} (an extension). Its inputs are those of GrantsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_GRANTS_SHOW, given, options, types.Grant)

    def reverse(self, *, options: CallOptions | None = None, **given: Unpack[GrantsReverseInput]) -> types.GrantReversal:
        """Reverse a grant.

        Takes back the unspent credit of a grant from some or all of its end users, in the mode of the
        grant.

        - Gifts are spent oldest first. Credit that was spent, or that requests in flight hold, is not
        taken back.
        - Repeating the reversal takes back credit that was released since, and never takes credit twice.
        - A reversal for many end users returns after at most ten seconds and continues: `done` of
        `end_users` have been processed.

        POST /v1/grants/{id}/reverse (an extension). Its inputs are those of GrantsReverseInput.

        Raises ApiError: not_found, grant_running.
        """
        return self._sender.call(_GRANTS_REVERSE, given, options, types.GrantReversal)


class GrantsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Grants) -> None:
        self.list = raw(methods.list)
        self.issue = raw(methods.issue)
        self.show = raw(methods.show)
        self.reverse = raw(methods.reverse)


class AsyncGrants:
    """Credit given to end users."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncGrantsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncGrantsWithRawResponse(AsyncGrants(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[GrantsListInput]) -> AsyncPageCall[types.Grant, AsyncGrantsListPage]:
        """List grants.

        Returns the grants issued in the mode of the request, newest first.

        GET /v1/grants. Its inputs are those of GrantsListInput.
        """
        return self._sender.page(_GRANTS_LIST, given, options, AsyncGrantsListPage)

    async def issue(self, *, options: CallOptions | None = None, **given: Unpack[GrantsIssueInput]) -> types.Grant:
        """Credit end users.

        Credits each end user with the same amount, in the mode of the request. Set exactly one of
        `end_users`, `bundle` and `everyone`.

        - Without `expires_at`, the credit goes to the wallet. With `expires_at`, it is spent before the
        wallet, soonest expiry first, and unspent credit expires with a ledger entry. Plan pools are
        never credited.
        - The end users are fixed when the grant is issued, and each one is credited once.
        - A repeat with the same idempotency key, in the body or in the header, returns the same grant.
        It continues the grant if it was interrupted.
        - A grant to many end users returns after at most ten seconds and continues. `done` of
        `end_users` have been credited.

        POST /v1/grants. Its inputs are those of GrantsIssueInput.

        Raises ApiError: not_found, idempotency_mismatch.
        """
        return await self._sender.call(_GRANTS_ISSUE, given, options, types.Grant)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[GrantsShowInput]) -> types.Grant:
        """Show a grant.

        Returns one grant, with its progress and its reversals.

        GET /v1/grants/{id} (an extension). Its inputs are those of GrantsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_GRANTS_SHOW, given, options, types.Grant)

    async def reverse(self, *, options: CallOptions | None = None, **given: Unpack[GrantsReverseInput]) -> types.GrantReversal:
        """Reverse a grant.

        Takes back the unspent credit of a grant from some or all of its end users, in the mode of the
        grant.

        - Gifts are spent oldest first. Credit that was spent, or that requests in flight hold, is not
        taken back.
        - Repeating the reversal takes back credit that was released since, and never takes credit twice.
        - A reversal for many end users returns after at most ten seconds and continues: `done` of
        `end_users` have been processed.

        POST /v1/grants/{id}/reverse (an extension). Its inputs are those of GrantsReverseInput.

        Raises ApiError: not_found, grant_running.
        """
        return await self._sender.call(_GRANTS_REVERSE, given, options, types.GrantReversal)


class AsyncGrantsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncGrants) -> None:
        self.list = async_raw(methods.list)
        self.issue = async_raw(methods.issue)
        self.show = async_raw(methods.show)
        self.reverse = async_raw(methods.reverse)
