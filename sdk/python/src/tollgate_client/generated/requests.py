# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount, Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, StreamOptions
from ..stream import AsyncStream, Stream
from . import types


class RequestsListInput(TypedDict):
    """Of requests.list: list recent requests."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    end_user_id: NotRequired[str]
    """External ID of an end user, or their ID, `eu_…`. Returns only requests of this end user. A deleted
    end user is found by ID only. 1 to 256 characters.
    """
    key_id: NotRequired[str]
    """ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters."""
    model: NotRequired[str]
    """Requested model name. Returns only requests for this name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its ID, `pa_…`. Returns only requests that were routed to this
    account. A deleted account is found by ID only. 1 to 64 characters.
    """
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Returns only requests with this status."""
    status_class: NotRequired[Literal["2xx", "4xx", "5xx"]]
    """Returns only requests whose response had an HTTP status of this class."""
    http_status: NotRequired[str]
    """Returns only requests whose response had this HTTP status."""
    error_code: NotRequired[str]
    """Returns only requests that failed or were rejected with this error code. 1 to 64 characters."""
    min_cost_micros: NotRequired[Amount]
    """Returns only requests with at least this provider cost, in micros. An integer as a decimal string.
    """
    outcome: NotRequired[str]
    """Slug of an outcome. Returns only charged requests and requests in flight that count toward this
    outcome. Released and rejected requests count toward no outcome.
    """
    run_id: NotRequired[str]
    """ID of a run. Returns only charged requests and requests in flight of runs with this ID. 1 to 128
    characters.
    """
    usage_record_id: NotRequired[str]
    """ID of a usage record, `ur_…`. Returns only the request with this usage record. 1 to 64 characters.
    """
    from_: NotRequired[Time]
    """Start of the range, inclusive: a day (UTC) or a time. ISO 8601."""
    to: NotRequired[Time]
    """End of the range, exclusive: a day (UTC) or a time. ISO 8601."""


class RequestsListOutput(Document):
    """What requests.list answers."""
    data: list[types.Request]
    next_cursor: str | None


class RequestsListPage(RequestsListOutput, Page[types.Request]):
    """A page of requests.list."""


class AsyncRequestsListPage(RequestsListOutput, AsyncPage[types.Request]):
    """A page of requests.list."""


