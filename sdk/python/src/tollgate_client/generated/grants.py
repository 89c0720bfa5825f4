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
    """`next_cursor` of the page before. At most 1200 characters."""


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
    """External ids of people. 1 to 10000 of them."""
    amount_units: Amount
    """What each person is credited, in micros. An integer as a decimal string."""
    reason: str
    """Written to the ledger of each person. 1 to 256 characters."""
    starts_at: NotRequired[Time | None]
    """When the credit can first be spent. Requires `expires_at`. Omit or set to None for now. ISO 8601.
    """
    expires_at: NotRequired[Time | None]
    """When what is unspent of the credit expires, in the future and after `starts_at`. Omit or set to
    None for credit that does not expire. ISO 8601.
    """
    idempotency_key: NotRequired[str]
    """Key that credits each person once; the header may replace it. 1 to 255 characters."""
    bundle: NotRequired[str]
    """Slug: everyone on that bundle now."""
    everyone: NotRequired[Literal[True]]
    """True: everyone in the application now."""


class GrantsShowInput(TypedDict):
    """Of grants.show: show a grant."""
    id: str
    """Id of the grant, `gr_…`. 1 to 64 characters."""


class GrantsReverseInput(TypedDict):
    """Of grants.reverse: reverse a grant."""
    id: str
    """Id of the grant, `gr_…`. 1 to 64 characters."""
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

        Grants issued in the mode of the request, newest first.

        GET /v1/grants. Its inputs are those of GrantsListInput.
        """
        return self._sender.page(_GRANTS_LIST, given, options, GrantsListPage)

    def issue(self, *, options: CallOptions | None = None, **given: Unpack[GrantsIssueInput]) -> types.Grant:
        """Credit end users.

        Credits each end user with the same amount, in the mode of the request. Without `expires_at` the
        credit goes to the wallet. With `expires_at` it is spent before the wallet, the soonest to expire
        first, and what is unspent then expires with a ledger entry. Plan pools are never credited. Name
        the end users with exactly one of `end_users`, `bundle` and `everyone`. Who they are is fixed
        when it is issued, and each of them gets it once for ever. The same idempotency key, in the body
        or in the header, is the same grant; it goes on where it was interrupted. A grant to many is
        answered after ten seconds at most and goes on: `done` of `end_users` have it.

        POST /v1/grants. Its inputs are those of GrantsIssueInput.

        Raises ApiError: not_found, idempotency_mismatch.
        """
        return self._sender.call(_GRANTS_ISSUE, given, options, types.Grant)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[GrantsShowInput]) -> types.Grant:
        """Show a grant.

        Returns one grant: how many of its end users have it so far, and what was taken back.

        GET /v1/grants/{id} (an extension). Its inputs are those of GrantsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_GRANTS_SHOW, given, options, types.Grant)

    def reverse(self, *, options: CallOptions | None = None, **given: Unpack[GrantsReverseInput]) -> types.GrantReversal:
        """Reverse a grant.

        Takes back what is unspent of a grant, from the end users named or from all of them, in the mode
        of the grant. Gifts are spent oldest first. Credit that was spent, or that requests in flight
        hold, is not taken. Repeating the reversal takes what has become free since, and nothing twice. A
        reversal for many end users returns after ten seconds at most and continues: see `done` and
        `end_users`.

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

        Grants issued in the mode of the request, newest first.

        GET /v1/grants. Its inputs are those of GrantsListInput.
        """
        return self._sender.page(_GRANTS_LIST, given, options, AsyncGrantsListPage)

    async def issue(self, *, options: CallOptions | None = None, **given: Unpack[GrantsIssueInput]) -> types.Grant:
        """Credit end users.

        Credits each end user with the same amount, in the mode of the request. Without `expires_at` the
        credit goes to the wallet. With `expires_at` it is spent before the wallet, the soonest to expire
        first, and what is unspent then expires with a ledger entry. Plan pools are never credited. Name
        the end users with exactly one of `end_users`, `bundle` and `everyone`. Who they are is fixed
        when it is issued, and each of them gets it once for ever. The same idempotency key, in the body
        or in the header, is the same grant; it goes on where it was interrupted. A grant to many is
        answered after ten seconds at most and goes on: `done` of `end_users` have it.

        POST /v1/grants. Its inputs are those of GrantsIssueInput.

        Raises ApiError: not_found, idempotency_mismatch.
        """
        return await self._sender.call(_GRANTS_ISSUE, given, options, types.Grant)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[GrantsShowInput]) -> types.Grant:
        """Show a grant.

        Returns one grant: how many of its end users have it so far, and what was taken back.

        GET /v1/grants/{id} (an extension). Its inputs are those of GrantsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_GRANTS_SHOW, given, options, types.Grant)

    async def reverse(self, *, options: CallOptions | None = None, **given: Unpack[GrantsReverseInput]) -> types.GrantReversal:
        """Reverse a grant.

        Takes back what is unspent of a grant, from the end users named or from all of them, in the mode
        of the grant. Gifts are spent oldest first. Credit that was spent, or that requests in flight
        hold, is not taken. Repeating the reversal takes what has become free since, and nothing twice. A
        reversal for many end users returns after ten seconds at most and continues: see `done` and
        `end_users`.

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
