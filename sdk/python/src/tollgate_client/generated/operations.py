# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types
from .apps import Apps, AsyncApps
from .audit import AsyncAudit, Audit
from .auth import AsyncAuth, Auth
from .bill import AsyncBill, Bill
from .brand import AsyncBrand, Brand
from .bundles import AsyncBundles, Bundles
from .catalog import AsyncCatalog, Catalog
from .customer import AsyncCustomer, Customer
from .device_auth import AsyncDeviceAuth, DeviceAuth
from .emitters import AsyncEmitters, Emitters
from .gateway import AsyncGateway, Gateway
from .grants import AsyncGrants, Grants
from .invitations import AsyncInvitations, Invitations
from .invoices import AsyncInvoices, Invoices
from .keys import AsyncKeys, Keys
from .limits import AsyncLimits, Limits
from .models import AsyncModels, Models
from .onboarding import AsyncOnboarding, Onboarding
from .outcomes import AsyncOutcomes, Outcomes
from .passkeys import AsyncPasskeys, Passkeys
from .portal import AsyncPortal, Portal
from .providers import AsyncProviders, Providers
from .requests import AsyncRequests, Requests
from .routers import AsyncRouters, Routers
from .sessions import AsyncSessions, Sessions
from .subscription import AsyncSubscription, Subscription
from .team import AsyncTeam, Team
from .test_clock import AsyncTestClock, TestClock
from .tokens import AsyncTokens, Tokens
from .usage import AsyncUsage, Usage
from .users import AsyncUsers, Users


class MarginInput(TypedDict):
    """Of margin: show margin by end user."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    by: NotRequired[Literal["endUser", "model", "bundle", "provider", "day", "key", "run"]]
    """The grouping of the rows. `endUser` when left out."""
    from_: NotRequired[Time]
    """The first day, or a time in it; left out: 30 days before the end. ISO 8601."""
    to: NotRequired[Time]
    """The end, not included; left out: today with it. ISO 8601."""


class MarginOutputTotals(Document):
    calls: int
    """Charged calls."""
    cost_micros: str
    """Provider cost, in micros. An integer as a decimal string."""
    billed_micros: str
    """List value: usage at the sell price of the bundle, whoever paid for it, in micros. An integer as a
    decimal string.
    """
    charge_micros: str
    """Amount debited from the sources of end users, in micros. An integer as a decimal string."""
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and is part of the cost. An
    integer as a decimal string.
    """
    paid_from_plan_micros: str
    """Part of the charge that pools of the plan paid, in micros. An integer as a decimal string."""
    paid_from_wallet_micros: str
    """Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string.
    """
    paid_from_gift_micros: str
    """Part of the charge from credit that was given, in micros. An integer as a decimal string."""
    on_demand_micros: str
    """Part of the charge billed on demand, in micros. An integer as a decimal string."""
    overdraft_micros: str
    """Part of the charge that took a wallet below 0, in micros. An integer as a decimal string."""
    unattributed_micros: str
    """Part of the charge of requests recorded before payments were split, in micros. An integer as a
    decimal string.
    """
    subscription_micros: str | None
    """Subscription fees earned in the range, in micros: each invoice line is spread over the days it
    pays for. Omitted for groups that have no subscriptions of their own. An integer as a decimal
    string.
    """
    invoiced_micros: str | None
    """Invoices issued in the range that are not void, in micros. Shown for comparison and not part of
    revenue. Omitted where `subscription_micros` is, and for bundles. An integer as a decimal string.
    """
    revenue_micros: str
    """Earned revenue, in micros: `subscription_micros`, `paid_from_wallet_micros` and
    `on_demand_micros`. Usage paid by a plan or by given credit earns nothing. An integer as a decimal
    string.
    """
    margin_micros: str
    """`revenue_micros` less `cost_micros`. Negative for a loss. An integer as a decimal string."""
    margin_percent: str | None
    """The margin as a percentage of revenue, with two decimal places, halves rounded away from zero.
    Null if revenue is not positive.
    """
    assumed_calls: int
    """Calls with a cost at assumed rates, failed calls included."""
    assumed_micros: str
    """The part of `cost_micros` computed at assumed rates, in micros. 0 for calls of versions that did
    not record it. An integer as a decimal string.
    """


class MarginOutput(Document):
    """What margin answers."""
    data: list[types.MarginRow]
    next_cursor: str | None
    from_: str
    """The first day that is counted. A day, like 2026-11-20 (UTC)."""
    to: str
    """The day after the last one that is counted. A day, like 2026-11-20 (UTC)."""
    probe_cost_micros: str
    """What probes of the organization's accounts cost in these days (providers.probe), as far as is
    known, in micros: no part of rows and totals. 0 in test mode, which has none. An integer as a
    decimal string.
    """
    totals: MarginOutputTotals
    """All groups together, on every page."""


