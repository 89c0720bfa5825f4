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
    """`next_cursor` of the page before. At most 1200 characters."""
    end_user_id: NotRequired[str]
    """Only invoices of this end user. 1 to 256 characters."""
    status: NotRequired[Literal["open", "past_due", "paid", "void"]]
    """`open`: to be paid by `due_at`; `past_due`: not paid by then, so that overage pays for nothing
    new; `paid`; `void`: nothing is owed.
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
    """Id of the invoice, `inv_…`. 1 to 64 characters."""


class InvoicesPayInput(TypedDict):
    """Of invoices.pay: mark an invoice as paid."""
    id: str
    """Id of the invoice, `inv_…`. 1 to 64 characters."""


class InvoicesVoidInput(TypedDict):
    """Of invoices.void: void an invoice."""
    id: str
    """Id of the invoice, `inv_…`. 1 to 64 characters."""


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
    """What subscriptions cost, and whether it was paid."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> InvoicesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return InvoicesWithRawResponse(Invoices(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesListInput]) -> InvoicesListPage:
        """List invoices.

        Returns invoices for plans and on-demand usage in the mode of the request, newest first. A
        calendar month (UTC) of on-demand usage is a line of the next invoice, or an invoice of its own
        if no renewal comes within a month.

        GET /v1/invoices (an extension). Its inputs are those of InvoicesListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_INVOICES_LIST, given, options, InvoicesListPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesShowInput]) -> types.Invoice:
        """Show an invoice.

        One invoice of the mode of the request, with its lines.

        GET /v1/invoices/{id} (an extension). Its inputs are those of InvoicesShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_INVOICES_SHOW, given, options, types.Invoice)

    def pay(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesPayInput]) -> types.Invoice:
        """Mark an invoice as paid.

        Notes that the person has paid; this server moves no money of its own. Where nothing else is past
        due, overage is to be had again from the next call on. Paying again changes nothing.

        POST /v1/invoices/{id}/pay (an extension). Its inputs are those of InvoicesPayInput.

        Raises ApiError: not_found, invoice_void.
        """
        return self._sender.call(_INVOICES_PAY, given, options, types.Invoice)

    def void(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesVoidInput]) -> types.Invoice:
        """Void an invoice.

        Waives an invoice that was not paid: nothing is owed, and credit that it used is there again. The
        person keeps what it was for, but its unused days give no credit. Voiding again changes nothing.

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
    """What subscriptions cost, and whether it was paid."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncInvoicesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncInvoicesWithRawResponse(AsyncInvoices(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesListInput]) -> AsyncPageCall[types.Invoice, AsyncInvoicesListPage]:
        """List invoices.

        Returns invoices for plans and on-demand usage in the mode of the request, newest first. A
        calendar month (UTC) of on-demand usage is a line of the next invoice, or an invoice of its own
        if no renewal comes within a month.

        GET /v1/invoices (an extension). Its inputs are those of InvoicesListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_INVOICES_LIST, given, options, AsyncInvoicesListPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesShowInput]) -> types.Invoice:
        """Show an invoice.

        One invoice of the mode of the request, with its lines.

        GET /v1/invoices/{id} (an extension). Its inputs are those of InvoicesShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_INVOICES_SHOW, given, options, types.Invoice)

    async def pay(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesPayInput]) -> types.Invoice:
        """Mark an invoice as paid.

        Notes that the person has paid; this server moves no money of its own. Where nothing else is past
        due, overage is to be had again from the next call on. Paying again changes nothing.

        POST /v1/invoices/{id}/pay (an extension). Its inputs are those of InvoicesPayInput.

        Raises ApiError: not_found, invoice_void.
        """
        return await self._sender.call(_INVOICES_PAY, given, options, types.Invoice)

    async def void(self, *, options: CallOptions | None = None, **given: Unpack[InvoicesVoidInput]) -> types.Invoice:
        """Void an invoice.

        Waives an invoice that was not paid: nothing is owed, and credit that it used is there again. The
        person keeps what it was for, but its unused days give no credit. Voiding again changes nothing.

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
