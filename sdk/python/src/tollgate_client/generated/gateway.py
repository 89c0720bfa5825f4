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
    """Of gateway.set: change the gateway settings."""
    wires: NotRequired[Sequence[Literal["chat", "messages", "generate", "responses"]] | None]
    """Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
    `wire_not_served`. 1 to 4 of them.
    """
    models: NotRequired[Sequence[str] | None]
    """Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null
    means all names. The bundle of the end user must allow the name too. Other names are treated as
    unknown and are not listed. 1 to 200 of them.
    """
    origins: NotRequired[Sequence[str]]
    """Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers
    send them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials
    are never allowed, so pages send the key in a header. At most 100 of them.
    """
    addresses: NotRequired[Sequence[str] | None]
    """Client addresses that the gateway accepts. Null means all. Requests from other addresses return
    403 `address_not_allowed`.

    The client address is the address of the connection. Behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy.
    1 to 200 of them.
    """
    hours: NotRequired[Sequence[params.WeeklyHoursParam | types.WeeklyHours] | None]
    """Times at which the gateway accepts requests. Null means always. At other times, requests return
    403 `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of
    them.
    """
    default_max_tokens: NotRequired[int | None]
    """Maximum output tokens of a response if the request sets no maximum. The whole amount is held and
    is sent to the provider.

    - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
    model is never exceeded.
    - Null means that no maximum is sent to the provider. Non-streaming responses are then held for
    16,384 tokens, and streams initially for 2,048. From 1 to 10000000.
    """
    hold_wait_ms: NotRequired[int | None]
    """Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After
    that, it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server
    setting, which is 2,000 unless the operator changes it. From 0 to 60000.
    """
    provider_tools: NotRequired[Literal["drop", "refuse"]]
    """Handling of tools that the provider runs and that the request only offers. `drop` removes them and
    lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that
    the model is forced to use is always rejected.
    """
    conversion: NotRequired[Literal["lenient", "strict"]]
    """Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits
    the fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route`
    with their names.
    """
    pass_traceparent: NotRequired[bool]
    """Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C
    Trace Context). The spans of the provider then join the trace of the client. If false, the headers
    are not sent.
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
    """Settings of an application's gateway."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> GatewayWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return GatewayWithRawResponse(Gateway(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Gateway:
        """Show the gateway settings.

        Returns the addresses and the settings of the gateway. A gateway has no restrictions until they
        are set.

        GET /v1/gateway.
        """
        return self._sender.call(_GATEWAY_SHOW, {}, options, types.Gateway)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[GatewaySetInput]) -> types.Gateway:
        """Change the gateway settings.

        Changes the given settings for both modes, starting with the next request. Omitted settings keep
        their values, and None removes a restriction. Each request is checked in this order: address,
        wire format, time, then the model name and the requested features.

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
    """Settings of an application's gateway."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncGatewayWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncGatewayWithRawResponse(AsyncGateway(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Gateway:
        """Show the gateway settings.

        Returns the addresses and the settings of the gateway. A gateway has no restrictions until they
        are set.

        GET /v1/gateway.
        """
        return await self._sender.call(_GATEWAY_SHOW, {}, options, types.Gateway)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[GatewaySetInput]) -> types.Gateway:
        """Change the gateway settings.

        Changes the given settings for both modes, starting with the next request. Omitted settings keep
        their values, and None removes a restriction. Each request is checked in this order: address,
        wire format, time, then the model name and the requested features.

        PATCH /v1/gateway. Its inputs are those of GatewaySetInput.

        Raises ApiError: unknown_model_pattern.
        """
        return await self._sender.call(_GATEWAY_SET, given, options, types.Gateway)


class AsyncGatewayWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncGateway) -> None:
        self.show = async_raw(methods.show)
        self.set = async_raw(methods.set)
