# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types

_CUSTOMER_SHOW = Route(
    id="customer.show",
    method="GET",
    path="/v1/customer",
)


class Customer:
    """The organization and applications of the credential."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> CustomerWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return CustomerWithRawResponse(Customer(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None) -> types.Customer:
        """Show the organization.

        Returns the organization of the credential and the role of the caller.

        GET /v1/customer.
        """
        return self._sender.call(_CUSTOMER_SHOW, {}, options, types.Customer)


class CustomerWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Customer) -> None:
        self.show = raw(methods.show)


class AsyncCustomer:
    """The organization and applications of the credential."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncCustomerWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncCustomerWithRawResponse(AsyncCustomer(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None) -> types.Customer:
        """Show the organization.

        Returns the organization of the credential and the role of the caller.

        GET /v1/customer.
        """
        return await self._sender.call(_CUSTOMER_SHOW, {}, options, types.Customer)


class AsyncCustomerWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncCustomer) -> None:
        self.show = async_raw(methods.show)
