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
    """Of bill.show: show a monthly bill."""
    period: NotRequired[str]
    """Month to return. Defaults to the current month."""


class BillShowOutputProjection(Document):
    settled_calls: int
    """Projected number of requests, at the pace so far."""
    total_micros: str
    """Projected total, in micros. An integer as a decimal string."""


class BillShowOutputPast(Document):
    period: str
    """Month of the bill."""
    total_micros: str
    """Total of the bill, in micros. An integer as a decimal string."""
    issued_at: str
    """When the bill was issued. ISO 8601."""


class BillShowOutput(Document):
    """What bill.show answers."""
    period: str
    """Month of the bill."""
    starts_at: str
    """Start of the month. ISO 8601."""
    ends_at: str
    """Start of the following month (exclusive end of the period). ISO 8601."""
    status: Literal["open", "closing", "issued"] | str
    """`open`: the month has not ended. `closing`: the month has ended, and its requests may still
    settle. `issued`: the bill is final.
    """
    issued_at: str | None
    """When the bill was issued. Null if it is not issued yet. ISO 8601."""
    tier: str
    """Last tier of the month."""
    table: str
    """Version of the price table."""
    settled_calls: int
    """Number of settled live requests of the month."""
    seats: int
    """Number of members when the bill was counted."""
    lines: list[types.BillLine]
    """Lines of the bill."""
    total_micros: str
    """Sum of the lines, in micros. An integer as a decimal string."""
    projection: BillShowOutputProjection | None
    """Estimate for the whole month. Null unless the month is `open`."""
    watermark: int
    """Number of live requests counted by this bill and all bills before it."""
    digest: str
    """SHA-256 of the bill. Computing the bill again from the same counts gives the same digest."""
    past: list[BillShowOutputPast]
    """Issued bills, newest first, at most 24."""


class BillSubscribeInput(TypedDict):
    """Of bill.subscribe: change the billing tier."""
    tier: Literal["free", "team", "scale"]
    """Name of a tier."""


class BillTiersOutput(Document):
    """What bill.tiers answers."""
    current: types.TierState
    table: str
    """Version of the price table."""
    tiers: list[types.Tier]
    """All tiers, cheapest first."""


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
    """The organization's own plan with the operator of this server, and its bill."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> BillWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return BillWithRawResponse(Bill(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None, **given: Unpack[BillShowInput]) -> BillShowOutput:
        """Show a monthly bill.

        Returns the bill of a calendar month (UTC) for settled live requests and members, with the past
        bills.

        - The current month is `open`. Its bill includes a projection at the pace so far.
        - A month is `issued` one day after it ends, and its bill never changes. Requests that settle
        later are billed on the next bill.

        GET /v1/bill. Its inputs are those of BillShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BILL_SHOW, given, options, BillShowOutput)

    def subscribe(self, *, options: ConditionalOptions | None = None, **given: Unpack[BillSubscribeInput]) -> types.TierState:
        """Change the billing tier.

        Moves the organization to another tier. Repeating the request changes nothing.

        - A more expensive tier takes effect today (UTC). The bill charges the price difference for the
        remaining days of the month and adds the same share of the additional included requests.
        - A cheaper tier takes effect on the first day of the next month.
        - Each request replaces a pending move. Sending the current tier cancels the pending move.

        POST /v1/bill/subscribe. Its inputs are those of BillSubscribeInput.
        """
        return self._sender.call(_BILL_SUBSCRIBE, given, options, types.TierState)

    def tiers(self, *, options: CallOptions | None = None) -> BillTiersOutput:
        """Show billing tiers.

        Returns all billing tiers, cheapest first, and the tier of the organization. Requests in test
        mode are free.

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
    """The organization's own plan with the operator of this server, and its bill."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncBillWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncBillWithRawResponse(AsyncBill(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[BillShowInput]) -> BillShowOutput:
        """Show a monthly bill.

        Returns the bill of a calendar month (UTC) for settled live requests and members, with the past
        bills.

        - The current month is `open`. Its bill includes a projection at the pace so far.
        - A month is `issued` one day after it ends, and its bill never changes. Requests that settle
        later are billed on the next bill.

        GET /v1/bill. Its inputs are those of BillShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BILL_SHOW, given, options, BillShowOutput)

    async def subscribe(self, *, options: ConditionalOptions | None = None, **given: Unpack[BillSubscribeInput]) -> types.TierState:
        """Change the billing tier.

        Moves the organization to another tier. Repeating the request changes nothing.

        - A more expensive tier takes effect today (UTC). The bill charges the price difference for the
        remaining days of the month and adds the same share of the additional included requests.
        - A cheaper tier takes effect on the first day of the next month.
        - Each request replaces a pending move. Sending the current tier cancels the pending move.

        POST /v1/bill/subscribe. Its inputs are those of BillSubscribeInput.
        """
        return await self._sender.call(_BILL_SUBSCRIBE, given, options, types.TierState)

    async def tiers(self, *, options: CallOptions | None = None) -> BillTiersOutput:
        """Show billing tiers.

        Returns all billing tiers, cheapest first, and the tier of the organization. Requests in test
        mode are free.

        GET /v1/bill/tiers.
        """
        return await self._sender.call(_BILL_TIERS, {}, options, BillTiersOutput)


class AsyncBillWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncBill) -> None:
        self.show = async_raw(methods.show)
        self.subscribe = async_raw(methods.subscribe)
        self.tiers = async_raw(methods.tiers)
