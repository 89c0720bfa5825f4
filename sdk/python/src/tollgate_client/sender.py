"""Sends a call with all its retries. `Core` decides the next step of a call. A sender, either synchronous or
asynchronous, carries out the step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any, TypeVar, cast

import httpx2

from .attempt import async_attempt, attempt
from .errors import TollgateError
from .page import AsyncPage, AsyncPageCall, Page
from .request import Prepared, Route, prepare
from .response import Answer, RawResponse, json_of
from .retry import Chance, RetryBudget, retry_wait_ms
from .settings import AsyncClock, CallOptions, Clock, Settings, non_negative
from .stream import AsyncStream, EventSplitter, LineSplitter, Splitter, Stream

T = TypeVar("T")
P = TypeVar("P", bound=Page[Any])
A = TypeVar("A", bound=AsyncPage[Any])
Given = Mapping[str, object]
Read = Callable[[Any], T]


@dataclass(frozen=True)
class _Try:
    """A step in which the sender sends a request. The sender returns the response or the error to `Core`."""

    request: Prepared
    timeout_ms: float


@dataclass(frozen=True)
class _Wait:
    """A step in which the sender waits."""

    ms: float


_Tries = Generator[_Try | _Wait, Answer | TollgateError | None, Answer]


@dataclass
class Core:
    """Makes the decisions that are the same for both senders."""

    settings: Settings
    budget: RetryBudget = field(default_factory=RetryBudget)

    def tries(self, route: Route, given: Given, options: CallOptions | None, clock: Chance) -> _Tries:
        told = options or {}
        settings = self.settings
        prepared = prepare(route, given, options, settings)
        max_retries = non_negative("max_retries", told.get("max_retries", settings.max_retries))
        timeout_ms = non_negative("timeout_ms", told.get("timeout_ms", settings.timeout_ms))
        total_ms = non_negative("total_timeout_ms", told.get("total_timeout_ms", settings.total_timeout_ms))
        ends_at = clock.now() + total_ms
        retries = 0
        while True:
            outcome = yield _Try(prepared.numbered(retries), min(timeout_ms, ends_at - clock.now()))
            if isinstance(outcome, Answer):
                self.budget.earn()
                return outcome
            assert outcome is not None
            may_retry = retries < max_retries
            wait_ms = retry_wait_ms(outcome, retries, prepared.is_safe, clock) if may_retry else None
            if wait_ms is None or clock.now() + wait_ms >= ends_at or not self.budget.take():
                raise outcome
            yield _Wait(wait_ms)
            retries += 1


def new_http_client() -> httpx2.Client:
    http = httpx2.Client()
    http.cookies.jar.set_policy(_no_cookies())
    return http


def new_async_http_client() -> httpx2.AsyncClient:
    http = httpx2.AsyncClient()
    http.cookies.jar.set_policy(_no_cookies())
    return http


def _no_cookies() -> DefaultCookiePolicy:
    """Stores no cookies, so that a session cookie of one response is not sent with the next request."""
    return DefaultCookiePolicy(allowed_domains=[])


class Sender:
    """Sends calls in the caller's thread, and waits for each response."""

    def __init__(self, core: Core, http: httpx2.Client, clock: Clock, is_raw: bool = False) -> None:
        self._core = core
        self._http = http
        self._clock = clock
        self._is_raw = is_raw

    def raw(self) -> Sender:
        """Returns a sender whose calls return a RawResponse."""
        return Sender(self._core, self._http, self._clock, is_raw=True)

    def call(self, route: Route, given: Given, options: CallOptions | None, read: Read[T]) -> T:
        """Calls an operation that returns one document."""
        return self._given(route, self._send(route, given, options), read)

    def page(self, route: Route, given: Given, options: CallOptions | None, whole: type[P]) -> P:
        """Calls an operation that returns a page of a list."""

        def ask(cursor: str) -> P:
            answer = self._send(route, {**given, "cursor": cursor}, options)
            return page_of(json_of(route.id, answer))

        def page_of(document: Any) -> P:
            return whole(document, route.id, ask)

        return self._given(route, self._send(route, given, options), page_of)

    def events(self, route: Route, given: Given, options: CallOptions | None, read: Read[T]) -> Stream[T]:
        """Calls an operation that returns events (`text/event-stream`), each with a document."""
        return self._stream(route, given, options, read, EventSplitter)

    def lines(self, route: Route, given: Given, options: CallOptions | None, read: Read[T]) -> Stream[T]:
        """Calls an operation that returns lines (`application/x-ndjson`). Each line is a document."""
        return self._stream(route, given, options, read, LineSplitter)

    def _stream(
        self,
        route: Route,
        given: Given,
        options: CallOptions | None,
        read: Read[T],
        splitter: Callable[[], Splitter],
    ) -> Stream[T]:
        return Stream(route, splitter, read, self._send(route, given, options))

    def _given(self, route: Route, answer: Answer, read: Read[T]) -> T:
        parse = _parser(route, read)
        # Raw clients declare other return types for the same methods, so the value is cast to `T` here.
        return cast("T", RawResponse(answer, parse)) if self._is_raw else parse(answer)

    def _send(self, route: Route, given: Given, options: CallOptions | None) -> Answer:
        tries = self._core.tries(route, given, options, self._clock)
        outcome: Answer | TollgateError | None = None
        while True:
            try:
                step = tries.send(outcome)
            except StopIteration as done:
                answer: Answer = done.value
                return answer
            outcome = None
            if isinstance(step, _Wait):
                self._clock.sleep(step.ms)
                continue
            try:
                outcome = attempt(self._http, step.request, step.timeout_ms, route.accept is not None)
            except TollgateError as error:
                outcome = error


