# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class AppsListInput(TypedDict):
    """Of apps.list: list applications."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class AppsListOutput(Document):
    """What apps.list answers."""
    data: list[types.Application]
    next_cursor: str | None


class AppsListPage(AppsListOutput, Page[types.Application]):
    """A page of apps.list."""


class AsyncAppsListPage(AppsListOutput, AsyncPage[types.Application]):
    """A page of apps.list."""


class AppsShowInput(TypedDict):
    """Of apps.show: show an application."""
    slug: str
    """Slug of the application. 1 to 64 characters."""


class AppsCreateInput(TypedDict):
    """Of apps.create: create an application."""
    slug: str
    """Slug of the application. It is part of the application's host names and cannot be changed."""
    name: NotRequired[str]
    """Display name. Required on creation. Omit to keep the current value. 1 to 128 characters."""


class AppsRmInput(TypedDict):
    """Of apps.rm: archive an application."""
    slug: str
    """Slug of the application. 1 to 64 characters."""


class AppsExportInput(TypedDict):
    """Of apps.export: export the configuration of an application."""
    slug: str
    """Slug of the application. 1 to 64 characters."""


class AppsApplyInputBrand(TypedDict):
    product_name: NotRequired[str | None]
    """Product name that end users see. Null means the name of the application. 1 to 128 characters."""
    primary_color: NotRequired[str]
    """Brand color, `#rrggbb`."""
    support_email: NotRequired[str | None]
    """Email address where end users get help. Null if not set. At most 254 characters."""
    support_url: NotRequired[str | None]
    """Web page where end users get help, http or https. Null if not set. At most 512 characters."""
    top_up_url: NotRequired[str | None]
    """Page where the application sells credit. Rejections for lack of money return it as `portal_url`,
    and the portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: NotRequired[str | None]
    """Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At
    most 512 characters.
    """


class AppsApplyInputGateway(TypedDict):
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


class AppsApplyInput(TypedDict):
    """Of apps.apply: apply a configuration to an application."""
    slug: str
    """Slug of the application. 1 to 64 characters."""
    dry_run: NotRequired[bool]
    """Whether to return the changes without applying them. Defaults to `False`."""
    prune: NotRequired[bool]
    """Whether to delete items that are missing from the sections of the document. If a bundle to delete
    still has end users, the whole document is rejected. Defaults to `False`.
    """
    format: Literal[1]
    """Version of the document format."""
    application: NotRequired[params.ConfigurationApplicationParam | types.ConfigurationApplication]
    """Settings of the application itself. Omit to keep the current value."""
    brand: NotRequired[AppsApplyInputBrand]
    """Brand of the portal. Omit to keep the current value."""
    gateway: NotRequired[AppsApplyInputGateway]
    """Settings of the gateway. Omit to keep the current value."""
    providers: NotRequired[Sequence[params.ConfigurationAccountParam | types.ConfigurationAccount]]
    """Provider accounts that the models and routers use, sorted by label. The accounts must exist
    already. Omit to keep the current value. At most 1000 of them.
    """
    models: NotRequired[Sequence[params.WantedModelParam]]
    """Models. Omit to keep the current value. At most 1000 of them."""
    routers: NotRequired[Sequence[params.WantedRouterParam]]
    """Routers. Omit to keep the current value. At most 1000 of them."""
    bundles: NotRequired[Sequence[params.WantedBundleParam]]
    """Bundles. Omit to keep the current value. At most 1000 of them."""
    outcomes: NotRequired[Sequence[params.WantedOutcomeParam]]
    """Outcomes that accept runs. Omit to keep the current value. At most 1000 of them."""


class AppsUseInput(TypedDict):
    """Of apps.use: make an application active."""
    slug: str
    """Slug of the application. 1 to 64 characters."""


_APPS_LIST = Route(
    id="apps.list",
    method="GET",
    path="/v1/apps",
    takes=AppsListInput,
    query=("limit", "cursor",),
)


_APPS_CURRENT = Route(
    id="apps.current",
    method="GET",
    path="/v1/apps/current",
)


_APPS_SHOW = Route(
    id="apps.show",
    method="GET",
    path="/v1/apps/{slug}",
    takes=AppsShowInput,
)


_APPS_CREATE = Route(
    id="apps.create",
    method="PUT",
    path="/v1/apps/{slug}",
    takes=AppsCreateInput,
    body="json",
    is_keyed=True,
)


_APPS_RM = Route(
    id="apps.rm",
    method="DELETE",
    path="/v1/apps/{slug}",
    takes=AppsRmInput,
)


_APPS_EXPORT = Route(
    id="apps.export",
    method="GET",
    path="/v1/apps/{slug}/configuration",
    takes=AppsExportInput,
)


_APPS_APPLY = Route(
    id="apps.apply",
    method="PUT",
    path="/v1/apps/{slug}/configuration",
    takes=AppsApplyInput,
    query=("dryRun", "prune",),
    body="json",
    is_keyed=True,
)


_APPS_USE = Route(
    id="apps.use",
    method="POST",
    path="/v1/apps/{slug}/use",
    takes=AppsUseInput,
    is_keyed=True,
)


class Apps:
    """Applications: products that have their own end users, keys, bundles and model names."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AppsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AppsWithRawResponse(Apps(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AppsListInput]) -> AppsListPage:
        """List applications.

        Returns the applications of the organization, newest first, including archived ones. A credential
        of one application gets only that application.

        GET /v1/apps. Its inputs are those of AppsListInput.
        """
        return self._sender.page(_APPS_LIST, given, options, AppsListPage)

    def current(self, *, options: CallOptions | None = None) -> types.Application:
        """Show the active application.

        Returns the application that this request resolves to: the one in the `x-svc-app` header, else
        the active application of the token or session, else the only application.

        GET /v1/apps/current.
        """
        return self._sender.call(_APPS_CURRENT, {}, options, types.Application)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsShowInput]) -> types.Application:
        """Show an application.

        Returns one application of the organization, which may be archived.

        GET /v1/apps/{slug}. Its inputs are those of AppsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_SHOW, given, options, types.Application)

    def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsCreateInput]) -> types.Application:
        """Create an application.

        Creates the application with this slug, or renames the existing one if `name` is given. Send
        `If-None-Match: *` to fail instead if the application exists. A slug is unique across all
        organizations, never changes and is never reused. The first bundle of an application becomes its
        default bundle.

        PUT /v1/apps/{slug}. Its inputs are those of AppsCreateInput.

        Raises ApiError: already_exists, application_archived.
        """
        return self._sender.call(_APPS_CREATE, given, options, types.Application)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsRmInput]) -> types.Application:
        """Archive an application.

        Archives the application, starting with the next request. Archiving it again returns it
        unchanged.

        - The gateway and the portal return 410 `application_archived`, under their hosts and their local
        ports. Requests in flight finish and are charged.
        - The application can still be read with `x-svc-app`, including its usage and ledger. It cannot
        be changed or made active.
        - Tokens that had it as their active application use the only remaining application.
        - Its slug and its hosts are never reused.

        DELETE /v1/apps/{slug}. Its inputs are those of AppsRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_RM, given, options, types.Application)

    def export(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsExportInput]) -> types.Configuration:
        """Export the configuration of an application.

        Returns the configuration that `apps.apply` accepts, as one document for version control. Equal
        configurations are returned as equal bytes.

        - Provider accounts are listed by label, without credentials.
        - Bundle patterns that no longer match a name are omitted.
        - End users, keys and money are not part of the configuration.

        GET /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_EXPORT, given, options, types.Configuration)

    def apply(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsApplyInput]) -> types.AppliedConfiguration:
        """Apply a configuration to an application.

        Changes the application to match the document and returns each change. All changes are applied in
        one transaction. Applying the same document again changes nothing.

        - A change that its own operation would reject rejects the whole document.
        - Sections that the document omits, such as `models`, are not changed.
        - Fields that an item omits keep their values. Lists, such as the prices and includes of a
        bundle, are replaced whole. Pools that were already granted do not change.
        - Items that are missing from a section are kept, and are returned with the action `none`. Set
        `prune` to `True` to delete them.
        - Provider accounts must exist already. They are never created or changed.

        PUT /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsApplyInput.

        Raises ApiError: not_found, application_archived, unknown_model_pattern, model_unpriced, in_use,
        name_taken.
        """
        return self._sender.call(_APPS_APPLY, given, options, types.AppliedConfiguration)

    def use(self, *, options: CallOptions | None = None, **given: Unpack[AppsUseInput]) -> types.Application:
        """Make an application active.

        Sets the active application of this token or session. Its requests without `x-svc-app` use the
        active application. Other tokens and sessions are not affected.

        POST /v1/apps/{slug}/use. Its inputs are those of AppsUseInput.

        Raises ApiError: not_found, application_archived.
        """
        return self._sender.call(_APPS_USE, given, options, types.Application)


class AppsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Apps) -> None:
        self.list = raw(methods.list)
        self.current = raw(methods.current)
        self.show = raw(methods.show)
        self.create = raw(methods.create)
        self.rm = raw(methods.rm)
        self.export = raw(methods.export)
        self.apply = raw(methods.apply)
        self.use = raw(methods.use)


class AsyncApps:
    """Applications: products that have their own end users, keys, bundles and model names."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAppsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAppsWithRawResponse(AsyncApps(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AppsListInput]) -> AsyncPageCall[types.Application, AsyncAppsListPage]:
        """List applications.

        Returns the applications of the organization, newest first, including archived ones. A credential
        of one application gets only that application.

        GET /v1/apps. Its inputs are those of AppsListInput.
        """
        return self._sender.page(_APPS_LIST, given, options, AsyncAppsListPage)

    async def current(self, *, options: CallOptions | None = None) -> types.Application:
        """Show the active application.

        Returns the application that this request resolves to: the one in the `x-svc-app` header, else
        the active application of the token or session, else the only application.

        GET /v1/apps/current.
        """
        return await self._sender.call(_APPS_CURRENT, {}, options, types.Application)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsShowInput]) -> types.Application:
        """Show an application.

        Returns one application of the organization, which may be archived.

        GET /v1/apps/{slug}. Its inputs are those of AppsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_SHOW, given, options, types.Application)

    async def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsCreateInput]) -> types.Application:
        """Create an application.

        Creates the application with this slug, or renames the existing one if `name` is given. Send
        `If-None-Match: *` to fail instead if the application exists. A slug is unique across all
        organizations, never changes and is never reused. The first bundle of an application becomes its
        default bundle.

        PUT /v1/apps/{slug}. Its inputs are those of AppsCreateInput.

        Raises ApiError: already_exists, application_archived.
        """
        return await self._sender.call(_APPS_CREATE, given, options, types.Application)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsRmInput]) -> types.Application:
        """Archive an application.

        Archives the application, starting with the next request. Archiving it again returns it
        unchanged.

        - The gateway and the portal return 410 `application_archived`, under their hosts and their local
        ports. Requests in flight finish and are charged.
        - The application can still be read with `x-svc-app`, including its usage and ledger. It cannot
        be changed or made active.
        - Tokens that had it as their active application use the only remaining application.
        - Its slug and its hosts are never reused.

        DELETE /v1/apps/{slug}. Its inputs are those of AppsRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_RM, given, options, types.Application)

    async def export(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsExportInput]) -> types.Configuration:
        """Export the configuration of an application.

        Returns the configuration that `apps.apply` accepts, as one document for version control. Equal
        configurations are returned as equal bytes.

        - Provider accounts are listed by label, without credentials.
        - Bundle patterns that no longer match a name are omitted.
        - End users, keys and money are not part of the configuration.

        GET /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsExportInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_EXPORT, given, options, types.Configuration)

    async def apply(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsApplyInput]) -> types.AppliedConfiguration:
        """Apply a configuration to an application.

        Changes the application to match the document and returns each change. All changes are applied in
        one transaction. Applying the same document again changes nothing.

        - A change that its own operation would reject rejects the whole document.
        - Sections that the document omits, such as `models`, are not changed.
        - Fields that an item omits keep their values. Lists, such as the prices and includes of a
        bundle, are replaced whole. Pools that were already granted do not change.
        - Items that are missing from a section are kept, and are returned with the action `none`. Set
        `prune` to `True` to delete them.
        - Provider accounts must exist already. They are never created or changed.

        PUT /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsApplyInput.

        Raises ApiError: not_found, application_archived, unknown_model_pattern, model_unpriced, in_use,
        name_taken.
        """
        return await self._sender.call(_APPS_APPLY, given, options, types.AppliedConfiguration)

    async def use(self, *, options: CallOptions | None = None, **given: Unpack[AppsUseInput]) -> types.Application:
        """Make an application active.

        Sets the active application of this token or session. Its requests without `x-svc-app` use the
        active application. Other tokens and sessions are not affected.

        POST /v1/apps/{slug}/use. Its inputs are those of AppsUseInput.

        Raises ApiError: not_found, application_archived.
        """
        return await self._sender.call(_APPS_USE, given, options, types.Application)


class AsyncAppsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncApps) -> None:
        self.list = async_raw(methods.list)
        self.current = async_raw(methods.current)
        self.show = async_raw(methods.show)
        self.create = async_raw(methods.create)
        self.rm = async_raw(methods.rm)
        self.export = async_raw(methods.export)
        self.apply = async_raw(methods.apply)
        self.use = async_raw(methods.use)
