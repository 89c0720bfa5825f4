# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..inputs import Amount
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import ConditionalOptions
from . import types


class LimitsSetInput(TypedDict):
    """Of limits.set: set the organization's own limits."""
    application: NotRequired[str]
    """The application to limit; left out: all applications together."""
    calls_per_day: NotRequired[int | None]
    """Most calls of a day, those in flight included; 0: none at all; None: no limit. From 0 to
    1000000000.
    """
    spend_per_day_micros: NotRequired[Amount | None]
    """Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call
    whose hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
    """


_LIMITS_SHOW = Route(
    id="limits.show",
    method="GET",
    path="/v1/limits",
)


_LIMITS_SET = Route(
    id="limits.set",
    method="PATCH",
    path="/v1/limits",
    takes=LimitsSetInput,
    body="json",
    is_keyed=True,
)


class Limits:
    """What the organization allows itself a day."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> LimitsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return LimitsWithRawResponse(Limits(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Limits:
        """Show the organization's own limits.

        What the organization allows itself a day, over all applications and in single ones, and what of
        it is used today. The limits are a net against its own mistakes; what end users may spend is set
        by bundles and keys.

        GET /v1/limits (an extension).
        """
        return self._sender.call(_LIMITS_SHOW, {}, options, types.Limits)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[LimitsSetInput]) -> types.Limits:
        """Set the organization's own limits.

        Sets what the organization, or one application of it, may use a day (UTC) in live mode. Fields
        that are left out stay as they are; None takes a limit away. A call beyond a limit is 403
        `organization_limit_reached`, and its client does not repeat it. One process keeps to a limit
        exactly. Several processes on one database know of each other’s calls after a second, or after
        twenty times as long as the count takes to read: by what each of them admits in that time a limit
        may be exceeded.

        PATCH /v1/limits (an extension). Its inputs are those of LimitsSetInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_LIMITS_SET, given, options, types.Limits)


class LimitsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Limits) -> None:
        self.show = raw(methods.show)
        self.set = raw(methods.set)


class AsyncLimits:
    """What the organization allows itself a day."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncLimitsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncLimitsWithRawResponse(AsyncLimits(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Limits:
        """Show the organization's own limits.

        What the organization allows itself a day, over all applications and in single ones, and what of
        it is used today. The limits are a net against its own mistakes; what end users may spend is set
        by bundles and keys.

        GET /v1/limits (an extension).
        """
        return await self._sender.call(_LIMITS_SHOW, {}, options, types.Limits)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[LimitsSetInput]) -> types.Limits:
        """Set the organization's own limits.

        Sets what the organization, or one application of it, may use a day (UTC) in live mode. Fields
        that are left out stay as they are; None takes a limit away. A call beyond a limit is 403
        `organization_limit_reached`, and its client does not repeat it. One process keeps to a limit
        exactly. Several processes on one database know of each other’s calls after a second, or after
        twenty times as long as the count takes to read: by what each of them admits in that time a limit
        may be exceeded.

        PATCH /v1/limits (an extension). Its inputs are those of LimitsSetInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_LIMITS_SET, given, options, types.Limits)


class AsyncLimitsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncLimits) -> None:
        self.show = async_raw(methods.show)
        self.set = async_raw(methods.set)
