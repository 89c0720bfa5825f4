# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class OutcomesListInput(TypedDict):
    """Of outcomes.list: list outcomes."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class OutcomesListOutput(Document):
    """What outcomes.list answers."""
    data: list[types.Outcome]
    next_cursor: str | None


class OutcomesListPage(OutcomesListOutput, Page[types.Outcome]):
    """A page of outcomes.list."""


class AsyncOutcomesListPage(OutcomesListOutput, AsyncPage[types.Outcome]):
    """A page of outcomes.list."""


class OutcomesShowInput(TypedDict):
    """Of outcomes.show: show an outcome."""
    slug: str
    """Slug of the outcome. 1 to 64 characters."""


class OutcomesAddInput(TypedDict):
    """Of outcomes.add: create an outcome."""
    slug: str
    """Slug of the outcome, sent in requests as `svc.outcome`."""
    display_name: NotRequired[str]
    """Display name. Required on creation. Omit to keep the current value. 1 to 128 characters."""
    ceiling_micros: NotRequired[Amount]
    """Spend ceiling of one run, in micros. Required on creation. Omit to keep the current value. An
    integer as a decimal string.
    """


class OutcomesRmInput(TypedDict):
    """Of outcomes.rm: archive an outcome."""
    slug: str
    """Slug of the outcome. 1 to 64 characters."""


class OutcomesRunsInput(TypedDict):
    """Of outcomes.runs: list runs of an outcome."""
    slug: str
    """Slug of the outcome. 1 to 64 characters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    status: NotRequired[Literal["running", "done", "capped", "failed"]]
    """Returns only runs with this status."""
    end_user_id: NotRequired[str]
    """External ID of an end user. Returns only runs of that end user. 1 to 256 characters."""


class OutcomesRunsOutput(Document):
    """What outcomes.runs answers."""
    data: list[types.OutcomeRun]
    next_cursor: str | None


class OutcomesRunsPage(OutcomesRunsOutput, Page[types.OutcomeRun]):
    """A page of outcomes.runs."""


class AsyncOutcomesRunsPage(OutcomesRunsOutput, AsyncPage[types.OutcomeRun]):
    """A page of outcomes.runs."""


class OutcomesFinishInput(TypedDict):
    """Of outcomes.finish: end a run."""
    slug: str
    """Slug of the outcome. 1 to 64 characters."""
    id: str
    """ID of the run, sent in requests as `svc.outcome_id`. 1 to 256 characters."""
    status: Literal["done", "failed"]
    """Result of the run."""
    end_user_id: NotRequired[str]
    """External ID of the end user. Required if several end users have a run with this ID. 1 to 256
    characters.
    """


_OUTCOMES_LIST = Route(
    id="outcomes.list",
    method="GET",
    path="/v1/outcomes",
    takes=OutcomesListInput,
    query=("limit", "cursor",),
)


_OUTCOMES_SHOW = Route(
    id="outcomes.show",
    method="GET",
    path="/v1/outcomes/{slug}",
    takes=OutcomesShowInput,
)


_OUTCOMES_ADD = Route(
    id="outcomes.add",
    method="PUT",
    path="/v1/outcomes/{slug}",
    takes=OutcomesAddInput,
    body="json",
    is_keyed=True,
)


_OUTCOMES_RM = Route(
    id="outcomes.rm",
    method="DELETE",
    path="/v1/outcomes/{slug}",
    takes=OutcomesRmInput,
)


_OUTCOMES_RUNS = Route(
    id="outcomes.runs",
    method="GET",
    path="/v1/outcomes/{slug}/runs",
    takes=OutcomesRunsInput,
    query=("limit", "cursor", "status", "endUserId",),
)


_OUTCOMES_FINISH = Route(
    id="outcomes.finish",
    method="POST",
    path="/v1/outcomes/{slug}/runs/{id}/finish",
    takes=OutcomesFinishInput,
    body="json",
    is_keyed=True,
)


