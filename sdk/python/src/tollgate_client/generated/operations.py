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
    """Of margin: show margin."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    by: NotRequired[Literal["endUser", "model", "bundle", "provider", "day", "key", "run"]]
    """Grouping of the rows. `endUser` when left out."""
    from_: NotRequired[Time]
    """First day, or a time within it. Defaults to 30 days before the end. ISO 8601."""
    to: NotRequired[Time]
    """End of the range (exclusive). Defaults to the end of today. ISO 8601."""


class MarginOutputTotals(Document):
    calls: int
    """Charged requests."""
    cost_micros: str
    """Provider cost, in micros. An integer as a decimal string."""
    billed_micros: str
    """List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An
    integer as a decimal string.
    """
    charge_micros: str
    """Amount debited from the sources of end users, in micros. An integer as a decimal string."""
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """
    paid_from_plan_micros: str
    """Part of the charge paid from pools of the plan, in micros. An integer as a decimal string."""
    paid_from_wallet_micros: str
    """Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string."""
    paid_from_gift_micros: str
    """Part of the charge paid from credit that was given, in micros. An integer as a decimal string."""
    on_demand_micros: str
    """Part of the charge billed on demand, in micros. An integer as a decimal string."""
    overdraft_micros: str
    """Part of the charge that took a wallet below 0, in micros. An integer as a decimal string."""
    unattributed_micros: str
    """Part of the charge of requests recorded before payments were split, in micros. An integer as a
    decimal string.
    """
    subscription_micros: str | None
    """Subscription fees earned in the range, in micros. Each invoice line is spread over the days it
    covers. Omitted for groups that cannot have subscriptions of their own. An integer as a decimal
    string.
    """
    invoiced_micros: str | None
    """Invoices issued in the range that are not void, in micros. Shown for comparison and not part of
    revenue. Omitted for bundles, and for groups without `subscription_micros`. An integer as a
    decimal string.
    """
    revenue_micros: str
    """Earned revenue, in micros: the sum of `subscription_micros`, `paid_from_wallet_micros` and
    `on_demand_micros`. Usage paid from a plan or from given credit earns no revenue. An integer as a
    decimal string.
    """
    margin_micros: str
    """`revenue_micros` minus `cost_micros`, in micros. Negative for a loss. An integer as a decimal
    string.
    """
    margin_percent: str | None
    """Margin as a percentage of revenue, with two decimal places. Halves are rounded away from zero.
    Null if revenue is not positive.
    """
    assumed_calls: int
    """Requests with a cost at assumed rates, including failed requests."""
    assumed_micros: str
    """Part of `cost_micros` computed at assumed rates, in micros. 0 for requests from versions that did
    not record it. An integer as a decimal string.
    """


class MarginOutput(Document):
    """What margin answers."""
    data: list[types.MarginRow]
    next_cursor: str | None
    from_: str
    """First day of the range. A day, like 2026-11-20 (UTC)."""
    to: str
    """Day after the last day of the range. A day, like 2026-11-20 (UTC)."""
    probe_cost_micros: str
    """Known cost of probes (providers.probe) of the organization's accounts in these days, in micros.
    Not part of the rows and totals. 0 in test mode, which has no probes. An integer as a decimal
    string.
    """
    totals: MarginOutputTotals
    """Totals of all groups, the same on every page."""


class MarginPage(MarginOutput, Page[types.MarginRow]):
    """A page of margin."""


class AsyncMarginPage(MarginOutput, AsyncPage[types.MarginRow]):
    """A page of margin."""


class HealthInput(TypedDict):
    """Of health: show latency and failures."""
    window: NotRequired[Literal["5m", "1h", "24h"]]
    """Window to return in `windows`. Omit for all three windows."""


class HealthOutputCredentialsRefused(Document):
    provider: str
    """Label of the provider account."""
    since: str
    """Time of the first rejection after the last successful request. ISO 8601."""
    refusals: int
    """Number of requests rejected since then."""
    mend: types.OperationCall
    """Operation that fixes the problem."""


