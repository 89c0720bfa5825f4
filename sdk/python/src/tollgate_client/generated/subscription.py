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
    """Whether the plan ends at the end of the invoiced time. If false, the plan ends now. Defaults to
    true. `True` when left out.
    """


class SubscriptionResumeInput(TypedDict):
    """Of subscription.resume: resume a subscription."""
    external_id: str
    """External ID of the end user, or their ID, `eu_…`. 1 to 256 characters."""


class SubscriptionShowInput(TypedDict):
    """Of subscription.show: show an end user's subscription."""
    end_user_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""


class SubscriptionOnDemandInput(TypedDict):
    """Of subscription.onDemand: set on-demand billing."""
    end_user_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    enabled: bool
    """Whether usage beyond pools and wallet is billed on demand."""
    limit_micros: NotRequired[Amount | None]
    """Maximum on-demand usage per calendar month (UTC), in micros. Null means no limit. Omit to keep the
    current value. An integer as a decimal string.
    """


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
    """An end user's plan, pools and on-demand billing."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> SubscriptionWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return SubscriptionWithRawResponse(Subscription(self._sender.raw()))

    def cancel(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionCancelInput]) -> types.Subscription:
        """Cancel a subscription.

        Cancels the subscription of an end user in the mode of the request. After the end, the end user's
        keys are rejected until `users.subscribe`. Wallet and ledger are kept.

        - By default, the plan ends at the end of the invoiced time, or of the current period if nothing
        was invoiced. `subscription.resume` withdraws the cancellation until then.
        - With `atPeriodEnd: false`, the plan ends now. Invoices that are not due yet are voided, and
        payments are not refunded.
        - Canceling again changes nothing, or ends the plan now.

        POST /v1/end-users/{externalId}/subscription/cancel (an extension). Its inputs are those of
        SubscriptionCancelInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return self._sender.call(_SUBSCRIPTION_CANCEL, given, options, types.Subscription)

    def resume(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionResumeInput]) -> types.Subscription:
        """Resume a subscription.

        Withdraws the cancellation of a subscription in the mode of the request, if the plan has not
        ended yet. A subscription that was not canceled is unchanged.

        POST /v1/end-users/{externalId}/subscription/resume (an extension). Its inputs are those of
        SubscriptionResumeInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return self._sender.call(_SUBSCRIPTION_RESUME, given, options, types.Subscription)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionShowInput]) -> types.Subscription:
        """Show an end user's subscription.

        Returns the plan of an end user in the mode of the request, with its pools, invoices and
        remaining credit.

        GET /v1/subscription. Its inputs are those of SubscriptionShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_SUBSCRIPTION_SHOW, given, options, types.Subscription)

    def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionOnDemandInput]) -> types.Subscription:
        """Set on-demand billing.

        Turns on-demand billing on or off for one end user in the mode of the request, starting with the
        next request. On-demand billing pays only after pools and wallet are used up. The end user cannot
        raise the monthly ceiling in the portal.

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
    """An end user's plan, pools and on-demand billing."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncSubscriptionWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncSubscriptionWithRawResponse(AsyncSubscription(self._sender.raw()))

    async def cancel(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionCancelInput]) -> types.Subscription:
        """Cancel a subscription.

        Cancels the subscription of an end user in the mode of the request. After the end, the end user's
        keys are rejected until `users.subscribe`. Wallet and ledger are kept.

        - By default, the plan ends at the end of the invoiced time, or of the current period if nothing
        was invoiced. `subscription.resume` withdraws the cancellation until then.
        - With `atPeriodEnd: false`, the plan ends now. Invoices that are not due yet are voided, and
        payments are not refunded.
        - Canceling again changes nothing, or ends the plan now.

        POST /v1/end-users/{externalId}/subscription/cancel (an extension). Its inputs are those of
        SubscriptionCancelInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return await self._sender.call(_SUBSCRIPTION_CANCEL, given, options, types.Subscription)

    async def resume(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionResumeInput]) -> types.Subscription:
        """Resume a subscription.

        Withdraws the cancellation of a subscription in the mode of the request, if the plan has not
        ended yet. A subscription that was not canceled is unchanged.

        POST /v1/end-users/{externalId}/subscription/resume (an extension). Its inputs are those of
        SubscriptionResumeInput.

        Raises ApiError: not_found, subscription_ended.
        """
        return await self._sender.call(_SUBSCRIPTION_RESUME, given, options, types.Subscription)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionShowInput]) -> types.Subscription:
        """Show an end user's subscription.

        Returns the plan of an end user in the mode of the request, with its pools, invoices and
        remaining credit.

        GET /v1/subscription. Its inputs are those of SubscriptionShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_SUBSCRIPTION_SHOW, given, options, types.Subscription)

    async def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[SubscriptionOnDemandInput]) -> types.Subscription:
        """Set on-demand billing.

        Turns on-demand billing on or off for one end user in the mode of the request, starting with the
        next request. On-demand billing pays only after pools and wallet are used up. The end user cannot
        raise the monthly ceiling in the portal.

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
