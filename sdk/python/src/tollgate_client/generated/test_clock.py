# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import TypedDict, Unpack

from ..inputs import Time
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class TestClockAdvanceInput(TypedDict):
    """Of testClock.advance: advance the test clock."""
    to: Time
    """New time in test mode. It must be later than `now` and no later than `latest`. ISO 8601."""


_TEST_CLOCK_SHOW = Route(
    id="testClock.show",
    method="GET",
    path="/v1/test-clock",
)


_TEST_CLOCK_ADVANCE = Route(
    id="testClock.advance",
    method="POST",
    path="/v1/test-clock/advance",
    takes=TestClockAdvanceInput,
    body="json",
    is_keyed=True,
)


class TestClock:
    """The clock of test mode."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> TestClockWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return TestClockWithRawResponse(TestClock(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None) -> types.TestClock:
        """Show the test clock.

        Returns the application's test time, the real time and the latest time that the clock can be
        advanced to. The mode of the request does not matter.

        GET /v1/test-clock (an extension).
        """
        return self._sender.call(_TEST_CLOCK_SHOW, {}, options, types.TestClock)

    def advance(self, *, options: CallOptions | None = None, **given: Unpack[TestClockAdvanceInput]) -> types.TestClock:
        """Advance the test clock.

        Advances the application's clock in test mode. Takes effect with the next request. Periods,
        invoices, caps, limits and key expiry then behave as if the time had passed.

        - The clock cannot be moved back. It can be at most ten years ahead of the real time.
        - Live mode and everything that both modes share use the real time.
        - A request in flight uses the clock with which it started until it ends.

        POST /v1/test-clock/advance (an extension). Its inputs are those of TestClockAdvanceInput.
        """
        return self._sender.call(_TEST_CLOCK_ADVANCE, given, options, types.TestClock)


class TestClockWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: TestClock) -> None:
        self.show = raw(methods.show)
        self.advance = raw(methods.advance)


class AsyncTestClock:
    """The clock of test mode."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncTestClockWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncTestClockWithRawResponse(AsyncTestClock(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None) -> types.TestClock:
        """Show the test clock.

        Returns the application's test time, the real time and the latest time that the clock can be
        advanced to. The mode of the request does not matter.

        GET /v1/test-clock (an extension).
        """
        return await self._sender.call(_TEST_CLOCK_SHOW, {}, options, types.TestClock)

    async def advance(self, *, options: CallOptions | None = None, **given: Unpack[TestClockAdvanceInput]) -> types.TestClock:
        """Advance the test clock.

        Advances the application's clock in test mode. Takes effect with the next request. Periods,
        invoices, caps, limits and key expiry then behave as if the time had passed.

        - The clock cannot be moved back. It can be at most ten years ahead of the real time.
        - Live mode and everything that both modes share use the real time.
        - A request in flight uses the clock with which it started until it ends.

        POST /v1/test-clock/advance (an extension). Its inputs are those of TestClockAdvanceInput.
        """
        return await self._sender.call(_TEST_CLOCK_ADVANCE, given, options, types.TestClock)


class AsyncTestClockWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncTestClock) -> None:
        self.show = async_raw(methods.show)
        self.advance = async_raw(methods.advance)