class HealthOutputEmitters(Document):
    emitter_id: str
    """ID of the emitter, `emt_…`."""
    name: str
    """Label of the emitter."""
    failing_since: str | None
    """When deliveries started to fail: the first batch that was not accepted since the last accepted
    one. Null if the last batch was accepted. ISO 8601.
    """
    not_delivered: int
    """Number of events that were attempted and not accepted."""
    dropped: int
    """Number of events that were never attempted, because 10,000 events were already waiting."""


class HealthOutput(Document):
    """What health answers."""
    window_seconds: int
    """Length of the window of the top-level fields, in seconds. Always one hour."""
    calls: int
    """Number of completed requests, including failed ones."""
    failures: int
    """Number of requests that returned 5xx, because this server or the provider failed."""
    refusals: int
    """Number of requests that returned 4xx."""
    failure_rate: float
    """`failures` divided by `calls`. 0 if `calls` is 0. From 0 to 1."""
    latency_ms: types.HealthPercentiles
    """Time from the first byte of a request to the last byte of its response, in milliseconds."""
    circuits: list[types.Circuit]
    """Circuits that are not closed, in the mode of the request. They keep requests away from an account
    and model.
    """
    credentials_refused: list[HealthOutputCredentialsRefused]
    """Provider accounts of the organization whose API key is rejected. Empty in test mode."""
    disputed_costs: list[types.DisputedCost]
    """Accounts and models whose stated costs differ from the gateway's by more than 3 % over the last
    ten requests that state a cost. Empty if all costs match.
    """
    accounts: list[types.AccountHealth]
    """Health of the provider accounts of the organization, for requests of the application. Oldest
    account first.
    """
    names: list[types.NameHealth]
    """Health of the models and routers of the application. Models by name, then routers by name."""
    windows: list[types.HealthSpan]
    """Windows, shortest first."""
    emitters: list[HealthOutputEmitters]
    """Enabled emitters, oldest first."""


class DoctorOutputChecks(Document):
    name: str
    """Name of the check."""
    looks_at: str
    """Scope of the check, with its limits."""
    state: Literal["sound", "found", "failed"] | str
    """Result of the check. `sound`: no findings. `found`: at least one finding. `failed`: the check
    could not run.
    """
    findings: int
    """Number of findings."""


