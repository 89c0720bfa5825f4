# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class RoutersListInput(TypedDict):
    """Of routers.list: list routers."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class RoutersListOutput(Document):
    """What routers.list answers."""
    data: list[types.Router]
    next_cursor: str | None


class RoutersListPage(RoutersListOutput, Page[types.Router]):
    """A page of routers.list."""


class AsyncRoutersListPage(RoutersListOutput, AsyncPage[types.Router]):
    """A page of routers.list."""


class RoutersShowInput(TypedDict):
    """Of routers.show: show a router."""
    name: str
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


class RoutersAddInput(TypedDict):
    """Of routers.add: build a router."""
    name: str
    """Name of the router, as end users request it. It must not match an existing model name. `/` may be
    percent-encoded.
    """
    policy: NotRequired[Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"]]
    """How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight;
    `cheapest`: what this very call is expected to cost; `fastest`: the time to the first token;
    `leastBusy`: calls in flight; `sticky`: the same person or session stays at one. Required on
    creation; omit to keep the current value.
    """
    sticky_by: NotRequired[Literal["end_user", "session"] | None]
    """What `sticky` keeps on one target: the requests of an end user, or requests with the same
    `svc.session`. Defaults to `end_user`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    targets: NotRequired[Sequence[params.RouterTargetParam | types.RouterTarget]]
    """The ways to answer. Required on creation; omit to keep the current value. 1 to 64 of them."""
    attempts: NotRequired[params.RouterAttemptRulesParam | types.RouterAttemptRules | None]
    """How targets are tried. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the
    current value; set to None to reset it to the default.
    """


class RoutersRmInput(TypedDict):
    """Of routers.rm: remove a router."""
    name: str
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


class RoutersPlanInput(TypedDict):
    """Of routers.plan: plan a call without making it."""
    name: str
    """Name of a router or a model; `/` may stand as it is or as `%2F`. 1 to 128 characters."""
    wire: NotRequired[Literal["chat", "messages", "generate", "responses"]]
    """The wire of `request`; `chat` when left out."""
    request: NotRequired[Mapping[str, object]]
    """The body that a client would send; its `model` does not matter."""
    stream: NotRequired[bool]
    """Whether the answer is streamed; left out: what `request` says, or the past call."""
    end_user_id: NotRequired[str]
    """Who calls, for `sticky` and for the bundle; left out: nobody in particular. 1 to 256 characters."""
    bundle: NotRequired[str]
    """The bundle of the caller; left out: the person's, else the default one."""
    mode: NotRequired[Literal["live", "test"]]
    """Mode of the key; left out: that of this request."""
    request_id: NotRequired[str]
    """In place of `request` a past call, `req_…`: its wire, size, person and bundle. What it said is not
    kept, so what a conversion would lose is not told. 1 to 64 characters.
    """


_ROUTERS_LIST = Route(
    id="routers.list",
    method="GET",
    path="/v1/routers",
    takes=RoutersListInput,
    query=("limit", "cursor",),
)


_ROUTERS_SHOW = Route(
    id="routers.show",
    method="GET",
    path="/v1/routers/{name}",
    takes=RoutersShowInput,
)


_ROUTERS_ADD = Route(
    id="routers.add",
    method="PUT",
    path="/v1/routers/{name}",
    takes=RoutersAddInput,
    body="json",
    is_keyed=True,
)


_ROUTERS_RM = Route(
    id="routers.rm",
    method="DELETE",
    path="/v1/routers/{name}",
    takes=RoutersRmInput,
)


_ROUTERS_PLAN = Route(
    id="routers.plan",
    method="POST",
    path="/v1/routers/{name}/plan",
    takes=RoutersPlanInput,
    body="json",
    is_keyed=True,
)


