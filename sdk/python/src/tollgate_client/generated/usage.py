# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document, reader
from ..inputs import Time
from ..request import Route
from ..response import RawResponse, async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from ..stream import AsyncStream, Stream
from . import types


class UsageInput(TypedDict):
    """Of usage: show usage by model name."""
    end_user_id: NotRequired[str]
    """External id of one person, or the id `eu_…` of a removed one; left out: everyone. 1 to 256
    characters.
    """
    from_: NotRequired[Time]
    """The first day, or a time in it. ISO 8601."""
    to: NotRequired[Time]
    """The end, not included. ISO 8601."""


class UsageOutputRows(Document):
    requested_model: str
    """The requested model name."""
    calls: int
    """Settled calls."""
    input_tokens: int
    """Tokens in."""
    output_tokens: int
    """Tokens out."""
    billed_micros: str
    """Amount billed, in micros, less refunds made in the range. Negative if refunds of earlier requests
    exceed it. An integer as a decimal string.
    """
    over_hold_micros: str
    """What was used beyond what was held for them: neither charged nor billed, the cost of the
    application. An integer as a decimal string.
    """


class UsageOutput(Document):
    """What usage answers."""
    rows: list[UsageOutputRows]
    """By model name, in name order."""
    totals: types.UsageTotals
    """All rows together."""


class UsageExportInput(TypedDict):
    """Of usage.export: export usage records."""
    from_: NotRequired[Time]
    """Only what settled on that day (UTC) or time, or later; left out: from the first record on. ISO
    8601.
    """
    to: NotRequired[Time]
    """Only what settled before that day (UTC) or time; left out, or later than two minutes ago: two
    minutes ago. The header `x-export-to` says which time was taken. ISO 8601.
    """
    end_user_id: NotRequired[str]
    """External id, or the id `eu_…` of a removed person: only records of that person. 1 to 256
    characters.
    """
    format: NotRequired[Literal["ndjson", "csv"]]
    """`ndjson`: a JSON object a line; `csv`: RFC 4180 with a header line, UTF-8. `ndjson` when left out.
    """
    columns: NotRequired[Literal["usage", "focus"]]
    """`usage`: all that is kept of a call; `focus`: the columns of FOCUS 1.2. `usage` when left out."""
    after: NotRequired[str]
    """Goes on after a row: its `id`, or `x_usage_record_id`, `ur_…` or `cor_…`. Needs `to`. CSV then
    comes without a header line. 1 to 64 characters.
    """


UsageExportOutput: TypeAlias = types.UsageRow | types.FocusRow
"""What usage.export answers."""


class UsageSeriesInput(TypedDict):
    """Of usage.series: show usage over time."""
    from_: NotRequired[Time]
    """The beginning, or a time in the first bucket; left out: seven days before the end. ISO 8601."""
    to: NotRequired[Time]
    """The end, not included; left out: now. ISO 8601."""
    bucket: NotRequired[Literal["minute", "hour", "day"]]
    """Left out: minutes of up to two hours, hours of up to three days, else days; days where only those
    are known.
    """
    by: NotRequired[Literal["model", "provider", "bundle", "endUser", "key"]]
    """What the groups are; left out: there are none."""
    top: NotRequired[int]
    """Maximum number of groups; all others are added up as `other`. Defaults to 7. From 1 to 20."""
    order: NotRequired[Literal["chargeMicros", "billedMicros", "costMicros", "calls"]]
    """By which figure of the range the groups are chosen and ordered. `charge_micros` when left out."""
    latency: NotRequired[bool]
    """`True`: `latency` has percentiles of each bucket; of a range of 31 days at most, not of people and
    keys.
    """
    model: NotRequired[str]
    """Only calls that asked for that name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its ID, `pa_…`: only calls that it answered, and the cost of its
    failed attempts. 1 to 64 characters.
    """
    bundle: NotRequired[str]
    """Slug: only calls that were charged by that bundle. 1 to 64 characters."""
    end_user_id: NotRequired[str]
    """External id, or the id `eu_…` of a removed person: only charged calls of that person, by day. 1 to
    256 characters.
    """
    key_id: NotRequired[str]
    """Id of a key, `key_…`: only charged calls with it, by day. 1 to 64 characters."""


_USAGE = Route(
    id="usage",
    method="GET",
    path="/v1/usage",
    takes=UsageInput,
    query=("endUserId", "from", "to",),
)


_USAGE_EXPORT = Route(
    id="usage.export",
    method="GET",
    path="/v1/usage/export",
    takes=UsageExportInput,
    query=("from", "to", "endUserId", "format", "columns", "after",),
    accept="application/x-ndjson",
)


_USAGE_SERIES = Route(
    id="usage.series",
    method="GET",
    path="/v1/usage/series",
    takes=UsageSeriesInput,
    query=("from", "to", "bucket", "by", "top", "order", "latency", "model", "provider", "bundle", "endUserId", "keyId",),
)


