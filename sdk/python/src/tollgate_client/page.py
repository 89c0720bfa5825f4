"""Pages of lists, and iteration over all their rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from .document import Document
from .errors import TollgateError

Item = TypeVar("Item")
Whole = TypeVar("Whole", bound="AsyncPage[Any]")


class _Listed(Document, Generic[Item]):
    data: list[Item]
    next_cursor: str | None

    def __init__(self, document: dict[str, Any], operation: str, ask: Callable[[str], Any]) -> None:
        super().__init__(document)
        self._operation = operation
        self._ask = ask


class Page(_Listed[Item]):
    """A page of a list, as the server returned it. `for` iterates over all rows of this page and of all following
    pages.
    """

    def next_page(self) -> Self | None:
        """Returns the next page. None if this is the last page."""
        return None if self.next_cursor is None else self._ask(self.next_cursor)

    def pages(self) -> Iterator[Self]:
        """Returns this page and all following pages."""
        cursors: set[str] = set()
        page: Self | None = self
        while page is not None:
            yield page
            check_cursor(self._operation, page.next_cursor, cursors)
            page = page.next_page()

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.data


class AsyncPage(_Listed[Item]):
    """A page of a list, as the server returned it, with access to the next page."""

    async def next_page(self) -> Self | None:
        """Returns the next page. None if this is the last page."""
        return None if self.next_cursor is None else await self._ask(self.next_cursor)

    async def pages(self) -> AsyncIterator[Self]:
        """Returns this page and all following pages."""
        cursors: set[str] = set()
        page: Self | None = self
        while page is not None:
            yield page
            check_cursor(self._operation, page.next_cursor, cursors)
            page = await page.next_page()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for row in page.data:
                yield row


class AsyncPageCall(Generic[Item, Whole]):
    """A running list call. `await` returns its first page, and `async for` iterates over all rows, page by page."""

    def __init__(self, ask: Callable[[], Awaitable[Whole]], page: Callable[[], Awaitable[Whole]]) -> None:
        self._ask = ask
        self._page = page

    def __await__(self) -> Generator[Any, None, Whole]:
        return self._ask().__await__()

    async def pages(self) -> AsyncIterator[Whole]:
        """Iterates over all pages."""
        async for page in (await self._page()).pages():
            yield page

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for row in page.data:
                yield row


def check_cursor(operation: str, cursor: str | None, seen: set[str]) -> None:
    if cursor is None:
        return
    if cursor in seen:
        raise TollgateError(
            f"{operation}: the server returned the same cursor twice, so the pages would repeat endlessly."
        )
    seen.add(cursor)