class MarginPage(MarginOutput, Page[types.MarginRow]):
    """A page of margin."""


class AsyncMarginPage(MarginOutput, AsyncPage[types.MarginRow]):
    """A page of margin."""


class HealthInput(TypedDict):
    """Of health: show latency and failure rate."""
    window: NotRequired[Literal["5m", "1h", "24h"]]
    """Only that window in `windows`; left out: all three."""


class HealthOutputCredentialsRefused(Document):
    provider: str
    """Label of the provider account."""
    since: str
    """The first refusal after the last call that was answered. ISO 8601."""
    refusals: int
    """Calls that were refused since."""
    mend: types.OperationCall
    """The call that mends it."""


class HealthOutputEmitters(Document):
    emitter_id: str
    """Id of the emitter, `emt_…`."""
    name: str
    """Its label."""
    failing_since: str | None
    """First batch that was not accepted since one was; None: the last one was accepted. ISO 8601."""
    not_delivered: int
    """Events, in all, that were attempted and not accepted."""
    dropped: int
    """Events, in all, that were never attempted: too many waited."""


class HealthOutput(Document):
    """What health answers."""
    window_seconds: int
    """Length of the window of these fields, an hour."""
    calls: int
    """Calls that have ended."""
    failures: int
    """Those answered 5xx: broken here or at the provider."""
    refusals: int
    """Those answered 4xx."""
    failure_rate: float
    """`failures` of `calls`; 0 without calls. From 0 to 1."""
    latency_ms: types.HealthPercentiles
    """Milliseconds from the first byte of a request to the last of its answer."""
    circuits: list[types.Circuit]
    """The accounts and models that calls are kept from now, in the mode."""
    credentials_refused: list[HealthOutputCredentialsRefused]
    """The organization's accounts whose API key is refused; empty in test mode."""
    disputed_costs: list[types.DisputedCost]
    """Accounts and models whose stated costs differ from the gateway's by more than 3 % over the last
    ten calls that state one. Empty if none do.
    """
    accounts: list[types.AccountHealth]
    """How the organization's provider accounts do with the application's calls, oldest first."""
    names: list[types.NameHealth]
    """How the application's models and routers do: models by name, then routers by name."""
    windows: list[types.HealthSpan]
    """The windows, shortest first."""
    emitters: list[HealthOutputEmitters]
    """Destinations of settled usage that are enabled, oldest first."""


class DoctorOutputChecks(Document):
    name: str
    """Name of the check."""
    looks_at: str
    """What it looks at, and how far."""
    state: Literal["sound", "found", "failed"] | str
    """`found`: it has findings; `failed`: it could not be made."""
    findings: int
    """Number of its findings."""


class DoctorOutput(Document):
    """What doctor answers."""
    application: str
    """Slug of the application that was looked at."""
    mode: Literal["live", "test"] | str
    """The mode that was looked at."""
    checked_at: str
    """When. ISO 8601."""
    sound: bool
    """Whether nothing of severity `error` was found."""
    findings: list[types.Finding]
    """What was found, the worst first."""
    checks: list[DoctorOutputChecks]
    """The checks that were made."""


_MARGIN = Route(
    id="margin",
    method="GET",
    path="/v1/margin",
    takes=MarginInput,
    query=("limit", "cursor", "by", "from", "to",),
)


_HEALTH = Route(
    id="health",
    method="GET",
    path="/v1/health",
    takes=HealthInput,
    query=("window",),
)


_DOCTOR = Route(
    id="doctor",
    method="GET",
    path="/v1/diagnose",
)


