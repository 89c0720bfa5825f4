# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from ..document import Document


class AccountHealth(Document):
    """Health of a provider account."""
    provider: str
    """Label of the provider account."""
    state: Literal["healthy", "degraded", "failing", "unavailable", "key_refused", "unknown"] | str
    """Health now and over the last 24 hours.

    - `healthy`: no request failed.
    - `degraded`: some requests failed, or some targets are unavailable now.
    - `failing`: at least five requests and at least 5 % failed.
    - `unavailable`: no target is available now.
    - `key_refused`: the provider rejects the key.
    - `unknown`: no requests.
    """
    calls: int
    """Number of requests in the last 24 hours, or of attempts for an account."""
    failed: int
    """Number of failures caused by the provider or this server."""
    failure_rate: float
    """`failed` divided by `calls`. 0 if `calls` is 0. From 0 to 1."""
    why: str | None
    """Problem, with its numbers. Null if the state is `healthy` or `unknown`."""


class AccountModel(Document):
    """A model that an account can use, with its price."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    price: Price
    priced_by: Literal["account", "catalogue"] | str
    """Source of the price. `account`: set on the account. `catalogue`: published by the provider."""
    missing: list[str]
    """Dimensions that the provider reports but the price has no rate for. If the list is not empty, the
    model is served only in bundles that price it, and the cost of these units is assumed.
    """
    context_tokens: int | None
    """Context window, in tokens. Null if unknown."""
    max_output_tokens: int | None
    """Maximum output tokens of a response. Null if unknown."""
    deprecated: bool
    """Whether the provider is about to retire the model."""


class AddedEmitter(Document):
    """A new emitter, with its signing secret."""
    id: str
    """ID of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
    `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
    """
    name: str
    """Label of the emitter. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered."""
    livemode: bool
    """Whether the emitter receives live requests. False means test requests."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """Events that are delivered."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """ID under which usage is filed. Usage without an end user or external ID is filed under the ID of
    the organization.

    - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
    - `organization_id`: the ID of the organization, for all usage.
    - `external_id`: the external ID of the end user.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds."""
    event_name: str | None
    """Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds."""
    last_four: str
    """Last four characters of the credential, or of the signing secret of a webhook."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Number of events that were accepted, including replayed events."""
    not_delivered: int
    """Number of events that were attempted and not accepted."""
    dropped: int
    """Number of events that were never attempted, because 10,000 events were already waiting."""
    last_delivered_at: str | None
    """When a batch was last accepted. Null if no batch was accepted. ISO 8601."""
    last_failed_at: str | None
    """When a batch was last not accepted. Null if every batch was accepted. ISO 8601."""
    last_failure: str | None
    """Reason why that batch was not accepted. Null if every batch was accepted."""
    failing_since: str | None
    """When deliveries started to fail: the first batch that was not accepted since the last accepted
    one. Null if the last batch was accepted. ISO 8601.
    """
    missed: MissedSpan | None
    """Span that contains every request whose events were neither accepted nor replayed since.
    `emitters.replay` accepts it as it is. Null if no event was missed.
    """
    replay: EmitterReplay | None
    """Last replay. Null if no replay was requested."""
    created_at: str
    """When the emitter was added. ISO 8601."""
    signing_secret: str | None
    """Signing secret of a webhook, `whsec_…`. It is returned once and cannot be retrieved again.
    `emitters.rotateSecret` replaces it. Null for other kinds.
    """


class ApiKeySummary(Document):
    """A key of an end user, without its secret."""
    id: str
    """ID of the key, `key_…`."""
    name: str
    """Display name of the key."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    livemode: bool
    """Whether the key is a live key. Test keys never reach a provider."""
    end_user_id: str | None
    """External ID of the end user that the key belongs to. If the end user was deleted, their ID,
    `eu_…`.
    """
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    spent_micros: str
    """Charges in the current `cap_period`, in micros, for the key and the keys it replaced. Reported
    with or without a cap. An integer as a decimal string.
    """
    held_micros: str
    """Amount held by requests in flight, in micros, for the key and the keys it replaced. It counts
    toward the cap. An integer as a decimal string.
    """
    resets_at: str | None
    """When the next `cap_period` begins. Null if the cap never resets. ISO 8601."""
    actor_type: str
    """Kind of the actor who created the key, such as `token`."""
    actor_label: str | None
    """Label of the actor who created the key. Null if the actor has no label."""
    created_at: str
    """When the key was created. ISO 8601."""
    last_used_at: str | None
    """When the key was last used at the gateway. Null if the key has never been used. ISO 8601."""
    revoked_at: str | None
    """When the key was revoked. Null if it was not revoked. ISO 8601."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    replaced_by: str | None
    """ID of the key that replaces this one, `key_…`. Null if the key was not rotated."""


class Application(Document):
    """An application: one product with its own end users, keys and model names."""
    slug: str
    """Slug of the application. It is part of the application's host names and cannot be changed."""
    name: str
    """Display name."""
    gateway: str
    """Base URL of the gateway."""
    portal: str
    """URL of the end-user portal."""
    local_gateway: str | None
    """URL of the gateway by address and port, for clients that do not resolve `*.localhost`."""
    local_portal: str | None
    """URL of the portal by address and port, for clients that do not resolve `*.localhost`."""
    end_users: int
    """Number of end users."""
    keys: int
    """Number of keys that are not revoked."""
    bundles: list[str]
    """Slugs of the bundles."""
    models: list[str]
    """Model names."""
    cost_usd: str
    """Provider cost of settled requests in the mode of this request, in US dollars."""
    created_at: str
    """When the application was created. ISO 8601."""
    archived_at: str | None
    """When the application was archived. Null if it is not archived. ISO 8601."""


class AppliedConfiguration(Document):
    """Changes that a document made, or would make in a dry run."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""
    changes: list[ConfigurationChange]
    """Changes, in the order of the sections and then by name. Items of the document that do not change
    are omitted.
    """


class AuditEntryActor(Document):
    kind: str
    """`token`: a control-plane token. `member`: a member of the team. `end_user`: an end user in the
    portal. `stranger`: a failed sign-in.
    """
    id: str
    """ID of the token, member or end user. For a failed sign-in, the ID of the member whose account was
    tried.
    """
    label: str
    """Label of the token, or email address of the member."""
    address: str
    """Network address of the client."""


class AuditEntry(Document):
    """A change made through the control plane."""
    id: str
    """ID of the entry, `aud_…`."""
    at: str
    """When the change was made. ISO 8601."""
    operation: str
    """ID of the operation that made the change."""
    resource: str
    """Method and path of the request."""
    application_id: str | None
    """ID of the application that was changed. Null if the change belongs to the organization."""
    mode: Literal["live", "test"] | str
    """Mode of the request."""
    actor: AuditEntryActor
    """Caller that made the change."""
    request_id: str
    """ID of the request, `req_…`."""
    before: Any
    """Configuration before the change. Null if the resource did not exist or has no state to compare."""
    after: Any
    """Configuration after the change, or the response if there is no state to compare. Secrets are never
    included.
    """


class Balance(Document):
    """Wallet of an end user."""
    balance_units: str
    """Wallet balance, including expiring credit that can be spent now, in micros. An integer as a
    decimal string.
    """
    reserved_units: str
    """Amount held for requests in flight, in micros. The available amount is `balance_units` less
    `reserved_units`. An integer as a decimal string.
    """
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit with a future `starts_at` is not part of the balance yet.
    """


class BalanceChange(Document):
    """A manual change of a wallet: a top-up or an adjustment."""
    id: str
    """ID of the change, `gr_…`."""
    end_user_id: str
    """The customer's own ID for the end user."""
    kind: Literal["topup", "adjustment"] | str
    """Kind of the ledger entry."""
    amount_units: str
    """Amount added to the balance, in micros. Negative if it was subtracted. An integer as a decimal
    string.
    """
    balance_after_units: str
    """Balance after the change, in micros. An integer as a decimal string."""
    payment_reference: str | None
    """Reference of the payment for a top-up. Null for every other kind."""
    reason: str
    """Reason given with the change, as the ledger shows it."""
    ledger_entry_id: str
    """ID of the ledger entry, `led_…`."""
    created_at: str
    """When the change was made. ISO 8601."""


class BillLine(Document):
    """A line of a bill."""
    kind: Literal["base", "upgrade", "calls", "seats", "late_calls"] | str
    """Reason for the line.

    - `base`: the first tier of the month.
    - `upgrade`: the price difference of a more expensive tier for the remaining days.
    - `calls`: requests beyond the included ones.
    - `seats`: members beyond the included ones.
    - `late_calls`: requests of an earlier month that settled after its bill, at the amount that they
    would have added to it.
    """
    period: str
    """Month that the line is for."""
    tier: str | None
    """Tier that sets the price. Null for `late_calls`."""
    days: int
    """Number of days of the month that the line covers."""
    quantity: int
    """Billed units: 1 for `base` and `upgrade`, otherwise requests or members beyond the included ones.
    """
    included: int
    """Requests of these days that are included. 0 for lines of other kinds."""
    unit_micros: str | None
    """Unit price, in micros: for a whole month of a base or a member, or for 1,000 requests. Null for
    `late_calls`. An integer as a decimal string.
    """
    amount_micros: str
    """Amount of the line, in micros, rounded up once. An integer as a decimal string."""


class BrandContrast(Document):
    white: float
    """Contrast ratio of the brand color to white, 1 to 21 (WCAG 2.2)."""
    black: float
    """Contrast ratio of the brand color to black, 1 to 21 (WCAG 2.2)."""
    warning: str | None
    """Warning that text in the brand color is hard to read. Null if the contrast to white is at least
    4.5:1.
    """


class Brand(Document):
    """The brand of the portal, with the readability of its color."""
    product_name: str
    """Product name that end users see."""
    primary_color: str
    """Brand color, `#rrggbb`."""
    text_color: str
    """Text color with the most contrast on the brand color, `#rrggbb`."""
    support_email: str | None
    """Email address where end users get help. Null if not set."""
    support_url: str | None
    """Web page where end users get help. Null if not set."""
    top_up_url: str | None
    """Page where the application sells credit. Null if not set."""
    pay_url: str | None
    """Page where end users pay invoices. Null if not set."""
    logo: Logo | None
    """Logo. Null if not set."""
    contrast: BrandContrast
    """Readability of the brand color."""


class BundlePrices(Document):
    model: str
    price: Price | None
    credits: Price | None


