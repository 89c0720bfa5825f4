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
    """`next_cursor` of the page before. At most 1200 characters."""
    end_user_id: NotRequired[str]
    """External id, or the id `eu_…` of a removed person: only calls of that person. 1 to 256 characters.
    """
    key_id: NotRequired[str]
    """Id of a key, `key_…`: only calls with it. 1 to 64 characters."""
    model: NotRequired[str]
    """Only calls that asked for that name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it
    answered, or would have. 1 to 64 characters.
    """
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Only calls of that status."""
    status_class: NotRequired[Literal["2xx", "4xx", "5xx"]]
    """Only calls whose answer had an HTTP status of that class."""
    http_status: NotRequired[str]
    """Returns only calls whose response had this HTTP status."""
    error_code: NotRequired[str]
    """Only calls that failed or were refused with that code. 1 to 64 characters."""
    min_cost_micros: NotRequired[Amount]
    """Only calls that the provider account is charged at least so much for, in micros. An integer as a
    decimal string.
    """
    outcome: NotRequired[str]
    """Slug of an outcome. Returns only charged calls and calls in flight that counted toward it;
    released and refused calls count toward none.
    """
    run_id: NotRequired[str]
    """ID of a run. Returns only charged calls and calls in flight of runs with this ID. 1 to 128
    characters.
    """
    usage_record_id: NotRequired[str]
    """ID of a usage record, `ur_…`. Returns only the call that it belongs to. 1 to 64 characters."""
    from_: NotRequired[Time]
    """Only calls from that day (UTC) or time on. ISO 8601."""
    to: NotRequired[Time]
    """Only calls before that day (UTC) or time. ISO 8601."""


class RequestsListOutput(Document):
    """What requests.list answers."""
    data: list[types.Request]
    next_cursor: str | None


class RequestsListPage(RequestsListOutput, Page[types.Request]):
    """A page of requests.list."""


class AsyncRequestsListPage(RequestsListOutput, AsyncPage[types.Request]):
    """A page of requests.list."""


class RequestsTailInput(TypedDict):
    """Of requests.tail: watch calls as they end."""
    end_user_id: NotRequired[str]
    """External id, or the id `eu_…` of a removed person: only calls of that person. 1 to 256 characters.
    """
    key_id: NotRequired[str]
    """Id of a key, `key_…`: only calls with it. 1 to 64 characters."""
    model: NotRequired[str]
    """Only calls that asked for that name. 1 to 128 characters."""
    provider: NotRequired[str]
    """Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it
    answered, or would have. 1 to 64 characters.
    """
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Only calls of that status."""
    status_class: NotRequired[Literal["2xx", "4xx", "5xx"]]
    """Only calls whose answer had an HTTP status of that class."""
    http_status: NotRequired[str]
    """Returns only calls whose response had this HTTP status."""
    error_code: NotRequired[str]
    """Only calls that failed or were refused with that code. 1 to 64 characters."""
    min_cost_micros: NotRequired[Amount]
    """Only calls that the provider account is charged at least so much for, in micros. An integer as a
    decimal string.
    """


class RequestsExplainInput(TypedDict):
    """Of requests.explain: explain what a request cost."""
    id: str
    """Id of the call, `req_…`, its hold or its usage record. 1 to 64 characters."""


