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
    """Of limits.set: set the organization's daily limits."""
    application: NotRequired[str]
    """Slug of the application to limit. Omit to limit all applications together."""
    calls_per_day: NotRequired[int | None]
    """Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no
    limit. From 0 to 1000000000.
    """
    spend_per_day_micros: NotRequired[Amount | None]
    """Maximum provider cost per day, in micros. Requests in flight count with the amount they hold.
    Requests whose hold would exceed the limit are rejected. Null means no limit. An integer as a
    decimal string.
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
    """Daily limits that the organization sets for itself."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> LimitsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return LimitsWithRawResponse(Limits(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Limits:
        """Show the organization's daily limits.

        Returns the daily limits of the organization and of its applications, with today's usage. These
        limits protect the organization from its own mistakes. Bundles and keys limit what end users can
        spend.

        GET /v1/limits (an extension).
        """
        return self._sender.call(_LIMITS_SHOW, {}, options, types.Limits)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[LimitsSetInput]) -> types.Limits:
        """Set the organization's daily limits.

        Sets the daily limits (UTC) of the organization, or of one application, for live mode. Omit a
        field to keep the current limit. Set it to None to remove the limit.

        - Requests beyond a limit return 403 `organization_limit_reached`, which clients do not retry.
        - A single server process enforces the limits exactly.
        - Processes that share a database count each other's requests every second, or less often if
        counting is slow (20 times its duration). Requests admitted in between can exceed a limit.

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
    """Daily limits that the organization sets for itself."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncLimitsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncLimitsWithRawResponse(AsyncLimits(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Limits:
        """Show the organization's daily limits.

        Returns the daily limits of the organization and of its applications, with today's usage. These
        limits protect the organization from its own mistakes. Bundles and keys limit what end users can
        spend.

        GET /v1/limits (an extension).
        """
        return await self._sender.call(_LIMITS_SHOW, {}, options, types.Limits)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[LimitsSetInput]) -> types.Limits:
        """Set the organization's daily limits.

        Sets the daily limits (UTC) of the organization, or of one application, for live mode. Omit a
        field to keep the current limit. Set it to None to remove the limit.

        - Requests beyond a limit return 403 `organization_limit_reached`, which clients do not retry.
        - A single server process enforces the limits exactly.
        - Processes that share a database count each other's requests every second, or less often if
        counting is slow (20 times its duration). Requests admitted in between can exceed a limit.

        PATCH /v1/limits (an extension). Its inputs are those of LimitsSetInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_LIMITS_SET, given, options, types.Limits)


class AsyncLimitsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncLimits) -> None:
        self.show = async_raw(methods.show)
        self.set = async_raw(methods.set)