class Bundle(Document):
    """A bundle: the models, prices and grants of its end users."""
    slug: str
    display_name: str
    """Display name. 1 to 128 characters."""
    price_micros: str | None
    """Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
    bundle keep their price until they are put on it again. An integer as a decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    spend_limit_micros: str | None
    """Maximum spend of each end user per period, in micros. Null means no limit. An integer as a decimal
    string.
    """
    spend_limit_period: Literal["day", "week", "month", "total"] | str
    """Period after which `spend_limit_micros` resets (UTC). `total` means that it never resets."""
    termination_policy: Literal["hard_token", "complete_message", "grace"] | str
    """Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message`
    lets it finish. `grace` lets it continue by up to `max_overdraft_micros`.
    """
    max_overdraft_micros: str
    """Maximum amount by which a request can exceed its hold under `grace`, in micros. An integer as a
    decimal string.
    """
    debit_basis: Literal["provider_cost", "sell_price"] | str
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal.
    """
    credit_currency: str | None
    """Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
    users hold credits of the bundle. 1 to 32 characters.
    """
    on_client_left: Literal["cut", "drain"] | str | None
    """Handling of a stream when an end user of the bundle disconnects before its end. Null means the
    setting of the provider account.
    """
    allow: list[str]
    """Models that end users of the bundle can use."""
    deny: list[str]
    """Exceptions to `allow`."""
    prices: list[BundlePrices]
    """Sell prices and credit prices that are set, by model."""
    includes: list[BundleInclude]
    """Includes of the bundle, in the order in which they are granted."""
    default: bool
    """Whether new end users get this bundle."""
    warnings: list[BundleWarning]
    """Settings of the bundle that need a decision. Empty if every setting is decided."""
    created_at: str
    """When the bundle was created. ISO 8601."""


class BundleIncludeRollover(Document):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """Maximum number of times that the same units are carried over, up to 12. From 1 to 12."""


class BundleInclude(Document):
    """An amount that a bundle grants to its end users."""
    slug: str
    display_name: str
    """Display name. 1 to 128 characters."""
    unit: Literal["credits", "micros"] | str
    """Unit of `amount`."""
    amount: str
    """Amount of each grant, in micros or millionths of a credit. An integer as a decimal string."""
    price: str | None
    """Separate price of the include, in micros. Null means that the include is free. An integer as a
    decimal string.
    """
    then_on_demand: bool
    """Whether the wallet and on-demand billing cover usage after this pool is exhausted."""
    recurring: bool
    """Whether the amount is granted every period. False means once, at sign-up."""
    spillover_to: str | None
    """Source that pays the rest of a request when the pool is exhausted.

    - A slug means that include of the bundle.
    - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
    paid, oldest.
    - Null means no other pool. `then_on_demand` then decides whether the wallet and on-demand billing
    pay.
    """
    models: list[str] | None
    """Models that the pool can pay for. Null means every model in the bundle. 1 to 200 of them."""
    rollover: BundleIncludeRollover | None
    """Part of a recurring include that is carried over at the end of a month. Null means that the
    unspent amount expires.
    """


class BundleWarning(Document):
    """A setting of the bundle that needs a decision."""
    code: Literal["debit_basis_not_set"] | str
    """Stable code of the warning."""
    message: str
    """Current behavior, and the request that changes it."""


class CatalogModel(Document):
    """A model with the price that its provider publishes."""
    name: str
    """Name of the model in the catalog: provider and model ID, separated by a slash."""
    provider: str
    """ID of a provider in the catalog. 1 to 64 characters."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    dated: Literal["YYYY-MM-DD", "YYYYMMDD"] | str | None
    """Format of the date that can follow the model ID after a hyphen. Null if no date can follow."""
    price: Price
    effective_from: str | None
    """When the price took effect. Null means before the first price list. ISO 8601."""
    context_tokens: int | None
    """Context window, in tokens. Null if unknown."""
    max_output_tokens: int | None
    """Maximum output tokens of a response. Null if unknown."""
    deprecated: bool
    """Whether the provider is about to retire the model."""
    note: str | None
    """Note on the price. Null if there is no note."""
    source: str
    """Source of the price."""
    checked_at: str
    """Day on which the source was read."""


class CatalogProvider(Document):
    """A provider whose prices are in the catalog."""
    id: str
    """ID of a provider in the catalog. 1 to 64 characters."""
    name: str
    """Name of the provider."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """API format of the provider. The simulator is built in and responds without a network."""
    base_urls: list[str]
    """Base URLs, the usual one first. The published prices apply to provider accounts at exactly one of
    these URLs.
    """
    pricing_url: str
    """Pricing page of the provider."""
    models: int
    """Number of models that currently have a price."""


class ChangedMember(Document):
    """A member whose role was changed or who was removed."""
    id: str
    """ID of the member, `mem_…`."""
    email: str
    """Email address, in lower case."""
    name: str | None
    """Display name. Null until the member joins."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the member."""
    has_password: bool
    """Whether the member has a password. False if the member signs in only with the identity provider,
    or has not joined.
    """
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the member joined. Null if the invitation is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires or expired. Null if no invitation is open. ISO 8601."""
    valid_tokens: list[Token]
    """Tokens that the member created, directly or with another token, and that remain valid with a role
    that the member no longer has. Newest first, at most 200.
    """


class ChargedUsage(Document):
    """Usage and its charges."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range.
    An integer as a decimal string.
    """


class ChargedUsageOfModel(Document):
    """Usage of one model name and its charges."""
    requested_model: str
    """The requested model name."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range.
    An integer as a decimal string.
    """


class Circuit(Document):
    """A circuit that is not closed, as seen by the server process that returns this response."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID."""
    state: Literal["open", "half_open"] | str
    """`open`: no request is sent to the target. `half_open`: one request tries the target, or a probe if
    another target serves the requests.
    """
    until: str | None
    """When one request can try the target again. Null means now. ISO 8601."""
    why: str
    """Cause, with its numbers."""


class Configuration(Document):
    """The whole configuration of an application, without secrets."""
    format: Literal[1]
    """Version of the document format."""
    application: ConfigurationApplication
    brand: ConfigurationBrand
    gateway: ConfigurationGateway
    providers: list[ConfigurationAccount]
    """Provider accounts that the models and routers use, sorted by label. The accounts must exist
    already.
    """
    models: list[ConfigurationModel]
    """Models, sorted by name."""
    routers: list[ConfigurationRouter]
    """Routers, sorted by name."""
    bundles: list[ConfigurationBundle]
    """Bundles, sorted by slug."""
    outcomes: list[ConfigurationOutcome]
    """Outcomes that accept runs, sorted by slug."""


class ConfigurationAccount(Document):
    """A provider account that must exist. Credentials are not included."""
    label: str
    """Label of the provider account."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """API format of the provider. The simulator is built in and responds without a network."""


class ConfigurationApplication(Document):
    """Settings of the application itself."""
    name: str
    """Display name. 1 to 128 characters."""


class ConfigurationBrand(Document):
    """Brand of the portal, with the fields of `brand.set`. The logo is uploaded separately."""
    product_name: str | None
    """Product name that end users see. Null means the name of the application. 1 to 128 characters."""
    primary_color: str
    """Brand color, `#rrggbb`."""
    support_email: str | None
    """Email address where end users get help. Null if not set. At most 254 characters."""
    support_url: str | None
    """Web page where end users get help, http or https. Null if not set. At most 512 characters."""
    top_up_url: str | None
    """Page where the application sells credit. Rejections for lack of money return it as `portal_url`,
    and the portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: str | None
    """Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At
    most 512 characters.
    """


class ConfigurationBundlePrices(Document):
    model: str
    """Exact name of the model or router."""
    price: Price | None
    """Sell price. Null means that the model is sold at cost."""
    credits: Price | None
    """Price in millionths of a credit. Null means that credits cannot pay for the model."""


class ConfigurationBundleIncludesRollover(Document):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """Maximum number of times that the same units are carried over, up to 12. From 1 to 12."""


class ConfigurationBundleIncludes(Document):
    slug: str
    display_name: str
    """Display name. 1 to 128 characters."""
    unit: Literal["credits", "micros"] | str
    """Unit of `amount`."""
    amount: str
    """Amount of each grant, in micros or millionths of a credit. An integer as a decimal string."""
    price: str | None
    """Separate price of the include, in micros. Null means that the include is free. An integer as a
    decimal string.
    """
    then_on_demand: bool
    """Whether the wallet and on-demand billing cover usage after this pool is exhausted."""
    recurring: bool
    """Whether the amount is granted every period. False means once, at sign-up."""
    spillover_to: str | None
    """Source that pays the rest of a request when the pool is exhausted.

    - A slug means that include of the bundle.
    - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
    paid, oldest.
    - Null means no other pool. `then_on_demand` then decides whether the wallet and on-demand billing
    pay.
    """
    models: list[str] | None
    """Models that the pool can pay for. Null means every model in the bundle. An empty list means no
    model. At most 200 of them.
    """
    rollover: ConfigurationBundleIncludesRollover | None
    """Part of a recurring include that is carried over at the end of a month. Null means that the
    unspent amount expires.
    """


class ConfigurationBundle(Document):
    """A bundle with its patterns, prices and includes."""
    slug: str
    """Slug of the bundle."""
    display_name: str
    """Display name. 1 to 128 characters."""
    price_micros: str | None
    """Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
    bundle keep their price until they are put on it again. An integer as a decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    spend_limit_micros: str | None
    """Maximum spend of each end user per period, in micros. Null means no limit. An integer as a decimal
    string.
    """
    spend_limit_period: Literal["day", "week", "month", "total"] | str
    """Period after which `spend_limit_micros` resets (UTC). `total` means that it never resets."""
    termination_policy: Literal["hard_token", "complete_message", "grace"] | str
    """Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message`
    lets it finish. `grace` lets it continue by up to `max_overdraft_micros`.
    """
    max_overdraft_micros: str
    """Maximum amount by which a request can exceed its hold under `grace`, in micros. An integer as a
    decimal string.
    """
    debit_basis: Literal["provider_cost", "sell_price"] | str
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal.
    """
    credit_currency: str | None
    """Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
    users hold credits of the bundle. 1 to 32 characters.
    """
    on_client_left: Literal["cut", "drain"] | str | None
    """Handling of a stream when an end user of the bundle disconnects before its end. Null means the
    setting of the provider account.
    """
    allow: list[str]
    """Models that end users of the bundle can use."""
    deny: list[str]
    """Exceptions to `allow`."""
    prices: list[ConfigurationBundlePrices]
    """Sell prices and credit prices, by model."""
    includes: list[ConfigurationBundleIncludes]
    """Includes of the bundle, in the order in which they are granted."""
    default: bool
    """Whether new end users get this bundle. At most one bundle can be the default."""


class ConfigurationChange(Document):
    """The change of one resource of the configuration."""
    action: Literal["create", "update", "remove", "none"] | str
    """Change of the resource. `none` means that the resource is not in the document and is kept. `prune`
    would delete it.
    """
    resource: Literal["application", "brand", "gateway", "model", "router", "bundle", "outcome"] | str
    """Type of the resource."""
    path: str
    """Section of the document, followed by the name of the item if the section is a list."""
    before: dict[str, Any] | None
    """State before the change, in the form of the document. Null if the resource did not exist."""
    after: dict[str, Any] | None
    """State after the change, in the form of the document. Null if the resource was deleted."""


class ConfigurationGateway(Document):
    """Settings of the gateway, with the fields of `gateway.set`."""
    wires: list[Literal["chat", "messages", "generate", "responses"] | str] | None
    """Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
    `wire_not_served`. 1 to 4 of them.
    """
    models: list[str] | None
    """Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null
    means all names. The bundle of the end user must allow the name too. Other names are treated as
    unknown and are not listed. 1 to 200 of them.
    """
    origins: list[str]
    """Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers
    send them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials
    are never allowed, so pages send the key in a header. At most 100 of them.
    """
    addresses: list[str] | None
    """Client addresses that the gateway accepts. Null means all. Requests from other addresses return
    403 `address_not_allowed`.

    The client address is the address of the connection. Behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy.
    1 to 200 of them.
    """
    hours: list[WeeklyHours] | None
    """Times at which the gateway accepts requests. Null means always. At other times, requests return
    403 `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of
    them.
    """
    default_max_tokens: int | None
    """Maximum output tokens of a response if the request sets no maximum. The whole amount is held and
    is sent to the provider.

    - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
    model is never exceeded.
    - Null means that no maximum is sent to the provider. Non-streaming responses are then held for
    16,384 tokens, and streams initially for 2,048. From 1 to 10000000.
    """
    hold_wait_ms: int | None
    """Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After
    that, it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server
    setting, which is 2,000 unless the operator changes it. From 0 to 60000.
    """
    provider_tools: Literal["drop", "refuse"] | str
    """Handling of tools that the provider runs and that the request only offers. `drop` removes them and
    lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that
    the model is forced to use is always rejected.
    """
    conversion: Literal["lenient", "strict"] | str
    """Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits
    the fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route`
    with their names.
    """
    pass_traceparent: bool
    """Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C
    Trace Context). The spans of the provider then join the trace of the client. If false, the headers
    are not sent.
    """


class ConfigurationModelCeilings(Document):
    output_tokens: int | None
    """Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend
    it. Providers whose API requires a maximum receive this value. From 1 to 10000000.
    """


class ConfigurationModel(Document):
    """A model name with its sources."""
    name: str
    """Name of the model, as end users request it."""
    sources: list[ModelSource]
    """Provider accounts and their models, in the order in which they are tried."""
    ceilings: ConfigurationModelCeilings
    """Limits for requests that do not set their own."""
    enabled: bool
    """Whether the model is enabled. `models.disable` disables it."""


class ConfigurationOutcome(Document):
    """An outcome that accepts runs."""
    slug: str
    """Slug of the outcome. Requests send it as `svc.outcome`."""
    display_name: str
    """Display name. 1 to 128 characters."""
    ceiling_micros: str
    """Maximum spend of one run, in micros. An integer as a decimal string."""


class ConfigurationRouter(Document):
    """A router: a name that routes requests to several targets."""
    name: str
    """Name of the router, as end users request it."""
    policy: Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"] | str
    """Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight.
    `cheapest`: by expected cost of the request. `fastest`: by time to the first token. `leastBusy`:
    by requests in flight. `sticky`: the same target for each end user or session.
    """
    sticky_by: Literal["end_user", "session"] | str
    """Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
    target.
    """
    targets: list[RouterTarget]
    """Targets that requests are routed to."""
    attempts: RouterAttemptRules
    """Rules for attempts. Omitted rules get their defaults."""


class CredentialRefused(Document):
    """Rejections of the account's API key (401 or 403) by the provider, in the newest requests with the
    key.
    """
    since: str
    """Time of the first rejection after the last successful request. ISO 8601."""
    refusals: int
    """Number of requests rejected since then."""
    mend: OperationCall
    """Operation that fixes the problem."""


class Customer(Document):
    """An organization."""
    id: str
    """ID of the organization, `org_…`."""
    name: str
    """Name of the organization."""
    code: str
    """Code of the organization, which is the `<code>` part of its tokens."""
    tier: str
    """Billing tier of the organization. `bill.tiers` lists all tiers."""
    applications: int
    """Number of applications that are not archived."""
    members: int
    """Number of active members."""
    mode: Literal["live", "test"] | str
    """Mode of the request."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the caller. Each role includes the permissions of the roles below it."""
    created_at: str
    """When the organization was created. ISO 8601."""


class DeviceSignIn(Document):
    """A device that requests a sign-in."""
    client_name: str | None
    """Name that the device reports, which is not verified. Null if the device reports no name."""
    address: str
    """Network address of the device."""
    user_agent: str
    """User agent that the device reported, which is not verified."""
    asked_role: Literal["viewer", "developer", "admin", "owner"] | str | None
    """Role that the device requested. Null if it requested no role."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the token after approval. It is never higher than the role of the approving member."""
    created_at: str
    """When the device started the sign-in. ISO 8601."""
    expires_at: str
    """When the codes expire. ISO 8601."""


class DisputedCost(Document):
    """An account and model whose stated costs differ from the gateway's by more than 3 %."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID."""
    calls: int
    """Number of compared requests: the newest requests with a stated cost."""
    stated_micros: str
    """Sum of the costs that the provider states, in micros. An integer as a decimal string."""
    cost_micros: str
    """Sum of the costs of the same requests at the current price of the account, in micros. An integer
    as a decimal string.
    """


class Emitter(Document):
    """A destination for usage events, without its secret."""
    id: str
    """ID of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
    `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
    """
    name: str
    """Label of the emitter. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered."""
    livemode: bool
    """Whether the emitter receives live requests. False means test requests."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """Events that are delivered."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """ID under which usage is filed. Usage without an end user or external ID is filed under the ID of
    the organization.

    - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
    - `organization_id`: the ID of the organization, for all usage.
    - `external_id`: the external ID of the end user.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds."""
    event_name: str | None
    """Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds."""
    last_four: str
    """Last four characters of the credential, or of the signing secret of a webhook."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Number of events that were accepted, including replayed events."""
    not_delivered: int
    """Number of events that were attempted and not accepted."""
    dropped: int
    """Number of events that were never attempted, because 10,000 events were already waiting."""
    last_delivered_at: str | None
    """When a batch was last accepted. Null if no batch was accepted. ISO 8601."""
    last_failed_at: str | None
    """When a batch was last not accepted. Null if every batch was accepted. ISO 8601."""
    last_failure: str | None
    """Reason why that batch was not accepted. Null if every batch was accepted."""
    failing_since: str | None
    """When deliveries started to fail: the first batch that was not accepted since the last accepted
    one. Null if the last batch was accepted. ISO 8601.
    """
    missed: MissedSpan | None
    """Span that contains every request whose events were neither accepted nor replayed since.
    `emitters.replay` accepts it as it is. Null if no event was missed.
    """
    replay: EmitterReplay | None
    """Last replay. Null if no replay was requested."""
    created_at: str
    """When the emitter was added. ISO 8601."""


class EmitterDelivery(Document):
    """A batch that was sent, with its result."""
    id: str
    """ID of the batch, `usgb_…`."""
    cause: Literal["settled", "replay", "test"] | str
    """Reason for the batch. `settled`: requests settled. `replay`: recorded usage was sent again.
    `test`: a sample was sent.
    """
    sent_at: str
    """When the first attempt started. ISO 8601."""
    events: int
    """Number of events in the batch, 1 to 100."""
    usage_record_ids: list[str]
    """Usage records of the events, `ur_…`."""
    delivered: bool
    """Whether the batch was accepted."""
    attempts: int
    """Number of attempts, 1 to 3."""
    status: int | None
    """HTTP status of the last attempt. Null if no response came."""
    reason: str | None
    """Reason why the batch was not accepted. Null if it was accepted."""
    latency_ms: int
    """Time from the start of the first attempt to the end of the last one, in milliseconds."""


class EmitterDeliveryDetail(Document):
    """A delivery with the bodies of a failed attempt."""
    id: str
    """ID of the batch, `usgb_…`."""
    cause: Literal["settled", "replay", "test"] | str
    """Reason for the batch. `settled`: requests settled. `replay`: recorded usage was sent again.
    `test`: a sample was sent.
    """
    sent_at: str
    """When the first attempt started. ISO 8601."""
    events: int
    """Number of events in the batch, 1 to 100."""
    usage_record_ids: list[str]
    """Usage records of the events, `ur_…`."""
    delivered: bool
    """Whether the batch was accepted."""
    attempts: int
    """Number of attempts, 1 to 3."""
    status: int | None
    """HTTP status of the last attempt. Null if no response came."""
    reason: str | None
    """Reason why the batch was not accepted. Null if it was accepted."""
    latency_ms: int
    """Time from the start of the first attempt to the end of the last one, in milliseconds."""
    request_body: str | None
    """Beginning of the posted body, at most 16384 characters. Null if the batch was accepted or was sent
    more than 7 days ago. It never contains a prompt or a completion.
    """
    response_body: str | None
    """Beginning of the response of the last attempt, at most 2048 characters. Null if no response came,
    if the batch was accepted, or if it was sent more than 7 days ago.
    """


class EmitterReplay(Document):
    """A replay of recorded usage to an emitter, with its progress."""
    from_: str
    """Requests that arrived at or after this time are sent. ISO 8601."""
    to: str
    """Requests that arrived before this time are sent. ISO 8601."""
    state: Literal["running", "done", "stopped"] | str
    """State of the replay. `stopped` means that a batch was not accepted. Replaying the same span again
    continues with that batch.
    """
    reached_at: str
    """Requests that arrived up to this time have been sent. ISO 8601."""
    events: int
    """Number of events that were sent and accepted."""
    reason: str | None
    """Reason why the replay stopped. Null if it did not stop."""
    started_at: str
    """When the replay was requested. ISO 8601."""
    updated_at: str
    """When the replay last made progress. ISO 8601."""


class EmitterTestSample(Document):
    usage_record_id: str
    """ID of the sample, `ur_…`. No usage record has this ID."""
    customer_id: str
    """ID of the organization, because the sample has no end user."""
    request_id: str
    """Request ID of the sample, `req_…`. No request has this ID."""
    provider: str
    """Provider of the sample."""
    model: str
    """Model of the sample."""
    streamed: bool
    """Whether the response of the sample was streamed."""
    input_tokens: int
    """Input tokens of the sample."""
    output_tokens: int
    """Output tokens of the sample."""
    billed_amount_micros: str
    """Billed amount of the sample, in micros. An integer as a decimal string."""


class EmitterTest(Document):
    """The result of a sample delivery."""
    emitter_id: str
    """ID of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
    `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
    """
    destination: str
    """URL that the sample was posted to."""
    event: Literal["usage.recorded"]
    """Event that was delivered."""
    idempotency_key: str
    """Idempotency key of the event, which is its usage record ID."""
    batch_id: str | None
    """ID of the batch, `usgb_…`. Null if the delivery was canceled because the server is stopping."""
    sample: EmitterTestSample
    """Sample that was delivered."""
    delivered: bool
    """Whether the sample was accepted."""
    status: int | None
    """HTTP status of the last attempt. Null if no response came."""
    attempts: int
    """Number of attempts, at most 3."""
    reason: str | None
    """Reason why the sample was not accepted. Null if it was accepted."""
    latency_ms: int
    """Time from the start of the first attempt to the end of the last one, in milliseconds."""
    sent_at: str
    """When the first attempt started. ISO 8601."""