class RequestsExplainOutput(Document):
    """What requests.explain answers."""
    id: str
    """Id of the call, `req_…`, as its answer carried it."""
    status: Literal["settled", "released", "refused", "recovered", "in_flight"] | str
    """`settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
    `recovered`: settled after a crash; `in_flight`: not ended.
    """
    end_user_id: str | None
    """The customer's own id of the person; None: not known."""
    key_id: str | None
    """The key it came with; None: none that is known."""
    requested_model: str | None
    """The requested model name."""
    provider: str | None
    """Label of the provider account that answered, or would have; its id, `pa_…`, when it is gone; None:
    it was not decided.
    """
    provider_model: str | None
    """The provider's model id that the name led to; None: it was not decided."""
    wire: str | None
    """The wire format that it came in; None while in flight."""
    streamed: bool | None
    """Whether it was streamed; None while in flight."""
    http_status: int | None
    """Status of the answer; None while in flight."""
    error_code: str | None
    """Code of the failure or refusal; None: none."""
    charge_micros: str
    """What left pools, wallet or on-demand for it, in micros. An integer as a decimal string."""
    paid_from_plan_micros: str
    """Part of the charge that pools of the plan paid, in micros. An integer as a decimal string."""
    paid_from_gift_micros: str
    """Part of the charge from credit that was given, in micros. An integer as a decimal string."""
    paid_from_wallet_micros: str
    """Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string.
    """
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
    """What was used beyond what was held for it: neither charged nor billed, the cost of the
    application. An integer as a decimal string.
    """
    billed_micros: str
    """What the bundle sells it for, of what was charged, in micros. An integer as a decimal string."""
    cost_micros: str
    """What provider accounts charge for it, for attempts that did not answer too, in micros; more than 0
    too where nothing was charged. An integer as a decimal string.
    """
    assumed_micros: str
    """The part of `cost_micros` computed at assumed rates, in micros. 0 if the account has a rate for
    everything that was used. An integer as a decimal string.
    """
    input_tokens: int
    """Tokens in, cached ones too; 0 where nothing was charged."""
    cached_input_tokens: int
    """Those of the tokens in that the provider had cached."""
    output_tokens: int
    """Tokens out, reasoning too; 0 where nothing was charged."""
    latency_ms: int | None
    """Milliseconds from the first byte of the request to the last of the answer; None while in flight."""
    first_byte_ms: int | None
    """Milliseconds to the first byte of the answer; None: there was none."""
    created_at: str
    """Time of the request. ISO 8601."""
    usage_record_id: str | None
    """ID of the usage record, `ur_…`, as events and exports name the request. Null if nothing was
    settled.
    """
    corrections: list[types.RequestCorrection]
    """Refunds of the request and its true usage, oldest first. Empty if there are none."""
    summary: str
    """What happened, in words, with the numbers."""
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
    """Units times rates, by each price that applies; their sum is exact."""
    settle: types.ExplainedSettle | None
    ledger: list[types.LedgerEntry]
    """Its ledger entries, oldest first."""
    emitters: list[types.ExplainedEvent]
    """What became of its event, for each emitter that is told of it, oldest emitter first."""