class Operations:
    """Every operation, by its id."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.auth = Auth(sender)
        """Who makes a request."""
        self.customer = Customer(sender)
        """The organization that a request is about."""
        self.bill = Bill(sender)
        """What the organization pays the operator of this server."""
        self.onboarding = Onboarding(sender)
        """How far the set-up is, up to a first settled call."""
        self.sessions = Sessions(sender)
        """People who sign in."""
        self.passkeys = Passkeys(sender)
        """Passkeys, with which members sign in."""
        self.invitations = Invitations(sender)
        """The links by which people join the team."""
        self.device_auth = DeviceAuth(sender)
        """Sign-ins of command lines (RFC 8628)."""
        self.team = Team(sender)
        """The people of the organization, and what they may do."""
        self.tokens = Tokens(sender)
        """The `sk_` tokens of the organization."""
        self.limits = Limits(sender)
        """What the organization allows itself a day."""
        self.apps = Apps(sender)
        """Applications: products with end users, keys, bundles and model names of their own."""
        self.gateway = Gateway(sender)
        """What the gateway of an application answers."""
        self.providers = Providers(sender)
        """Accounts at model providers, and what they are charged."""
        self.catalog = Catalog(sender)
        """Providers and models whose prices are published."""
        self.models = Models(sender)
        """The names of models that end users ask for."""
        self.routers = Routers(sender)
        """Names with several ways to answer."""
        self.bundles = Bundles(sender)
        """What a plan allows, sells, limits and grants."""
        self.users = Users(sender)
        """End users, and what moved their balance."""
        self.subscription = Subscription(sender)
        """The plan of an end user, its pools and on-demand use."""
        self.invoices = Invoices(sender)
        """What subscriptions cost, and whether it was paid."""
        self.test_clock = TestClock(sender)
        """The time of test mode."""
        self.keys = Keys(sender)
        """The `ak_` keys with which end users call the gateway."""
        self.grants = Grants(sender)
        """Credit given to end users."""
        self.usage = Usage(sender)
        """What was used, by model name."""
        self.outcomes = Outcomes(sender)
        """Runs of several calls under one spend ceiling."""
        self.requests = Requests(sender)
        """Calls of the gateway, and why each cost what it cost."""
        self.emitters = Emitters(sender)
        """Where settled usage is delivered."""
        self.brand = Brand(sender)
        """How the portal of an application looks."""
        self.portal = Portal(sender)
        """What end users see of themselves, and how they come there."""
        self.audit = Audit(sender)
        """Who changed what."""

    @property
    def with_raw_response(self) -> OperationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return OperationsWithRawResponse(Operations(self._sender.raw()))

    def margin(self, *, options: CallOptions | None = None, **given: Unpack[MarginInput]) -> MarginPage:
        """Show margin by end user.

        Returns earned revenue, provider cost and margin by end user, model name, bundle, provider
        account, day, key or run. Revenue is subscription fees accrued by day, wallet money that was paid
        for, and on-demand usage. `billed_micros` is the list value of usage, whoever paid for it. Sums
        are exact: the rows of all pages add up to the totals. Groups without subscriptions of their own
        leave them to a last row, None, with the calls that no group accounts for. By provider, the cost
        of a failed attempt counts with the account that made it, so the column can be compared with the
        provider's invoice. Days are UTC, by the end of a call. A time within a day takes the whole day.
        Rows are in the order of their group, days newest first. By end user and by key, a page passes
        over at most 2,000 without usage: it may have fewer rows than `limit`, or none, while
        `next_cursor` continues.

        GET /v1/margin. Its inputs are those of MarginInput.
        """
        return self._sender.page(_MARGIN, given, options, MarginPage)

    def health(self, *, options: CallOptions | None = None, **given: Unpack[HealthInput]) -> HealthOutput:
        """Show latency and failure rate.

        How the application's gateway calls of the mode went that ended in the last five minutes, hour
        and day, by provider account, by account and model with each attempt, and by name. Counts are
        exact. Percentiles are nearest ranks of a histogram: exact to 64 ms, above that at most 3.2 % too
        large and never too small. The first fields are those of the last hour.

        GET /v1/health. Its inputs are those of HealthInput.
        """
        return self._sender.call(_HEALTH, given, options, HealthOutput)

    def doctor(self, *, options: CallOptions | None = None) -> DoctorOutput:
        """Find configuration problems.

        Looks at the application, the accounts of its organization and the server itself, in the mode of
        the request, and names for each problem what it means and the call that mends it. Nothing is
        changed and no provider is asked. A check that cannot be made is a finding too.

        GET /v1/diagnose.
        """
        return self._sender.call(_DOCTOR, {}, options, DoctorOutput)


class OperationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Operations) -> None:
        self.margin = raw(methods.margin)
        self.health = raw(methods.health)
        self.doctor = raw(methods.doctor)


class AsyncOperations:
    """Every operation, by its id."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender
        self.auth = AsyncAuth(sender)
        """Who makes a request."""
        self.customer = AsyncCustomer(sender)
        """The organization that a request is about."""
        self.bill = AsyncBill(sender)
        """What the organization pays the operator of this server."""
        self.onboarding = AsyncOnboarding(sender)
        """How far the set-up is, up to a first settled call."""
        self.sessions = AsyncSessions(sender)
        """People who sign in."""
        self.passkeys = AsyncPasskeys(sender)
        """Passkeys, with which members sign in."""
        self.invitations = AsyncInvitations(sender)
        """The links by which people join the team."""
        self.device_auth = AsyncDeviceAuth(sender)
        """Sign-ins of command lines (RFC 8628)."""
        self.team = AsyncTeam(sender)
        """The people of the organization, and what they may do."""
        self.tokens = AsyncTokens(sender)
        """The `sk_` tokens of the organization."""
        self.limits = AsyncLimits(sender)
        """What the organization allows itself a day."""
        self.apps = AsyncApps(sender)
        """Applications: products with end users, keys, bundles and model names of their own."""
        self.gateway = AsyncGateway(sender)
        """What the gateway of an application answers."""
        self.providers = AsyncProviders(sender)
        """Accounts at model providers, and what they are charged."""
        self.catalog = AsyncCatalog(sender)
        """Providers and models whose prices are published."""
        self.models = AsyncModels(sender)
        """The names of models that end users ask for."""
        self.routers = AsyncRouters(sender)
        """Names with several ways to answer."""
        self.bundles = AsyncBundles(sender)
        """What a plan allows, sells, limits and grants."""
        self.users = AsyncUsers(sender)
        """End users, and what moved their balance."""
        self.subscription = AsyncSubscription(sender)
        """The plan of an end user, its pools and on-demand use."""
        self.invoices = AsyncInvoices(sender)
        """What subscriptions cost, and whether it was paid."""
        self.test_clock = AsyncTestClock(sender)
        """The time of test mode."""
        self.keys = AsyncKeys(sender)
        """The `ak_` keys with which end users call the gateway."""
        self.grants = AsyncGrants(sender)
        """Credit given to end users."""
        self.usage = AsyncUsage(sender)
        """What was used, by model name."""
        self.outcomes = AsyncOutcomes(sender)
        """Runs of several calls under one spend ceiling."""
        self.requests = AsyncRequests(sender)
        """Calls of the gateway, and why each cost what it cost."""
        self.emitters = AsyncEmitters(sender)
        """Where settled usage is delivered."""
        self.brand = AsyncBrand(sender)
        """How the portal of an application looks."""
        self.portal = AsyncPortal(sender)
        """What end users see of themselves, and how they come there."""
        self.audit = AsyncAudit(sender)
        """Who changed what."""

    @property
    def with_raw_response(self) -> AsyncOperationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncOperationsWithRawResponse(AsyncOperations(self._sender.raw()))

    def margin(self, *, options: CallOptions | None = None, **given: Unpack[MarginInput]) -> AsyncPageCall[types.MarginRow, AsyncMarginPage]:
        """Show margin by end user.

        Returns earned revenue, provider cost and margin by end user, model name, bundle, provider
        account, day, key or run. Revenue is subscription fees accrued by day, wallet money that was paid
        for, and on-demand usage. `billed_micros` is the list value of usage, whoever paid for it. Sums
        are exact: the rows of all pages add up to the totals. Groups without subscriptions of their own
        leave them to a last row, None, with the calls that no group accounts for. By provider, the cost
        of a failed attempt counts with the account that made it, so the column can be compared with the
        provider's invoice. Days are UTC, by the end of a call. A time within a day takes the whole day.
        Rows are in the order of their group, days newest first. By end user and by key, a page passes
        over at most 2,000 without usage: it may have fewer rows than `limit`, or none, while
        `next_cursor` continues.

        GET /v1/margin. Its inputs are those of MarginInput.
        """
        return self._sender.page(_MARGIN, given, options, AsyncMarginPage)

    async def health(self, *, options: CallOptions | None = None, **given: Unpack[HealthInput]) -> HealthOutput:
        """Show latency and failure rate.

        How the application's gateway calls of the mode went that ended in the last five minutes, hour
        and day, by provider account, by account and model with each attempt, and by name. Counts are
        exact. Percentiles are nearest ranks of a histogram: exact to 64 ms, above that at most 3.2 % too
        large and never too small. The first fields are those of the last hour.

        GET /v1/health. Its inputs are those of HealthInput.
        """
        return await self._sender.call(_HEALTH, given, options, HealthOutput)

    async def doctor(self, *, options: CallOptions | None = None) -> DoctorOutput:
        """Find configuration problems.

        Looks at the application, the accounts of its organization and the server itself, in the mode of
        the request, and names for each problem what it means and the call that mends it. Nothing is
        changed and no provider is asked. A check that cannot be made is a finding too.

        GET /v1/diagnose.
        """
        return await self._sender.call(_DOCTOR, {}, options, DoctorOutput)


class AsyncOperationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncOperations) -> None:
        self.margin = async_raw(methods.margin)
        self.health = async_raw(methods.health)
        self.doctor = async_raw(methods.doctor)