class EndUser(Document):
    """An end user of an application."""
    id: str
    """ID of the end user, `eu_…`."""
    external_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    email: str | None
    """Email address of the end user. Null if unknown."""
    bundle: str | None
    """Slug of the end user's bundle in the mode of the request. Null if the end user has no bundle, or
    if the subscription has ended.
    """
    frozen: bool
    """Whether the end user is frozen, so that all requests are rejected."""
    frozen_at: str | None
    """When the end user was frozen. Null if the end user is not frozen. ISO 8601."""
    frozen_reason: str | None
    """Reason for the freeze, for the team. Null if no reason was given. Never shown to the end user."""
    balance: Balance
    """Wallet in the mode of the request."""
    usage: UsageTotals
    """Total usage in the mode of the request."""
    on_demand_enabled: bool
    """Whether usage beyond pools and wallet is billed on demand, in the mode of the request."""
    limits: list[EndUserLimit]
    """Limits of the end user over all keys and plans, in the mode of the request. Empty if no limit is
    set. At most 4 of them.
    """
    last_seen_at: str | None
    """When a key of the end user was last used in the mode of the request. Null if no key was ever used.
    ISO 8601.
    """
    created_at: str
    """When the end user was created. ISO 8601."""


class EndUserLimit(Document):
    """Maximum spend of an end user per window, over all keys and plans in one mode."""
    measure: Literal["micros"]
    """Measure of the limit. `micros` counts the charges of requests, whichever source pays."""
    window: Literal["day", "week", "month", "total"] | str
    """Calendar window (UTC) after which the limit resets. Weeks start on Monday. `total` never resets."""
    most: str
    """Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string."""


class EndUserRequestPriceLines(Document):
    price: Literal["charge", "credits"] | str
    lines: list[PriceLine]
    """Lines that add up to the amount."""
    multiplier: str
    """Multiplier of the service tier, in thousandths."""
    amount: str
    """Sum of the lines, rounded up once, in micros or millionths of a credit. An integer as a decimal
    string.
    """


class EndUserRequest(Document):
    """A request as the end user who made it sees it."""
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
    refunded_micros: str
    """Amount refunded so far, in micros. `charge_micros` is the amount before refunds. An integer as a
    decimal string.
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
    summary: str
    """Summary of the request in words, with the numbers."""
    policy: ExplainedPolicy | None
    reserve: ExplainedReserve | None
    stream: ExplainedStream | None
    refusal: ExplainedRefusal | None
    usage: ExplainedUsage | None
    price_lines: list[EndUserRequestPriceLines]
    """Units times rates, at the charged price. The sum is exact."""
    settle: ExplainedSettle | None
    ledger: list[LedgerEntry]
    """Ledger entries of the request, oldest first."""
    corrections: list[EndUserRequestCorrection]
    """Refunds and late usage of the request, oldest first. Empty if the request was not corrected."""


class EndUserRequestCorrection(Document):
    """A later change of the charge of a request, as the end user sees it."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """Additional amount that each source paid. Negative if money was returned to the source."""
    ledger_entry_ids: list[str]
    """IDs of the ledger entries of the correction, `led_…`."""
    reason: str
    """Reason given with the correction, as the ledger shows it."""
    created_at: str
    """When the correction was made. ISO 8601."""


class ExpiringCredit(Document):
    """Credit that expires."""
    grant_id: str
    """ID of the grant, `gr_…`."""
    remaining_micros: str
    """Unspent amount, in micros, including amounts held by requests in flight. An integer as a decimal
    string.
    """
    starts_at: str
    """When the credit can first be spent. ISO 8601."""
    expires_at: str
    """When the unspent amount expires. ISO 8601."""


class ExplainedAttemptDeadlines(Document):
    connect_ms: int | None
    """Maximum time until the connection is established, in milliseconds."""
    first_byte_ms: int | None
    """Maximum time until the response headers are received, in milliseconds."""
    first_token_ms: int | None
    """Maximum time from the request to the first text of a streamed response, in milliseconds."""
    idle_ms: int | None
    """Maximum time between two chunks of the response, in milliseconds."""
    total_ms: int | None
    """Maximum time for the whole attempt, in milliseconds."""


class ExplainedAttempt(Document):
    """An attempt at a provider."""
    n: int | None
    """Number of the attempt, starting with 1."""
    provider: str | None
    """Provider kind."""
    account: str | None
    """ID of the provider account, `pa_…`."""
    target: str | None
    """Label of the account and model, `label/model`."""
    status: int | None
    """HTTP status of the response. Null if no response was received."""
    failure: str | None
    """Stage at which the attempt broke off: `connect`, `first_byte`, `first_token`, `idle`, `total` or
    `reset`. Null if the attempt did not break off.
    """
    at_ms: int | None
    """Start of the attempt, in milliseconds since the start of the request."""
    connect_ms: int | None
    """Time until the connection was established, in milliseconds. Null if no connection was established
    or needed.
    """
    first_byte_ms: int | None
    """Time until the response headers were received, in milliseconds. Null if no response was received.
    """
    duration_ms: int | None
    """Duration of the attempt, in milliseconds."""
    code: str | None
    """Error code. Null if the attempt succeeded."""
    cost_micros: str | None
    """Provider cost of the attempt, in micros. Null if unknown. An integer as a decimal string."""
    not_repeated: str | None
    """Reason why the same target was not retried: `retry_budget`. Null if no limit prevented a retry."""
    deadlines: ExplainedAttemptDeadlines | None
    """Deadlines that differ from the gateway's own. Null if no deadline differs."""


class ExplainedAuth(Document):
    """Key and end user of the request."""
    key_id: str | None
    """ID of the key, `key_…`."""
    key_prefix: str | None
    """First characters of the key, safe to display. Null if the key is no longer known."""
    key_name: str | None
    """Label of the key."""
    end_user_id: str | None
    """ID of the end user, `eu_…`."""
    mode: str | None
    """Mode of the request: `live` or `test`."""


class ExplainedEvent(Document):
    """Delivery of the usage event of a request to one emitter."""
    emitter_id: str
    """ID of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Kind of the emitter."""
    name: str
    """Label of the emitter."""
    state: Literal["waiting", "delivered", "not_delivered", "attempted"] | str
    """`waiting`: not attempted yet. `delivered` or `not_delivered`: result of the newest delivery.
    `attempted`: attempted so long ago that the delivery is no longer stored.
    """
    delivery_id: str | None
    """ID of the newest delivery, `usgb_…`. Null, like the fields below, if no delivery is stored."""
    cause: Literal["settled", "replay", "test"] | str | None
    """Cause of the delivery: the request settled, a replay, or a test."""
    sent_at: str | None
    """When the first attempt of the delivery began. ISO 8601."""
    attempts: int | None
    """Number of attempts, from 1 to 3. From 1."""
    status: int | None
    """HTTP status of the last attempt. Null if no response was received."""
    reason: str | None
    """Reason why the event was not accepted. Null if it was accepted."""


class ExplainedLeg(Document):
    """Amount that one source backs or paid."""
    source_id: str | None
    """Source, as the ledger names it: `wallet`, a pool, or a month of on-demand usage."""
    kind: str | None
    """Kind of the source: `wallet`, `pool` or `on_demand`."""
    unit: str | None
    """Unit of `amount`: `micros`, or `credits` for millionths of a credit."""
    amount: str | None
    """Amount that the source backs or paid, in `unit`. An integer as a decimal string."""
    micros: str | None
    """Part of the price of the request that `amount` covers, in micros. An integer as a decimal string.
    """


class ExplainedPolicyLimits(Document):
    name: str | None
    """Kind of the limit: `outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`."""
    scope: str | None
    """Scope of the limit: ID of the run or key, `portal`, slug of the bundle, or window of the end
    user's limit.
    """
    limit_micros: str | None
    """Maximum spend in the period, in micros. An integer as a decimal string."""
    used_micros: str | None
    """Amount charged in the period before this request, in micros. An integer as a decimal string."""
    held_micros: str | None
    """Amount held by other requests in flight, in micros. An integer as a decimal string."""
    available_micros: str | None
    """Amount available for this request, in micros. Negative if the limit was exceeded. An integer as a
    decimal string.
    """
    resets_at: str | None
    """When the limit resets. Null if it never resets. ISO 8601."""
    verdict: str | None
    """`refused` if this limit rejected the request, otherwise `pass`."""


class ExplainedPolicy(Document):
    """Bundle of the end user, and its rules."""
    bundle: str | None
    """Slug of the bundle."""
    termination_policy: str | None
    """Termination policy of the bundle: what happens to a stream after its hold is used up."""
    debit_basis: str | None
    """Price that holds and charges are computed from: `provider_cost` or `sell_price`."""
    max_overdraft_micros: str | None
    """Maximum charge above the hold, in micros. Null unless the policy is `grace`. An integer as a
    decimal string.
    """
    config_version: int | None
    """Version of the configuration that applied to the request."""
    limits: list[ExplainedPolicyLimits] | None
    """Limits that applied to the request, with their values at that time."""


class ExplainedQuoteWorstCase(Document):
    input_tokens_max: int | None
    """Maximum input tokens."""
    input_micros: str | None
    """Maximum cost of input and fees before the multiplier, in micros. An exact decimal."""
    output_tokens_max: int | None
    """Maximum output tokens, over all choices."""
    output_rate: str | None
    """Most expensive rate that can apply to output, in micros per million tokens. An integer as a
    decimal string.
    """
    multiplier: str | None
    """Multiplier of the service tier, in thousandths. An integer as a decimal string."""
    micros: str | None
    """Worst-case cost, rounded up once, in micros. An integer as a decimal string."""
    formula: str | None
    """Calculation of the worst-case cost, as text."""
    target: str | None
    """Target whose price determined the hold of a routed request, `label/model`. It is the most
    expensive target that the hold covers. Null if there was only one target.
    """


class ExplainedQuote(Document):
    """Prices and maximum usage of the request."""
    quote_id: str | None
    """ID of the prices and the policy. Requests with the same ID have the same prices."""
    cost: Any
    """Price of the provider account."""
    sell: Any
    """Sell price of the bundle."""
    credits: Any
    """Price in credits. Null if no credit pool can pay."""
    bound: Any
    """Maximum usage of the request. Null unless the request is in flight."""
    text_tokens_max: int | None
    """Maximum text input tokens."""
    text_tokens_by: str | None
    """Method that counted `text_tokens_max`: `bytes` or `tokenizer`."""
    audio_tokens_max: int | None
    """Maximum audio input tokens."""
    image_tokens_max: int | None
    """Maximum image input tokens."""
    input_tokens_estimated: int | None
    """Estimated input tokens. They are charged if the provider reports no usage."""
    output_tokens_asked: int | None
    """Maximum output tokens per choice, as set by the client. Null if the client set no maximum."""
    choices: int | None
    """Number of requested choices."""
    service_tier: str | None
    """Requested service tier. Null for the default tier."""
    worst_case: ExplainedQuoteWorstCase | None
    """Calculation of the hold."""


class ExplainedRefusal(Document):
    """Reason for the rejection or failure, with the numbers."""
    code: str | None
    """Error code."""
    message: str | None
    """Error message that the caller received or would have received."""
    fix: str | None
    """Suggested fix. Null if no fix is known."""
    fix_operation: str | None
    """ID of the operation that applies the fix. Null if no operation applies it."""
    limit_source: str | None
    """Limit that rejected the request."""
    limit: str | None
    """Limit or balance that was too low, in micros. For a pool, the granted amount. An integer as a
    decimal string.
    """
    used: str | None
    """Amount of the limit that was already spent, in micros. An integer as a decimal string."""
    held: str | None
    """Amount of the limit that requests in flight held, in micros. An integer as a decimal string."""
    requested: str | None
    """Minimum hold of this request, in micros. An integer as a decimal string."""
    available: str | None
    """Remaining amount of the limit, or of all sources together, in micros. An integer as a decimal
    string.
    """
    resets_at: str | None
    """When the limit resets. Null if it never resets. ISO 8601."""
    pool_name: str | None
    """Display name of the plan pool that renews first."""
    pool_unit: str | None
    """Unit of the amounts of this pool: `micros`, or the name of the credits."""
    pool_granted: str | None
    """Granted amount of this pool, in micros or millionths of a credit. An integer as a decimal string.
    """
    pool_left: str | None
    """Remaining amount of this pool, in micros or millionths of a credit. An integer as a decimal
    string.
    """
    pool_renews_at: str | None
    """When this pool renews. Null if it does not renew. ISO 8601."""
    on_demand: str | None
    """`off` if on-demand billing could have covered the request but was off."""
    portal_url: str | None
    """Page for the end user: the brand's `top_up_url` or `pay_url`, or else the portal."""
    top_up_url: str | None
    """Page where the application sells credit."""
    pay_url: str | None
    """Page where the past-due invoice is paid."""
    invoice_id: str | None
    """ID of the past-due invoice that blocks on-demand billing, `inv_…`."""
    invoice_amount_micros: str | None
    """Amount of the past-due invoice, in micros. An integer as a decimal string."""
    invoice_due_at: str | None
    """When the past-due invoice was due. ISO 8601."""
    waited_ms: int | None
    """Time that the request waited before it was rejected, in milliseconds. Null if it did not wait."""


class ExplainedReserve(Document):
    """The hold and its sources."""
    hold_id: str | None
    """ID of the hold, `hold_…`."""
    worst_micros: str | None
    """Amount held now, or at the end of the request, in micros. An integer as a decimal string."""
    first_worst_micros: str | None
    """Amount of the first hold, in micros. An integer as a decimal string."""
    extended_micros: str | None
    """Amount by which a stream extended the hold, in micros. An integer as a decimal string."""
    worst_credits: str | None
    """Amount held of credit pools, in millionths of a credit. An integer as a decimal string."""
    output_tokens_per_choice: int | None
    """Maximum output tokens per choice that the hold covers."""
    input_tokens_estimated: int | None
    """Estimated input tokens. They are charged if the provider reports no usage. Omitted unless the
    request is in flight.
    """
    is_clamped: bool | None
    """Whether the output was limited to less than requested because the balance was too low."""
    waited_ms: int | None
    """Time that the request waited for money held by other requests, in milliseconds. Null if it did not
    wait.
    """
    wallet_posted_micros: str | None
    """Wallet balance when the hold was placed, in micros. An integer as a decimal string."""
    wallet_held_before_micros: str | None
    """Amount of the wallet that was held before this request, in micros. An integer as a decimal string.
    """
    wallet_held_micros: str | None
    """Amount of the wallet that was held including this request, in micros. An integer as a decimal
    string.
    """
    legs: list[ExplainedLeg] | None
    """Part of the first hold that each source backs, in the order in which sources are spent."""


class ExplainedRouteCandidatesPrice(Document):
    input: str | None
    """Rate per million input tokens, in micros. Null if the price has no such rate. An integer as a
    decimal string.
    """
    output: str | None
    """Rate per million output tokens, in micros. Null if the price has no such rate. An integer as a
    decimal string.
    """


class ExplainedRouteCandidatesWorstCase(Document):
    input_tokens_max: int | None
    """Maximum input tokens."""
    input_micros: str | None
    """Maximum cost of input and fees before the multiplier, in micros. An exact decimal."""
    output_tokens_max: int | None
    """Maximum output tokens, over all choices."""
    output_rate: str | None
    """Most expensive rate that can apply to output, in micros per million tokens. An integer as a
    decimal string.
    """
    multiplier: str | None
    """Multiplier of the service tier, in thousandths. An integer as a decimal string."""
    micros: str | None
    """Worst-case cost, rounded up once, in micros. An integer as a decimal string."""
    formula: str | None
    """Calculation of the worst-case cost, as text."""


class ExplainedRouteCandidates(Document):
    path: list[str] | None
    """Names through which the target is reached, starting with the requested name. Null if the requested
    name is the only one.
    """
    provider: str | None
    """Provider kind."""
    account: str | None
    """Label of the provider account. Null if the account was deleted."""
    account_id: str | None
    """ID of the provider account, `pa_…`."""
    model: str | None
    """The provider's model ID."""
    price: ExplainedRouteCandidatesPrice | None
    """Base rates for charges at this target. Null if the target has no price."""
    worst_case: ExplainedRouteCandidatesWorstCase | None
    """Worst-case cost of the request at this target. Null if the target has no price."""
    skipped: str | None
    """Reason why the target was skipped. Null if the target was not skipped."""
    skip_code: str | None
    """Code of the reason: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`,
    `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`. If the request ended
    before the target was reached: `not_moved_on`, `within_ms` or `attempts_max`.
    """


