"""Streamed responses: events and lines, each a JSON document, read as they arrive."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

import httpx2
from typing_extensions import Self

from .errors import ConnectionError, StreamEndedError, TollgateError
from .request import Route
from .response import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Streamed(Generic[T]):
    """An event of `text/event-stream`, or one line."""

    data: T | Any
    """A document that the operation returns, or a message from the server about the stream."""
    is_document: bool
    """Whether `data` is a document, and not a message from the server."""
    event: str | None
    """Kind of the event. None if the event has no kind."""
    id: str | None
    """ID of the last event with an ID. A later call can resume after this event (`last_event_id`). None before the
    first event with an ID.
    """


@dataclass(frozen=True)
class Piece:
    text: str
    event: str | None = None
    id: str | None = None


class Splitter(Protocol):
    """Parses a text that arrives in pieces of any size."""

    def feed(self, text: str) -> list[Piece]: ...

    def end(self) -> list[Piece]: ...


class _Lines:
    """Splits text into lines. Text after the last line end also counts as a line. A carriage return at the end of a
    piece may be the first half of a line end. The next piece shows whether a line feed follows the carriage return.
    """

    def __init__(self, end: str) -> None:
        self._end = re.compile(end)
        self._rest = ""

    def feed(self, text: str) -> list[str]:
        *lines, self._rest = self._end.split(self._rest + text)
        return lines

    def end(self) -> list[str]:
        rest, self._rest = self._rest, ""
        return [rest.removesuffix("\r")] if rest else []


class EventSplitter:
    """Parses `text/event-stream` as the HTML standard defines it ("Interpreting an event stream")."""

    def __init__(self) -> None:
        # Use `\Z`, because `$` also matches before a final line break.
        self._lines = _Lines(r"\r\n|\n|\r(?!\Z)")
        self._data: list[str] = []
        self._event: str | None = None
        self._id: str | None = None

    def feed(self, text: str) -> list[Piece]:
        return self._read(self._lines.feed(text))

    def end(self) -> list[Piece]:
        return self._read(self._lines.end())

    def _read(self, lines: list[str]) -> list[Piece]:
        pieces: list[Piece] = []
        for line in lines:
            if line != "":
                self._read_field(line)
                continue
            if self._data:
                pieces.append(Piece("\n".join(self._data), self._event, self._id))
            self._data = []
            self._event = None
        return pieces

    def _read_field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value


class LineSplitter:
    """Parses one document per line."""

    def __init__(self) -> None:
        self._lines = _Lines("\r?\n")

    def feed(self, text: str) -> list[Piece]:
        return self._read(self._lines.feed(text))

    def end(self) -> list[Piece]:
        return self._read(self._lines.end())

    def _read(self, lines: list[str]) -> list[Piece]:
        return [Piece(line) for line in lines if line.strip() != ""]


class _Reading(Generic[T]):
    """Parses the bytes of a stream and detects its end."""

    def __init__(self, route: Route, splitter: Callable[[], Splitter], read: Callable[[Any], T]) -> None:
        self._route = route
        self._splitter = splitter
        self._read = read
        self._last_event_id: str | None = None

    @property
    def last_event_id(self) -> str | None:
        """ID of the last event with an ID that was read, for the option of that name. None before the first event with
        an ID.
        """
        return self._last_event_id

    def _entry(self, piece: Piece, answer: Answer) -> Streamed[T]:
        self._last_event_id = piece.id
        try:
            document = json.loads(piece.text)
        except (ValueError, RecursionError) as cause:
            said = f"{self._route.id}: a part of the stream is not JSON."
            raise answer.unreadable(said, piece.text) from cause
        is_document = self._route.event is None or piece.event == self._route.event
        data = self._read(document) if is_document else document
        return Streamed(data, is_document, piece.event, piece.id)

    def _check_type(self, answer: Answer) -> None:
        kind, wanted = answer.headers.get("content-type", "of no type"), self._route.accept or ""
        if not kind.startswith(wanted):
            raise answer.unreadable(f"{self._route.id}: the response is {kind} and not {wanted}.", "")

    def _broken(self) -> ConnectionError:
        return ConnectionError(f"{self._route.id}: the connection of the stream broke.")

    def _check_end(self, last: Streamed[T] | None) -> None:
        if last is not None and not last.is_document:
            raise StreamEndedError(self._route.id, event=last.event, data=last.data, last_event_id=last.id)


class Stream(_Reading[T]):
    """A stream that has begun. `for` iterates over its documents. The stream ends when the loop is left or when `close`
    is called.

    If the connection breaks, the stream raises ConnectionError. If the server ends the stream with a reason, the stream
    raises StreamEndedError. A stream does not restart. To resume, call the operation again with `last_event_id`.
    """

    def __init__(
        self, route: Route, splitter: Callable[[], Splitter], read: Callable[[Any], T], answer: Answer
    ) -> None:
        super().__init__(route, splitter, read)
        self._answer = answer

    @property
    def request_id(self) -> str | None:
        return self._answer.request_id

    @property
    def headers(self) -> httpx2.Headers:
        return self._answer.headers

    def iter_bytes(self) -> Iterator[bytes]:
        """Returns the unparsed body as it arrives, for responses that are not JSON, such as CSV."""
        try:
            if self._answer.stream is not None:
                yield from self._answer.stream.iter_bytes()
        except httpx2.RequestError as cause:
            raise self._broken() from cause
        finally:
            self.close()

    def entries(self) -> Iterator[Streamed[T]]:
        """Iterates over all events, with their kinds and IDs."""
        splitter, decoder = self._splitter(), codecs.getincrementaldecoder("utf-8-sig")("replace")
        with self:
            self._check_type(self._answer)
            for chunk in self.iter_bytes():
                for piece in splitter.feed(decoder.decode(chunk)):
                    yield self._entry(piece, self._answer)
        for piece in splitter.feed(decoder.decode(b"", True)) + splitter.end():
            yield self._entry(piece, self._answer)

    def __iter__(self) -> Iterator[T]:
        last: Streamed[T] | None = None
        for entry in self.entries():
            last = entry
            if entry.is_document:
                yield entry.data
        self._check_end(last)

    def close(self) -> None:
        if self._answer.stream is not None:
            self._answer.stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncStream(_Reading[T]):
    """A stream that is read asynchronously. `async for` iterates over its documents. With `async with`, the stream ends
    with the block, even if the loop is left early. Otherwise, the stream ends when Python's garbage collector frees
    it.

    If the connection breaks, the stream raises ConnectionError. If the server ends the stream with a reason, the stream
    raises StreamEndedError. A stream does not restart. To resume, call the operation again with `last_event_id`.
    """

    def __init__(
        self,
        route: Route,
        splitter: Callable[[], Splitter],
        read: Callable[[Any], T],
        send: Callable[[], Awaitable[Answer]],
    ) -> None:
        super().__init__(route, splitter, read)
        self._send = send
        self._answer: Answer | None = None

    async def opened(self) -> Self:
        """Waits until the response has begun. Error responses raise an error."""
        await self._opened()
        return self

    async def _opened(self) -> Answer:
        if self._answer is None:
            self._answer = await self._send()
        return self._answer

    @property
    def request_id(self) -> str | None:
        return self._begun().request_id

    @property
    def headers(self) -> httpx2.Headers:
        return self._begun().headers

    def _begun(self) -> Answer:
        if self._answer is None:
            raise TollgateError(
                f"{self._route.id}: the stream has not begun. Call `await stream.opened()` first."
            )
        return self._answer

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """Returns the unparsed body as it arrives, for responses that are not JSON, such as CSV."""
        answer = await self._opened()
        try:
            if answer.stream is not None:
                async for chunk in answer.stream.aiter_bytes():
                    yield chunk
        except httpx2.RequestError as cause:
            raise self._broken() from cause
        finally:
            await self.aclose()

    async def entries(self) -> AsyncIterator[Streamed[T]]:
        """Iterates over all events, with their kinds and IDs."""
        answer = await self._opened()
        splitter, decoder = self._splitter(), codecs.getincrementaldecoder("utf-8-sig")("replace")
        async with self:
            self._check_type(answer)
            async for chunk in self.iter_bytes():
                for piece in splitter.feed(decoder.decode(chunk)):
                    yield self._entry(piece, answer)
        for piece in splitter.feed(decoder.decode(b"", True)) + splitter.end():
            yield self._entry(piece, answer)

    async def __aiter__(self) -> AsyncIterator[T]:
        last: Streamed[T] | None = None
        async for entry in self.entries():
            last = entry
            if entry.is_document:
                yield entry.data
        self._check_end(last)

    async def aclose(self) -> None:
        if self._answer is not None and self._answer.stream is not None:
            await self._answer.stream.aclose()

    async def __aenter__(self) -> Self:
        return await self.opened()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
