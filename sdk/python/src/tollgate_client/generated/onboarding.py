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
    """Setup progress, up to the first settled request."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> OnboardingWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return OnboardingWithRawResponse(Onboarding(self._sender.raw()))

    def status(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Show the setup progress.

        Returns the six steps to a first settled request in the mode of the request. Each step has its
        current state and the operation that completes it.

        GET /v1/onboarding.
        """
        return self._sender.call(_ONBOARDING_STATUS, {}, options, types.Onboarding)

    def complete(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Complete the setup.

        Records that every setup step is done in the mode of the request. Fails if a step is missing, and
        the error names it. The time of the first success is kept. Repeating the request changes nothing,
        even if a step was undone since.

        POST /v1/onboarding/complete.

        Raises ApiError: onboarding_incomplete.
        """
        return self._sender.call(_ONBOARDING_COMPLETE, {}, options, types.Onboarding)

    def fund_and_try(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record the first funded request.

        Records that an end user has received credit and a request has settled. Fails if no end user has
        received credit (a grant or plan pool) in this mode, or if no request has settled. The time of
        the first success is kept. Repeating the request changes nothing.

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
    """Setup progress, up to the first settled request."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncOnboardingWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncOnboardingWithRawResponse(AsyncOnboarding(self._sender.raw()))

    async def status(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Show the setup progress.

        Returns the six steps to a first settled request in the mode of the request. Each step has its
        current state and the operation that completes it.

        GET /v1/onboarding.
        """
        return await self._sender.call(_ONBOARDING_STATUS, {}, options, types.Onboarding)

    async def complete(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Complete the setup.

        Records that every setup step is done in the mode of the request. Fails if a step is missing, and
        the error names it. The time of the first success is kept. Repeating the request changes nothing,
        even if a step was undone since.

        POST /v1/onboarding/complete.

        Raises ApiError: onboarding_incomplete.
        """
        return await self._sender.call(_ONBOARDING_COMPLETE, {}, options, types.Onboarding)

    async def fund_and_try(self, *, options: CallOptions | None = None) -> types.Onboarding:
        """Record the first funded request.

        Records that an end user has received credit and a request has settled. Fails if no end user has
        received credit (a grant or plan pool) in this mode, or if no request has settled. The time of
        the first success is kept. Repeating the request changes nothing.

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