class Outcomes:
    """Runs of several requests under one spend ceiling."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> OutcomesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return OutcomesWithRawResponse(Outcomes(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesListInput]) -> OutcomesListPage:
        """List outcomes.

        Returns the application's outcomes, newest first, with their runs and spending in the mode of the
        request.

        GET /v1/outcomes. Its inputs are those of OutcomesListInput.
        """
        return self._sender.page(_OUTCOMES_LIST, given, options, OutcomesListPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesShowInput]) -> types.Outcome:
        """Show an outcome.

        Returns an outcome, with its runs and spending in the mode of the request.

        GET /v1/outcomes/{slug}. Its inputs are those of OutcomesShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_OUTCOMES_SHOW, given, options, types.Outcome)

    def add(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesAddInput]) -> types.Outcome:
        """Create an outcome.

        Creates the outcome, or changes the existing one. An archived outcome accepts runs again. A new
        ceiling applies to runs in progress starting with their next request, and a higher ceiling
        reopens runs that had reached the previous one.

        PUT /v1/outcomes/{slug}. Its inputs are those of OutcomesAddInput.
        """
        return self._sender.call(_OUTCOMES_ADD, given, options, types.Outcome)

    def rm(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesRmInput]) -> types.Outcome:
        """Archive an outcome.

        Archives the outcome, so that it accepts no new requests. Requests in flight continue and are
        charged. The outcome and its runs stay in lists, and outcomes.add restores the outcome. Repeating
        the request changes nothing.

        DELETE /v1/outcomes/{slug}. Its inputs are those of OutcomesRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_OUTCOMES_RM, given, options, types.Outcome)

    def runs(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesRunsInput]) -> OutcomesRunsPage:
        """List runs of an outcome.

        Returns the runs of the outcome in the mode of the request, newest first.

        GET /v1/outcomes/{slug}/runs. Its inputs are those of OutcomesRunsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_OUTCOMES_RUNS, given, options, OutcomesRunsPage)

    def finish(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesFinishInput]) -> types.OutcomeRun:
        """End a run.

        Sets the result of a run. New requests in the run are rejected. Requests in flight continue and
        are charged. Repeating the request changes nothing. A run that already has another result keeps
        it.

        POST /v1/outcomes/{slug}/runs/{id}/finish (an extension). Its inputs are those of
        OutcomesFinishInput.

        Raises ApiError: not_found, outcome_finished.
        """
        return self._sender.call(_OUTCOMES_FINISH, given, options, types.OutcomeRun)


class OutcomesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Outcomes) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.add = raw(methods.add)
        self.rm = raw(methods.rm)
        self.runs = raw(methods.runs)
        self.finish = raw(methods.finish)


class AsyncOutcomes:
    """Runs of several requests under one spend ceiling."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncOutcomesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncOutcomesWithRawResponse(AsyncOutcomes(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesListInput]) -> AsyncPageCall[types.Outcome, AsyncOutcomesListPage]:
        """List outcomes.

        Returns the application's outcomes, newest first, with their runs and spending in the mode of the
        request.

        GET /v1/outcomes. Its inputs are those of OutcomesListInput.
        """
        return self._sender.page(_OUTCOMES_LIST, given, options, AsyncOutcomesListPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesShowInput]) -> types.Outcome:
        """Show an outcome.

        Returns an outcome, with its runs and spending in the mode of the request.

        GET /v1/outcomes/{slug}. Its inputs are those of OutcomesShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_OUTCOMES_SHOW, given, options, types.Outcome)

    async def add(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesAddInput]) -> types.Outcome:
        """Create an outcome.

        Creates the outcome, or changes the existing one. An archived outcome accepts runs again. A new
        ceiling applies to runs in progress starting with their next request, and a higher ceiling
        reopens runs that had reached the previous one.

        PUT /v1/outcomes/{slug}. Its inputs are those of OutcomesAddInput.
        """
        return await self._sender.call(_OUTCOMES_ADD, given, options, types.Outcome)

    async def rm(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesRmInput]) -> types.Outcome:
        """Archive an outcome.

        Archives the outcome, so that it accepts no new requests. Requests in flight continue and are
        charged. The outcome and its runs stay in lists, and outcomes.add restores the outcome. Repeating
        the request changes nothing.

        DELETE /v1/outcomes/{slug}. Its inputs are those of OutcomesRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_OUTCOMES_RM, given, options, types.Outcome)

    def runs(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesRunsInput]) -> AsyncPageCall[types.OutcomeRun, AsyncOutcomesRunsPage]:
        """List runs of an outcome.

        Returns the runs of the outcome in the mode of the request, newest first.

        GET /v1/outcomes/{slug}/runs. Its inputs are those of OutcomesRunsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_OUTCOMES_RUNS, given, options, AsyncOutcomesRunsPage)

    async def finish(self, *, options: CallOptions | None = None, **given: Unpack[OutcomesFinishInput]) -> types.OutcomeRun:
        """End a run.

        Sets the result of a run. New requests in the run are rejected. Requests in flight continue and
        are charged. Repeating the request changes nothing. A run that already has another result keeps
        it.

        POST /v1/outcomes/{slug}/runs/{id}/finish (an extension). Its inputs are those of
        OutcomesFinishInput.

        Raises ApiError: not_found, outcome_finished.
        """
        return await self._sender.call(_OUTCOMES_FINISH, given, options, types.OutcomeRun)


class AsyncOutcomesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncOutcomes) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.add = async_raw(methods.add)
        self.rm = async_raw(methods.rm)
        self.runs = async_raw(methods.runs)
        self.finish = async_raw(methods.finish)