class AsyncSender:
    """Sends calls that can be awaited."""

    def __init__(self, core: Core, http: httpx2.AsyncClient, clock: AsyncClock, is_raw: bool = False) -> None:
        self._core = core
        self._http = http
        self._clock = clock
        self._is_raw = is_raw

    def raw(self) -> AsyncSender:
        """Returns a sender whose calls return a RawResponse."""
        return AsyncSender(self._core, self._http, self._clock, is_raw=True)

    async def call(self, route: Route, given: Given, options: CallOptions | None, read: Read[T]) -> T:
        """Calls an operation that returns one document."""
        return self._given(route, await self._send(route, given, options), read)

    def page(
        self, route: Route, given: Given, options: CallOptions | None, whole: type[A]
    ) -> AsyncPageCall[Any, A]:
        """Calls an operation that returns a page of a list."""

        async def ask(cursor: str) -> A:
            answer = await self._send(route, {**given, "cursor": cursor}, options)
            return page_of(json_of(route.id, answer))

        def page_of(document: Any) -> A:
            return whole(document, route.id, ask)

        async def first() -> A:
            return self._given(route, await self._send(route, given, options), page_of)

        async def first_page() -> A:
            return _parser(route, page_of)(await self._send(route, given, options))

        return AsyncPageCall(first, first_page)

    def events(
        self, route: Route, given: Given, options: CallOptions | None, read: Read[T]
    ) -> AsyncStream[T]:
        """Calls an operation that returns events (`text/event-stream`), each with a document."""
        return self._stream(route, given, options, read, EventSplitter)

    def lines(self, route: Route, given: Given, options: CallOptions | None, read: Read[T]) -> AsyncStream[T]:
        """Calls an operation that returns lines (`application/x-ndjson`). Each line is a document."""
        return self._stream(route, given, options, read, LineSplitter)

    def _stream(
        self,
        route: Route,
        given: Given,
        options: CallOptions | None,
        read: Read[T],
        splitter: Callable[[], Splitter],
    ) -> AsyncStream[T]:
        return AsyncStream(route, splitter, read, lambda: self._send(route, given, options))

    def _given(self, route: Route, answer: Answer, read: Read[T]) -> T:
        parse = _parser(route, read)
        # Raw clients declare other return types for the same methods, so the value is cast to `T` here.
        return cast("T", RawResponse(answer, parse)) if self._is_raw else parse(answer)

    async def _send(self, route: Route, given: Given, options: CallOptions | None) -> Answer:
        tries = self._core.tries(route, given, options, self._clock)
        outcome: Answer | TollgateError | None = None
        while True:
            try:
                step = tries.send(outcome)
            except StopIteration as done:
                answer: Answer = done.value
                return answer
            outcome = None
            if isinstance(step, _Wait):
                await self._clock.sleep(step.ms)
                continue
            try:
                is_streamed = route.accept is not None
                outcome = await async_attempt(self._http, step.request, step.timeout_ms, is_streamed)
            except TollgateError as error:
                outcome = error


def _parser(route: Route, read: Read[T]) -> Callable[[Answer], T]:
    def parse(answer: Answer) -> T:
        document = json_of(route.id, answer)
        # Return None for a response without a body. The type is Any, because no operation declares such a response.
        nothing: Any = None
        return nothing if document is None else read(document)

    return parse