class ExplainedRoute(Document):
    """Chosen provider account and model, and the other targets."""
    provider: str | None
    """Provider kind."""
    account: str | None
    """Label of the provider account. Null if the account was deleted."""
    account_id: str | None
    """ID of the provider account, `pa_…`."""
    model: str | None
    """The provider's model ID."""
    answered_by: str | None
    """Model that answered, as the provider states it. Omitted if the provider states the requested
    model, a snapshot of it, or no model.
    """
    upstream_wire: str | None
    """Wire format of the request to the provider, if it differs from the client's."""
    lost: list[str] | None
    """Request fields that were not sent to the provider."""
    router: str | None
    """Requested router. Null if the requested name is a model, or if no routing decision was needed."""
    policy: str | None
    """Policy that orders the targets of the router. Null if `router` is None."""
    candidates: list[ExplainedRouteCandidates] | None
    """All possible targets, in the order in which they are tried."""


class ExplainedSettle(Document):
    """Charge of the request, and the released part of the hold."""
    charge_micros: str | None
    """Amount debited from the sources of end users, in micros. An integer as a decimal string."""
    released_micros: str | None
    """Amount that was held and not charged, in micros. An integer as a decimal string."""
    above_hold_micros: str | None
    """Amount charged above the hold, in micros. The termination policy `grace` allows up to
    `policy.maxOverdraftMicros`; `complete_message` sets no limit. An integer as a decimal string.
    """
    usage_record_id: str | None
    """ID of the usage record, `ur_…`, as in events and exports."""
    billed_micros: str | None
    """List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An
    integer as a decimal string.
    """
    cost_micros: str | None
    """Provider cost, in micros. An integer as a decimal string."""
    failed_attempts_micros: str | None
    """Part of `cost_micros` that failed attempts cost, in micros. An integer as a decimal string."""
    assumed_micros: str | None
    """Part of `cost_micros` computed at assumed rates, in micros. The price lines show the assumed
    rates. An integer as a decimal string.
    """
    revenue_micros: str | None
    """Revenue of the request, in micros: paid wallet money and on-demand usage. Omitted for requests
    recorded before payments were split. An integer as a decimal string.
    """
    margin_micros: str | None
    """`revenue_micros` less `cost_micros`, in micros. Negative for a loss. Omitted if `revenue_micros`
    is omitted. An integer as a decimal string.
    """
    over_hold_micros: str | None
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """
    is_estimated: bool | None
    """Whether `usage.tokenSource` is `estimated`."""
    is_recovered: bool | None
    """Whether another process settled the request after a crash."""
    is_over_hold: bool | None
    """Whether usage exceeded the hold."""
    is_disputed: bool | None
    """Whether the provider may charge the account another price. Null if the provider stated neither a
    model nor a cost. True in two cases:
    - Another model answered (`route.answeredBy`).
    - The costs that the provider stated for the account and model differ from ours by more than 3 % over
    the last ten requests.
    """
    is_late: bool | None
    """Whether the request was settled more than a minute after its end."""
    legs: list[ExplainedLeg] | None
    """Amount that each source paid, in the order in which sources are spent."""
    ledger_entry_ids: list[str] | None
    """IDs of the ledger entries of the request, `led_…`."""
    outcome: str | None
    """Slug of the outcome. Null if the request counted toward no outcome."""
    outcome_run: str | None
    """ID of the run. Null if the request belonged to no run."""
    settled_at: str | None
    """When the request was settled. ISO 8601."""


class ExplainedStream(Document):
    """Progress of the response. Times are in milliseconds since the start of the request."""
    end: str | None
    """End of the response: `answered`, `cut` (the hold was used up), `left` (the client disconnected) or
    `failed`.
    """
    first_byte_ms: int | None
    """Time of the first byte to the client. Null if no byte was sent."""
    first_token_ms: int | None
    """Time of the first text of a stream. Null for a non-streaming response, or if no text was sent."""
    last_token_ms: int | None
    """Time of the last chunk of a stream."""
    longest_gap_ms: int | None
    """Longest time between two chunks of a stream, in milliseconds."""
    tokens_per_second: float | None
    """Output tokens per second between the first and the last chunk. Null if the stream was too short,
    or if the response was not streamed.
    """
    bytes: int | None
    """Number of bytes of a stream that were written to the client."""
    client_left_at_ms: int | None
    """Time at which the client disconnected before the end. Null if the client did not disconnect."""
    dropped_frames: int | None
    """Number of provider frames that were omitted because they were not JSON and carried no text. Null
    if no frame was omitted.
    """


class ExplainedUsage(Document):
    """Usage of the request, in tokens, and how it was counted."""
    token_source: str | None
    """Source of the counts:
    - `provider_reported`: the provider reported them.
    - `estimated`: the gateway counted, or the reported counts overlap, contradict one another or are
    incomplete.
    - `recovered`: the last checkpoint before a crash.
    - `counted so far`: the request is in flight.
    """
    input: int | None
    """Uncached text input tokens."""
    cache_read: int | None
    """Input tokens read from the cache."""
    cache_write: int | None
    """Input tokens written to the cache."""
    cache_write_long: int | None
    """Input tokens written to the cache with a longer lifetime."""
    audio_input: int | None
    """Audio input tokens."""
    image_input: int | None
    """Image input tokens."""
    output: int | None
    """Output tokens of all kinds."""
    reasoning: int | None
    """Reasoning tokens, part of `output`."""
    audio_output: int | None
    """Audio tokens, part of `output`."""
    image_output: int | None
    """Image tokens, part of `output`."""
    web_searches: int | None
    """Number of web searches."""
    service_tier: str | None
    """Service tier that the provider reports. Null if the provider reports no service tier."""
    is_media_within: bool | None
    """Whether the other input counts also include audio and images. If true, the input is charged as if
    split in the most expensive way.
    """
    is_ambiguous: bool | None
    """Whether the reported counts contradict one another. If true, the most expensive reading is
    charged, and `token_source` is `estimated`.
    """
    output_beyond: int | None
    """Output tokens that the provider sent after its maximum, in addition to `output`, as counted by the
    gateway. They are part of the provider cost, but the end user is not charged for them. Null if the
    provider did not exceed its maximum.
    """
    stated_cost_nanos: float | None
    """Cost that the provider states, in thousandths of a micro, for comparison with `settle.costMicros`.
    """
    in_wire_terms: dict[str, float] | None
    """The same counts in the terms of the provider's wire format. They are computed from the counts
    above, because the provider's own usage object is not stored. Null if the wire format is unknown.
    """


class FailedCalls(Document):
    """Failed requests, by cause."""
    client: int
    """Failures caused by the client: the request was wrong, or the client disconnected."""
    limit: int
    """Failures caused by a limit on money or rate."""
    provider: int
    """Failures caused by the provider: it failed or did not respond."""
    ours: int
    """Failures caused by this server."""


class FailedProbe(Document):
    """A probe that failed, sent by a member or by the gateway."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    code: str
    """Error code."""
    status: int | None
    """HTTP status of the provider. Null if it did not respond."""
    message: str
    """Meaning of the error, and what to do."""
    said: str | None
    """The provider's own error text, without the account's API key. Null if the provider sent no text,
    or if it was not kept.
    """
    probed_at: str
    """When the probe was sent. ISO 8601."""


class FailureRates(Document):
    """Failed requests as shares of all requests, from 0 to 1, by cause."""
    client: float
    """Failures caused by the client: the request was wrong, or the client disconnected. From 0 to 1."""
    limit: float
    """Failures caused by a limit on money or rate. From 0 to 1."""
    provider: float
    """Failures caused by the provider: it failed or did not respond. From 0 to 1."""
    ours: float
    """Failures caused by this server. From 0 to 1."""


class FindingResource(Document):
    type: str
    """Kind of the resource."""
    id: str
    """Name or ID of the resource, as in paths."""


class FindingFix(Document):
    say: str
    """Instruction."""
    call: OperationCall | None
    """Request that fixes the problem, with an example body. Null if the API cannot fix it."""


class Finding(Document):
    """A problem, and the request that fixes it."""
    code: str
    """Stable code of the finding."""
    severity: Literal["error", "warning", "notice"] | str
    """`error`: requests fail, or charges are wrong. `warning`: requests may soon fail, or charges may
    become wrong. `notice`: the setting may be intended.
    """
    resource: FindingResource
    """Resource that the finding is about."""
    message: str
    """Problem and its consequence."""
    fix: FindingFix
    """Fix for the problem."""


class FocusRow(Document):
    """A usage record in columns of FOCUS 1.2."""
    _wire: ClassVar[Mapping[str, str]] = {
        "billed_cost": "BilledCost",
        "billing_account_id": "BillingAccountId",
        "billing_account_name": "BillingAccountName",
        "billing_account_type": "BillingAccountType",
        "billing_currency": "BillingCurrency",
        "billing_period_start": "BillingPeriodStart",
        "billing_period_end": "BillingPeriodEnd",
        "charge_category": "ChargeCategory",
        "charge_class": "ChargeClass",
        "charge_description": "ChargeDescription",
        "charge_frequency": "ChargeFrequency",
        "charge_period_start": "ChargePeriodStart",
        "charge_period_end": "ChargePeriodEnd",
        "consumed_quantity": "ConsumedQuantity",
        "consumed_unit": "ConsumedUnit",
        "contracted_cost": "ContractedCost",
        "contracted_unit_price": "ContractedUnitPrice",
        "effective_cost": "EffectiveCost",
        "invoice_issuer_name": "InvoiceIssuerName",
        "list_cost": "ListCost",
        "list_unit_price": "ListUnitPrice",
        "pricing_category": "PricingCategory",
        "pricing_quantity": "PricingQuantity",
        "pricing_unit": "PricingUnit",
        "provider_name": "ProviderName",
        "publisher_name": "PublisherName",
        "resource_id": "ResourceId",
        "resource_type": "ResourceType",
        "service_category": "ServiceCategory",
        "service_name": "ServiceName",
        "service_subcategory": "ServiceSubcategory",
        "sku_id": "SkuId",
        "sku_meter": "SkuMeter",
        "sku_price_id": "SkuPriceId",
        "sub_account_id": "SubAccountId",
        "sub_account_name": "SubAccountName",
        "sub_account_type": "SubAccountType",
        "tags": "Tags",
        "x_usage_record_id": "x_UsageRecordId",
        "x_sold_for": "x_SoldFor",
        "x_charged_to_end_user": "x_ChargedToEndUser",
        "x_paid_from_plan": "x_PaidFromPlan",
        "x_paid_from_gift": "x_PaidFromGift",
        "x_paid_from_wallet": "x_PaidFromWallet",
        "x_on_demand": "x_OnDemand",
        "x_overdraft": "x_Overdraft",
        "x_over_hold": "x_OverHold",
    }
    billed_cost: str
    """Provider cost, in dollars."""
    billing_account_id: str
    """ID of the provider account, `pa_…`."""
    billing_account_name: str
    """Label of the provider account, or its ID if the account was deleted."""
    billing_account_type: str
    """Always `Provider account`."""
    billing_currency: str
    """Always `USD`."""
    billing_period_start: str
    """Start of the month (UTC) in which the request was charged. ISO 8601."""
    billing_period_end: str
    """Start of the following month (exclusive end of the period). ISO 8601."""
    charge_category: str
    """Always `Usage`."""
    charge_class: Literal["Correction"] | None
    """`Correction`, or None for a charged request."""
    charge_description: str
    """The provider's model with its input and output tokens, or with the kind of correction."""
    charge_frequency: str
    """Always `Usage-Based`."""
    charge_period_start: str
    """Second in which the request was charged. ISO 8601."""
    charge_period_end: str
    """The following second (exclusive end of the period). ISO 8601."""
    consumed_quantity: int
    """Sum of input and output tokens."""
    consumed_unit: str
    """Always `Tokens`."""
    contracted_cost: str
    """Same as BilledCost, because the price of the account is the contracted price."""
    contracted_unit_price: str
    """Same as ContractedCost, because each row is one request."""
    effective_cost: str
    """Same as BilledCost, because nothing is prepaid."""
    invoice_issuer_name: str
    """Same as ProviderName, because the vendor bills the account."""
    list_cost: str
    """Same as BilledCost. If the account has its own price, the published price is not stored."""
    list_unit_price: str
    """Same as ListCost, because each row is one request."""
    pricing_category: str
    """Always `Standard`."""
    pricing_quantity: int
    """Always 1. A request has several rates, so it is priced as a whole."""
    pricing_unit: str
    """Always `Requests`."""
    provider_name: str
    """Vendor of the model. For other servers, the label of the provider account."""
    publisher_name: str
    """Same as ProviderName."""
    resource_id: str
    """ID of the key, `key_…`."""
    resource_type: str
    """Always `API key`."""
    service_category: str
    """Always `AI and Machine Learning`."""
    service_name: str
    """API of the vendor. For other servers, the label of the provider account."""
    service_subcategory: str
    """Always `Generative AI`."""
    sku_id: str
    """The provider's model ID."""
    sku_meter: str
    """Always `Tokens`."""
    sku_price_id: str
    """ID of the quote that fixed the prices of the request."""
    sub_account_id: str
    """ID of the end user, `eu_…`."""
    sub_account_name: str
    """The customer's own ID for the end user. For a deleted end user, the ID `eu_…`."""
    sub_account_type: str
    """Always `End user`."""
    tags: dict[str, str]
    """Application, mode and requested model, and also bundle, outcome and run if they exist. In CSV, the
    tags are JSON.
    """
    x_usage_record_id: str
    """ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`), for use in `after`.
    """
    x_sold_for: str
    """List value: usage at the sell price of the bundle, in dollars, regardless of who paid for it."""
    x_charged_to_end_user: str
    """Amount debited from the sources of end users, in dollars."""
    x_paid_from_plan: str | None
    x_paid_from_gift: str | None
    x_paid_from_wallet: str | None
    x_on_demand: str | None
    x_overdraft: str | None
    x_over_hold: str
    """Usage above the hold, in dollars. It is neither charged nor billed, and the application bears its
    cost.
    """


class ForwardedBatch(Document):
    """A signed batch of usage events, as a webhook receives it."""
    batch_id: str
    """ID of the batch, `usgb_…`."""
    events: int
    """Number of events in the batch."""
    usage_record_ids: list[str]
    """Usage records of the events, `ur_…`."""
    headers: dict[str, str]
    """Headers to send with the body, including the signature."""
    body: str
    """Body to send. The signature covers this exact text."""
    signing_secret: str
    """Secret that signs the batches of `emitters.listen` and `emitters.sample` for this application and
    mode, `whsec_…`. Deliveries to emitters use other secrets.
    """


class Gateway(Document):
    """The gateway of an application: its addresses and its settings."""
    application: str
    """Slug of the application. It is part of the application's host names and cannot be changed."""
    gateway: str
    """Base URL of the gateway."""
    local_gateway: str | None
    """URL of the gateway by address and port, for clients that do not resolve `*.localhost`."""
    hosts: list[str]
    """Host headers that the gateway accepts."""
    wires: list[Literal["chat", "messages", "generate", "responses"] | str] | None
    """Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
    `wire_not_served`. 1 to 4 of them.
    """
    models: list[str] | None
    """Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null
    means all names. The bundle of the end user must allow the name too. Other names are treated as
    unknown and are not listed. 1 to 200 of them.
    """
    origins: list[str]
    """Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers
    send them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials
    are never allowed, so pages send the key in a header. At most 100 of them.
    """
    addresses: list[str] | None
    """Client addresses that the gateway accepts. Null means all. Requests from other addresses return
    403 `address_not_allowed`.

    The client address is the address of the connection. Behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy.
    1 to 200 of them.
    """
    hours: list[WeeklyHours] | None
    """Times at which the gateway accepts requests. Null means always. At other times, requests return
    403 `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of
    them.
    """
    default_max_tokens: int | None
    """Maximum output tokens of a response if the request sets no maximum. The whole amount is held and
    is sent to the provider.

    - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
    model is never exceeded.
    - Null means that no maximum is sent to the provider. Non-streaming responses are then held for
    16,384 tokens, and streams initially for 2,048. From 1 to 10000000.
    """
    hold_wait_ms: int | None
    """Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After
    that, it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server
    setting, which is 2,000 unless the operator changes it. From 0 to 60000.
    """
    provider_tools: Literal["drop", "refuse"] | str
    """Handling of tools that the provider runs and that the request only offers. `drop` removes them and
    lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that
    the model is forced to use is always rejected.
    """
    conversion: Literal["lenient", "strict"] | str
    """Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits
    the fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route`
    with their names.
    """
    pass_traceparent: bool
    """Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C
    Trace Context). The spans of the provider then join the trace of the client. If false, the headers
    are not sent.
    """