class RequestsTailInput(TypedDict):
    """Of requests.tail: watch requests as they end."""
    end_user_id: NotRequired[str]
    """External ID of an end user, or their ID, `eu_…`. Returns only requests of this end user. A deleted
    end user is found by ID only. 1 to 256 characters.
    """
    key_id: NotRequired[str]
    """ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters."""
    model: NotRequired[str]
    """Requested model name. Returns only requests for this name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its ID, `pa_…`. Returns only requests that were routed to this
    account. A deleted account is found by ID only. 1 to 64 characters.
    """
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Returns only requests with this status."""
    status_class: NotRequired[Literal["2xx", "4xx", "5xx"]]
    """Returns only requests whose response had an HTTP status of this class."""
    http_status: NotRequired[str]
    """Returns only requests whose response had this HTTP status."""
    error_code: NotRequired[str]
    """Returns only requests that failed or were rejected with this error code. 1 to 64 characters."""
    min_cost_micros: NotRequired[Amount]
    """Returns only requests with at least this provider cost, in micros. An integer as a decimal string.
    """


class RequestsExplainInput(TypedDict):
    """Of requests.explain: explain what a request cost."""
    id: str
    """ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`. 1 to 64
    characters.
    """


class RequestsExplainOutput(Document):
    """What requests.explain answers."""
    id: str
    """ID of the request, `req_…`, as returned with its response."""
    status: Literal["settled", "released", "refused", "recovered", "in_flight"] | str
    """`settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected
    before it was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
    """
    end_user_id: str | None
    """The customer's own ID for the end user. Null if the end user is unknown."""
    key_id: str | None
    """ID of the key, `key_…`. Null if the key is unknown."""
    requested_model: str | None
    """Requested model name. Null if the request was rejected before its model name was read."""
    provider: str | None
    """Label of the chosen provider account, or its ID, `pa_…`, if the account was deleted. Null if no
    account was chosen.
    """
    provider_model: str | None
    """The provider's model ID that the requested name resolved to. Null if no model was chosen."""
    wire: str | None
    """Wire format of the request. Null while in flight."""
    streamed: bool | None
    """Whether the response was streamed. Null while in flight."""
    http_status: int | None
    """HTTP status of the response. Null while in flight."""
    error_code: str | None
    """Error code of the failure or rejection. Null if no error occurred."""
    charge_micros: str
    """Amount debited from the sources of end users, in micros. An integer as a decimal string."""
    paid_from_plan_micros: str
    """Part of the charge paid from pools of the plan, in micros. An integer as a decimal string."""
    paid_from_gift_micros: str
    """Part of the charge paid from credit that was given, in micros. An integer as a decimal string."""
    paid_from_wallet_micros: str
    """Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string."""
    on_demand_micros: str
    """Part of the charge billed on demand, in micros. An integer as a decimal string."""
    overdraft_micros: str
    """Part of the charge that took a wallet below 0, in micros. An integer as a decimal string."""
    unattributed_micros: str
    """Part of the charge of requests recorded before payments were split, in micros. An integer as a
    decimal string.
    """
    refunded_micros: str
    """Amount refunded so far, in micros. `charge_micros` is the amount before refunds. An integer as a
    decimal string.
    """
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """
    billed_micros: str
    """List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An
    integer as a decimal string.
    """
    cost_micros: str
    """Provider cost, in micros, including failed attempts. It can be more than 0 for requests that are
    not charged. An integer as a decimal string.
    """
    assumed_micros: str
    """Part of `cost_micros` computed at assumed rates, in micros. 0 if the account has a rate for all
    usage. An integer as a decimal string.
    """
    input_tokens: int
    """Input tokens, including cached tokens. 0 if nothing was charged."""
    cached_input_tokens: int
    """Input tokens that were read from the provider's cache."""
    output_tokens: int
    """Output tokens, including reasoning. 0 if nothing was charged."""
    latency_ms: int | None
    """Time from the first byte of the request to the last byte of the response, in milliseconds. Null
    while in flight.
    """
    first_byte_ms: int | None
    """Time to the first byte of the response, in milliseconds. Null if no byte was sent."""
    created_at: str
    """Time of the request. ISO 8601."""
    usage_record_id: str | None
    """ID of the usage record, `ur_…`, as in events and exports. Null if nothing was settled."""
    corrections: list[types.RequestCorrection]
    """Refunds and late usage of the request, oldest first. Empty if the request was not corrected."""
    summary: str
    """Summary of the request in words, with the numbers."""
    timeline: types.ExplainedTimeline
    auth: types.ExplainedAuth | None
    policy: types.ExplainedPolicy | None
    quote: types.ExplainedQuote | None
    reserve: types.ExplainedReserve | None
    route: types.ExplainedRoute | None
    attempts: list[types.ExplainedAttempt]
    """Attempts at providers, in order."""
    stream: types.ExplainedStream | None
    refusal: types.ExplainedRefusal | None
    usage: types.ExplainedUsage | None
    price_lines: list[types.PriceLines]
    """Units times rates, for each price that applies. The sums are exact."""
    settle: types.ExplainedSettle | None
    ledger: list[types.LedgerEntry]
    """Ledger entries of the request, oldest first."""
    emitters: list[types.ExplainedEvent]
    """Deliveries of the usage event, for each emitter that receives it, oldest emitter first."""


class RequestsRefundInput(TypedDict):
    """Of requests.refund: refund a request."""
    id: str
    """ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`. 1 to 64
    characters.
    """
    amount_units: NotRequired[Amount]
    """Amount to refund, in micros. Omit to refund the remaining charge. An integer as a decimal string.
    """
    reason: str
    """Reason shown on the ledger of the end user. 1 to 256 characters."""


