# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..inputs import Amount
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class SubscriptionCancelInput(TypedDict):
    """Of subscription.cancel: cancel a subscription."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""
    at_period_end: NotRequired[bool]
    """True: at the end of what was invoiced; false: now. `True` when left out."""


class SubscriptionResumeInput(TypedDict):
    """Of subscription.resume: take a cancellation back."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


class SubscriptionShowInput(TypedDict):
    """Of subscription.show: show an end user's subscription."""
    end_user_id: str
    """The customer's own id of the person. 1 to 256 characters."""


class SubscriptionOnDemandInput(TypedDict):
    """Of subscription.onDemand: set on-demand overage."""
    end_user_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    enabled: bool
    """Whether more may be used than is paid for."""
    limit_micros: NotRequired[Amount | None]
    """The monthly ceiling (UTC); None: none; left out: as it is. An integer as a decimal string."""


_SUBSCRIPTION_CANCEL = Route(
    id="subscription.cancel",
    method="POST",
    path="/v1/end-users/{externalId}/subscription/cancel",
    takes=SubscriptionCancelInput,
    body="json",
    is_keyed=True,
)


_SUBSCRIPTION_RESUME = Route(
    id="subscription.resume",
    method="POST",
    path="/v1/end-users/{externalId}/subscription/resume",
    takes=SubscriptionResumeInput,
    is_keyed=True,
)


_SUBSCRIPTION_SHOW = Route(
    id="subscription.show",
    method="GET",
    path="/v1/subscription",
    takes=SubscriptionShowInput,
    query=("endUserId",),
)


_SUBSCRIPTION_ON_DEMAND = Route(
    id="subscription.onDemand",
    method="POST",
    path="/v1/subscription/on-demand",
    takes=SubscriptionOnDemandInput,
    body="json",
    is_keyed=True,
)


class Subscription:
    """The plan of an end user, its pools and on-demand use."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> SubscriptionWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return SubscriptionWithRawResponse(Subscription(self._sender.raw()))

    def cancel(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionCancelInput]) -> types.Subscription:
        """Cancel a subscription.

        In the mode of the request. At the end of what was invoiced, or of the period where nothing was,
        the person is on no plan: their keys call nothing until `users.subscribe`, and wallet and ledger
        stay. With `atPeriodEnd: false` the plan ends now: invoices that are not due yet are void, and
        nothing that was paid is given back. Until it has ended `subscription.resume` takes it back.
        Cancelling again changes nothing, or ends it now.

        POST /v1/end-users/{externalId}/subscription/cancel (an extension). Its inputs are those of
        SubscriptionCancelInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return self._sender.call(_SUBSCRIPTION_CANCEL, given, options, types.Subscription)

    def resume(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionResumeInput]) -> types.Subscription:
        """Take a cancellation back.

        In the mode of the request: the subscription goes on as if it had not been cancelled. One that
        was not cancelled stays as it is.

        POST /v1/end-users/{externalId}/subscription/resume (an extension). Its inputs are those of
        SubscriptionResumeInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return self._sender.call(_SUBSCRIPTION_RESUME, given, options, types.Subscription)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionShowInput]) -> types.Subscription:
        """Show an end user's subscription.

        The plan of a person, what it granted and what is left of it, in the mode of the request.

        GET /v1/subscription. Its inputs are those of SubscriptionShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_SUBSCRIPTION_SHOW, given, options, types.Subscription)

    def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionOnDemandInput]) -> types.Subscription:
        """Set on-demand overage.

        Turns overage on or off for a person in the mode of the request, from the next call on, with a
        monthly ceiling of their own, which they cannot raise in the portal. It pays only once pools and
        wallet are spent.

        POST /v1/subscription/on-demand. Its inputs are those of SubscriptionOnDemandInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_SUBSCRIPTION_ON_DEMAND, given, options, types.Subscription)


class SubscriptionWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Subscription) -> None:
        self.cancel = raw(methods.cancel)
        self.resume = raw(methods.resume)
        self.show = raw(methods.show)
        self.on_demand = raw(methods.on_demand)


class AsyncSubscription:
    """The plan of an end user, its pools and on-demand use."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncSubscriptionWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncSubscriptionWithRawResponse(AsyncSubscription(self._sender.raw()))

    async def cancel(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionCancelInput]) -> types.Subscription:
        """Cancel a subscription.

        In the mode of the request. At the end of what was invoiced, or of the period where nothing was,
        the person is on no plan: their keys call nothing until `users.subscribe`, and wallet and ledger
        stay. With `atPeriodEnd: false` the plan ends now: invoices that are not due yet are void, and
        nothing that was paid is given back. Until it has ended `subscription.resume` takes it back.
        Cancelling again changes nothing, or ends it now.

        POST /v1/end-users/{externalId}/subscription/cancel (an extension). Its inputs are those of
        SubscriptionCancelInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return await self._sender.call(_SUBSCRIPTION_CANCEL, given, options, types.Subscription)

    async def resume(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionResumeInput]) -> types.Subscription:
        """Take a cancellation back.

        In the mode of the request: the subscription goes on as if it had not been cancelled. One that
        was not cancelled stays as it is.

        POST /v1/end-users/{externalId}/subscription/resume (an extension). Its inputs are those of
        SubscriptionResumeInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return await self._sender.call(_SUBSCRIPTION_RESUME, given, options, types.Subscription)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionShowInput]) -> types.Subscription:
        """Show an end user's subscription.

        The plan of a person, what it granted and what is left of it, in the mode of the request.

        GET /v1/subscription. Its inputs are those of SubscriptionShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_SUBSCRIPTION_SHOW, given, options, types.Subscription)

    async def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionOnDemandInput]) -> types.Subscription:
        """Set on-demand overage.

        Turns overage on or off for a person in the mode of the request, from the next call on, with a
        monthly ceiling of their own, which they cannot raise in the portal. It pays only once pools and
        wallet are spent.

        POST /v1/subscription/on-demand. Its inputs are those of SubscriptionOnDemandInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_SUBSCRIPTION_ON_DEMAND, given, options, types.Subscription)


class AsyncSubscriptionWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncSubscription) -> None:
        self.cancel = async_raw(methods.cancel)
        self.resume = async_raw(methods.resume)
        self.show = async_raw(methods.show)
        self.on_demand = async_raw(methods.on_demand)