class DoctorOutput(Document):
    """What doctor answers."""
    application: str
    """Slug of the application that was checked."""
    mode: Literal["live", "test"] | str
    """Mode that was checked."""
    checked_at: str
    """When the checks ran. ISO 8601."""
    sound: bool
    """Whether the application has no finding of severity `error`."""
    findings: list[types.Finding]
    """Findings, most severe first."""
    checks: list[DoctorOutputChecks]
    """Checks that ran."""


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
        """The credential of the request."""
        self.customer = Customer(sender)
        """The organization and applications of the credential."""
        self.bill = Bill(sender)
        """The organization's own plan with the operator of this server, and its bill."""
        self.onboarding = Onboarding(sender)
        """Setup progress, up to the first settled request."""
        self.sessions = Sessions(sender)
        """Sign-ins of team members."""
        self.passkeys = Passkeys(sender)
        """Passkeys that members sign in with."""
        self.invitations = Invitations(sender)
        """Links that invite people to a team."""
        self.device_auth = DeviceAuth(sender)
        """Sign-ins from the command line (RFC 8628)."""
        self.team = Team(sender)
        """Members of the organization and their roles."""
        self.tokens = Tokens(sender)
        """The organization's `sk_` tokens."""
        self.limits = Limits(sender)
        """Daily limits that the organization sets for itself."""
        self.apps = Apps(sender)
        """Applications: products that have their own end users, keys, bundles and model names."""
        self.gateway = Gateway(sender)
        """Settings of an application's gateway."""
        self.providers = Providers(sender)
        """Accounts at model providers, and their prices."""
        self.catalog = Catalog(sender)
        """Providers and models with published prices."""
        self.models = Models(sender)
        """Model names that end users request."""
        self.routers = Routers(sender)
        """Model names that route to several targets."""
        self.bundles = Bundles(sender)
        """Plans: which models they allow, at which prices, with which limits and credit."""
        self.users = Users(sender)
        """End users and their balances."""
        self.subscription = Subscription(sender)
        """An end user's plan, pools and on-demand billing."""
        self.invoices = Invoices(sender)
        """Invoices for plans and on-demand usage."""
        self.test_clock = TestClock(sender)
        """The clock of test mode."""
        self.keys = Keys(sender)
        """`ak_` keys that authenticate end users at the gateway."""
        self.grants = Grants(sender)
        """Credit given to end users."""
        self.usage = Usage(sender)
        """Usage by model name and over time."""
        self.outcomes = Outcomes(sender)
        """Runs of several requests under one spend ceiling."""
        self.requests = Requests(sender)
        """Requests to the gateway, and how the cost of each was computed."""
        self.emitters = Emitters(sender)
        """Destinations for settled usage."""
        self.brand = Brand(sender)
        """The appearance of an application's portal."""
        self.portal = Portal(sender)
        """The end users' own view of their account, and their access to it."""
        self.audit = Audit(sender)
        """Changes, and who made them."""

    @property
    def with_raw_response(self) -> OperationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return OperationsWithRawResponse(Operations(self._sender.raw()))

    def margin(self, *, options: CallOptions | None = None, **given: Unpack[MarginInput]) -> MarginPage:
        """Show margin.

        Returns earned revenue, provider cost and margin by end user, model name, bundle, provider
        account, day, key or run.

        - Revenue is the sum of subscription fees (accrued by day), paid wallet money and on-demand
        usage.
        - `billed_micros` is the list value of usage, regardless of who paid for it.
        - The rows of all pages add up exactly to the totals. Subscriptions and requests that belong to
        no group are in a last row, whose group is None.
        - By provider, the cost of a failed attempt counts for the account that made it, so that the sum
        matches the provider's invoice.
        - Days are UTC. A request counts on the day it ends. A time in `from` or `to` includes its whole
        day.
        - Rows are sorted by group, days newest first.
        - By end user and by key, a page skips at most 2,000 groups without usage. It can have fewer rows
        than `limit`, or no rows, although `next_cursor` is not None.

        GET /v1/margin. Its inputs are those of MarginInput.
        """
        return self._sender.page(_MARGIN, given, options, MarginPage)

    def health(self, *, options: CallOptions | None = None, **given: Unpack[HealthInput]) -> HealthOutput:
        """Show latency and failures.

        Returns the latency and failures of gateway requests that ended in the last five minutes, hour
        and day, in the mode of the request. The top-level fields cover the last hour.

        - Figures are grouped by provider account, by account and model with each attempt, and by
        requested name.
        - Counts are exact. Percentiles are nearest ranks of a histogram. They are exact up to 64 ms.
        Above that, they are at most 3.2 % too large and never too small.

        GET /v1/health. Its inputs are those of HealthInput.
        """
        return self._sender.call(_HEALTH, given, options, HealthOutput)

    def doctor(self, *, options: CallOptions | None = None) -> DoctorOutput:
        """Find configuration problems.

        Checks the application, the provider accounts of its organization and the server, in the mode of
        the request. Each finding states the consequence and the request that fixes it. Nothing is
        changed, and no request is sent to providers. A check that fails to run is also a finding.

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
        """The credential of the request."""
        self.customer = AsyncCustomer(sender)
        """The organization and applications of the credential."""
        self.bill = AsyncBill(sender)
        """The organization's own plan with the operator of this server, and its bill."""
        self.onboarding = AsyncOnboarding(sender)
        """Setup progress, up to the first settled request."""
        self.sessions = AsyncSessions(sender)
        """Sign-ins of team members."""
        self.passkeys = AsyncPasskeys(sender)
        """Passkeys that members sign in with."""
        self.invitations = AsyncInvitations(sender)
        """Links that invite people to a team."""
        self.device_auth = AsyncDeviceAuth(sender)
        """Sign-ins from the command line (RFC 8628)."""
        self.team = AsyncTeam(sender)
        """Members of the organization and their roles."""
        self.tokens = AsyncTokens(sender)
        """The organization's `sk_` tokens."""
        self.limits = AsyncLimits(sender)
        """Daily limits that the organization sets for itself."""
        self.apps = AsyncApps(sender)
        """Applications: products that have their own end users, keys, bundles and model names."""
        self.gateway = AsyncGateway(sender)
        """Settings of an application's gateway."""
        self.providers = AsyncProviders(sender)
        """Accounts at model providers, and their prices."""
        self.catalog = AsyncCatalog(sender)
        """Providers and models with published prices."""
        self.models = AsyncModels(sender)
        """Model names that end users request."""
        self.routers = AsyncRouters(sender)
        """Model names that route to several targets."""
        self.bundles = AsyncBundles(sender)
        """Plans: which models they allow, at which prices, with which limits and credit."""
        self.users = AsyncUsers(sender)
        """End users and their balances."""
        self.subscription = AsyncSubscription(sender)
        """An end user's plan, pools and on-demand billing."""
        self.invoices = AsyncInvoices(sender)
        """Invoices for plans and on-demand usage."""
        self.test_clock = AsyncTestClock(sender)
        """The clock of test mode."""
        self.keys = AsyncKeys(sender)
        """`ak_` keys that authenticate end users at the gateway."""
        self.grants = AsyncGrants(sender)
        """Credit given to end users."""
        self.usage = AsyncUsage(sender)
        """Usage by model name and over time."""
        self.outcomes = AsyncOutcomes(sender)
        """Runs of several requests under one spend ceiling."""
        self.requests = AsyncRequests(sender)
        """Requests to the gateway, and how the cost of each was computed."""
        self.emitters = AsyncEmitters(sender)
        """Destinations for settled usage."""
        self.brand = AsyncBrand(sender)
        """The appearance of an application's portal."""
        self.portal = AsyncPortal(sender)
        """The end users' own view of their account, and their access to it."""
        self.audit = AsyncAudit(sender)
        """Changes, and who made them."""

    @property
    def with_raw_response(self) -> AsyncOperationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncOperationsWithRawResponse(AsyncOperations(self._sender.raw()))

    def margin(self, *, options: CallOptions | None = None, **given: Unpack[MarginInput]) -> AsyncPageCall[types.MarginRow, AsyncMarginPage]:
        """Show margin.

        Returns earned revenue, provider cost and margin by end user, model name, bundle, provider
        account, day, key or run.

        - Revenue is the sum of subscription fees (accrued by day), paid wallet money and on-demand
        usage.
        - `billed_micros` is the list value of usage, regardless of who paid for it.
        - The rows of all pages add up exactly to the totals. Subscriptions and requests that belong to
        no group are in a last row, whose group is None.
        - By provider, the cost of a failed attempt counts for the account that made it, so that the sum
        matches the provider's invoice.
        - Days are UTC. A request counts on the day it ends. A time in `from` or `to` includes its whole
        day.
        - Rows are sorted by group, days newest first.
        - By end user and by key, a page skips at most 2,000 groups without usage. It can have fewer rows
        than `limit`, or no rows, although `next_cursor` is not None.

        GET /v1/margin. Its inputs are those of MarginInput.
        """
        return self._sender.page(_MARGIN, given, options, AsyncMarginPage)

    async def health(self, *, options: CallOptions | None = None, **given: Unpack[HealthInput]) -> HealthOutput:
        """Show latency and failures.

        Returns the latency and failures of gateway requests that ended in the last five minutes, hour
        and day, in the mode of the request. The top-level fields cover the last hour.

        - Figures are grouped by provider account, by account and model with each attempt, and by
        requested name.
        - Counts are exact. Percentiles are nearest ranks of a histogram. They are exact up to 64 ms.
        Above that, they are at most 3.2 % too large and never too small.

        GET /v1/health. Its inputs are those of HealthInput.
        """
        return await self._sender.call(_HEALTH, given, options, HealthOutput)

    async def doctor(self, *, options: CallOptions | None = None) -> DoctorOutput:
        """Find configuration problems.

        Checks the application, the provider accounts of its organization and the server, in the mode of
        the request. Each finding states the consequence and the request that fixes it. Nothing is
        changed, and no request is sent to providers. A check that fails to run is also a finding.

        GET /v1/diagnose.
        """
        return await self._sender.call(_DOCTOR, {}, options, DoctorOutput)


class AsyncOperationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncOperations) -> None:
        self.margin = async_raw(methods.margin)
        self.health = async_raw(methods.health)
        self.doctor = async_raw(methods.doctor)
