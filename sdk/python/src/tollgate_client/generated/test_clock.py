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
    """The new time in test mode: later than `now`, no later than `latest`. ISO 8601."""


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

        The time of the test mode of the application, in whichever mode it is asked for.

        GET /v1/test-clock (an extension).
        """
        return self._sender.call(_TEST_CLOCK_SHOW, {}, options, types.TestClock)

    def advance(self, *, options: CallOptions | None = None, **given: Unpack[TestClockAdvanceInput]) -> types.TestClock:
        """Advance the test clock.

        Sets the clock of the test mode of the application forward, from the next call on: periods,
        invoices, caps, limits and the expiry of keys are then as if the time had been waited for. It
        never goes back, and it is at most ten years ahead of the real time. Live mode, and what both
        modes share, stay at the real time. A call in flight ends at the clock that it began with.

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

        The time of the test mode of the application, in whichever mode it is asked for.

        GET /v1/test-clock (an extension).
        """
        return await self._sender.call(_TEST_CLOCK_SHOW, {}, options, types.TestClock)

    async def advance(self, *, options: CallOptions | None = None, **given: Unpack[TestClockAdvanceInput]) -> types.TestClock:
        """Advance the test clock.

        Sets the clock of the test mode of the application forward, from the next call on: periods,
        invoices, caps, limits and the expiry of keys are then as if the time had been waited for. It
        never goes back, and it is at most ten years ahead of the real time. Live mode, and what both
        modes share, stay at the real time. A call in flight ends at the clock that it began with.

        POST /v1/test-clock/advance (an extension). Its inputs are those of TestClockAdvanceInput.
        """
        return await self._sender.call(_TEST_CLOCK_ADVANCE, given, options, types.TestClock)


class AsyncTestClockWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncTestClock) -> None:
        self.show = async_raw(methods.show)
        self.advance = async_raw(methods.advance)
