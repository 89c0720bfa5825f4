# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import params, types


class UsersListInput(TypedDict):
    """Of users.list: list end users."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name", "balance", "spent", "last_seen"]]
    """Sort order: `created`, `name` (the external ID), `balance` (`balance.balanceUnits`), `spent`
    (`usage.billedMicros`), or `last_seen` (`last_seen_at`; None comes first in ascending order).
    Defaults to `created`. `created` when left out.
    """
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal
    values are sorted by ID.
    """
    bundle: NotRequired[str]
    """Slug of a bundle. Returns only end users on this bundle. 1 to 64 characters."""
    search: NotRequired[str]
    """Returns only end users whose external ID or email address contains this text, or whose ID is this
    text. Case is ignored. 1 to 128 characters.
    """
    state: NotRequired[Literal["active", "frozen"]]
    """Returns only end users in this state. `active` means not frozen."""
    total: NotRequired[bool]
    """Whether to return the number of all matching end users. Defaults to false."""


class UsersListOutput(Document):
    """What users.list answers."""
    data: list[types.EndUser]
    next_cursor: str | None
    total: int | None
    """Number of matching end users on all pages. Omitted unless `total` is requested."""


class UsersListPage(UsersListOutput, Page[types.EndUser]):
    """A page of users.list."""


class AsyncUsersListPage(UsersListOutput, AsyncPage[types.EndUser]):
    """A page of users.list."""


class UsersShowInput(TypedDict):
    """Of users.show: show an end user."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


class UsersCreateInput(TypedDict):
    """Of users.create: create or update an end user."""
    external_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    email: NotRequired[str | None]
    """Email address of the end user. Omit to keep the current value; set to None to remove it. At most
    254 characters.
    """
    bundle: NotRequired[str]
    """Slug of the bundle. Defaults to the default bundle of the application. Omit to keep the current
    value.
    """


class UsersRmInput(TypedDict):
    """Of users.rm: delete an end user."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


class UsersAdjustInput(TypedDict):
    """Of users.adjust: adjust an end user's balance."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    amount_units: Amount
    """Amount to add, in micros. Negative to subtract from the balance. An integer as a decimal string."""
    reason: str
    """Reason shown on the ledger of the end user. 1 to 256 characters."""


class UsersFreezeInput(TypedDict):
    """Of users.freeze: freeze an end user."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    reason: NotRequired[str]
    """Reason for the freeze, for the team. Omit to keep the current reason. Never shown to the end user.
    1 to 256 characters.
    """


class UsersLedgerInput(TypedDict):
    """Of users.ledger: list ledger entries."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. A deleted end user is found by ID only. 1 to 256
    characters.
    """
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    source: NotRequired[Literal["wallet", "all"]]
    """`wallet`: entries of the wallet. `all`: also entries of pools and on-demand billing. Defaults to
    `wallet`. `wallet` when left out.
    """


class UsersLedgerOutput(Document):
    """What users.ledger answers."""
    data: list[types.LedgerEntry]
    next_cursor: str | None


class UsersLedgerPage(UsersLedgerOutput, Page[types.LedgerEntry]):
    """A page of users.ledger."""


class AsyncUsersLedgerPage(UsersLedgerOutput, AsyncPage[types.LedgerEntry]):
    """A page of users.ledger."""


class UsersLimitInput(TypedDict):
    """Of users.limit: set an end user's limits."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    limits: Sequence[params.EndUserLimitParam | types.EndUserLimit]
    """Limits of the end user, at most one per window. At most 4 of them."""


class UsersLimitsInput(TypedDict):
    """Of users.limits: show an end user's limits."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


class UsersSubscribeInput(TypedDict):
    """Of users.subscribe: put an end user on a plan."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    bundle: str
    """Slug of the bundle."""


class UsersTopUpInput(TypedDict):
    """Of users.topUp: add paid credit."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    amount_units: Amount
    """Amount that was paid, in micros. An integer as a decimal string."""
    payment_reference: str
    """Reference of the payment at the payment provider. 1 to 255 characters."""
    reason: NotRequired[str]
    """Reason shown on the ledger of the end user. Defaults to `top-up`. 1 to 256 characters. `top-up`
    when left out.
    """