class Grant(Document):
    """Credit for one or more end users."""
    id: str
    """ID of the grant, `gr_…`."""
    amount_units: str
    """Amount credited to each end user, in micros. An integer as a decimal string."""
    reason: str
    """Reason given with the grant."""
    idempotency_key: str | None
    """Idempotency key of the grant. Null if no key was sent."""
    end_users: int
    """Number of end users that the grant is for, fixed when it was issued."""
    done: int
    """Number of end users credited so far."""
    status: Literal["running", "done"] | str
    """`running`: some end users are not credited yet. `done`: every end user was credited once."""
    reversed_units: str
    """Amount taken back from all end users together, in micros. An integer as a decimal string."""
    reversals: list[GrantReversal]
    """Reversals of the grant, oldest first. Empty if nothing was taken back."""
    starts_at: str | None
    """When the credit can first be spent. Null if it could be spent immediately. ISO 8601."""
    expires_at: str | None
    """When the unspent credit expires. Null if it does not expire. ISO 8601."""
    created_at: str
    """When the grant was issued. ISO 8601."""


class GrantReversal(Document):
    """Unspent credit of a grant that was taken back."""
    id: str
    """ID of the reversal, `gr_…`."""
    grant_id: str
    """ID of the grant that was reversed, `gr_…`."""
    reason: str
    """Reason given with the reversal."""
    end_users: int
    """Number of end users that the reversal is for."""
    done: int
    """Number of end users processed so far."""
    status: Literal["running", "done"] | str
    """`running`: some end users are not processed yet. `done`: every end user is processed."""
    reversed_end_users: int
    """Number of end users that had unspent credit to take back."""
    reversed_units: str
    """Amount taken back from all end users together, in micros. An integer as a decimal string."""
    created_at: str
    """When the reversal was requested. ISO 8601."""


class HealthPercentiles(Document):
    """Percentiles of a duration, in milliseconds."""
    p50: int | None
    """50th percentile, in milliseconds. Null if no request was measured."""
    p95: int | None
    """95th percentile, in milliseconds. Null if no request was measured."""
    p99: int | None
    """99th percentile, in milliseconds. Null if no request was measured."""


class HealthSpanProviders(Document):
    provider: str
    """Label of the provider account, or its ID, `pa_…`, if the account was deleted."""
    calls: int
    """Number of completed requests, including failed ones."""
    failed: FailedCalls
    """Number of failed requests, by cause."""
    failure_rates: FailureRates
    """Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0."""
    latency_ms: HealthPercentiles
    """Time from the first byte of a request to the last byte of its response, in milliseconds."""
    first_byte_ms: HealthPercentiles
    """Time to the first byte of the response, in milliseconds. Requests without a response are not
    counted.
    """


class HealthSpanTargets(Document):
    provider: str
    """Label of the provider account, or its ID, `pa_…`, if the account was deleted."""
    model: str
    """The provider's model ID."""
    calls: int
    """Number of completed requests, including failed ones."""
    failed: FailedCalls
    """Number of failed requests, by cause."""
    failure_rates: FailureRates
    """Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0."""
    latency_ms: HealthPercentiles
    """Time from the first byte of a request to the last byte of its response, in milliseconds."""
    first_byte_ms: HealthPercentiles
    """Time to the first byte of the response, in milliseconds. Requests without a response are not
    counted.
    """


class HealthSpanModels(Document):
    requested_model: str
    """Requested model name."""
    calls: int
    """Number of completed requests, including failed ones."""
    failed: FailedCalls
    """Number of failed requests, by cause."""
    failure_rates: FailureRates
    """Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0."""
    latency_ms: HealthPercentiles
    """Time from the first byte of a request to the last byte of its response, in milliseconds."""
    first_byte_ms: HealthPercentiles
    """Time to the first byte of the response, in milliseconds. Requests without a response are not
    counted.
    """


class HealthSpan(Document):
    """Figures of the requests that ended in a time window up to now."""
    window: Literal["5m", "1h", "24h"] | str
    """Name of the window."""
    window_seconds: int
    """Length of the window, in seconds."""
    from_: str
    """Start of the window. The window of a day starts at a full hour, so it is up to one hour longer.
    ISO 8601.
    """
    is_whole: bool
    """Whether every request of the window is counted. False if the window has more than 20,000 requests
    to read. In that case, only the newest of those since the last full hour, or in the window, are
    counted.
    """
    calls: int
    """Number of completed requests, including failed ones."""
    failed: FailedCalls
    """Number of failed requests, by cause."""
    failure_rates: FailureRates
    """Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0."""
    latency_ms: HealthPercentiles
    """Time from the first byte of a request to the last byte of its response, in milliseconds."""
    first_byte_ms: HealthPercentiles
    """Time to the first byte of the response, in milliseconds. Requests without a response are not
    counted.
    """
    providers: list[HealthSpanProviders]
    """Requests that were sent to a provider, by provider account. Most requests first, at most 200
    accounts.
    """
    targets: list[HealthSpanTargets]
    """Attempts by provider account and model. Most attempts first, at most 200. Each attempt of a
    request is counted at its own target and by its own result, so the sum exceeds `calls` if targets
    failed. Durations start with the attempt.
    """
    models: list[HealthSpanModels]
    """Requests by requested model name. Most requests first, at most 200 names."""


class Invoice(Document):
    """An invoice to an end user for plans and on-demand usage."""
    id: str
    """ID of the invoice, `inv_…`."""
    number: int
    """Number of the invoice, starting at 1 for each end user and mode. From 1."""
    end_user_id: str
    """External ID of the end user who owes the invoice. 1 to 256 characters."""
    status: Literal["open", "past_due", "paid", "void"] | str
    """Status of the invoice. `open`: due by `due_at`. `past_due`: unpaid after `due_at`, which blocks
    new on-demand usage. `paid`: paid. `void`: waived, nothing is owed.
    """
    amount_micros: str
    """Amount due, in micros: the sum of the lines. An integer as a decimal string."""
    lines: list[InvoiceLine]
    """Lines that add up to the amount."""
    period_start: str
    """Start of the period that the invoice covers. ISO 8601."""
    period_end: str
    """End of the period that the invoice covers (exclusive). ISO 8601."""
    issued_at: str
    """When the invoice was issued. Plans are invoiced in advance, on-demand usage in arrears. ISO 8601.
    """
    due_at: str
    """When the invoice becomes past due if it is unpaid, seven days after it was issued. ISO 8601."""
    paid_at: str | None
    """When the invoice was paid. Null if it was not paid. ISO 8601."""
    voided_at: str | None
    """When the invoice was voided. Null if it was not voided. ISO 8601."""


class InvoiceLine(Document):
    """A line of an invoice."""
    kind: Literal["plan", "unused", "on_demand", "credit", "carried"] | str
    """`plan`: charge for a plan. `unused`: remaining days of the previous plan. `on_demand`: usage of a
    calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: kept as
    credit for later invoices.
    """
    description: str
    """Text of the line."""
    period_start: str
    """Start of the period that the line covers. ISO 8601."""
    period_end: str
    """End of the period that the line covers (exclusive). ISO 8601."""
    amount_micros: str
    """Amount of the line, in micros. Negative if the line reduces the invoice. An integer as a decimal
    string.
    """
    ledger_entry_id: str | None
    """ID of the ledger entry that cleared the on-demand month, `led_…`. It is written after the invoice
    is paid or voided. Omitted before that, and for other kinds of lines.
    """


class LedgerEntry(Document):
    """A change of a balance."""
    id: str
    """ID of the ledger entry, `led_…`."""
    kind: Literal["topup", "grant", "usage_debit", "refund", "reversal", "adjustment"] | str
    """Kind of the entry."""
    amount_units: str
    """Amount of the entry, in `unit`. Negative if it was debited. An integer as a decimal string."""
    balance_after_units: str
    """Balance of the source after the entry, in `unit`. An integer as a decimal string."""
    unit: Literal["micros", "credits"] | str
    """Unit of the amounts: micros, or millionths of a credit."""
    source: str
    """Source whose balance changed. Each source has its own chain of balances:
    - `wallet`
    - a month of on-demand usage, such as `on_demand/2026-11`
    - a period of a pool, by bundle, slug and first day, such as `pro/tokens/2026-11-20`
    - a pool granted at sign-up, such as `pro/welcome`
    """
    request_id: str | None
    """ID of the request that caused the entry, `req_…`."""
    invoice_id: str | None
    """ID of the invoice that paid or waived the month of on-demand usage, `inv_…`."""
    grant_id: str | None
    """ID of the grant that was credited or reversed, `gr_…`."""
    payment_reference: str | None
    """Reference of the payment for a top-up."""
    reason: str | None
    """Reason given when the entry was made. For a pool: `included`, `expired`, `plan_changed`,
    `used_on_another_plan` or `end_user_removed`. For a month of on-demand usage: `on_demand_paid` or
    `on_demand_waived`.
    """
    created_at: str
    """When the entry was written. ISO 8601."""


class LimitsOrganization(Document):
    calls_per_day: int | None
    """Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no
    limit. From 0 to 1000000000.
    """
    spend_per_day_micros: str | None
    """Maximum provider cost per day, in micros. Requests in flight count with the amount they hold.
    Requests whose hold would exceed the limit are rejected. Null means no limit. An integer as a
    decimal string.
    """
    today: LimitsToday


class LimitsApplications(Document):
    application: str
    """Slug of the application. It is part of the application's host names and cannot be changed."""
    calls_per_day: int | None
    """Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no
    limit. From 0 to 1000000000.
    """
    spend_per_day_micros: str | None
    """Maximum provider cost per day, in micros. Requests in flight count with the amount they hold.
    Requests whose hold would exceed the limit are rejected. Null means no limit. An integer as a
    decimal string.
    """
    today: LimitsToday


class Limits(Document):
    """Daily limits (UTC) of the organization in live mode."""
    organization: LimitsOrganization
    """Limits over all applications of the organization."""
    applications: list[LimitsApplications]
    """Limits of single applications. Applications without limits are omitted."""


class LimitsToday(Document):
    """Today's usage that counts toward the limits, in live mode."""
    calls: int
    """Number of requests charged today, plus requests in flight."""
    spent_micros: str
    """Provider cost of the requests charged today, in micros. An integer as a decimal string."""
    held_micros: str
    """Amount held by requests in flight, in micros. An integer as a decimal string."""
    resets_at: str
    """End of the day: the next midnight (UTC). ISO 8601."""


class ListedMemberFailedSignIns(Document):
    count: int
    """Number of failed sign-ins."""
    first_at: str
    """When the first of these sign-ins failed. ISO 8601."""
    last_at: str
    """When the latest sign-in failed. ISO 8601."""
    last_address: str
    """Network address of the latest failed sign-in."""


class ListedMember(Document):
    """A team member, with failed sign-ins."""
    id: str
    """ID of the member, `mem_…`."""
    email: str
    """Email address, in lower case."""
    name: str | None
    """Display name. Null until the member joins."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the member."""
    has_password: bool
    """Whether the member has a password. False if the member signs in only with the identity provider,
    or has not joined.
    """
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the member joined. Null if the invitation is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires or expired. Null if no invitation is open. ISO 8601."""
    failed_sign_ins: ListedMemberFailedSignIns | None
    """Failed password sign-ins of the last 30 days. Null if no sign-in failed. Reading them for other
    members requires the admin role; otherwise they are None.
    """


class Logo(Document):
    """The logo of an application, without its image data."""
    path: str
    """Path of the logo on the hosts of the portal and the control plane, `/brand/logo/…`."""
    media_type: Literal["image/png", "image/jpeg", "image/webp"] | str
    """Media type of the logo."""
    width_px: int
    """Width, in pixels."""
    height_px: int
    """Height, in pixels."""


class MarginRow(Document):
    """Revenue, cost and margin of one group."""
    end_user_id: str | None
    """External ID of the end user. Only with `by=endUser`. 1 to 256 characters."""
    requested_model: str | None
    """The requested model name. Null for subscriptions. Only with `by=model`."""
    bundle: str | None
    """Slug of the bundle at the time of the request. Null for requests whose bundle is not known, and
    for subscriptions. Only with `by=bundle`.
    """
    provider: str | None
    """Label of the provider account, or its ID (`pa_…`) if the account was deleted. Null for requests
    whose account is not known, and for subscriptions. Only with `by=provider`.
    """
    day: str | None
    """Day (UTC). Only with `by=day`. A day, like 2026-11-20 (UTC)."""
    key_id: str | None
    """ID of the key, `key_…`. Null for subscriptions. Only with `by=key`."""
    run: MarginRun | None
    """Run of an outcome. Null for requests without a run, and for subscriptions. Only with `by=run`."""
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
    assumed_calls: int | None
    """Requests with a cost at assumed rates, including failed requests. Only with `by=model`, and
    omitted if 0.
    """
    assumed_micros: str | None
    """Part of `cost_micros` computed at assumed rates, in micros. Only with `by=model`, and omitted if
    0. An integer as a decimal string.
    """


class MarginRun(Document):
    """A run of an outcome."""
    outcome: str
    """Slug of the outcome."""
    run_id: str
    """ID of the run."""
    end_user_id: str
    """External ID of the end user, or their ID (`eu_…`) if the end user was deleted. 1 to 256
    characters.
    """


class Member(Document):
    """A team member, or an open invitation."""
    id: str
    """ID of the member, `mem_…`."""
    email: str
    """Email address, in lower case."""
    name: str | None
    """Display name. Null until the member joins."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the member."""
    has_password: bool
    """Whether the member has a password. False if the member signs in only with the identity provider,
    or has not joined.
    """
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the member joined. Null if the invitation is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires or expired. Null if no invitation is open. ISO 8601."""


class MintedKey(Document):
    """A new key, with its secret."""
    id: str
    """ID of the key, `key_…`."""
    key: str
    """Secret of the key. It is returned once."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    name: str
    """Display name of the key."""
    end_user_id: str
    """ID of the end user, `eu_…`."""
    livemode: bool
    """Whether the key is a live key. Test keys never reach a provider."""
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    created_at: str
    """When the key was created. ISO 8601."""


class MissedSpan(Document):
    """Span of the requests whose events were not accepted."""
    from_: str
    """Time of arrival of the first of these requests. ISO 8601."""
    to: str
    """Time of arrival of the last of these requests, plus one millisecond. ISO 8601."""


class ModelCeilings(Document):
    output_tokens: int | None
    """Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend
    it. Providers whose API requires a maximum receive this value. From 1 to 10000000.
    """


class Model(Document):
    """A model name and its sources."""
    name: str
    """The model name, as end users request it."""
    sources: list[ModelSource]
    """Provider accounts and models, in the order in which they are tried."""
    ceilings: ModelCeilings
    """Output limits for requests that set no limit."""
    enabled: bool
    """Whether the model name is served in the mode of the request: `status` is `serving`."""
    status: Literal["serving", "disabled", "unpriced", "test_only"] | str
    """Status in the mode of the request. `serving`: requests are served. `disabled`: turned off by
    models.disable. `unpriced`: no source has a complete price. `test_only`: every source is a
    simulator, so live requests return 503 `no_live_source`.
    """
    problems: list[str]
    """Missing prices of the sources, one sentence each, and the bundles that serve the model name
    anyway.
    """
    created_at: str
    """When the model name was created. ISO 8601."""


