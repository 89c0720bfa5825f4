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
    """External ID of an end user, or their ID, `eu_…`. A deleted end user is found by ID only. Omit for
    all end users. 1 to 256 characters.
    """
    from_: NotRequired[Time]
    """First day, or a time in it. Omit to start with the first usage. ISO 8601."""
    to: NotRequired[Time]
    """End of the range, exclusive: a day (UTC) or a time. Omit for no end. ISO 8601."""


class UsageOutputRows(Document):
    requested_model: str
    """The requested model name."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Billed amount, in micros, less refunds in the range. Negative if refunds of earlier requests
    exceed it. An integer as a decimal string.
    """
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """


class UsageOutput(Document):
    """What usage answers."""
    rows: list[UsageOutputRows]
    """Usage by model name, in alphabetical order."""
    totals: types.UsageTotals
    """Totals of all rows."""


class UsageExportInput(TypedDict):
    """Of usage.export: export usage records."""
    from_: NotRequired[Time]
    """Start of the range, inclusive: a day (UTC) or a time of settlement. Omit to start with the first
    record. ISO 8601.
    """
    to: NotRequired[Time]
    """End of the range, exclusive: a day (UTC) or a time of settlement. Defaults to two minutes ago, and
    a later time is reduced to that. The header `x-export-to` returns the applied time. ISO 8601.
    """
    end_user_id: NotRequired[str]
    """External ID of an end user, or their ID, `eu_…`. Returns only records of this end user. A deleted
    end user is found by ID only. 1 to 256 characters.
    """
    format: NotRequired[Literal["ndjson", "csv"]]
    """`ndjson`: one JSON object per line. `csv`: RFC 4180 with a header line, in UTF-8. Defaults to
    `ndjson`. `ndjson` when left out.
    """
    columns: NotRequired[Literal["usage", "focus"]]
    """`usage`: all stored fields of a request. `focus`: the columns of FOCUS 1.2. Defaults to `usage`.
    `usage` when left out.
    """
    after: NotRequired[str]
    """Continues after a row: its `id` or `x_usage_record_id`, `ur_…` or `cor_…`. Requires `to`. CSV then
    has no header line. 1 to 64 characters.
    """


UsageExportOutput: TypeAlias = types.UsageRow | types.FocusRow
"""What usage.export answers."""


class UsageSeriesInput(TypedDict):
    """Of usage.series: show usage over time."""
    from_: NotRequired[Time]
    """Start of the range, or a time in its first bucket. Defaults to seven days before the end. ISO
    8601.
    """
    to: NotRequired[Time]
    """End of the range, exclusive. Defaults to now. ISO 8601."""
    bucket: NotRequired[Literal["minute", "hour", "day"]]
    """Length of each bucket. Defaults to `minute` for ranges up to two hours, `hour` up to three days,
    and `day` otherwise. By end user and by key, defaults to `day`.
    """
    by: NotRequired[Literal["model", "provider", "bundle", "endUser", "key"]]
    """Property to group by. Omit for no groups."""
    top: NotRequired[int]
    """Maximum number of groups. All other groups are added up in `other`. Defaults to 7. From 1 to 20."""
    order: NotRequired[Literal["chargeMicros", "billedMicros", "costMicros", "calls"]]
    """Figure by which the groups are selected and ordered. Defaults to `charge_micros`. `charge_micros`
    when left out.
    """
    latency: NotRequired[bool]
    """Whether to return latency percentiles. Requires a range of at most 31 days, and is not available
    by end user and by key. Defaults to false.
    """
    model: NotRequired[str]
    """Requested model name. Returns only requests for this name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its ID, `pa_…`. Returns only requests that this account served,
    and the cost of its failed attempts. 1 to 64 characters.
    """
    bundle: NotRequired[str]
    """Slug of a bundle. Returns only requests that were charged under this bundle. 1 to 64 characters."""
    end_user_id: NotRequired[str]
    """External ID of an end user, or their ID, `eu_…`. Returns only charged requests of this end user,
    by day. A deleted end user is found by ID only. 1 to 256 characters.
    """
    key_id: NotRequired[str]
    """ID of a key, `key_…`. Returns only charged requests made with this key, by day. 1 to 64
    characters.
    """


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
    """Usage by model name and over time."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> UsageWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return UsageWithRawResponse(Usage(self._sender.raw()))

    def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> UsageOutput:
        """Show usage by model name.

        Returns usage in the mode of the request, by requested model name, for one end user or for all.
        Usage is summed per day (UTC), so a time within a day includes the whole day.

        GET /v1/usage. Its inputs are those of UsageInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_USAGE, given, options, UsageOutput)

    def export(self, *, options: CallOptions | None = None, **given: Unpack[UsageExportInput]) -> Stream[UsageExportOutput]:
        """Export usage records.

        Streams the usage records of the application and mode that settled in a time range. The
        corrections in that range follow the records. Amounts are exact.

        - Records are not ordered by time. Consecutive ranges contain every record once, because requests
        that settle during an export settle after `to`. The guide docs/guides/exports-and-tail.md
        describes the exception after a long outage of the store.
        - To continue an interrupted export, repeat the query with `to` from the header `x-export-to`,
        and with `after` set to the last complete row.
        - In CSV, text that begins with `=`, `+`, `-`, `@` or an apostrophe gets a leading apostrophe, so
        that spreadsheets do not run it. Remove this apostrophe to read the text.

        GET /v1/usage/export (an extension). Its inputs are those of UsageExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.lines(_USAGE_EXPORT, given, options, reader(UsageExportOutput))

    def series(self, *, options: CallOptions | None = None, **given: Unpack[UsageSeriesInput]) -> types.UsageSeries:
        """Show usage over time.

        Returns totals of the requests that ended in each minute, hour or day (UTC), in the mode of the
        request: overall, and for the largest groups. `groups` and `other` add up to `all` exactly.

        - The range is widened to whole buckets. A response has at most 360 minutes, 336 hours or 400
        days.
        - Minutes are computed from requests, and hours from hourly sums and the requests since the last
        full hour.
        - Days without a group and by model have the same amounts as `margin` and `usage`, including
        requests that ended late.
        - Days by end user and by key are computed from daily sums of charged requests.
        - By provider, the cost of a failed attempt counts for the account that made the attempt.

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
    """Usage by model name and over time."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncUsageWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncUsageWithRawResponse(AsyncUsage(self._sender.raw()))

    async def __call__(self, *, options: CallOptions | None = None, **given: Unpack[UsageInput]) -> UsageOutput:
        """Show usage by model name.

        Returns usage in the mode of the request, by requested model name, for one end user or for all.
        Usage is summed per day (UTC), so a time within a day includes the whole day.

        GET /v1/usage. Its inputs are those of UsageInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_USAGE, given, options, UsageOutput)

    def export(self, *, options: CallOptions | None = None, **given: Unpack[UsageExportInput]) -> AsyncStream[UsageExportOutput]:
        """Export usage records.

        Streams the usage records of the application and mode that settled in a time range. The
        corrections in that range follow the records. Amounts are exact.

        - Records are not ordered by time. Consecutive ranges contain every record once, because requests
        that settle during an export settle after `to`. The guide docs/guides/exports-and-tail.md
        describes the exception after a long outage of the store.
        - To continue an interrupted export, repeat the query with `to` from the header `x-export-to`,
        and with `after` set to the last complete row.
        - In CSV, text that begins with `=`, `+`, `-`, `@` or an apostrophe gets a leading apostrophe, so
        that spreadsheets do not run it. Remove this apostrophe to read the text.

        GET /v1/usage/export (an extension). Its inputs are those of UsageExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.lines(_USAGE_EXPORT, given, options, reader(UsageExportOutput))

    async def series(self, *, options: CallOptions | None = None, **given: Unpack[UsageSeriesInput]) -> types.UsageSeries:
        """Show usage over time.

        Returns totals of the requests that ended in each minute, hour or day (UTC), in the mode of the
        request: overall, and for the largest groups. `groups` and `other` add up to `all` exactly.

        - The range is widened to whole buckets. A response has at most 360 minutes, 336 hours or 400
        days.
        - Minutes are computed from requests, and hours from hourly sums and the requests since the last
        full hour.
        - Days without a group and by model have the same amounts as `margin` and `usage`, including
        requests that ended late.
        - Days by end user and by key are computed from daily sums of charged requests.
        - By provider, the cost of a failed attempt counts for the account that made the attempt.

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
