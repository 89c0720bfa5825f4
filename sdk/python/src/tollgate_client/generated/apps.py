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
    """`next_cursor` of the page before. At most 1200 characters."""


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
    """Part of the host names; never changes."""
    name: NotRequired[str]
    """Display name. Required on creation; omit to keep the current value. 1 to 128 characters."""


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
    """What people know the product as; None: the name of the application. 1 to 128 characters."""
    primary_color: NotRequired[str]
    """The colour of the brand, `#rrggbb`."""
    support_email: NotRequired[str | None]
    """Where people ask for help; None: not said. At most 254 characters."""
    support_url: NotRequired[str | None]
    """The same as an address of a page, http or https; None: not said. At most 512 characters."""
    top_up_url: NotRequired[str | None]
    """The page where the application sells credit. Refusals for money return it as `portal_url`, and the
    portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: NotRequired[str | None]
    """The page where end users pay invoices. The portal links past-due invoices to it. Null means none.
    At most 512 characters.
    """


class AppsApplyInputGateway(TypedDict):
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


class AppsApplyInput(TypedDict):
    """Of apps.apply: apply a configuration to an application."""
    slug: str
    """Slug of the application. 1 to 64 characters."""
    dry_run: NotRequired[bool]
    """True: changes nothing, and answers exactly what the same request without it then changes."""
    prune: NotRequired[bool]
    """True: removes what is missing in the parts that the document has. A bundle that people are on is
    not removed, and refuses the whole document.
    """
    format: Literal[1]
    """Version of the format of this document."""
    application: NotRequired[params.ConfigurationApplicationParam | types.ConfigurationApplication]
    """What the application says of itself. Omit to keep the current value."""
    brand: NotRequired[AppsApplyInputBrand]
    """How the portal looks. Omit to keep the current value."""
    gateway: NotRequired[AppsApplyInputGateway]
    """Settings of the gateway. Omit to keep the current value."""
    providers: NotRequired[Sequence[params.ConfigurationAccountParam | types.ConfigurationAccount]]
    """Provider accounts that must be there, in label order: those that its models and routers name. Omit
    to keep the current value. At most 1000 of them.
    """
    models: NotRequired[Sequence[params.WantedModelParam]]
    """Model names. Omit to keep the current value. At most 1000 of them."""
    routers: NotRequired[Sequence[params.WantedRouterParam]]
    """Routers. Omit to keep the current value. At most 1000 of them."""
    bundles: NotRequired[Sequence[params.WantedBundleParam]]
    """Bundles. Omit to keep the current value. At most 1000 of them."""
    outcomes: NotRequired[Sequence[params.WantedOutcomeParam]]
    """Outcomes that take runs. Omit to keep the current value. At most 1000 of them."""


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
    """Applications: products with end users, keys, bundles and model names of their own."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AppsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AppsWithRawResponse(Apps(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AppsListInput]) -> AppsListPage:
        """List applications.

        The organization's applications, newest first, archived ones included; of a credential of one
        application, that one.

        GET /v1/apps. Its inputs are those of AppsListInput.
        """
        return self._sender.page(_APPS_LIST, given, options, AppsListPage)

    def current(self, *, options: CallOptions | None = None) -> types.Application:
        """Show the active application.

        The application that a request like this one means: the one named by `x-svc-app`, else the
        token’s active one, else the only one.

        GET /v1/apps/current.
        """
        return self._sender.call(_APPS_CURRENT, {}, options, types.Application)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsShowInput]) -> types.Application:
        """Show an application.

        One application of the organization, archived ones included.

        GET /v1/apps/{slug}. Its inputs are those of AppsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_SHOW, given, options, types.Application)

    def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsCreateInput]) -> types.Application:
        """Create an application.

        Creates the application with this slug, or renames the existing one if `name` is given. Send
        `If-None-Match: *` to fail instead if the application exists. A slug is unique across all
        organizations, never changes and is never reused. A new application has no bundle; the first
        bundle becomes its default.

        PUT /v1/apps/{slug}. Its inputs are those of AppsCreateInput.

        Raises ApiError: already_exists, application_archived.
        """
        return self._sender.call(_APPS_CREATE, given, options, types.Application)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsRmInput]) -> types.Application:
        """Archive an application.

        From the next call on its gateway and portal answer 410 `application_archived`, under their hosts
        and local ports alike; calls in flight end and are charged. It can be read as before with
        `x-svc-app`, usage and ledger included, and no longer changed or made active; tokens whose active
        application it was fall back to the only one there is. Its slug and its hosts are never given to
        another one. Archiving it again answers it as it is.

        DELETE /v1/apps/{slug}. Its inputs are those of AppsRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_RM, given, options, types.Application)

    def export(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsExportInput]) -> types.Configuration:
        """Export the configuration of an application.

        Everything that apps.apply can bring about, as one document for version control: name, settings
        of the gateway, provider accounts by label and without secrets, model names, bundles whole,
        outcomes. The same configuration is always the same bytes. Patterns that mean no name any more
        are left out. People, keys and money are no configuration.

        GET /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsExportInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_APPS_EXPORT, given, options, types.Configuration)

    def apply(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsApplyInput]) -> types.AppliedConfiguration:
        """Apply a configuration to an application.

        Makes the application what the document says, all of it or nothing, and answers each change;
        applying it again changes nothing. It refuses what the single operations would refuse. Each
        bundle is replaced whole, with its prices and includes; pools granted before stay as they were
        granted. A part that the document leaves out (`models`, say) stays as it is. What is missing in a
        part that it has is answered with the action `none` and stays, unless `prune` is `True`. Provider
        accounts must be there: none is ever made or changed.

        PUT /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsApplyInput.

        Raises ApiError: not_found, application_archived, unknown_model_pattern, model_unpriced, in_use,
        name_taken.
        """
        return self._sender.call(_APPS_APPLY, given, options, types.AppliedConfiguration)

    def use(self, *, options: CallOptions | None = None, **given: Unpack[AppsUseInput]) -> types.Application:
        """Make an application active.

        Requests of this token or session that name no application with `x-svc-app` mean this one from
        now on. Other tokens and sessions keep theirs.

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
    """Applications: products with end users, keys, bundles and model names of their own."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAppsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAppsWithRawResponse(AsyncApps(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[AppsListInput]) -> AsyncPageCall[types.Application, AsyncAppsListPage]:
        """List applications.

        The organization's applications, newest first, archived ones included; of a credential of one
        application, that one.

        GET /v1/apps. Its inputs are those of AppsListInput.
        """
        return self._sender.page(_APPS_LIST, given, options, AsyncAppsListPage)

    async def current(self, *, options: CallOptions | None = None) -> types.Application:
        """Show the active application.

        The application that a request like this one means: the one named by `x-svc-app`, else the
        token’s active one, else the only one.

        GET /v1/apps/current.
        """
        return await self._sender.call(_APPS_CURRENT, {}, options, types.Application)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsShowInput]) -> types.Application:
        """Show an application.

        One application of the organization, archived ones included.

        GET /v1/apps/{slug}. Its inputs are those of AppsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_SHOW, given, options, types.Application)

    async def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsCreateInput]) -> types.Application:
        """Create an application.

        Creates the application with this slug, or renames the existing one if `name` is given. Send
        `If-None-Match: *` to fail instead if the application exists. A slug is unique across all
        organizations, never changes and is never reused. A new application has no bundle; the first
        bundle becomes its default.

        PUT /v1/apps/{slug}. Its inputs are those of AppsCreateInput.

        Raises ApiError: already_exists, application_archived.
        """
        return await self._sender.call(_APPS_CREATE, given, options, types.Application)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsRmInput]) -> types.Application:
        """Archive an application.

        From the next call on its gateway and portal answer 410 `application_archived`, under their hosts
        and local ports alike; calls in flight end and are charged. It can be read as before with
        `x-svc-app`, usage and ledger included, and no longer changed or made active; tokens whose active
        application it was fall back to the only one there is. Its slug and its hosts are never given to
        another one. Archiving it again answers it as it is.

        DELETE /v1/apps/{slug}. Its inputs are those of AppsRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_RM, given, options, types.Application)

    async def export(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsExportInput]) -> types.Configuration:
        """Export the configuration of an application.

        Everything that apps.apply can bring about, as one document for version control: name, settings
        of the gateway, provider accounts by label and without secrets, model names, bundles whole,
        outcomes. The same configuration is always the same bytes. Patterns that mean no name any more
        are left out. People, keys and money are no configuration.

        GET /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsExportInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_APPS_EXPORT, given, options, types.Configuration)

    async def apply(self, *, options: ConditionalOptions | None = None, **given: Unpack[AppsApplyInput]) -> types.AppliedConfiguration:
        """Apply a configuration to an application.

        Makes the application what the document says, all of it or nothing, and answers each change;
        applying it again changes nothing. It refuses what the single operations would refuse. Each
        bundle is replaced whole, with its prices and includes; pools granted before stay as they were
        granted. A part that the document leaves out (`models`, say) stays as it is. What is missing in a
        part that it has is answered with the action `none` and stays, unless `prune` is `True`. Provider
        accounts must be there: none is ever made or changed.

        PUT /v1/apps/{slug}/configuration (an extension). Its inputs are those of AppsApplyInput.

        Raises ApiError: not_found, application_archived, unknown_model_pattern, model_unpriced, in_use,
        name_taken.
        """
        return await self._sender.call(_APPS_APPLY, given, options, types.AppliedConfiguration)

    async def use(self, *, options: CallOptions | None = None, **given: Unpack[AppsUseInput]) -> types.Application:
        """Make an application active.

        Requests of this token or session that name no application with `x-svc-app` mean this one from
        now on. Other tokens and sessions keep theirs.

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