class UsersUnfreezeInput(TypedDict):
    """Of users.unfreeze: unfreeze an end user."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


_USERS_LIST = Route(
    id="users.list",
    method="GET",
    path="/v1/end-users",
    takes=UsersListInput,
    query=("limit", "cursor", "sort", "direction", "bundle", "search", "state", "total",),
)


_USERS_SHOW = Route(
    id="users.show",
    method="GET",
    path="/v1/end-users/{externalId}",
    takes=UsersShowInput,
)


_USERS_CREATE = Route(
    id="users.create",
    method="PUT",
    path="/v1/end-users/{externalId}",
    takes=UsersCreateInput,
    body="json",
    is_keyed=True,
)


_USERS_RM = Route(
    id="users.rm",
    method="DELETE",
    path="/v1/end-users/{externalId}",
    takes=UsersRmInput,
)


_USERS_ADJUST = Route(
    id="users.adjust",
    method="POST",
    path="/v1/end-users/{externalId}/adjust",
    takes=UsersAdjustInput,
    body="json",
    is_keyed=True,
)


_USERS_FREEZE = Route(
    id="users.freeze",
    method="POST",
    path="/v1/end-users/{externalId}/freeze",
    takes=UsersFreezeInput,
    body="json",
    is_keyed=True,
)


_USERS_LEDGER = Route(
    id="users.ledger",
    method="GET",
    path="/v1/end-users/{externalId}/ledger",
    takes=UsersLedgerInput,
    query=("limit", "cursor", "source",),
)


_USERS_LIMIT = Route(
    id="users.limit",
    method="PUT",
    path="/v1/end-users/{externalId}/limit",
    takes=UsersLimitInput,
    body="json",
    is_keyed=True,
)


_USERS_LIMITS = Route(
    id="users.limits",
    method="GET",
    path="/v1/end-users/{externalId}/limits",
    takes=UsersLimitsInput,
)


_USERS_SUBSCRIBE = Route(
    id="users.subscribe",
    method="PUT",
    path="/v1/end-users/{externalId}/subscription",
    takes=UsersSubscribeInput,
    body="json",
    is_keyed=True,
)


_USERS_TOP_UP = Route(
    id="users.topUp",
    method="POST",
    path="/v1/end-users/{externalId}/top-up",
    takes=UsersTopUpInput,
    body="json",
    is_keyed=True,
)


_USERS_UNFREEZE = Route(
    id="users.unfreeze",
    method="POST",
    path="/v1/end-users/{externalId}/unfreeze",
    takes=UsersUnfreezeInput,
    is_keyed=True,
)


class Users:
    """End users and their balances."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> UsersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return UsersWithRawResponse(Users(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[UsersListInput]) -> UsersListPage:
        """List end users.

        Returns the end users of the application with balance and usage in the mode of the request,
        newest first unless `sort` is set. Any other sort order than `created` reads all matching end
        users for each page.

        GET /v1/end-users. Its inputs are those of UsersListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_USERS_LIST, given, options, UsersListPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[UsersShowInput]) -> types.EndUser:
        """Show an end user.

        Returns an end user, with balance and usage in the mode of the request.

        GET /v1/end-users/{externalId}. Its inputs are those of UsersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_SHOW, given, options, types.EndUser)

    def create(self, *, options: CallOptions | None = None, **given: Unpack[UsersCreateInput]) -> types.EndUser:
        """Create or update an end user.

        Creates an end user on the given bundle or on the default bundle, or changes the email and the
        bundle of an existing end user. Repeating the request changes nothing.

        - The bundle applies in the mode of the request. An end user who is created in test mode has no
        plan in live mode until a request in live mode sets one.
        - A deleted end user with this external ID is not restored. The request creates a new end user.

        PUT /v1/end-users/{externalId}. Its inputs are those of UsersCreateInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return self._sender.call(_USERS_CREATE, given, options, types.EndUser)

    def rm(self, *, options: CallOptions | None = None, **given: Unpack[UsersRmInput]) -> types.RemovedEndUser:
        """Delete an end user.

        Deletes an end user in both modes, and returns the deleted end user with the ID, `eu_…`.

        - Keys are revoked immediately. Requests in flight continue and are charged.
        - Pools lose their remaining credit. Invoices that are not due yet are voided; due invoices
        remain owed.
        - The external ID, the email address and the names of keys are erased. The external ID can be
        used for a new end user.
        - Ledger, usage and requests remain on record under the ID.
        - The wallet balance remains on the ledger and cannot be spent. A refund is the customer's
        decision.

        DELETE /v1/end-users/{externalId}. Its inputs are those of UsersRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_RM, given, options, types.RemovedEndUser)

    def adjust(self, *, options: CallOptions | None = None, **given: Unpack[UsersAdjustInput]) -> types.BalanceChange:
        """Adjust an end user's balance.

        Adds an amount to the wallet of an end user, or subtracts one from it, in the mode of the
        request. Send an `Idempotency-Key` so that a retry does not adjust twice.

        - A positive adjustment is a gift. A negative adjustment takes given credit before paid credit.
        - If the balance would fall below the amount held by requests in flight, the operation fails with
        `adjustment_too_large`.

        POST /v1/end-users/{externalId}/adjust (an extension). Its inputs are those of UsersAdjustInput.

        Raises ApiError: not_found, adjustment_too_large.
        """
        return self._sender.call(_USERS_ADJUST, given, options, types.BalanceChange)

    def freeze(self, *, options: CallOptions | None = None, **given: Unpack[UsersFreezeInput]) -> types.EndUser:
        """Freeze an end user.

        Stops all spending of an end user in both modes, starting with the next request. Requests in
        flight continue and are charged. Keys and balance are kept. Freezing again keeps the time, and
        replaces the reason if one is given.

        POST /v1/end-users/{externalId}/freeze. Its inputs are those of UsersFreezeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_FREEZE, given, options, types.EndUser)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[UsersLedgerInput]) -> UsersLedgerPage:
        """List ledger entries.

        Returns the ledger entries of an end user's wallet in the mode of the request, newest first.
        Entries are never changed or deleted, even if the end user is deleted.

        GET /v1/end-users/{externalId}/ledger. Its inputs are those of UsersLedgerInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_USERS_LEDGER, given, options, UsersLedgerPage)

    def limit(self, *, options: CallOptions | None = None, **given: Unpack[UsersLimitInput]) -> types.EndUser:
        """Set an end user's limits.

        Replaces the limits of an end user in the mode of the request. An empty list removes all limits.
        The limits apply over all keys and plans, and count earlier spend in the current window. They
        take effect with the next request; requests in flight are not affected.

        PUT /v1/end-users/{externalId}/limit (an extension). Its inputs are those of UsersLimitInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_LIMIT, given, options, types.EndUser)

    def limits(self, *, options: CallOptions | None = None, **given: Unpack[UsersLimitsInput]) -> types.UserLimits:
        """Show an end user's limits.

        Returns the limits of an end user in the mode of the request, with used and held amounts, and the
        spending pace. The wallet is not included. The limits are:
        - pools, in the order in which they pay
        - credit that expires
        - on-demand billing, if it is on
        - the spend limit of the plan
        - the limits of the end user
        - the total of all keys created in the portal
        - the caps of usable keys (keys that have not expired or been revoked).

        GET /v1/end-users/{externalId}/limits (an extension). Its inputs are those of UsersLimitsInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_LIMITS, given, options, types.UserLimits)

    def subscribe(self, *, options: CallOptions | None = None, **given: Unpack[UsersSubscribeInput]) -> types.Subscription:
        """Put an end user on a plan.

        Puts an end user on a plan in the mode of the request, starting with the next request. A pending
        cancellation is withdrawn. If the end user is already on the plan at its current price, nothing
        changes.

        - Modes: a change in live mode also applies in test mode, until test mode has its own plan. A
        change in test mode never affects live mode.
        - Pools: the remaining credit of the old plan's pools is removed, and returns with that plan.
        Amounts that other plans paid in this period count as `consumed` in recurring pools of the same
        unit, so switching back and forth gains nothing. Each change is on the ledger. The periods are
        kept.
        - Invoices: a plan with a price is invoiced for the remaining days of its period. If the old plan
        costs less per day, its remaining days are deducted. A plan that does not cost more per day is
        invoiced from the end of the invoiced time.

        PUT /v1/end-users/{externalId}/subscription. Its inputs are those of UsersSubscribeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_SUBSCRIBE, given, options, types.Subscription)

    def top_up(self, *, options: CallOptions | None = None, **given: Unpack[UsersTopUpInput]) -> types.BalanceChange:
        """Add paid credit.

        Adds paid credit to the wallet of an end user in the mode of the request. Paid credit counts as
        revenue when it is spent; use a grant for a gift.

        - A payment reference is credited once per application and mode.
        - Repeating the reference with the same end user and amount returns the first response. Other
        values fail with `payment_reference_used`.

        POST /v1/end-users/{externalId}/top-up (an extension). Its inputs are those of UsersTopUpInput.

        Raises ApiError: not_found, payment_reference_used.
        """
        return self._sender.call(_USERS_TOP_UP, given, options, types.BalanceChange)

    def unfreeze(self, *, options: CallOptions | None = None, **given: Unpack[UsersUnfreezeInput]) -> types.EndUser:
        """Unfreeze an end user.

        Allows an end user to spend again in both modes, starting with the next request. Unfreezing an
        end user who is not frozen changes nothing.

        POST /v1/end-users/{externalId}/unfreeze. Its inputs are those of UsersUnfreezeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USERS_UNFREEZE, given, options, types.EndUser)


class UsersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Users) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.create = raw(methods.create)
        self.rm = raw(methods.rm)
        self.adjust = raw(methods.adjust)
        self.freeze = raw(methods.freeze)
        self.ledger = raw(methods.ledger)
        self.limit = raw(methods.limit)
        self.limits = raw(methods.limits)
        self.subscribe = raw(methods.subscribe)
        self.top_up = raw(methods.top_up)
        self.unfreeze = raw(methods.unfreeze)


class AsyncUsers:
    """End users and their balances."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncUsersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncUsersWithRawResponse(AsyncUsers(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[UsersListInput]) -> AsyncPageCall[types.EndUser, AsyncUsersListPage]:
        """List end users.

        Returns the end users of the application with balance and usage in the mode of the request,
        newest first unless `sort` is set. Any other sort order than `created` reads all matching end
        users for each page.

        GET /v1/end-users. Its inputs are those of UsersListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_USERS_LIST, given, options, AsyncUsersListPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[UsersShowInput]) -> types.EndUser:
        """Show an end user.

        Returns an end user, with balance and usage in the mode of the request.

        GET /v1/end-users/{externalId}. Its inputs are those of UsersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_SHOW, given, options, types.EndUser)

    async def create(self, *, options: CallOptions | None = None, **given: Unpack[UsersCreateInput]) -> types.EndUser:
        """Create or update an end user.

        Creates an end user on the given bundle or on the default bundle, or changes the email and the
        bundle of an existing end user. Repeating the request changes nothing.

        - The bundle applies in the mode of the request. An end user who is created in test mode has no
        plan in live mode until a request in live mode sets one.
        - A deleted end user with this external ID is not restored. The request creates a new end user.

        PUT /v1/end-users/{externalId}. Its inputs are those of UsersCreateInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return await self._sender.call(_USERS_CREATE, given, options, types.EndUser)

    async def rm(self, *, options: CallOptions | None = None, **given: Unpack[UsersRmInput]) -> types.RemovedEndUser:
        """Delete an end user.

        Deletes an end user in both modes, and returns the deleted end user with the ID, `eu_…`.

        - Keys are revoked immediately. Requests in flight continue and are charged.
        - Pools lose their remaining credit. Invoices that are not due yet are voided; due invoices
        remain owed.
        - The external ID, the email address and the names of keys are erased. The external ID can be
        used for a new end user.
        - Ledger, usage and requests remain on record under the ID.
        - The wallet balance remains on the ledger and cannot be spent. A refund is the customer's
        decision.

        DELETE /v1/end-users/{externalId}. Its inputs are those of UsersRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_RM, given, options, types.RemovedEndUser)

    async def adjust(self, *, options: CallOptions | None = None, **given: Unpack[UsersAdjustInput]) -> types.BalanceChange:
        """Adjust an end user's balance.

        Adds an amount to the wallet of an end user, or subtracts one from it, in the mode of the
        request. Send an `Idempotency-Key` so that a retry does not adjust twice.

        - A positive adjustment is a gift. A negative adjustment takes given credit before paid credit.
        - If the balance would fall below the amount held by requests in flight, the operation fails with
        `adjustment_too_large`.

        POST /v1/end-users/{externalId}/adjust (an extension). Its inputs are those of UsersAdjustInput.

        Raises ApiError: not_found, adjustment_too_large.
        """
        return await self._sender.call(_USERS_ADJUST, given, options, types.BalanceChange)

    async def freeze(self, *, options: CallOptions | None = None, **given: Unpack[UsersFreezeInput]) -> types.EndUser:
        """Freeze an end user.

        Stops all spending of an end user in both modes, starting with the next request. Requests in
        flight continue and are charged. Keys and balance are kept. Freezing again keeps the time, and
        replaces the reason if one is given.

        POST /v1/end-users/{externalId}/freeze. Its inputs are those of UsersFreezeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_FREEZE, given, options, types.EndUser)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[UsersLedgerInput]) -> AsyncPageCall[types.LedgerEntry, AsyncUsersLedgerPage]:
        """List ledger entries.

        Returns the ledger entries of an end user's wallet in the mode of the request, newest first.
        Entries are never changed or deleted, even if the end user is deleted.

        GET /v1/end-users/{externalId}/ledger. Its inputs are those of UsersLedgerInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_USERS_LEDGER, given, options, AsyncUsersLedgerPage)

    async def limit(self, *, options: CallOptions | None = None, **given: Unpack[UsersLimitInput]) -> types.EndUser:
        """Set an end user's limits.

        Replaces the limits of an end user in the mode of the request. An empty list removes all limits.
        The limits apply over all keys and plans, and count earlier spend in the current window. They
        take effect with the next request; requests in flight are not affected.

        PUT /v1/end-users/{externalId}/limit (an extension). Its inputs are those of UsersLimitInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_LIMIT, given, options, types.EndUser)

    async def limits(self, *, options: CallOptions | None = None, **given: Unpack[UsersLimitsInput]) -> types.UserLimits:
        """Show an end user's limits.

        Returns the limits of an end user in the mode of the request, with used and held amounts, and the
        spending pace. The wallet is not included. The limits are:
        - pools, in the order in which they pay
        - credit that expires
        - on-demand billing, if it is on
        - the spend limit of the plan
        - the limits of the end user
        - the total of all keys created in the portal
        - the caps of usable keys (keys that have not expired or been revoked).

        GET /v1/end-users/{externalId}/limits (an extension). Its inputs are those of UsersLimitsInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_LIMITS, given, options, types.UserLimits)

    async def subscribe(self, *, options: CallOptions | None = None, **given: Unpack[UsersSubscribeInput]) -> types.Subscription:
        """Put an end user on a plan.

        Puts an end user on a plan in the mode of the request, starting with the next request. A pending
        cancellation is withdrawn. If the end user is already on the plan at its current price, nothing
        changes.

        - Modes: a change in live mode also applies in test mode, until test mode has its own plan. A
        change in test mode never affects live mode.
        - Pools: the remaining credit of the old plan's pools is removed, and returns with that plan.
        Amounts that other plans paid in this period count as `consumed` in recurring pools of the same
        unit, so switching back and forth gains nothing. Each change is on the ledger. The periods are
        kept.
        - Invoices: a plan with a price is invoiced for the remaining days of its period. If the old plan
        costs less per day, its remaining days are deducted. A plan that does not cost more per day is
        invoiced from the end of the invoiced time.

        PUT /v1/end-users/{externalId}/subscription. Its inputs are those of UsersSubscribeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_SUBSCRIBE, given, options, types.Subscription)

    async def top_up(self, *, options: CallOptions | None = None, **given: Unpack[UsersTopUpInput]) -> types.BalanceChange:
        """Add paid credit.

        Adds paid credit to the wallet of an end user in the mode of the request. Paid credit counts as
        revenue when it is spent; use a grant for a gift.

        - A payment reference is credited once per application and mode.
        - Repeating the reference with the same end user and amount returns the first response. Other
        values fail with `payment_reference_used`.

        POST /v1/end-users/{externalId}/top-up (an extension). Its inputs are those of UsersTopUpInput.

        Raises ApiError: not_found, payment_reference_used.
        """
        return await self._sender.call(_USERS_TOP_UP, given, options, types.BalanceChange)

    async def unfreeze(self, *, options: CallOptions | None = None, **given: Unpack[UsersUnfreezeInput]) -> types.EndUser:
        """Unfreeze an end user.

        Allows an end user to spend again in both modes, starting with the next request. Unfreezing an
        end user who is not frozen changes nothing.

        POST /v1/end-users/{externalId}/unfreeze. Its inputs are those of UsersUnfreezeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USERS_UNFREEZE, given, options, types.EndUser)


class AsyncUsersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncUsers) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.create = async_raw(methods.create)
        self.rm = async_raw(methods.rm)
        self.adjust = async_raw(methods.adjust)
        self.freeze = async_raw(methods.freeze)
        self.ledger = async_raw(methods.ledger)
        self.limit = async_raw(methods.limit)
        self.limits = async_raw(methods.limits)
        self.subscribe = async_raw(methods.subscribe)
        self.top_up = async_raw(methods.top_up)
        self.unfreeze = async_raw(methods.unfreeze)
