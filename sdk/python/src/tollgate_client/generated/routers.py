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
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


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
    """The router's name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


class RoutersAddInput(TypedDict):
    """Of routers.add: create or update a router."""
    name: str
    """Name of the router, as end users request it. It must not match an existing model name. `/` may be
    percent-encoded.
    """
    policy: NotRequired[Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"]]
    """Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight.
    `cheapest`: by expected cost of the request. `fastest`: by time to the first token. `leastBusy`:
    by requests in flight. `sticky`: the same target for each end user or session. Required on
    creation. Omit to keep the current value.
    """
    sticky_by: NotRequired[Literal["end_user", "session"] | None]
    """Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
    target. Defaults to `end_user`. Omit to keep the current value; set to None to reset it to the
    default.
    """
    targets: NotRequired[Sequence[params.RouterTargetParam | types.RouterTarget]]
    """Targets of the router. Required on creation. Omit to keep the current value. 1 to 64 of them."""
    attempts: NotRequired[params.RouterAttemptRulesParam | types.RouterAttemptRules | None]
    """Rules for attempts. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current
    value; set to None to reset it to the default.
    """


class RoutersRmInput(TypedDict):
    """Of routers.rm: delete a router."""
    name: str
    """The router's name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


class RoutersPlanInput(TypedDict):
    """Of routers.plan: preview a request's route."""
    name: str
    """Name of a router or a model. `/` may be percent-encoded. 1 to 128 characters."""
    wire: NotRequired[Literal["chat", "messages", "generate", "responses"]]
    """Wire format of `request`. Defaults to `chat`."""
    request: NotRequired[Mapping[str, object]]
    """Request body as a client would send it. Its `model` is ignored."""
    stream: NotRequired[bool]
    """Whether the response is streamed. Defaults to the setting of `request` or of the past request."""
    end_user_id: NotRequired[str]
    """External ID of the end user, for `sticky` and for the bundle. Defaults to the end user of
    `request_id`, or else to no end user. 1 to 256 characters.
    """
    bundle: NotRequired[str]
    """Slug of the bundle. Defaults to the bundle of the end user or of `request_id`, or else to the
    default bundle.
    """
    mode: NotRequired[Literal["live", "test"]]
    """Mode of the key. Defaults to the mode of this request."""
    request_id: NotRequired[str]
    """ID of a past request, `req_…`, to use instead of `request`. The plan uses its wire format, size,
    end user and bundle. Its content is not stored, so fields lost in a conversion are not reported. 1
    to 64 characters.
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
    """Model names that route to several targets."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> RoutersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return RoutersWithRawResponse(Routers(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RoutersListInput]) -> RoutersListPage:
        """List routers.

        Returns the routers of the application, newest first, with the problem of each target that cannot
        be used.

        GET /v1/routers. Its inputs are those of RoutersListInput.
        """
        return self._sender.page(_ROUTERS_LIST, given, options, RoutersListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersShowInput]) -> types.Router:
        """Show a router.

        Returns a router, with the problem of each target that cannot be used.

        GET /v1/routers/{name}. Its inputs are those of RoutersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_ROUTERS_SHOW, given, options, types.Router)

    def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersAddInput]) -> types.Router:
        """Create or update a router.

        Creates a router, or changes the existing router, starting with the next request. End users
        request a router by its name, like a model.

        - A bundle that allows the router does not need to allow its targets.
        - The price of the requested name applies.
        - Targets that form a cycle, or a chain of more than four routers, are rejected.

        PUT /v1/routers/{name}. Its inputs are those of RoutersAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return self._sender.call(_ROUTERS_ADD, given, options, types.Router)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersRmInput]) -> types.Router:
        """Delete a router.

        Deletes the router and its prices in all bundles, and returns the deleted router. Fails with
        `in_use` while another router routes to it. Past usage under its name remains on record.

        DELETE /v1/routers/{name}. Its inputs are those of RoutersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_ROUTERS_RM, given, options, types.Router)

    def plan(self, *, options: CallOptions | None = None, **given: Unpack[RoutersPlanInput]) -> types.RoutePlan:
        """Preview a request's route.

        Returns the targets that a request for a router or model would try, in order, and why other
        targets would be skipped. Nothing is sent, held or stored.

        - The plan uses the routing code for real requests, the current configuration, and the target
        state of this server process.
        - With a random policy such as `weighted`, the next request can get another order.

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
    """Model names that route to several targets."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncRoutersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncRoutersWithRawResponse(AsyncRouters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[RoutersListInput]) -> AsyncPageCall[types.Router, AsyncRoutersListPage]:
        """List routers.

        Returns the routers of the application, newest first, with the problem of each target that cannot
        be used.

        GET /v1/routers. Its inputs are those of RoutersListInput.
        """
        return self._sender.page(_ROUTERS_LIST, given, options, AsyncRoutersListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersShowInput]) -> types.Router:
        """Show a router.

        Returns a router, with the problem of each target that cannot be used.

        GET /v1/routers/{name}. Its inputs are those of RoutersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_ROUTERS_SHOW, given, options, types.Router)

    async def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersAddInput]) -> types.Router:
        """Create or update a router.

        Creates a router, or changes the existing router, starting with the next request. End users
        request a router by its name, like a model.

        - A bundle that allows the router does not need to allow its targets.
        - The price of the requested name applies.
        - Targets that form a cycle, or a chain of more than four routers, are rejected.

        PUT /v1/routers/{name}. Its inputs are those of RoutersAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return await self._sender.call(_ROUTERS_ADD, given, options, types.Router)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[RoutersRmInput]) -> types.Router:
        """Delete a router.

        Deletes the router and its prices in all bundles, and returns the deleted router. Fails with
        `in_use` while another router routes to it. Past usage under its name remains on record.

        DELETE /v1/routers/{name}. Its inputs are those of RoutersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_ROUTERS_RM, given, options, types.Router)

    async def plan(self, *, options: CallOptions | None = None, **given: Unpack[RoutersPlanInput]) -> types.RoutePlan:
        """Preview a request's route.

        Returns the targets that a request for a router or model would try, in order, and why other
        targets would be skipped. Nothing is sent, held or stored.

        - The plan uses the routing code for real requests, the current configuration, and the target
        state of this server process.
        - With a random policy such as `weighted`, the next request can get another order.

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