class Routers:
    """Names with several ways to answer."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> RoutersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return RoutersWithRawResponse(Routers(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RoutersListInput]) -> RoutersListPage:
        """List routers.

        The application's routers, newest first, with what keeps a target from being taken.

        GET /v1/routers. Its inputs are those of RoutersListInput.
        """
        return self._sender.page(_ROUTERS_LIST, given, options, RoutersListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersShowInput]) -> types.Router:
        """Show a router.

        One router, with what keeps a target from being taken.

        GET /v1/routers/{name}. Its inputs are those of RoutersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_ROUTERS_SHOW, given, options, types.Router)

    def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersAddInput]) -> types.Router:
        """Build a router.

        Creates the router, or changes the existing one, starting with the next request. End users
        request a router by its name, like a model. A bundle that allows the router need not allow its
        targets, and the price of the requested name applies. Targets that form a cycle, or a chain of
        more than four routers, are rejected.

        PUT /v1/routers/{name}. Its inputs are those of RoutersAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return self._sender.call(_ROUTERS_ADD, given, options, types.Router)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersRmInput]) -> types.Router:
        """Remove a router.

        Forgets the router and what bundles charge for its name, and answers what it was. Refused while
        another router leads to it. What was used under its name stays in usage and on the ledger.

        DELETE /v1/routers/{name}. Its inputs are those of RoutersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_ROUTERS_RM, given, options, types.Router)

    def plan(self, *, options: CallOptions | None = None, **given: Unpack[RoutersPlanInput]) -> types.RoutePlan:
        """Plan a call without making it.

        Who would be asked for a call of the name, a router or a model, in which order and why the others
        are passed over: decided by what decides calls, on the present configuration and what this server
        process knows of its targets. Nothing is sent, nothing is held, and nothing of the request is
        kept. Under a policy of chance the next call may be ordered otherwise.

        POST /v1/routers/{name}/plan (an extension). Its inputs are those of RoutersPlanInput.

        Raises ApiError: not_found, bundle_required.
        """
        return self._sender.call(_ROUTERS_PLAN, given, options, types.RoutePlan)


class RoutersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Routers) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.add = raw(methods.add)
        self.rm = raw(methods.rm)
        self.plan = raw(methods.plan)


class AsyncRouters:
    """Names with several ways to answer."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncRoutersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncRoutersWithRawResponse(AsyncRouters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RoutersListInput]) -> AsyncPageCall[types.Router, AsyncRoutersListPage]:
        """List routers.

        The application's routers, newest first, with what keeps a target from being taken.

        GET /v1/routers. Its inputs are those of RoutersListInput.
        """
        return self._sender.page(_ROUTERS_LIST, given, options, AsyncRoutersListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersShowInput]) -> types.Router:
        """Show a router.

        One router, with what keeps a target from being taken.

        GET /v1/routers/{name}. Its inputs are those of RoutersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_ROUTERS_SHOW, given, options, types.Router)

    async def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersAddInput]) -> types.Router:
        """Build a router.

        Creates the router, or changes the existing one, starting with the next request. End users
        request a router by its name, like a model. A bundle that allows the router need not allow its
        targets, and the price of the requested name applies. Targets that form a cycle, or a chain of
        more than four routers, are rejected.

        PUT /v1/routers/{name}. Its inputs are those of RoutersAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return await self._sender.call(_ROUTERS_ADD, given, options, types.Router)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersRmInput]) -> types.Router:
        """Remove a router.

        Forgets the router and what bundles charge for its name, and answers what it was. Refused while
        another router leads to it. What was used under its name stays in usage and on the ledger.

        DELETE /v1/routers/{name}. Its inputs are those of RoutersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_ROUTERS_RM, given, options, types.Router)

    async def plan(self, *, options: CallOptions | None = None, **given: Unpack[RoutersPlanInput]) -> types.RoutePlan:
        """Plan a call without making it.

        Who would be asked for a call of the name, a router or a model, in which order and why the others
        are passed over: decided by what decides calls, on the present configuration and what this server
        process knows of its targets. Nothing is sent, nothing is held, and nothing of the request is
        kept. Under a policy of chance the next call may be ordered otherwise.

        POST /v1/routers/{name}/plan (an extension). Its inputs are those of RoutersPlanInput.

        Raises ApiError: not_found, bundle_required.
        """
        return await self._sender.call(_ROUTERS_PLAN, given, options, types.RoutePlan)


class AsyncRoutersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncRouters) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.add = async_raw(methods.add)
        self.rm = async_raw(methods.rm)
        self.plan = async_raw(methods.plan)