class ModelSource(Document):
    """A provider account and one of its models."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""


class NameHealth(Document):
    """Health of a model or a router."""
    name: str
    """Name of the model or router, as end users request it."""
    kind: Literal["model", "router"] | str
    """Kind of the name."""
    state: Literal["healthy", "degraded", "failing", "unavailable", "key_refused", "unknown"] | str
    """Health now and over the last 24 hours.

    - `healthy`: no request failed.
    - `degraded`: some requests failed, or some targets are unavailable now.
    - `failing`: at least five requests and at least 5 % failed.
    - `unavailable`: no target is available now.
    - `key_refused`: the provider rejects the key.
    - `unknown`: no requests.
    """
    calls: int
    """Number of requests in the last 24 hours, or of attempts for an account."""
    failed: int
    """Number of failures caused by the provider or this server."""
    failure_rate: float
    """`failed` divided by `calls`. 0 if `calls` is 0. From 0 to 1."""
    why: str | None
    """Problem, with its numbers. Null if the state is `healthy` or `unknown`."""


class Onboarding(Document):
    """Setup progress of the organization."""
    application: str | None
    """Slug of the application that is closest to its first request. Null if no application exists."""
    mode: Literal["live", "test"] | str
    """Mode that was checked."""
    steps: list[OnboardingStep]
    """The six steps, in order."""
    funded_and_tried_at: str | None
    """When onboarding.fundAndTry first found credit and a settled request. Null if it has not yet. ISO
    8601.
    """
    completed_at: str | None
    """When onboarding.complete first found every step done. Kept even if a step is undone later. Null if
    it has not yet. ISO 8601.
    """


class OnboardingStep(Document):
    """A step of the setup."""
    step: Literal["provider_answered", "name_served", "bundle_allows", "default_bundle", "key_minted", "call_settled"] | str
    """The step.

    - `provider_answered`: a provider account has responded to a request. In test mode, the simulator
    responds.
    - `name_served`: a model name has a price and is served.
    - `bundle_allows`: a bundle allows such a model name.
    - `default_bundle`: the application has a default bundle for new end users.
    - `key_minted`: a valid key exists.
    - `call_settled`: a request has settled.
    """
    state: Literal["done", "missing"] | str
    """Current state of the step, checked by this request."""
    sentence: str
    """Finding, or what is missing."""
    call: OperationCall
    """Operation that completes the step, with an example. If the step is done, the operation that shows
    the result.
    """


class OperationCall(Document):
    """A request to the control plane that is suggested as the next step."""
    operation: str
    """ID of the operation."""
    method: Literal["GET", "PUT", "POST", "PATCH", "DELETE"] | str
    """HTTP method of the operation."""
    path: str
    """Path of the operation, with its parameters filled in."""
    body: dict[str, Any] | None
    """Example request body. Null if the operation has no body."""


class Outcome(Document):
    """A goal that end users reach in runs of several requests, with a spend ceiling per run."""
    slug: str
    """Slug of the outcome, sent in requests as `svc.outcome`."""
    display_name: str
    """Display name of the outcome."""
    ceiling_micros: str
    """Spend ceiling of one run, in micros. An integer as a decimal string."""
    runs: int
    """Number of runs in the mode of the request."""
    spent_micros: str
    """Spending of all runs in the mode of the request, in micros. An integer as a decimal string."""
    created_at: str
    """When the outcome was created. ISO 8601."""
    archived_at: str | None
    """When the outcome was archived. Null if it is not archived. ISO 8601."""


class OutcomeRun(Document):
    """A run of an outcome."""
    id: str
    """ID of the run, sent in requests as `svc.outcome_id`."""
    end_user_id: str
    """External ID of the end user."""
    status: Literal["running", "done", "capped", "failed"] | str
    """Status of the run. `running`: accepts requests. `done` and `failed`: ended. `capped`: reached its
    ceiling, and accepts requests again if the ceiling is raised.
    """
    spent_micros: str
    """Charges for the settled requests of the run, in micros. An integer as a decimal string."""
    calls: int
    """Number of requests in the run."""
    started_at: str
    """Time of the first request in the run. ISO 8601."""
    last_call_at: str
    """Time of the last request in the run. ISO 8601."""


class Passkey(Document):
    """A passkey that a member signs in with."""
    id: str
    """ID of the passkey, `psk_…`."""
    member_id: str
    """ID of the member who signs in with the passkey, `mem_…`."""
    name: str
    """Display name of the passkey. 1 to 64 characters."""
    created_at: str
    """When the passkey was registered. ISO 8601."""
    last_used_at: str | None
    """When the passkey was last used to sign in. Null if it was never used. ISO 8601."""


class PasskeyChallenge(Document):
    """Values that a browser passes to an authenticator."""
    challenge: str
    """Challenge for the authenticator, base64url. It can be used once."""
    rp_id: str
    """Relying party ID: the domain that passkeys belong to."""
    user_id: str | None
    """User handle for a new passkey, base64url. Null if no email address was given."""
    expires_at: str
    """When the challenge expires, five minutes after it was created. ISO 8601."""


class PlannedTargetSkip(Document):
    code: str
    """Code of the reason."""
    reason: str
    """Reason in words, with the numbers."""


class PlannedTargetCircuit(Document):
    state: Literal["closed", "open", "half_open"] | str
    """`closed`: requests are sent to the target. `open`: no request is sent. `half_open`: one real
    request tests the target.
    """
    until: str | None
    """When one request may test the target. Null unless the circuit is open. ISO 8601."""
    why: str | None
    """Reason why the circuit is not closed. Null if it is closed."""


class PlannedTargetDeadlines(Document):
    connect_ms: int
    """Maximum time until the connection is established, in milliseconds."""
    first_byte_ms: int
    """Maximum time until the response headers are received, in milliseconds."""
    first_token_ms: int | None
    """Maximum time from the request to the first text of a streamed response, in milliseconds. Omitted
    if unlimited.
    """
    idle_ms: int
    """Maximum time between two chunks of the response, in milliseconds."""
    total_ms: int
    """Maximum time for the whole attempt, in milliseconds."""


class PlannedTarget(Document):
    """A target, at its position in the order."""
    path: list[str]
    """Names through which the target is reached, starting with the requested name."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID."""
    skip: PlannedTargetSkip | None
    """Reason why the target is skipped. Null if the target is not skipped."""
    expected_micros: str | None
    """Expected provider cost of the request at this target, in micros. Null if the target has no price.
    An integer as a decimal string.
    """
    worst_micros: str | None
    """Worst-case cost of the first hold at this target, in micros. Null if the target has no price. An
    integer as a decimal string.
    """
    circuit: PlannedTargetCircuit
    """Circuit breaker of the target, as seen by the server process that handles this request."""
    in_flight: int
    """Number of requests in flight at the target, in this server process."""
    first_token_ms: float | None
    """Recent time to the first token, in milliseconds, in this server process. Null if unknown."""
    lost: list[str]
    """Request fields that the conversion to the target's wire format would omit or change."""
    deadlines: PlannedTargetDeadlines
    """Deadlines of an attempt at this target."""


class PortalAccountPlan(Document):
    slug: str
    """Slug of the plan."""
    name: str
    """Display name of the plan."""


class PortalAccountBalance(Document):
    balance_micros: str
    """Balance of the wallet, in micros. It includes expiring credit that can be spent now. An integer as
    a decimal string.
    """
    held_micros: str
    """Amount held by requests in flight, in micros. An integer as a decimal string."""
    available_micros: str
    """Remaining balance, in micros: `balance_micros` minus `held_micros`. An integer as a decimal
    string.
    """
    calls_in_flight: int
    """Number of requests in flight."""
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit with a future `starts_at` is not part of the balance yet.
    """


class PortalAccountOnDemand(Document):
    enabled: bool
    """Whether on-demand billing is enabled."""
    limit_micros: str | None
    """Monthly on-demand ceiling (UTC), set by the end user, in micros. Null means no ceiling. An integer
    as a decimal string.
    """
    ceiling_micros: str | None
    """Maximum that the end user can set `limit_micros` to, in micros. Null means no maximum. An integer
    as a decimal string.
    """
    spent_micros: str
    """On-demand usage in the current calendar month (UTC), in micros. An integer as a decimal string."""
    owed_micros: str
    """On-demand usage of earlier months that is not invoiced yet or on an unpaid invoice, in micros. An
    integer as a decimal string.
    """


class PortalAccountKeys(Document):
    may_mint: bool
    """Whether the end user can create keys in the portal."""
    cap_micros: str | None
    """Maximum cap of one key created in the portal, in micros. Null means no maximum. An integer as a
    decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset."""
    total_micros: str | None
    """Maximum that all keys created in the portal can spend together per `cap_period`, in micros. Null
    means no total. An integer as a decimal string.
    """
    spent_micros: str | None
    """Amount of the total that these keys spent in the current period, in micros. Null if no total is
    set. An integer as a decimal string.
    """
    left_for_caps_micros: str | None
    """Maximum cap of a further key under the total, in micros. Null if no total is set. An integer as a
    decimal string.
    """


class PortalAccountSession(Document):
    expires_at: str
    """When the session expires at the latest. ISO 8601."""
    csrf_token: str | None
    """Token that pages send as `x-csrf-token`. Null if the session does not use a cookie."""


class PortalAccount(Document):
    """Account of the signed-in end user."""
    end_user_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    email: str | None
    """Email address. Null if it is not known."""
    application: str
    """Slug of the application."""
    livemode: bool
    """Whether the session shows live data. Otherwise it shows test data."""
    read_only: bool
    """Whether the session is read-only. A read-only session cannot change anything."""
    opened_by: str | None
    """Email address of the team member who opened this session. Null if the end user opened it."""
    plan: PortalAccountPlan | None
    """Plan of the end user. Null if the end user has no plan."""
    balance: PortalAccountBalance
    """The end user's wallet. Plan credit is in portal.subscription."""
    pace: SpendingPace
    on_demand: PortalAccountOnDemand
    """On-demand usage: usage beyond plan and wallet."""
    spend_limit: PortalLimit | None
    """Spend limit of the plan. Null if the plan has no spend limit."""
    limits: list[PortalLimit]
    """Limits of the end user over all keys and plans, at most one per period. Empty if no limits are
    set.
    """
    frozen: bool
    """Whether the account is frozen. Requests of a frozen end user are rejected."""
    keys: PortalAccountKeys
    """Rules for keys that the end user creates with portal.mintKey."""
    session: PortalAccountSession
    """The current session."""


class PortalBrand(Document):
    """The brand of an end-user portal."""
    product_name: str
    """Product name that end users see."""
    primary_color: str
    """Brand color, `#rrggbb`."""
    text_color: str
    """Text color with the most contrast on the brand color, `#rrggbb`."""
    support_email: str | None
    """Email address where end users get help. Null if not set."""
    support_url: str | None
    """Web page where end users get help. Null if not set."""
    top_up_url: str | None
    """Page where the application sells credit. Null if not set."""
    pay_url: str | None
    """Page where end users pay invoices. Null if not set."""
    logo: Logo | None
    """Logo. Null if not set."""


class PortalKey(Document):
    """A key of the signed-in end user, without its secret."""
    id: str
    """ID of the key, `key_…`."""
    name: str
    """Display name of the key."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    minted_here: bool
    """Whether the end user created the key in the portal."""
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    created_at: str
    """When the key was created. ISO 8601."""
    last_used_at: str | None
    """When the key was last used at the gateway. Null if the key has never been used. ISO 8601."""
    revoked_at: str | None
    """When the key was revoked. Null if it was not revoked. ISO 8601."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    replaced_by: str | None
    """ID of the key that replaces this one, `key_…`. Null if the key was not rotated."""