_REQUESTS_LIST = Route(
    id="requests.list",
    method="GET",
    path="/v1/requests",
    takes=RequestsListInput,
    query=("limit", "cursor", "endUserId", "keyId", "model", "provider", "status", "statusClass", "httpStatus", "errorCode", "minCostMicros", "outcome", "runId", "usageRecordId", "from", "to",),
)


_REQUESTS_TAIL = Route(
    id="requests.tail",
    method="GET",
    path="/v1/requests/tail",
    takes=RequestsTailInput,
    query=("endUserId", "keyId", "model", "provider", "status", "statusClass", "httpStatus", "errorCode", "minCostMicros",),
    accept="text/event-stream",
    event="call",
)


_REQUESTS_EXPLAIN = Route(
    id="requests.explain",
    method="GET",
    path="/v1/requests/{id}",
    takes=RequestsExplainInput,
)


_REQUESTS_REFUND = Route(
    id="requests.refund",
    method="POST",
    path="/v1/requests/{id}/refund",
    takes=RequestsRefundInput,
    body="json",
    is_keyed=True,
)


class Requests:
    """Requests to the gateway, and how the cost of each was computed."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> RequestsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return RequestsWithRawResponse(Requests(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RequestsListInput]) -> RequestsListPage:
        """List recent requests.

        Returns gateway requests in the mode of the request that match all filters, newest first,
        including rejected requests and requests in flight. Content is never included. A page reads at
        most about 10,000 requests, so it can have fewer rows than `limit` although `next_cursor` is set.

        GET /v1/requests. Its inputs are those of RequestsListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_REQUESTS_LIST, given, options, RequestsListPage)

    def tail(self, *, options: StreamOptions | None = None, **given: Unpack[RequestsTailInput]) -> Stream[types.Request]:
        """Watch requests as they end.

        Streams gateway requests of the mode as server-sent events, in the order in which they end and
        within a second:
        - `call`: a request, as in requests.list. Its `id` is its position in the stream. A request that
        is sent after later requests has no `id`.
        - `gap`: more requests have ended since `Last-Event-ID` than are sent again. Read them with
        requests.list.
        - `dropped`: the last event, because the client read too slowly or requests of other processes
        may be missing.
        - `ended`: the last event, because the credential expired or lost its access, or because the
        server stops.

        To continue a stream, send its last `id` as `Last-Event-ID`. Requests that ended in the meantime
        are sent first, up to 10,000 requests and ten minutes. A comment is sent after 15 seconds without
        an event. A request that died with its process is returned only by requests.list.

        GET /v1/requests/tail (an extension). Its inputs are those of RequestsTailInput.

        Raises ApiError: not_found, too_many_readers.
        """
        return self._sender.events(_REQUESTS_TAIL, given, options, types.Request)

    def explain(self, *, options: CallOptions | None = None, **given: Unpack[RequestsExplainInput]) -> RequestsExplainOutput:
        """Explain what a request cost.

        Returns every phase of one gateway request, with the numbers behind each decision. Works for
        settled, failed, rejected and recovered requests, and for requests in flight. A phase that was
        not reached is None. Amounts are in micros, times in milliseconds. Content and secrets are never
        included.

        GET /v1/requests/{id}. Its inputs are those of RequestsExplainInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_REQUESTS_EXPLAIN, given, options, RequestsExplainOutput)

    def refund(self, *, options: CallOptions | None = None, **given: Unpack[RequestsRefundInput]) -> types.RequestRefund:
        """Refund a request.

        Refunds all or part of the charge of a request to the sources that paid it, starting with the
        last payer. If the refunds of a request would exceed its charge, the operation fails with
        `refund_too_large`. Send an `Idempotency-Key` so that a retry does not refund twice.

        - If the plan period or on-demand month that paid has ended, the refund becomes given credit in
        the wallet.
        - A refund does not reduce the amounts used under key caps, spend limits and run ceilings.

        POST /v1/requests/{id}/refund (an extension). Its inputs are those of RequestsRefundInput.

        Raises ApiError: not_found, refund_too_large.
        """
        return self._sender.call(_REQUESTS_REFUND, given, options, types.RequestRefund)


class RequestsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Requests) -> None:
        self.list = raw(methods.list)
        self.explain = raw(methods.explain)
        self.refund = raw(methods.refund)


class AsyncRequests:
    """Requests to the gateway, and how the cost of each was computed."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncRequestsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncRequestsWithRawResponse(AsyncRequests(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RequestsListInput]) -> AsyncPageCall[types.Request, AsyncRequestsListPage]:
        """List recent requests.

        Returns gateway requests in the mode of the request that match all filters, newest first,
        including rejected requests and requests in flight. Content is never included. A page reads at
        most about 10,000 requests, so it can have fewer rows than `limit` although `next_cursor` is set.

        GET /v1/requests. Its inputs are those of RequestsListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_REQUESTS_LIST, given, options, AsyncRequestsListPage)

    def tail(self, *, options: StreamOptions | None = None, **given: Unpack[RequestsTailInput]) -> AsyncStream[types.Request]:
        """Watch requests as they end.

        Streams gateway requests of the mode as server-sent events, in the order in which they end and
        within a second:
        - `call`: a request, as in requests.list. Its `id` is its position in the stream. A request that
        is sent after later requests has no `id`.
        - `gap`: more requests have ended since `Last-Event-ID` than are sent again. Read them with
        requests.list.
        - `dropped`: the last event, because the client read too slowly or requests of other processes
        may be missing.
        - `ended`: the last event, because the credential expired or lost its access, or because the
        server stops.

        To continue a stream, send its last `id` as `Last-Event-ID`. Requests that ended in the meantime
        are sent first, up to 10,000 requests and ten minutes. A comment is sent after 15 seconds without
        an event. A request that died with its process is returned only by requests.list.

        GET /v1/requests/tail (an extension). Its inputs are those of RequestsTailInput.

        Raises ApiError: not_found, too_many_readers.
        """
        return self._sender.events(_REQUESTS_TAIL, given, options, types.Request)

    async def explain(self, *, options: CallOptions | None = None, **given: Unpack[RequestsExplainInput]) -> RequestsExplainOutput:
        """Explain what a request cost.

        Returns every phase of one gateway request, with the numbers behind each decision. Works for
        settled, failed, rejected and recovered requests, and for requests in flight. A phase that was
        not reached is None. Amounts are in micros, times in milliseconds. Content and secrets are never
        included.

        GET /v1/requests/{id}. Its inputs are those of RequestsExplainInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_REQUESTS_EXPLAIN, given, options, RequestsExplainOutput)

    async def refund(self, *, options: CallOptions | None = None, **given: Unpack[RequestsRefundInput]) -> types.RequestRefund:
        """Refund a request.

        Refunds all or part of the charge of a request to the sources that paid it, starting with the
        last payer. If the refunds of a request would exceed its charge, the operation fails with
        `refund_too_large`. Send an `Idempotency-Key` so that a retry does not refund twice.

        - If the plan period or on-demand month that paid has ended, the refund becomes given credit in
        the wallet.
        - A refund does not reduce the amounts used under key caps, spend limits and run ceilings.

        POST /v1/requests/{id}/refund (an extension). Its inputs are those of RequestsRefundInput.

        Raises ApiError: not_found, refund_too_large.
        """
        return await self._sender.call(_REQUESTS_REFUND, given, options, types.RequestRefund)


class AsyncRequestsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncRequests) -> None:
        self.list = async_raw(methods.list)
        self.explain = async_raw(methods.explain)
        self.refund = async_raw(methods.refund)