class Usage:
    """What was used, by model name."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> UsageWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return UsageWithRawResponse(Usage(self._sender.raw()))

    def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> UsageOutput:
        """Show usage by model name.

        What was used in the mode of the request, by the name that was asked for; of one person or of
        all. Sums are kept per day (UTC): a time within a day takes the whole day.

        GET /v1/usage. Its inputs are those of UsageInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USAGE, given, options, UsageOutput)

    def export(self, *, options: CallOptions | None = None, **given: Unpack[UsageExportInput]) -> Stream[UsageExportOutput]:
        """Export usage records.

        Streams every usage record of the application and mode that settled in a span of time, one row
        each, in the order of an index and not of time, and then a row for each correction made in it. A
        span is over when it is exported: what settles meanwhile settles after `to`, so spans that follow
        each other have every record once (docs/guides/exports-and-tail.md says what a store that was
        away for longer changes). Amounts are exact. An answer that was cut off ends without the last
        chunk of its body: go on with the same query, with `to` as the header `x-export-to` had it, and
        `after` naming the last row that arrived whole. In CSV a text that begins with `=`, `+`, `-`, `@`
        or an apostrophe has an apostrophe before it, so that no spreadsheet runs it: drop one to read
        it.

        GET /v1/usage/export (an extension). Its inputs are those of UsageExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.lines(_USAGE_EXPORT, given, options, reader(UsageExportOutput))

    def series(self, *, options: CallOptions | None = None, **given: Unpack[UsageSeriesInput]) -> types.UsageSeries:
        """Show usage over time.

        What calls of the mode add up to that ended in each minute, hour or day (UTC), together and by
        name, provider account, bundle, end user or key: those with the most, and all others as one. The
        groups and `other` add up to `all`, to the micro. The range is widened to whole buckets; an
        answer has 360 minutes, 336 hours or 400 days at most. Hours are read from sums per hour and the
        calls since the last full hour, minutes from the calls. Days without a group and by name have the
        money of `margin` and `usage`, including calls that ended late. By provider, the cost of a failed
        attempt counts with the account that made it. Days by end user and key are read from sums per day
        of charged calls.

        GET /v1/usage/series (an extension). Its inputs are those of UsageSeriesInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USAGE_SERIES, given, options, types.UsageSeries)


class UsageWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Usage) -> None:
        self.series = raw(methods.series)
        self._itself = raw(methods.__call__)

    def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> RawResponse[UsageOutput]:
        return self._itself(options=options, **given)


class AsyncUsage:
    """What was used, by model name."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncUsageWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncUsageWithRawResponse(AsyncUsage(self._sender.raw()))

    async def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> UsageOutput:
        """Show usage by model name.

        What was used in the mode of the request, by the name that was asked for; of one person or of
        all. Sums are kept per day (UTC): a time within a day takes the whole day.

        GET /v1/usage. Its inputs are those of UsageInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USAGE, given, options, UsageOutput)

    def export(self, *, options: CallOptions | None = None, **given: Unpack[UsageExportInput]) -> AsyncStream[UsageExportOutput]:
        """Export usage records.

        Streams every usage record of the application and mode that settled in a span of time, one row
        each, in the order of an index and not of time, and then a row for each correction made in it. A
        span is over when it is exported: what settles meanwhile settles after `to`, so spans that follow
        each other have every record once (docs/guides/exports-and-tail.md says what a store that was
        away for longer changes). Amounts are exact. An answer that was cut off ends without the last
        chunk of its body: go on with the same query, with `to` as the header `x-export-to` had it, and
        `after` naming the last row that arrived whole. In CSV a text that begins with `=`, `+`, `-`, `@`
        or an apostrophe has an apostrophe before it, so that no spreadsheet runs it: drop one to read
        it.

        GET /v1/usage/export (an extension). Its inputs are those of UsageExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.lines(_USAGE_EXPORT, given, options, reader(UsageExportOutput))

    async def series(self, *, options: CallOptions | None = None, **given: Unpack[UsageSeriesInput]) -> types.UsageSeries:
        """Show usage over time.

        What calls of the mode add up to that ended in each minute, hour or day (UTC), together and by
        name, provider account, bundle, end user or key: those with the most, and all others as one. The
        groups and `other` add up to `all`, to the micro. The range is widened to whole buckets; an
        answer has 360 minutes, 336 hours or 400 days at most. Hours are read from sums per hour and the
        calls since the last full hour, minutes from the calls. Days without a group and by name have the
        money of `margin` and `usage`, including calls that ended late. By provider, the cost of a failed
        attempt counts with the account that made it. Days by end user and key are read from sums per day
        of charged calls.

        GET /v1/usage/series (an extension). Its inputs are those of UsageSeriesInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USAGE_SERIES, given, options, types.UsageSeries)


class AsyncUsageWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncUsage) -> None:
        self.series = async_raw(methods.series)
        self._itself = async_raw(methods.__call__)

    async def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> RawResponse[UsageOutput]:
        return await self._itself(options=options, **given)