class PortalLimit(Document):
    """A spend limit and the spending that counts toward it."""
    limit_micros: str
    """Maximum spend per `period`, in micros. An integer as a decimal string."""
    spent_micros: str
    """Spending in the current `period`, in micros. An integer as a decimal string."""
    period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the limit resets. With `total`, the limit never resets."""
    resets_at: str | None
    """When the next period begins. Null if the limit never resets. ISO 8601."""


class PortalRequest(Document):
    """A request of the signed-in end user, with its result."""
    id: str
    """ID of the request, `req_…`, as returned with its response."""
    status: Literal["settled", "released", "refused", "recovered", "in_flight"] | str
    """`settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected
    before it was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
    """
    requested_model: str | None
    """Requested model name. Null if the request was rejected before its model name was read."""
    key_id: str | None
    """ID of the key that sent the request, `key_…`."""
    streamed: bool | None
    """Whether the response was streamed. Null while in flight."""
    http_status: int | None
    """HTTP status of the response. Null while in flight."""
    error_code: str | None
    """Error code of the failure or rejection. Null if no error occurred."""
    charge_micros: str
    """Amount charged to pools, wallet and on-demand billing, in micros, before refunds. An integer as a
    decimal string.
    """
    refunded_micros: str
    """Amount refunded so far, in micros. An integer as a decimal string."""
    input_tokens: int
    """Input tokens, including cached tokens. 0 if nothing was charged."""
    cached_input_tokens: int
    """Input tokens that were read from the provider's cache."""
    output_tokens: int
    """Output tokens, including reasoning tokens. 0 if nothing was charged."""
    latency_ms: int | None
    """Time from the first byte of the request to the last byte of the response, in milliseconds. Null
    while in flight.
    """
    created_at: str
    """Time of the request. ISO 8601."""


class PortalSettings(Document):
    """Rules for keys that end users create in the portal."""
    end_users_may_mint_keys: bool
    """Whether end users can create keys in the portal, and rotate and revoke keys that the application
    created for them. Defaults to false.
    """
    key_cap_micros: str | None
    """Maximum cap of one key that an end user creates, in micros per `key_cap_period`. Null means no
    maximum. It limits one key, not the end user. Use `key_caps_total_micros` or users.limit to limit
    the end user. An integer as a decimal string.
    """
    key_cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset."""
    key_caps_total_micros: str | None
    """Maximum that all keys that one end user created in the portal can spend together, in micros per
    `key_cap_period`. Keys that were revoked since are included. The sum of the caps cannot exceed
    this maximum. Null means no total. An integer as a decimal string.
    """


class Price(Document):
    """Rates in micros, per million tokens or per use. A price in credits has the same rates in
    millionths of a credit. An omitted rate means no price, not 0.
    """
    input: str | None
    """Rate per million tokens of input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    cache_read: str | None
    """Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    cache_write: str | None
    """Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if
    the price is in credits. An integer as a decimal string.
    """
    cache_write_long: str | None
    """Rate per million tokens of input written to the cache for long, in micros, or in millionths of a
    credit if the price is in credits. An integer as a decimal string.
    """
    audio_input: str | None
    """Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    image_input: str | None
    """Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    output: str | None
    """Rate per million tokens of output, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    reasoning: str | None
    """Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price
    is in credits. An integer as a decimal string.
    """
    audio_output: str | None
    """Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    image_output: str | None
    """Rate per million tokens of image output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    request: str | None
    """Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer
    as a decimal string.
    """
    web_search: str | None
    """Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    tiers: list[PriceTier] | None
    """Rates for large inputs, in ascending order of `above_input_tokens`. At most 16 of them."""
    service_tiers: dict[str, str] | None
    """Price multipliers by service tier, in thousandths. `1000` leaves the price unchanged."""


class PriceLine(Document):
    """Usage of one dimension and its amount."""
    dimension: str
    """Dimension of the price, such as `input` or `web_search`."""
    units: int
    """Number of tokens or uses."""
    rate: str | None
    """Rate per million tokens, or per use. Null if the price has no such rate. An integer as a decimal
    string.
    """
    assumed: bool
    """Whether the rate was assumed because the price has no rate for this dimension. False for cached
    input at the input rate and for reasoning at the output rate.
    """
    exact: str
    """Units times rate times multiplier, not rounded."""


class PriceLines(Document):
    """Usage and its amount at one price."""
    price: Literal["cost", "sell", "credits"] | str
    """`cost`: price of the provider account. `sell`: sell price of the bundle. `credits`: price in
    credits.
    """
    lines: list[PriceLine]
    """Lines that add up to the amount."""
    multiplier: str
    """Multiplier of the service tier, in thousandths."""
    amount: str
    """Sum of the lines, rounded up once, in micros or millionths of a credit. An integer as a decimal
    string.
    """


class PriceTier(Document):
    """Rates that replace the standard rates if the input is large."""
    above_input_tokens: int
    """Lower bound of the tier, in input tokens. The rates apply if the request's whole input is larger
    than this.
    """
    input: str | None
    """Rate per million tokens of input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    cache_read: str | None
    """Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    cache_write: str | None
    """Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if
    the price is in credits. An integer as a decimal string.
    """
    cache_write_long: str | None
    """Rate per million tokens of input written to the cache for long, in micros, or in millionths of a
    credit if the price is in credits. An integer as a decimal string.
    """
    audio_input: str | None
    """Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    image_input: str | None
    """Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    output: str | None
    """Rate per million tokens of output, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    reasoning: str | None
    """Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price
    is in credits. An integer as a decimal string.
    """
    audio_output: str | None
    """Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    image_output: str | None
    """Rate per million tokens of image output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    request: str | None
    """Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer
    as a decimal string.
    """
    web_search: str | None
    """Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """


class ProbeError(Document):
    code: str
    """Error code, as in requests.list."""
    message: str
    """Meaning of the error, and what to do."""
    said: str | None
    """The provider's own error text, at most 2,000 characters, without the account's API key. Null if
    the provider sent no text.
    """


class Probe(Document):
    """Result of a probe of a provider account."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    ok: bool
    """Whether the model responded."""
    status: int | None
    """HTTP status of the provider. Null if it did not respond."""
    latency_ms: int
    """Milliseconds from the request to the end of the response."""
    input_tokens: int | None
    """Input tokens reported by the provider. Null if it reported no usage."""
    output_tokens: int | None
    """Output tokens reported by the provider. Null if it reported no usage."""
    cost_micros: str | None
    """Cost of the request, in micros. Null if the provider reported no usage, or if the model has no
    price. An integer as a decimal string.
    """
    error: ProbeError | None
    """Reason for the failure. Null if the model responded."""
    probed_at: str
    """When the probe was sent. ISO 8601."""


class ProviderAccountPrices(Document):
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    price: Price


class ProviderAccount(Document):
    """An account at a model provider, without its API key."""
    id: str
    """ID of the provider account, `pa_…`."""
    label: str
    """Label of the provider account, used in the sources of model names."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """API format of the provider. The simulator is built in and responds without a network."""
    base_url: str | None
    """Base URL of requests. Null for the simulator."""
    last_four: str | None
    """Last characters of the API key. Null if the account has no API key."""
    credential_set_at: str | None
    """When the API key was set or last rotated. Null if the account has no API key, or if the time is
    not known. ISO 8601.
    """
    credential_refused: CredentialRefused | None
    """Rejections of the API key by the provider. Null if no current rejection is known."""
    last_failed_probe: FailedProbe | None
    """Newest failed probe of the account. Null if no probe failed."""
    on_client_left: Literal["cut", "drain"] | str | None
    """Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
    `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`.
    """
    prices: list[ProviderAccountPrices]
    """Prices set on this account, by exact model ID."""
    created_at: str
    """When the account was first connected. ISO 8601."""


class RemovedEndUser(Document):
    """An end user at the time of the deletion."""
    id: str
    """ID of the end user, `eu_…`."""
    external_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    email: str | None
    """Email address of the end user. Null if unknown."""
    bundle: str | None
    """Slug of the end user's bundle in the mode of the request. Null if the end user has no bundle, or
    if the subscription has ended.
    """
    frozen: bool
    """Whether the end user is frozen, so that all requests are rejected."""
    frozen_at: str | None
    """When the end user was frozen. Null if the end user is not frozen. ISO 8601."""
    frozen_reason: str | None
    """Reason for the freeze, for the team. Null if no reason was given. Never shown to the end user."""
    balance: Balance
    """Wallet in the mode of the request."""
    usage: UsageTotals
    """Total usage in the mode of the request."""
    on_demand_enabled: bool
    """Whether usage beyond pools and wallet is billed on demand, in the mode of the request."""
    limits: list[EndUserLimit]
    """Limits of the end user over all keys and plans, in the mode of the request. Empty if no limit is
    set. At most 4 of them.
    """
    last_seen_at: str | None
    """When a key of the end user was last used in the mode of the request. Null if no key was ever used.
    ISO 8601.
    """
    created_at: str
    """When the end user was created. ISO 8601."""
    keys_revoked: int
    """Number of revoked keys, in both modes."""
    removed_at: str
    """When the end user was deleted. ISO 8601."""


class Request(Document):
    """A gateway request and its result."""
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


class RequestCorrection(Document):
    """A later change of the charge of a request."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    billed_micros: str
    """Change of the sell price, in micros. An integer as a decimal string."""
    cost_micros: str
    """Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """Additional amount that each source paid. Negative if money was returned to the source."""
    ledger_entry_ids: list[str]
    """IDs of the ledger entries of the correction, `led_…`."""
    reason: str
    """Reason given with the correction, as the ledger shows it."""
    actor: str | None
    """Member or token that requested the correction. Null if the server corrected the request."""
    created_at: str
    """When the correction was made. ISO 8601."""


class RequestRefund(Document):
    """A refund of a request."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    billed_micros: str
    """Change of the sell price, in micros. An integer as a decimal string."""
    cost_micros: str
    """Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """Additional amount that each source paid. Negative if money was returned to the source."""
    ledger_entry_ids: list[str]
    """IDs of the ledger entries of the correction, `led_…`."""
    reason: str
    """Reason given with the correction, as the ledger shows it."""
    actor: str | None
    """Member or token that requested the correction. Null if the server corrected the request."""
    created_at: str
    """When the correction was made. ISO 8601."""
    request_id: str
    """ID of the refunded request, `req_…`."""
    amount_units: str
    """Refunded amount, in micros. An integer as a decimal string."""


class RevokedKey(Document):
    """A revoked key, without its secret."""
    id: str
    """ID of the key, `key_…`."""
    name: str
    """Display name of the key."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    livemode: bool
    """Whether the key is a live key. Test keys never reach a provider."""
    end_user_id: str | None
    """External ID of the end user that the key belongs to. If the end user was deleted, their ID,
    `eu_…`.
    """
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    spent_micros: str
    """Charges in the current `cap_period`, in micros, for the key and the keys it replaced. Reported
    with or without a cap. An integer as a decimal string.
    """
    held_micros: str
    """Amount held by requests in flight, in micros, for the key and the keys it replaced. It counts
    toward the cap. An integer as a decimal string.
    """
    resets_at: str | None
    """When the next `cap_period` begins. Null if the cap never resets. ISO 8601."""
    actor_type: str
    """Kind of the actor who created the key, such as `token`."""
    actor_label: str | None
    """Label of the actor who created the key. Null if the actor has no label."""
    created_at: str
    """When the key was created. ISO 8601."""
    last_used_at: str | None
    """When the key was last used at the gateway. Null if the key has never been used. ISO 8601."""
    revoked_at: str | None
    """When the key was revoked. Null if it was not revoked. ISO 8601."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    replaced_by: str | None
    """ID of the key that replaces this one, `key_…`. Null if the key was not rotated."""
    also_revoked: list[str]
    """IDs of the keys that were revoked with this key, `key_…`: keys that it replaced and whose grace
    period had not ended.
    """


class RevokedPortalKey(Document):
    """A revoked key of the signed-in end user, without its secret."""
    id: str
    """ID of the key, `key_…`."""
    name: str
    """Display name of the key."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    minted_here: bool
    """Whether the end user created the key in the portal."""
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    created_at: str
    """When the key was created. ISO 8601."""
    last_used_at: str | None
    """When the key was last used at the gateway. Null if the key has never been used. ISO 8601."""
    revoked_at: str | None
    """When the key was revoked. Null if it was not revoked. ISO 8601."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    replaced_by: str | None
    """ID of the key that replaces this one, `key_…`. Null if the key was not rotated."""
    also_revoked: list[str]
    """IDs of the keys that were revoked with this key, `key_…`: keys that it replaced and whose grace
    period had not ended.
    """


class RotatedKey(Document):
    """A new key that replaces an old one, with its secret."""
    id: str
    """ID of the key, `key_…`."""
    key: str
    """Secret of the key. It is returned once."""
    key_prefix: str
    """First characters of the secret. Safe to show."""
    last_four: str
    """Last four characters of the secret. Safe to show."""
    name: str
    """Display name of the key."""
    end_user_id: str
    """ID of the end user, `eu_…`."""
    livemode: bool
    """Whether the key is a live key. Test keys never reach a provider."""
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets."""
    expires_at: str | None
    """When the key expires. Null if it never expires. ISO 8601."""
    created_at: str
    """When the key was created. ISO 8601."""
    replaces: str
    """ID of the old key, `key_…`."""
    replaced_ends_at: str
    """When the old key stops working. ISO 8601."""


class RotatedSecret(Document):
    """A webhook emitter with its new signing secret."""
    id: str
    """ID of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
    `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
    """
    name: str
    """Label of the emitter. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered."""
    livemode: bool
    """Whether the emitter receives live requests. False means test requests."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """Events that are delivered."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """ID under which usage is filed. Usage without an end user or external ID is filed under the ID of
    the organization.

    - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
    - `organization_id`: the ID of the organization, for all usage.
    - `external_id`: the external ID of the end user.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds."""
    event_name: str | None
    """Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds."""
    last_four: str
    """Last four characters of the credential, or of the signing secret of a webhook."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Number of events that were accepted, including replayed events."""
    not_delivered: int
    """Number of events that were attempted and not accepted."""
    dropped: int
    """Number of events that were never attempted, because 10,000 events were already waiting."""
    last_delivered_at: str | None
    """When a batch was last accepted. Null if no batch was accepted. ISO 8601."""
    last_failed_at: str | None
    """When a batch was last not accepted. Null if every batch was accepted. ISO 8601."""
    last_failure: str | None
    """Reason why that batch was not accepted. Null if every batch was accepted."""
    failing_since: str | None
    """When deliveries started to fail: the first batch that was not accepted since the last accepted
    one. Null if the last batch was accepted. ISO 8601.
    """
    missed: MissedSpan | None
    """Span that contains every request whose events were neither accepted nor replayed since.
    `emitters.replay` accepts it as it is. Null if no event was missed.
    """
    replay: EmitterReplay | None
    """Last replay. Null if no replay was requested."""
    created_at: str
    """When the emitter was added. ISO 8601."""
    signing_secret: str
    """New signing secret, `whsec_…`. It is returned once and cannot be retrieved again."""


class RoutePlanRefusal(Document):
    code: str
    """Error code."""
    message: str
    """Error message."""


class RoutePlan(Document):
    """Targets that a request would try, in order."""
    name: str
    """Requested name."""
    router: str | None
    """Name of the router. Null if the requested name is a model."""
    policy: str
    """Policy that orders the targets."""
    input_tokens: int
    """Input tokens, as estimated by the gateway."""
    targets: list[PlannedTarget]
    """Targets in the order in which they are tried."""
    refusal: RoutePlanRefusal | None
    """Error that the request would return, regardless of the end user's balance. Null if the request
    would be sent.
    """


class RouterAttempts(Document):
    within_ms: int
    """Maximum time from the first attempt to the start of the last attempt, in milliseconds."""
    attempts_max: int
    """Maximum attempts per request, including the first."""
    retries_per_target: int
    """Maximum retries at the same target."""
    also_moves_on: list[int]
    """Additional HTTP statuses after which the next target is tried."""
    never_moves_on: list[int]
    """HTTP statuses after which no other target is tried."""
    on_context_length: Literal["next", "fail"] | str
    """Behavior if the request is too long for a target."""
    timeouts: RouterTimeouts
    """Deadlines that differ from the gateway's own."""


class Router(Document):
    """A name that routes requests to one of several targets."""
    name: str
    """Name of the router, as end users request it."""
    policy: Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"] | str
    """Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight.
    `cheapest`: by expected cost of the request. `fastest`: by time to the first token. `leastBusy`:
    by requests in flight. `sticky`: the same target for each end user or session.
    """
    sticky_by: Literal["end_user", "session"] | str
    """Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
    target.
    """
    targets: list[RouterTargetState]
    """Targets of the router, in order."""
    attempts: RouterAttempts
    """Rules for attempts."""
    serving: bool
    """Whether a request can use at least one target. If false, every request is rejected."""
    created_at: str
    """When the router was created. ISO 8601."""


class RouterAttemptRules(Document):
    """Rules for attempts."""
    within_ms: int | None
    """Maximum time from the first attempt to the start of the last attempt, in milliseconds. Defaults to
    120000. From 0 to 3600000.
    """
    attempts_max: int | None
    """Maximum attempts per request, including the first. Defaults to 5. From 1 to 50."""
    retries_per_target: int | None
    """Maximum retries at the same target after a quick 429 or 5xx response. A missed deadline is not
    retried at the same target. Defaults to 1. From 0 to 10.
    """
    also_moves_on: list[int] | None
    """Additional HTTP statuses after which the next target is tried. At most 50 of them."""
    never_moves_on: list[int] | None
    """HTTP statuses after which no other target is tried, even if the default is to try one. At most 50
    of them.
    """
    on_context_length: Literal["next", "fail"] | str | None
    """Behavior if the request is too long for a target. `next`: the next target that may accept a longer
    request is tried. `fail`: the request fails. Defaults to `next`.
    """
    timeouts: RouterTimeouts | None
    """Deadlines of each attempt, in place of the gateway's own."""


class RouterCondition(Document):
    """Conditions for using a target. A request must meet all of them."""
    bundles: list[str] | None
    """Slugs of bundles. The end user must be on one of them. 1 to 100 of them."""
    features: list[Literal["tools", "images", "audio", "documents", "json", "reasoning", "stream"] | str] | None
    """Features, all of which the request must need. 1 to 7 of them."""
    input_tokens_min: int | None
    """Minimum input tokens, as estimated by the gateway. From 0 to 100000000."""
    input_tokens_max: int | None
    """Maximum input tokens, as estimated by the gateway. From 0 to 100000000."""
    mode: Literal["live", "test"] | str | None
    """Mode of the key."""


class RouterTargetAlias(Document):
    """A model name of the application."""
    alias: str
    """A model name of the application."""
    weight: int | None
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: int | None
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: RouterCondition | None
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTargetProblem(Document):
    """Reason why a target is skipped for every request."""
    code: Literal["disabled", "unpriced", "test_only", "removed", "empty"] | str
    """`disabled`: the model is disabled. `unpriced`: a price is missing. `test_only`: every account of
    the target is a simulator, and the mode of the request is live. `removed`: the target was deleted.
    `empty`: the target is a router without a usable target.
    """
    reason: str
    """Reason why requests cannot use the target."""
    mend: OperationCall
    """Operation that fixes the problem."""


class RouterTargetRouter(Document):
    """Another router of the application."""
    router: str
    """Another router of the application."""
    weight: int | None
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: int | None
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: RouterCondition | None
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTargetSource(Document):
    """A model of a provider account."""
    provider: str
    """Label of a provider account. Requires `model`."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    weight: int | None
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: int | None
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: RouterCondition | None
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTargetState(Document):
    """A target, and whether requests can use it now."""
    alias: str | None
    """A model name of the application."""
    router: str | None
    """Another router of the application."""
    provider: str | None
    """Label of a provider account, with `model`. If the account was deleted after the application was
    archived, its ID.
    """
    model: str | None
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    weight: int
    """Share of requests under `weighted`, relative to the sum of all weights. From 1 to 1000000."""
    max_in_flight: int | None
    """Maximum concurrent requests per server process. Null means no limit. From 1 to 1000000."""
    when: RouterCondition | None
    """Conditions that a request must meet to use the target. Null means no condition."""
    timeouts: RouterTimeouts
    """Deadlines that differ from the router's."""
    problem: RouterTargetProblem | None
    """Problem that keeps requests from using the target. Null if requests can use it."""


class RouterTimeouts(Document):
    """Deadlines of one attempt."""
    connect_ms: int | None
    """Maximum time until the connection is established, in milliseconds. From 1 to 60000."""
    first_byte_ms: int | None
    """Maximum time until the response headers are received, in milliseconds. If other targets are left,
    defaults to a third of `within_ms`, at most 120,000. From 1 to 600000.
    """
    first_token_ms: int | None
    """Maximum time from the request to the first text of a streamed response, in milliseconds. If other
    targets are left, defaults to 10,000 plus 1,000 for each 10,000 input tokens. Otherwise, and for a
    model that reasons, defaults to no limit. From 1 to 600000.
    """
    idle_ms: int | None
    """Maximum time between two chunks of the response, in milliseconds. From 1 to 600000."""
    total_ms: int | None
    """Maximum time for the whole attempt, in milliseconds. From 1 to 3600000."""


class Series(Document):
    """Totals of a group of requests over time."""
    totals: SeriesTotals
    points: list[SeriesPoint]
    """Buckets in chronological order. Buckets in which no request ended are omitted."""


class SeriesGroup(Document):
    """Totals of one group over time."""
    group: str | None
    """Requested model name, label of the provider account, slug of the bundle, external ID of the end
    user, or ID of the key. A deleted provider account is shown by its ID, `pa_…`. Null if unknown, or
    if nothing was charged.
    """
    totals: SeriesTotals
    points: list[SeriesPoint]
    """Buckets in chronological order. Buckets in which no request ended are omitted."""


class SeriesLatency(Document):
    """Latencies of the requests of one bucket."""
    at: str
    """Start of the bucket. ISO 8601."""
    latency_ms: SeriesPercentiles
    """Time from the first byte of the request to the last byte of the response."""
    first_byte_ms: SeriesPercentiles
    """Time to the first byte of the response. Requests without a response byte are not counted."""


class SeriesPercentiles(Document):
    """Percentiles of the durations of requests, in milliseconds."""
    p50_ms: int | None
    """Median, in milliseconds. Null without requests."""
    p95_ms: int | None
    """95th percentile, in milliseconds. Null without requests."""


class SeriesPoint(Document):
    """Totals of the requests that ended in one bucket."""
    at: str
    """Start of the bucket. ISO 8601."""
    calls: int | None
    """Number of requests that ended, charged or not. Null by end user and by key, where only charged
    requests are counted.
    """
    charged_calls: int
    """Number of charged requests."""
    failed: FailedCalls | None
    """Number of failed requests, by cause. Null if `calls` is None."""
    input_tokens: int | None
    """Input tokens. Null except in sums per day without a group, by model, by end user and by key."""
    output_tokens: int | None
    """Output tokens. Null if `input_tokens` is None."""
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


