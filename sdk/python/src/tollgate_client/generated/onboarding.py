# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types

_ONBOARDING_STATUS = Route(
    id="onboarding.status",
    method="GET",
    path="/v1/onboarding",
)


_ONBOARDING_COMPLETE = Route(
    id="onboarding.complete",
    method="POST",
    path="/v1/onboarding/complete",
    is_keyed=True,
)


_ONBOARDING_FUND_AND_TRY = Route(
    id="onboarding.fundAndTry",
    method="POST",
    path="/v1/onboarding/fund-and-try",
    is_keyed=True,
)


class Onboarding:
    """How far the set-up is, up to a first settled call."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> OnboardingWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return OnboardingWithRawResponse(Onboarding(self._sender.raw()))

    def status(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Show how far the set-up is.

        The six steps to a first settled call in the mode of the request, each as the server finds it
        now, and the call that does it.

        GET /v1/onboarding.
        """
        return self._sender.call(_ONBOARDING_STATUS, {}, options, types.Onboarding)

    def complete(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record that the set-up is complete.

        Refused while a step of the mode is missing, naming it. The time of the first success is kept;
        repeating it changes nothing, whatever was undone since.

        POST /v1/onboarding/complete.

        Raises ApiError: onboarding_incomplete.
        """
        return self._sender.call(_ONBOARDING_COMPLETE, {}, options, types.Onboarding)

    def fund_and_try(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record that money was given and a call tried.

        Refused until someone of the application was given money in the mode, by a grant or by the pools
        of a plan, and a call has settled. The time of the first success is kept; repeating it changes
        nothing.

        POST /v1/onboarding/fund-and-try.

        Raises ApiError: onboarding_incomplete.
        """
        return self._sender.call(_ONBOARDING_FUND_AND_TRY, {}, options, types.Onboarding)


class OnboardingWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Onboarding) -> None:
        self.status = raw(methods.status)
        self.complete = raw(methods.complete)
        self.fund_and_try = raw(methods.fund_and_try)


class AsyncOnboarding:
    """How far the set-up is, up to a first settled call."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncOnboardingWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncOnboardingWithRawResponse(AsyncOnboarding(self._sender.raw()))

    async def status(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Show how far the set-up is.

        The six steps to a first settled call in the mode of the request, each as the server finds it
        now, and the call that does it.

        GET /v1/onboarding.
        """
        return await self._sender.call(_ONBOARDING_STATUS, {}, options, types.Onboarding)

    async def complete(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record that the set-up is complete.

        Refused while a step of the mode is missing, naming it. The time of the first success is kept;
        repeating it changes nothing, whatever was undone since.

        POST /v1/onboarding/complete.

        Raises ApiError: onboarding_incomplete.
        """
        return await self._sender.call(_ONBOARDING_COMPLETE, {}, options, types.Onboarding)

    async def fund_and_try(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record that money was given and a call tried.

        Refused until someone of the application was given money in the mode, by a grant or by the pools
        of a plan, and a call has settled. The time of the first success is kept; repeating it changes
        nothing.

        POST /v1/onboarding/fund-and-try.

        Raises ApiError: onboarding_incomplete.
        """
        return await self._sender.call(_ONBOARDING_FUND_AND_TRY, {}, options, types.Onboarding)


class AsyncOnboardingWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncOnboarding) -> None:
        self.status = async_raw(methods.status)
        self.complete = async_raw(methods.complete)
        self.fund_and_try = async_raw(methods.fund_and_try)
