# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class InvoicesListInput(TypedDict):
    """Of invoices.list: list invoices."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    end_user_id: NotRequired[str]
    """External ID of an end user. Returns only invoices of that end user. 1 to 256 characters."""
    status: NotRequired[Literal["open", "past_due", "paid", "void"]]
    """Status of the invoice. `open`: due by `due_at`. `past_due`: unpaid after `due_at`, which blocks
    new on-demand usage. `paid`: paid. `void`: waived, nothing is owed.
    """


class InvoicesListOutput(Document):
    """What invoices.list answers."""
    data: list[types.Invoice]
    next_cursor: str | None


class InvoicesListPage(InvoicesListOutput, Page[types.Invoice]):
    """A page of invoices.list."""


class AsyncInvoicesListPage(InvoicesListOutput, AsyncPage[types.Invoice]):
    """A page of invoices.list."""


class InvoicesShowInput(TypedDict):
    """Of invoices.show: show an invoice."""
    id: str
    """ID of the invoice, `inv_…`. 1 to 64 characters."""


class InvoicesPayInput(TypedDict):
    """Of invoices.pay: mark an invoice as paid."""
    id: str
    """ID of the invoice, `inv_…`. 1 to 64 characters."""


class InvoicesVoidInput(TypedDict):
    """Of invoices.void: void an invoice."""
    id: str
    """ID of the invoice, `inv_…`. 1 to 64 characters."""


_INVOICES_LIST = Route(
    id="invoices.list",
    method="GET",
    path="/v1/invoices",
    takes=InvoicesListInput,
    query=("limit", "cursor", "endUserId", "status",),
)


_INVOICES_SHOW = Route(
    id="invoices.show",
    method="GET",
    path="/v1/invoices/{id}",
    takes=InvoicesShowInput,
)


_INVOICES_PAY = Route(
    id="invoices.pay",
    method="POST",
    path="/v1/invoices/{id}/pay",
    takes=InvoicesPayInput,
    is_keyed=True,
)


_INVOICES_VOID = Route(
    id="invoices.void",
    method="POST",
    path="/v1/invoices/{id}/void",
    takes=InvoicesVoidInput,
    is_keyed=True,
)


class Invoices:
    """Invoices for plans and on-demand usage."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> InvoicesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return InvoicesWithRawResponse(Invoices(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesListInput]) -> InvoicesListPage:
        """List invoices.

        Returns invoices for plans and on-demand usage in the mode of the request, newest first.
        On-demand usage of a calendar month (UTC) is a line of the next invoice. If no renewal follows
        within a month, the usage gets an invoice of its own.

        GET /v1/invoices (an extension). Its inputs are those of InvoicesListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_INVOICES_LIST, given, options, InvoicesListPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesShowInput]) -> types.Invoice:
        """Show an invoice.

        Returns an invoice in the mode of the request, with its lines.

        GET /v1/invoices/{id} (an extension). Its inputs are those of InvoicesShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_INVOICES_SHOW, given, options, types.Invoice)

    def pay(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesPayInput]) -> types.Invoice:
        """Mark an invoice as paid.

        Records that the end user has paid. The server itself moves no money. If no other invoice is past
        due, on-demand usage is available again with the next request. Paying a paid invoice changes
        nothing.

        POST /v1/invoices/{id}/pay (an extension). Its inputs are those of InvoicesPayInput.

        Raises ApiError: not_found, invoice_void.
        """
        return self._sender.call(_INVOICES_PAY, given, options, types.Invoice)

    def void(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesVoidInput]) -> types.Invoice:
        """Void an invoice.

        Waives an unpaid invoice. Credit that was applied to the invoice is returned. The end user keeps
        the plan that the invoice covers, but its unused days give no credit. Voiding a void invoice
        changes nothing.

        POST /v1/invoices/{id}/void (an extension). Its inputs are those of InvoicesVoidInput.

        Raises ApiError: not_found, invoice_paid.
        """
        return self._sender.call(_INVOICES_VOID, given, options, types.Invoice)


class InvoicesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Invoices) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.pay = raw(methods.pay)
        self.void = raw(methods.void)


class AsyncInvoices:
    """Invoices for plans and on-demand usage."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncInvoicesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncInvoicesWithRawResponse(AsyncInvoices(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesListInput]) -> AsyncPageCall[types.Invoice, AsyncInvoicesListPage]:
        """List invoices.

        Returns invoices for plans and on-demand usage in the mode of the request, newest first.
        On-demand usage of a calendar month (UTC) is a line of the next invoice. If no renewal follows
        within a month, the usage gets an invoice of its own.

        GET /v1/invoices (an extension). Its inputs are those of InvoicesListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_INVOICES_LIST, given, options, AsyncInvoicesListPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesShowInput]) -> types.Invoice:
        """Show an invoice.

        Returns an invoice in the mode of the request, with its lines.

        GET /v1/invoices/{id} (an extension). Its inputs are those of InvoicesShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_INVOICES_SHOW, given, options, types.Invoice)

    async def pay(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesPayInput]) -> types.Invoice:
        """Mark an invoice as paid.

        Records that the end user has paid. The server itself moves no money. If no other invoice is past
        due, on-demand usage is available again with the next request. Paying a paid invoice changes
        nothing.

        POST /v1/invoices/{id}/pay (an extension). Its inputs are those of InvoicesPayInput.

        Raises ApiError: not_found, invoice_void.
        """
        return await self._sender.call(_INVOICES_PAY, given, options, types.Invoice)

    async def void(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesVoidInput]) -> types.Invoice:
        """Void an invoice.

        Waives an unpaid invoice. Credit that was applied to the invoice is returned. The end user keeps
        the plan that the invoice covers, but its unused days give no credit. Voiding a void invoice
        changes nothing.

        POST /v1/invoices/{id}/void (an extension). Its inputs are those of InvoicesVoidInput.

        Raises ApiError: not_found, invoice_paid.
        """
        return await self._sender.call(_INVOICES_VOID, given, options, types.Invoice)


class AsyncInvoicesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncInvoices) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.pay = async_raw(methods.pay)
        self.void = async_raw(methods.void)