class SeriesTotals(Document):
    """Totals of the requests of a range."""
    calls: int | None
    """Number of requests that ended, charged or not. Null by end user and by key, where only charged
    requests are counted.
    """
    charged_calls: int
    """Number of charged requests."""
    failed: FailedCalls | None
    """Number of failed requests, by cause. Null if `calls` is None."""
    input_tokens: int | None
    """Input tokens. Null except in sums per day without a group, by model, by end user and by key."""
    output_tokens: int | None
    """Output tokens. Null if `input_tokens` is None."""
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


class Session(Document):
    """A sign-in of a member in one browser."""
    id: str
    """ID of the session, `ses_…`."""
    member_id: str
    """ID of the member, `mem_…`."""
    address: str
    """Network address from which the member signed in."""
    user_agent: str
    """User agent of the browser at sign-in."""
    created_at: str
    """When the member signed in. ISO 8601."""
    last_used_at: str
    """When the session was last used, accurate to ten minutes. ISO 8601."""
    expires_at: str
    """When the session expires: 30 days after the sign-in, or after 7 days without use. ISO 8601."""
    is_current: bool
    """Whether this is the session of the request."""


class SignInPolicy(Document):
    """Sign-in requirements of an organization."""
    passkey_required: bool
    """Whether members need a passkey to sign in with a password. Sign-ins with the identity provider are
    not affected.
    """


class SignedInOrganization(Document):
    id: str
    """ID of the organization, `org_…`."""
    name: str
    """Name of the organization."""


class SignedIn(Document):
    """A session and its member. The secret is only in the cookie."""
    id: str
    """ID of the session, `ses_…`."""
    expires_at: str
    """When the session expires: 30 days after the sign-in, or after 7 days without use. ISO 8601."""
    csrf_token: str
    """Value of the header `x-csrf-token`, which a page must send with every request other than GET."""
    active_application: str | None
    """Slug of the application that `apps.use` made active for the session. Null if no application is
    active.
    """
    member: Member
    """Signed-in member."""
    organization: SignedInOrganization
    """Organization of the member."""


class SpendingPace(Document):
    """Spending pace of an end user, and how long the available credit lasts."""
    from_: str
    """Start of the first counted day (UTC). ISO 8601."""
    to: str
    """Current time. ISO 8601."""
    days: int
    """Number of counted days, including today: seven, or fewer if the first usage is more recent. From 1
    to 7.
    """
    charged_micros: str
    """Charges of requests that settled on these days, in micros. An integer as a decimal string."""
    per_day_micros: str
    """Average charge per day, in micros, rounded up. An integer as a decimal string."""
    available_micros: str
    """Available credit without on-demand billing, in micros: wallet and pools, but no credits without a
    price. A negative wallet counts as 0. An integer as a decimal string.
    """
    lasts_days: int | None
    """Number of whole days that the available credit lasts at this pace, at most 36525. Null if nothing
    was charged, or if no credit is available. From 0 to 36525.
    """


class SubscriptionPoolsAliases(Document):
    requested_model: str
    """The requested model name."""
    consumed: str
    """Amount that the pool paid for this model name, in the unit of the pool. An integer as a decimal
    string.
    """


class SubscriptionPools(Document):
    slug: str
    """Slug of the include that grants the pool."""
    display_name: str
    """Display name of the pool."""
    unit: Literal["tokens", "micros", "credits"] | str
    """Unit of the amounts of the pool. `micros`: money, or credits that have a price, as their share of
    that price. `credits`: millionths of a credit without a price. `tokens` is not returned.
    """
    granted: str
    """Amount granted for the period. An integer as a decimal string."""
    consumed: str
    """Amount that settled requests consumed, including amounts that pools of other plans paid in the
    same period. An integer as a decimal string.
    """
    spillover_to: str | None
    """Slug of the pool that pays the rest of a request after this pool is used up. Null if no other pool
    pays.
    """
    then_on_demand: bool
    """Whether the wallet and on-demand billing cover usage after this pool is exhausted."""
    rolled_over: str
    """Part of `granted` that was carried over from earlier months, in the unit of the pool. An integer
    as a decimal string.
    """
    aliases: list[SubscriptionPoolsAliases]
    """Consumption by model name."""


class SubscriptionInvoices(Document):
    id: str
    """ID of the invoice, `inv_…`."""
    issued_at: str
    """When the invoice was issued. ISO 8601."""
    due_at: str
    """When the invoice becomes past due if it is unpaid. ISO 8601."""
    period_start: str
    """Start of the invoiced time. ISO 8601."""
    period_end: str
    """End of the invoiced time, exclusive. ISO 8601."""
    amount_micros: str
    """Amount due, in micros. An integer as a decimal string."""
    status: Literal["paid", "open", "past_due"] | str
    """Payment status."""
    lines: list[InvoiceLine]
    """Lines that add up to the amount."""


class Subscription(Document):
    """The plan of an end user, with its pools and invoices."""
    plan_name: str
    """Display name of the bundle."""
    price_micros: str
    """Price per interval, in micros, as agreed when the end user joined the plan. 0 if the plan has no
    price. An integer as a decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    period_start: str
    """When the current period began. ISO 8601."""
    period_end: str
    """When the next period begins. ISO 8601."""
    on_demand_enabled: bool
    """Whether more may be used than is paid for."""
    on_demand_limit_micros: str | None
    """Maximum on-demand usage of the end user per calendar month (UTC), in micros. Null means no limit.
    An integer as a decimal string.
    """
    on_demand_spent_micros: str
    """On-demand usage in the current calendar month (UTC), in micros. It is invoiced after the month. An
    integer as a decimal string.
    """
    pools: list[SubscriptionPools]
    """Pools that pay now, in the order in which they were granted."""
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit with a future `starts_at` is not part of the balance yet.
    """
    on_demand_blocked_since: str | None
    """When on-demand billing was blocked by a past-due invoice, until the invoice is paid. Null if no
    invoice is past due. ISO 8601.
    """
    on_demand_owed_micros: str
    """On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an
    unpaid invoice. An integer as a decimal string.
    """
    credit_micros: str
    """Credit for later invoices, in micros, from unused days of a plan that was replaced by a more
    expensive one. An integer as a decimal string.
    """
    ends_at: str | None
    """When the plan ends because the subscription was canceled. Null if it was not canceled. ISO 8601."""
    invoices: list[SubscriptionInvoices]
    """The newest 100 invoices that are not void, newest first. `invoices.list` returns all invoices."""


class TestClock(Document):
    """An application's clock in test mode."""
    now: str
    """Time in test mode. It advances with the real time. ISO 8601."""
    real_now: str
    """Real time, which live mode uses. ISO 8601."""
    offset_ms: int
    """How far the time in test mode is ahead of the real time, in milliseconds. 0 if the clock was never
    advanced.
    """
    latest: str
    """Latest time that the clock can currently be advanced to. ISO 8601."""


class Tier(Document):
    """A billing tier with its prices."""
    tier: str
    """Name of the tier, as sent to `bill.subscribe`."""
    base_micros: str
    """Price of a calendar month, in micros. An integer as a decimal string."""
    included_calls: int
    """Number of settled live requests per month that the base price includes."""
    per_thousand_calls_micros: str
    """Price of 1,000 settled live requests beyond the included ones, in micros. A bill rounds up once
    per line. An integer as a decimal string.
    """
    included_seats: int
    """Number of members that the base price includes."""
    per_seat_micros: str
    """Price of each further member per month, in micros. An integer as a decimal string."""


class TierStateNext(Document):
    tier: str
    """Tier that the organization moves to."""
    from_: str
    """First day (UTC) on the next tier, which is the first day of a month. ISO 8601."""


class TierState(Document):
    """The tier of an organization."""
    tier: str
    """Current tier of the organization."""
    since: str
    """First day (UTC) on the tier. ISO 8601."""
    next: TierStateNext | None
    """Pending move to another tier. Null if no move is pending."""


class Token(Document):
    """A control-plane token, without its secret."""
    id: str
    """ID of the token, `apk_…`."""
    label: str
    """Display name of the token."""
    prefix: str
    """First characters of the secret, safe to display."""
    last_four: str
    """Last characters of the secret, safe to display."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the token."""
    application_id: str | None
    """ID of the only application that the token can use, `app_…`. Null means every application."""
    member_id: str | None
    """ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of
    the organization.
    """
    created_by: TokenCreator | None
    """Creator of the token. Null if the operator of the server created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""


class TokenCreator(Document):
    """Creator of a control-plane token."""
    type: Literal["member", "token"] | str
    """Kind of the creator: a member or another token."""
    id: str
    """ID of the member (`mem_…`) or of the token (`apk_…`) that created the token."""
    label: str
    """Email address of the member, or label of the token, when the token was created."""
    member_id: str | None
    """ID of the responsible member, `mem_…`: the member who created the token, or the member responsible
    for the token that created it. Null if no member is responsible.
    """


class UsageRow(Document):
    """A usage record."""
    id: str
    """ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`), for use in `after`.
    """
    kind: Literal["usage", "refund", "late_usage"] | str
    """`usage`: a charged request. `refund` and `late_usage`: corrections of a request. The amounts of a
    correction are differences, and its token counts are 0.
    """
    request_id: str
    """ID of the request, `req_…`."""
    settled_at: str
    """When the request was charged or corrected. `from` and `to` select by this time. ISO 8601."""
    created_at: str
    """Time of the request. ISO 8601."""
    end_user_id: str
    """The customer's own ID for the end user. For a deleted end user, the ID `eu_…`."""
    key_id: str
    """ID of the key, `key_…`."""
    bundle: str | None
    """Slug of the bundle that the request was charged under. Null if the request died with its process.
    """
    requested_model: str
    """The requested model name."""
    provider: str
    """Label of the provider account, or its ID, `pa_…`, if the account was deleted."""
    provider_kind: str
    """Provider kind."""
    provider_model: str
    """The provider's model ID."""
    wire: str
    """Wire format of the request."""
    streamed: bool
    """Whether the response was streamed."""
    http_status: int
    """HTTP status of the response."""
    error_code: str | None
    """Error code of the failure. Null if no error occurred."""
    token_count_source: Literal["provider_reported", "estimated", "recovered"] | str
    """Source of the token counts. `provider_reported`: the provider. `estimated`: the gateway.
    `recovered`: the last checkpoint before a crash.
    """
    input_tokens: int
    """Input tokens, including cached tokens."""
    cached_input_tokens: int
    """Input tokens that were read from the provider's cache."""
    cache_write_tokens: int
    """Input tokens that were written to the provider's cache."""
    output_tokens: int
    """Output tokens, including reasoning."""
    reasoning_tokens: int
    """Output tokens that were reasoning."""
    web_searches: int
    """Number of web searches."""
    cost_micros: str
    """Provider cost, in micros. An integer as a decimal string."""
    billed_micros: str
    """List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An
    integer as a decimal string.
    """
    charge_micros: str
    """Amount debited from the sources of end users, in micros. An integer as a decimal string."""
    paid_from_plan_micros: str | None
    """Part of the charge paid from pools of the plan, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    paid_from_gift_micros: str | None
    """Part of the charge paid from credit that was given, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    paid_from_wallet_micros: str | None
    """Part of the charge paid from purchased wallet money, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    on_demand_micros: str | None
    """Part of the charge billed on demand, in micros. Null for requests recorded before payments were
    split. An integer as a decimal string.
    """
    overdraft_micros: str | None
    """Part of the charge that took a wallet below 0, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """
    outcome: str | None
    """Slug of the outcome. Null if the request counted toward no outcome."""
    run_id: str | None
    """ID of the run. Null if the request belonged to no run."""
    latency_ms: int
    """Time from the first byte of the request to the last byte of the response, in milliseconds."""
    first_byte_ms: int | None
    """Time to the first byte of the response, in milliseconds. Null if no byte was sent."""


class UsageSeriesLatencyTotals(Document):
    latency_ms: SeriesPercentiles
    """Time from the first byte of the request to the last byte of the response."""
    first_byte_ms: SeriesPercentiles
    """Time to the first byte of the response. Requests without a response byte are not counted."""


class UsageSeries(Document):
    """Usage over time."""
    from_: str
    """Start of the counted range. It is later than requested if there is too much data to read: 100,000
    requests by minute, or 100,000 end users, keys and model names by day. ISO 8601.
    """
    to: str
    """End of the last bucket. It can be in the future. ISO 8601."""
    bucket: Literal["minute", "hour", "day"] | str
    """Length of each bucket."""
    is_whole: bool
    """Whether the whole range is counted. If false, the range has too much data, and only the newest
    data is counted. By minute, end user and key, this is the time since `from`; in the current hour,
    the last 100,000 requests.
    """
    all: Series
    """All requests that match the filters."""
    groups: list[SeriesGroup]
    """The largest groups, in descending order of `order`."""
    other: Series | None
    """Totals of all groups that are not in `groups`. Null if there are no other groups."""
    latency: list[SeriesLatency] | None
    """Latencies of all requests, by bucket, as in `health`. Null unless requested."""
    latency_totals: UsageSeriesLatencyTotals | None
    """Latencies of all requests in the whole range. Null unless requested."""


class UsageTotals(Document):
    """Totals of settled requests."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Billed amount, in micros, less refunds in the range. Negative if refunds of earlier requests
    exceed it. An integer as a decimal string.
    """
    over_hold_micros: str
    """Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
    cost. An integer as a decimal string.
    """


class UserLimit(Document):
    """A limit of an end user's spending."""
    kind: Literal["pool", "credit", "on_demand", "bundle_limit", "end_user_limit", "portal_total", "key_cap"] | str
    """Kind of the limit:
    - `pool`: a pool of the plan.
    - `credit`: credit that expires.
    - `on_demand`: on-demand billing in the current month.
    - `bundle_limit`: the spend limit of the plan.
    - `end_user_limit`: a limit of the end user over all keys and plans.
    - `portal_total`: the total of all keys created in the portal.
    - `key_cap`: the cap of one key and the keys it replaced.
    """
    id: str
    """Slug of the include or of the bundle, ID of the grant or of the key, window of the end user's
    limit, `portal`, or `on_demand`.
    """
    name: str
    """Display name of the limit."""
    unit: Literal["micros", "credits"] | str
    """Unit of the amounts: micros, or millionths of a credit."""
    limit_units: str | None
    """Maximum amount. Null means no limit. An integer as a decimal string."""
    used_units: str
    """Amount used by settled requests. An integer as a decimal string."""
    held_units: str
    """Amount held by requests in flight. An integer as a decimal string."""
    available_units: str | None
    """Remaining amount. Negative if the limit was exceeded. Null means no limit. An integer as a decimal
    string.
    """
    period: Literal["day", "week", "month", "total"] | str | None
    """Calendar period (UTC) after which the limit resets. Null if it follows the period of the plan, or
    if it never resets.
    """
    resets_at: str | None
    """When the limit resets. Null if it never resets. ISO 8601."""
    expires_at: str | None
    """When the unspent amount expires. Null if it does not expire. ISO 8601."""


class UserLimits(Document):
    """Limits for the next request of an end user."""
    on_plan: bool
    """Whether the end user is on a plan. If false, all requests are rejected."""
    calls_in_flight: int
    """Number of requests in flight."""
    held_micros: str
    """Amount held by these requests from all sources, in micros. An integer as a decimal string."""
    pace: SpendingPace
    on_demand_blocked_since: str | None
    """When on-demand billing was blocked by a past-due invoice, until the invoice is paid. Null if no
    invoice is past due. ISO 8601.
    """
    limits: list[UserLimit]


class WeeklyHours(Document):
    """Opening hours on some days of the week, in UTC."""
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | str]
    """Days on which the gateway opens. 1 to 7 of them."""
    from_: str
    """Opening time, in hours and minutes (UTC)."""
    until: str
    """Closing time (UTC). If it is not later than `from`, the gateway closes on the following day.
    `24:00` is the end of the day.
    """


class ExplainedTimelinePart(Document):
    phase: Literal["decide", "attempt", "stream", "settle"] | str
    """`decide`: from the request to the first attempt. `attempt`: an attempt at a provider. `stream`:
    from the first to the last text of a stream. `settle`: from the last attempt to the end.
    """
    at_ms: int
    """Start of the phase, in milliseconds since the start of the request."""
    duration_ms: int
    """Duration of the phase, in milliseconds."""


ExplainedTimeline: TypeAlias = list[ExplainedTimelinePart]
"""Phases with a measured duration, in order."""


RouterTarget: TypeAlias = RouterTargetAlias | RouterTargetRouter | RouterTargetSource
"""A target of a router: an `alias`, a `router`, or a `provider` with a `model`."""
