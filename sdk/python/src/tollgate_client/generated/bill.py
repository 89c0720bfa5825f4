# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import types


class BillShowInput(TypedDict):
    """Of bill.show: show what the organization pays."""
    period: NotRequired[str]
    """The month; the running one when left out."""


class BillShowOutputProjection(Document):
    settled_calls: int
    """Calls at the end of the month, at the pace so far."""
    total_micros: str
    """What the bill comes to then, in micros. An integer as a decimal string."""


class BillShowOutputPast(Document):
    period: str
    """The month."""
    total_micros: str
    """Its total, in micros. An integer as a decimal string."""
    issued_at: str
    """When it was issued. ISO 8601."""


class BillShowOutput(Document):
    """What bill.show answers."""
    period: str
    """The month."""
    starts_at: str
    """Its first instant. ISO 8601."""
    ends_at: str
    """The first instant of the next month. ISO 8601."""
    status: Literal["open", "closing", "issued"] | str
    """`open`: the month runs; `closing`: it is over, and calls may still settle; `issued`: it is fixed.
    """
    issued_at: str | None
    """When it was issued; None: it is not. ISO 8601."""
    tier: str
    """The last tier of the month."""
    table: str
    """Version of the prices."""
    settled_calls: int
    """Live calls of the month that were counted."""
    seats: int
    """Members when it was counted."""
    lines: list[types.BillLine]
    """What it is made of."""
    total_micros: str
    """Sum of the lines, in micros. An integer as a decimal string."""
    projection: BillShowOutputProjection | None
    """An estimate of the whole month, while it is open; else None."""
    watermark: int
    """All live calls that this bill and those before it have counted."""
    digest: str
    """SHA-256 of the bill: computed again from what was counted, it is the same."""
    past: list[BillShowOutputPast]
    """Issued bills, the newest first, at most 24."""


class BillSubscribeInput(TypedDict):
    """Of bill.subscribe: move to a tier."""
    tier: Literal["free", "team", "scale"]
    """Name of a tier."""


class BillTiersOutput(Document):
    """What bill.tiers answers."""
    current: types.TierState
    table: str
    """Version of the prices."""
    tiers: list[types.Tier]
    """All tiers, the cheapest first."""


_BILL_SHOW = Route(
    id="bill.show",
    method="GET",
    path="/v1/bill",
    takes=BillShowInput,
    query=("period",),
)


_BILL_SUBSCRIBE = Route(
    id="bill.subscribe",
    method="POST",
    path="/v1/bill/subscribe",
    takes=BillSubscribeInput,
    body="json",
    is_keyed=True,
)


_BILL_TIERS = Route(
    id="bill.tiers",
    method="GET",
    path="/v1/bill/tiers",
)


class Bill:
    """What the organization pays the operator of this server."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> BillWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return BillWithRawResponse(Bill(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None, **given: Unpack[BillShowInput]) -> BillShowOutput:
        """Show what the organization pays.

        The bill of a calendar month (UTC) for settled live calls and members, and the bills before. The
        running month is `open`, with what it comes to at this pace. A day after its end a month is
        `issued` and never changes: it is computed from what was counted then, and calls that settle
        later are a line of the next bill.

        GET /v1/bill. Its inputs are those of BillShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BILL_SHOW, given, options, BillShowOutput)

    def subscribe(self, *, options: ConditionalOptions | None = None, **given: Unpack[BillSubscribeInput]) -> types.TierState:
        """Move to a tier.

        A dearer tier holds from today (UTC), and the month has the difference for the days that are
        left, with so many included calls more; a cheaper one holds from the first day of the next month.
        The last word counts: naming the present tier takes a move that is ahead back. Repeating it
        changes nothing.

        POST /v1/bill/subscribe. Its inputs are those of BillSubscribeInput.
        """
        return self._sender.call(_BILL_SUBSCRIBE, given, options, types.TierState)

    def tiers(self, *, options: CallOptions | None = None) -> BillTiersOutput:
        """Show tiers and their prices.

        The tiers that an organization can be on, the cheapest first, and the one that it is on. Calls in
        test mode cost nothing.

        GET /v1/bill/tiers.
        """
        return self._sender.call(_BILL_TIERS, {}, options, BillTiersOutput)


class BillWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Bill) -> None:
        self.show = raw(methods.show)
        self.subscribe = raw(methods.subscribe)
        self.tiers = raw(methods.tiers)


class AsyncBill:
    """What the organization pays the operator of this server."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncBillWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncBillWithRawResponse(AsyncBill(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[BillShowInput]) -> BillShowOutput:
        """Show what the organization pays.

        The bill of a calendar month (UTC) for settled live calls and members, and the bills before. The
        running month is `open`, with what it comes to at this pace. A day after its end a month is
        `issued` and never changes: it is computed from what was counted then, and calls that settle
        later are a line of the next bill.

        GET /v1/bill. Its inputs are those of BillShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BILL_SHOW, given, options, BillShowOutput)

    async def subscribe(self, *, options: ConditionalOptions | None = None, **given: Unpack[BillSubscribeInput]) -> types.TierState:
        """Move to a tier.

        A dearer tier holds from today (UTC), and the month has the difference for the days that are
        left, with so many included calls more; a cheaper one holds from the first day of the next month.
        The last word counts: naming the present tier takes a move that is ahead back. Repeating it
        changes nothing.

        POST /v1/bill/subscribe. Its inputs are those of BillSubscribeInput.
        """
        return await self._sender.call(_BILL_SUBSCRIBE, given, options, types.TierState)

    async def tiers(self, *, options: CallOptions | None = None) -> BillTiersOutput:
        """Show tiers and their prices.

        The tiers that an organization can be on, the cheapest first, and the one that it is on. Calls in
        test mode cost nothing.

        GET /v1/bill/tiers.
        """
        return await self._sender.call(_BILL_TIERS, {}, options, BillTiersOutput)


class AsyncBillWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncBill) -> None:
        self.show = async_raw(methods.show)
        self.subscribe = async_raw(methods.subscribe)
        self.tiers = async_raw(methods.tiers)