class RequestsRefundInput(TypedDict):
    """Of requests.refund: refund a request."""
    id: str
    """ID of the request, `req_…`, its hold or its usage record. 1 to 64 characters."""
    amount_units: NotRequired[Amount]
    """Amount to refund, in micros. Omit to refund all that is left of the charge. An integer as a
    decimal string.
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
    """Calls of the gateway, and why each cost what it cost."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> RequestsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return RequestsWithRawResponse(Requests(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RequestsListInput]) -> RequestsListPage:
        """List recent requests.

        Gateway calls in the mode of the request, newest first: settled, refused and those in flight.
        Never their content. Filters narrow each other. A page looks at some 10,000 calls at most: where
        few of them match, it may have fewer rows than `limit`, or none, while `next_cursor` goes on.

        GET /v1/requests. Its inputs are those of RequestsListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_REQUESTS_LIST, given, options, RequestsListPage)

    def tail(self, *, options: StreamOptions | None = None, **given: Unpack[RequestsTailInput]) -> Stream[types.Request]:
        """Watch calls as they end.

        Server-sent events of gateway calls in the mode of the request, in the order in which they end,
        less than a second later: an event `call` has the row of requests.list. Its `id` is its place: a
        client that comes back with it as `Last-Event-ID` is first sent what ended meanwhile, up to
        10,000 calls and ten minutes; an event `gap` says that there was more (requests.list has it). A
        call that is sent behind later ones has no `id`. A comment comes every 15 s in which nothing
        ends. The last event says why there is none after it: `dropped`, the client did not take what it
        was sent, or calls of other processes may be missing; `ended`, the credential has ended or may no
        more, or the server stops. A call that died with its process is found by requests.list.

        GET /v1/requests/tail (an extension). Its inputs are those of RequestsTailInput.

        Raises ApiError: not_found, too_many_readers.
        """
        return self._sender.events(_REQUESTS_TAIL, given, options, types.Request)

    def explain(self, *, options: CallOptions | None = None, **given: Unpack[RequestsExplainInput]) -> RequestsExplainOutput:
        """Explain what a request cost.

        Every phase of one call of the mode and the numbers that it was decided on: calls that ended,
        failed, were refused or recovered, and those in flight. A phase that was not reached is None.
        Amounts are micros, times milliseconds. Never content, never a secret.

        GET /v1/requests/{id}. Its inputs are those of RequestsExplainInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_REQUESTS_EXPLAIN, given, options, RequestsExplainOutput)

    def refund(self, *, options: CallOptions | None = None, **given: Unpack[RequestsRefundInput]) -> types.RequestRefund:
        """Refund a request.

        Gives back what a request was charged, in whole or in part, to the sources that paid it, the last
        payer first. All refunds of a request together are never more than its charge: a larger amount
        fails with `refund_too_large`. The part of a plan period or of an on-demand month that has ended
        becomes given credit in the wallet. Key caps, spend limits and run ceilings are not reopened.
        Send an `Idempotency-Key` so that a retry does not refund twice.

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
    """Calls of the gateway, and why each cost what it cost."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncRequestsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncRequestsWithRawResponse(AsyncRequests(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RequestsListInput]) -> AsyncPageCall[types.Request, AsyncRequestsListPage]:
        """List recent requests.

        Gateway calls in the mode of the request, newest first: settled, refused and those in flight.
        Never their content. Filters narrow each other. A page looks at some 10,000 calls at most: where
        few of them match, it may have fewer rows than `limit`, or none, while `next_cursor` goes on.

        GET /v1/requests. Its inputs are those of RequestsListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_REQUESTS_LIST, given, options, AsyncRequestsListPage)

    def tail(self, *, options: StreamOptions | None = None, **given: Unpack[RequestsTailInput]) -> AsyncStream[types.Request]:
        """Watch calls as they end.

        Server-sent events of gateway calls in the mode of the request, in the order in which they end,
        less than a second later: an event `call` has the row of requests.list. Its `id` is its place: a
        client that comes back with it as `Last-Event-ID` is first sent what ended meanwhile, up to
        10,000 calls and ten minutes; an event `gap` says that there was more (requests.list has it). A
        call that is sent behind later ones has no `id`. A comment comes every 15 s in which nothing
        ends. The last event says why there is none after it: `dropped`, the client did not take what it
        was sent, or calls of other processes may be missing; `ended`, the credential has ended or may no
        more, or the server stops. A call that died with its process is found by requests.list.

        GET /v1/requests/tail (an extension). Its inputs are those of RequestsTailInput.

        Raises ApiError: not_found, too_many_readers.
        """
        return self._sender.events(_REQUESTS_TAIL, given, options, types.Request)

    async def explain(self, *, options: CallOptions | None = None, **given: Unpack[RequestsExplainInput]) -> RequestsExplainOutput:
        """Explain what a request cost.

        Every phase of one call of the mode and the numbers that it was decided on: calls that ended,
        failed, were refused or recovered, and those in flight. A phase that was not reached is None.
        Amounts are micros, times milliseconds. Never content, never a secret.

        GET /v1/requests/{id}. Its inputs are those of RequestsExplainInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_REQUESTS_EXPLAIN, given, options, RequestsExplainOutput)

    async def refund(self, *, options: CallOptions | None = None, **given: Unpack[RequestsRefundInput]) -> types.RequestRefund:
        """Refund a request.

        Gives back what a request was charged, in whole or in part, to the sources that paid it, the last
        payer first. All refunds of a request together are never more than its charge: a larger amount
        fails with `refund_too_large`. The part of a plan period or of an on-demand month that has ended
        becomes given credit in the wallet. Key caps, spend limits and run ceilings are not reopened.
        Send an `Idempotency-Key` so that a retry does not refund twice.

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
