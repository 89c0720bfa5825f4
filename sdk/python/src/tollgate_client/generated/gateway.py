# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import ConditionalOptions
from . import params, types


class GatewaySetInput(TypedDict):
    """Of gateway.set: narrow what the gateway answers."""
    wires: NotRequired[Sequence[Literal["chat", "messages", "generate", "responses"]] | None]
    """Wires whose calls are answered; None: all. A call of another is 404 `wire_not_served`. 1 to 4 of
    them.
    """
    models: NotRequired[Sequence[str] | None]
    """Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`;
    None: all. Another name is unknown, and not listed. 1 to 200 of them.
    """
    origins: NotRequired[Sequence[str]]
    """Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
    them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed:
    a page sends its key in a header. At most 100 of them.
    """
    addresses: NotRequired[Sequence[str] | None]
    """Client addresses that are answered; None: all. A call from another is 403 `address_not_allowed`.
    The address is the connection’s, or behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`) the last one in X-Forwarded-For that is none of theirs. 1 to 200 of
    them.
    """
    hours: NotRequired[Sequence[params.WeeklyHoursParam | types.WeeklyHours] | None]
    """When calls are answered; None: always. At other times a call is 403 `outside_hours`, with the next
    opening. A call in flight goes on to its end. 1 to 28 of them.
    """
    default_max_tokens: NotRequired[int | None]
    """Most output tokens of one answer to a request that states no maximum. It is held for whole and
    sent to the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no
    more is asked for than the model gives. Null: whole answers are held for 16,384 and streams for
    2,048 at first, and the provider is told no maximum. From 1 to 10000000.
    """
    hold_wait_ms: NotRequired[int | None]
    """How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is
    429 `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its
    operator changes it). From 0 to 60000.
    """
    provider_tools: NotRequired[Literal["drop", "refuse"]]
    """Tools that the provider would run and the request merely offers: `drop` takes them out and names
    them in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model
    is made to call is always refused.
    """
    conversion: NotRequired[Literal["lenient", "strict"]]
    """Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names
    them in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
    """
    pass_traceparent: NotRequired[bool]
    """Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged
    (W3C Trace Context), so that its spans join the client’s trace. False: the provider learns nothing
    of it.
    """


_GATEWAY_SHOW = Route(
    id="gateway.show",
    method="GET",
    path="/v1/gateway",
)


_GATEWAY_SET = Route(
    id="gateway.set",
    method="PATCH",
    path="/v1/gateway",
    takes=GatewaySetInput,
    body="json",
    is_keyed=True,
)


class Gateway:
    """What the gateway of an application answers."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> GatewayWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return GatewayWithRawResponse(Gateway(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Gateway:
        """Show what the gateway answers.

        Where the gateway of the application is, and what it is narrowed to: nothing, until it is set.

        GET /v1/gateway.
        """
        return self._sender.call(_GATEWAY_SHOW, {}, options, types.Gateway)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[GatewaySetInput]) -> types.Gateway:
        """Narrow what the gateway answers.

        Fields that are left out stay as they are; None takes a narrowing away. It holds for calls of
        both modes from the next one on. A call is refused in this order: its address, its wire, the
        hour; then its name and what it asks for.

        PATCH /v1/gateway. Its inputs are those of GatewaySetInput.

        Raises ApiError: unknown_model_pattern.
        """
        return self._sender.call(_GATEWAY_SET, given, options, types.Gateway)


class GatewayWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Gateway) -> None:
        self.show = raw(methods.show)
        self.set = raw(methods.set)


class AsyncGateway:
    """What the gateway of an application answers."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncGatewayWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncGatewayWithRawResponse(AsyncGateway(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Gateway:
        """Show what the gateway answers.

        Where the gateway of the application is, and what it is narrowed to: nothing, until it is set.

        GET /v1/gateway.
        """
        return await self._sender.call(_GATEWAY_SHOW, {}, options, types.Gateway)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[GatewaySetInput]) -> types.Gateway:
        """Narrow what the gateway answers.

        Fields that are left out stay as they are; None takes a narrowing away. It holds for calls of
        both modes from the next one on. A call is refused in this order: its address, its wire, the
        hour; then its name and what it asks for.

        PATCH /v1/gateway. Its inputs are those of GatewaySetInput.

        Raises ApiError: unknown_model_pattern.
        """
        return await self._sender.call(_GATEWAY_SET, given, options, types.Gateway)


class AsyncGatewayWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncGateway) -> None:
        self.show = async_raw(methods.show)
        self.set = async_raw(methods.set)
