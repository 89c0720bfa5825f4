# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from ..document import Document


class AccountHealth(Document):
    """How a provider account does."""
    provider: str
    """Label of the provider account."""
    state: Literal["healthy", "degraded", "failing", "unavailable", "key_refused", "unknown"] | str
    """`healthy`: no call failed; `degraded`: fewer than 5 % or fewer than five calls failed, or some
    targets cannot be taken now; `failing`: at least 5 % failed; `unavailable`: no target can be taken
    now; `key_refused`: the provider refuses the key; `unknown`: no calls.
    """
    calls: int
    """Calls of the last 24 hours; of an account, attempts."""
    failed: int
    """Those of them that the provider or this server failed."""
    failure_rate: float
    """`failed` of `calls`; 0 without calls. From 0 to 1."""
    why: str | None
    """What is wrong now, with its numbers. Null if healthy or unknown."""


class AccountModel(Document):
    """A model that an account can use, and what it pays for it."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    price: Price
    priced_by: Literal["account", "catalogue"] | str
    """Whether the price was set on the account, or is what the provider publishes."""
    missing: list[str]
    """Dimensions that the provider reports and the price has no rate for. While there are any, the model
    is served only in bundles that price it, and the cost of these units is assumed.
    """
    context_tokens: int | None
    """Size of its context; None: not known."""
    max_output_tokens: int | None
    """Longest answer; None: not known."""
    deprecated: bool
    """Whether its provider is about to retire it."""


class AddedEmitter(Document):
    """A new emitter, with its signing secret."""
    id: str
    """Id of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter
    events of Stripe; `openmeter`: OpenMeter.
    """
    name: str
    """Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered to it."""
    livemode: bool
    """True: it is told of live calls; false: of test calls."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """What it is told of."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
    `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person.
    Without a person, or an external id, the organization’s.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, of `vendor_a` and `openmeter`; None for the others."""
    event_name: str | None
    """Event name at the vendor, of `vendor_b` and `stripe`; None for the others."""
    last_four: str
    """Last four characters of the credential; of a webhook, of the signing secret."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Events that were accepted, replayed ones too."""
    not_delivered: int
    """Events that were attempted and not accepted."""
    dropped: int
    """Events that were never attempted, because 10,000 others waited already."""
    last_delivered_at: str | None
    """Last accepted batch; None: none. ISO 8601."""
    last_failed_at: str | None
    """Last batch not accepted; None: none. ISO 8601."""
    last_failure: str | None
    """Why that batch was not accepted."""
    failing_since: str | None
    """First batch that was not accepted since one was; None: the last one was accepted. ISO 8601."""
    missed: MissedSpan | None
    """The span of calls among which there are some whose events were not accepted and not replayed
    since; None: none. emitters.replay takes it as it is.
    """
    replay: EmitterReplay | None
    """The last replay; None: none was asked for."""
    created_at: str
    """When it was added. ISO 8601."""
    signing_secret: str | None
    """Signing secret of a webhook, `whsec_…`. Returned once and cannot be retrieved again;
    emitters.rotateSecret replaces it. Null for other kinds.
    """


class ApiKeySummary(Document):
    """A key of a person, without its secret."""
    id: str
    """Id of the key, `key_…`."""
    name: str
    """Its label."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    livemode: bool
    """False: a test key, which never reaches a provider."""
    end_user_id: str | None
    """The customer's own id of the person that it spends as; of a removed person the service's, `eu_…`.
    """
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for this key and the keys it replaced together. Null
    means no cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC); `total`: never."""
    spent_micros: str
    """Charges in the current `cap_period`, in micros, for this key and the keys it replaced. Reported
    whether or not a cap is set. An integer as a decimal string.
    """
    held_micros: str
    """Amount held by requests in flight, in micros, for this key and the keys it replaced. Counts
    against the cap. An integer as a decimal string.
    """
    resets_at: str | None
    """When the next `cap_period` begins; None: never. ISO 8601."""
    actor_type: str
    """Kind of the actor that minted it, such as `token`."""
    actor_label: str | None
    """Label of that actor."""
    created_at: str
    """When it was minted. ISO 8601."""
    last_used_at: str | None
    """When it was last used on the gateway; None: never. ISO 8601."""
    revoked_at: str | None
    """When it was revoked; None: it was not. ISO 8601."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    replaced_by: str | None
    """Id of the key that takes its place, `key_…`; None: it was not rotated."""


class Application(Document):
    """An application: one product with its own people, keys and names."""
    slug: str
    """Part of the host names; never changes."""
    name: str
    """Name for people."""
    gateway: str
    """Address of its gateway."""
    portal: str
    """Address of its end users' portal."""
    local_gateway: str | None
    """The gateway by address and port, for clients that do not resolve `*.localhost`."""
    local_portal: str | None
    """The portal likewise."""
    end_users: int
    """Number of end users."""
    keys: int
    """Number of keys that are not revoked."""
    bundles: list[str]
    """Slugs of its bundles."""
    models: list[str]
    """Its model names."""
    cost_usd: str
    """Provider cost of its settled calls in this mode, in dollars."""
    created_at: str
    """When it was made. ISO 8601."""
    archived_at: str | None
    """When it was archived; None: not archived. ISO 8601."""


class AppliedConfiguration(Document):
    """What a document changed, or would change."""
    dry_run: bool
    """Whether nothing was changed."""
    changes: list[ConfigurationChange]
    """In the order of the parts, and by name. What stays as it is does not occur."""


class AuditEntryActor(Document):
    kind: str
    """`token`, `member` for a person of the team, `end_user` for one in the portal, or `stranger` for
    failed sign-ins.
    """
    id: str
    """Id of the token or the member; of failed sign-ins, of the member whose account was tried."""
    label: str
    """Label of the token, or e-mail address of the member."""
    address: str
    """Network address of the client."""


class AuditEntry(Document):
    """A change that somebody made through the control plane."""
    id: str
    """Id of the entry, `aud_…`."""
    at: str
    """When the change was made. ISO 8601."""
    operation: str
    """Id of the operation that made it."""
    resource: str
    """Method and path of the request."""
    application_id: str | None
    """Id of the application that was changed; None: the organization."""
    mode: Literal["live", "test"] | str
    """The mode of the request."""
    actor: AuditEntryActor
    """Who made the change."""
    request_id: str
    """Id of the request, `req_…`."""
    before: Any
    """The configuration before the change; None: there was none, or it has no state to compare."""
    after: Any
    """The configuration after the change, else the answer. Never a secret."""


class Balance(Document):
    """A wallet."""
    balance_units: str
    """Balance of the wallet with the credit that expires and can be spent now, in micros. An integer as
    a decimal string.
    """
    reserved_units: str
    """Held for calls in flight; available = balance - reserved. An integer as a decimal string."""
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, the soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit that can be spent now is part of the balance; credit with a later `starts_at` is
    not yet.
    """


class BalanceChange(Document):
    """A change of a wallet that no request caused."""
    id: str
    """ID of the change, `gr_…`."""
    end_user_id: str
    """The customer's own ID of the end user."""
    kind: Literal["topup", "adjustment"] | str
    """Kind of its ledger entry."""
    amount_units: str
    """Amount added to the balance, in micros. Negative if it was taken. An integer as a decimal string.
    """
    balance_after_units: str
    """Balance after the change, in micros. An integer as a decimal string."""
    payment_reference: str | None
    """Reference of the payment behind a top-up. Null for every other kind."""
    reason: str
    """Reason given with the change, as the ledger shows it."""
    ledger_entry_id: str
    """ID of its ledger entry, `led_…`."""
    created_at: str
    """When the change was made. ISO 8601."""


class BillLine(Document):
    """One line of a bill."""
    kind: Literal["base", "upgrade", "calls", "seats", "late_calls"] | str
    """`base`: the month’s first tier; `upgrade`: the difference to a dearer tier for the days left;
    `calls`: those that are not included; `seats`: members that are not included; `late_calls`: calls
    of an earlier month that settled after its bill, at what they would have added to it.
    """
    period: str
    """The month that the line is for."""
    tier: str | None
    """The tier that prices it; None of late calls."""
    days: int
    """The days of the month that it is for."""
    quantity: int
    """Priced units: 1 of a base, else calls or members beyond the included ones."""
    included: int
    """Calls of these days that were included; 0 of other lines."""
    unit_micros: str | None
    """Micros of a whole month for a base or a member, or for a thousand calls; None of late calls. An
    integer as a decimal string.
    """
    amount_micros: str
    """Micros of the line, rounded up once. An integer as a decimal string."""


class BrandContrast(Document):
    white: float
    """Contrast of the colour and white, 1 to 21 (WCAG 2.2)."""
    black: float
    """Contrast of the colour and black."""
    warning: str | None
    """Said where the colour has less than 4.5:1 to white: text in it is hard to read; else None."""


class Brand(Document):
    """How the portal of the application looks, and how well it is read."""
    product_name: str
    """What people know the product as."""
    primary_color: str
    """The colour of the brand, `#rrggbb`."""
    text_color: str
    """What is read best on that colour, `#rrggbb`."""
    support_email: str | None
    """Where people ask for help; None: not said."""
    support_url: str | None
    """The same as an address of a page."""
    top_up_url: str | None
    """The page where the application sells credit. Null if none is set."""
    pay_url: str | None
    """The page where invoices are paid. Null if none is set."""
    logo: Logo | None
    """The logo; None: none."""
    contrast: BrandContrast
    """How well the colour is read."""


class BundlePrices(Document):
    model: str
    price: Price | None
    credits: Price | None


class Bundle(Document):
    """The models, prices and grants of its end users."""
    slug: str
    display_name: str
    """Name for people. 1 to 128 characters."""
    price_micros: str | None
    """Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep
    the price that they came for until they are put on it again. An integer as a decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    spend_limit_micros: str | None
    """Limit of each end user per period; None: no limit. An integer as a decimal string."""
    spend_limit_period: Literal["day", "week", "month", "total"] | str
    """When `spend_limit_micros` starts anew (UTC); `total`: never."""
    termination_policy: Literal["hard_token", "complete_message", "grace"] | str
    """What happens when a stream has spent what was held for it: `hard_token` stops it,
    `complete_message` never cuts, `grace` lets it run on by `max_overdraft_micros`.
    """
    max_overdraft_micros: str
    """How far a call may run past its hold under `grace`. An integer as a decimal string."""
    debit_basis: Literal["provider_cost", "sell_price"] | str
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal.
    """
    credit_currency: str | None
    """Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
    credits. 1 to 32 characters.
    """
    on_client_left: Literal["cut", "drain"] | str | None
    """What happens to a stream when an end user of the bundle leaves before its end. Null means the
    setting of the provider account.
    """
    allow: list[str]
    """Models that its end users may call."""
    deny: list[str]
    """Exceptions from `allow`."""
    prices: list[BundlePrices]
    """Sell prices and credit prices by model, where they were set."""
    includes: list[BundleInclude]
    """Its grants."""
    default: bool
    """Whether new end users get it."""
    warnings: list[BundleWarning]
    """Settings of the bundle that were never decided. Empty if there are none."""
    created_at: str
    """When it was made. ISO 8601."""


class BundleIncludeRollover(Document):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """How many times the same units are carried over, at most 12. From 1 to 12."""


class BundleInclude(Document):
    """A grant of a bundle."""
    slug: str
    display_name: str
    """Name for people. 1 to 128 characters."""
    unit: Literal["credits", "micros"] | str
    """What `amount` counts."""
    amount: str
    """Granted each time: micros, or millionths of a credit. An integer as a decimal string."""
    price: str | None
    """Its separate price, in micros; None: none. An integer as a decimal string."""
    then_on_demand: bool
    """Whether wallet and on-demand may pay once it is spent."""
    recurring: bool
    """True: granted every period; false: once, at sign-up."""
    spillover_to: str | None
    """What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
    the call and comes next (fewest models, soonest end, free before paid, oldest); None: none, and
    then `then_on_demand` says whether wallet and on-demand do.
    """
    models: list[str] | None
    """Models it may pay for; None: all that the bundle allows. 1 to 200 of them."""
    rollover: BundleIncludeRollover | None
    """What is carried over of a recurring include at the end of a month. Null: nothing, the rest
    expires.
    """


class BundleWarning(Document):
    """A setting of the bundle that was never decided."""
    code: Literal["debit_basis_not_set"] | str
    """What to decide; stable."""
    message: str
    """What happens now, and which call changes it."""


class CatalogModel(Document):
    """A model at the price that its provider publishes."""
    name: str
    """Provider and model with a slash between: what catalog.show takes."""
    provider: str
    """Id of a provider of the catalogue. 1 to 64 characters."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    dated: Literal["YYYY-MM-DD", "YYYYMMDD"] | str | None
    """The form of date that may follow the id after a hyphen; None: none may."""
    price: Price
    effective_from: str | None
    """Start of the price; None: before the first list. ISO 8601."""
    context_tokens: int | None
    """Size of its context; None: not known."""
    max_output_tokens: int | None
    """Longest answer; None: not known."""
    deprecated: bool
    """Whether its provider is about to retire it."""
    note: str | None
    """Remark on the price."""
    source: str
    """Source of the price."""
    checked_at: str
    """The day on which the source was read."""


class CatalogProvider(Document):
    """A provider whose prices are known."""
    id: str
    """Id of a provider of the catalogue. 1 to 64 characters."""
    name: str
    """Name of the provider."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """Its protocol. The simulator is built in and answers without a network."""
    base_urls: list[str]
    """Accounts at exactly one of these addresses pay the prices; the first is the usual one."""
    pricing_url: str
    """Its own page of prices."""
    models: int
    """Models with a price now."""


class ChangedMember(Document):
    """A member whose role was changed or who was removed."""
    id: str
    """Id of the member, `mem_…`."""
    email: str
    """E-mail address, in lower case."""
    name: str | None
    """Name for people; None until they have joined."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What the member may do."""
    has_password: bool
    """False: the member signs in by the identity provider only, or has not joined."""
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the invitation was accepted; None: it is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires, or did; None: none is open. ISO 8601."""
    valid_tokens: list[Token]
    """Tokens that the member created, directly or with another token, and that remain valid although the
    member no longer has their role. Newest first, at most 200.
    """


class ChargedUsage(Document):
    """Usage and the amount charged for it."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged for them, in micros, less refunds made in the range: what pools, wallet and
    on-demand paid. An integer as a decimal string.
    """


class ChargedUsageOfModel(Document):
    """Usage of one model name and the amount charged for it."""
    requested_model: str
    """The requested model name."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged for them, in micros, less refunds made in the range: what pools, wallet and
    on-demand paid. An integer as a decimal string.
    """


class Circuit(Document):
    """A circuit that is not closed, as seen by the one server process that answers this request."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model id."""
    state: Literal["open", "half_open"] | str
    """`open`: no call is sent there; `half_open`: one real call tries it, or a probe if another target
    serves the calls.
    """
    until: str | None
    """When one call may try again; None: now. ISO 8601."""
    why: str
    """What was found, with its numbers."""


class Configuration(Document):
    """The whole configuration of an application, without secrets."""
    format: Literal[1]
    """Version of the format of this document."""
    application: ConfigurationApplication
    brand: ConfigurationBrand
    gateway: ConfigurationGateway
    providers: list[ConfigurationAccount]
    """Provider accounts that must be there, in label order: those that its models and routers name."""
    models: list[ConfigurationModel]
    """Model names, in name order."""
    routers: list[ConfigurationRouter]
    """Routers, in name order."""
    bundles: list[ConfigurationBundle]
    """Bundles, in slug order."""
    outcomes: list[ConfigurationOutcome]
    """Outcomes that take runs, in slug order."""


class ConfigurationAccount(Document):
    """A provider account that must be there. Never its credential."""
    label: str
    """Label of the account."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """Its protocol. The simulator is built in and answers without a network."""


class ConfigurationApplication(Document):
    """What the application says of itself."""
    name: str
    """Name for people. 1 to 128 characters."""


class ConfigurationBrand(Document):
    """How the portal looks, as `brand.set` takes it; the logo is uploaded apart."""
    product_name: str | None
    """What people know the product as; None: the name of the application. 1 to 128 characters."""
    primary_color: str
    """The colour of the brand, `#rrggbb`."""
    support_email: str | None
    """Where people ask for help; None: not said. At most 254 characters."""
    support_url: str | None
    """The same as an address of a page, http or https; None: not said. At most 512 characters."""
    top_up_url: str | None
    """The page where the application sells credit. Refusals for money return it as `portal_url`, and the
    portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: str | None
    """The page where end users pay invoices. The portal links past-due invoices to it. Null means none.
    At most 512 characters.
    """


class ConfigurationBundlePrices(Document):
    model: str
    """The model name, exactly."""
    price: Price | None
    """Sell price; None: sold at cost."""
    credits: Price | None
    """Credit price, in millionths of a credit; None: credits cannot pay for it."""


class ConfigurationBundleIncludesRollover(Document):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """How many times the same units are carried over, at most 12. From 1 to 12."""


class ConfigurationBundleIncludes(Document):
    slug: str
    display_name: str
    """Name for people. 1 to 128 characters."""
    unit: Literal["credits", "micros"] | str
    """What `amount` counts."""
    amount: str
    """Granted each time: micros, or millionths of a credit. An integer as a decimal string."""
    price: str | None
    """Its separate price, in micros; None: none. An integer as a decimal string."""
    then_on_demand: bool
    """Whether wallet and on-demand may pay once it is spent."""
    recurring: bool
    """True: granted every period; false: once, at sign-up."""
    spillover_to: str | None
    """What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
    the call and comes next (fewest models, soonest end, free before paid, oldest); None: none, and
    then `then_on_demand` says whether wallet and on-demand do.
    """
    models: list[str] | None
    """Models it may pay for; None: all that the bundle allows; empty: none. At most 200 of them."""
    rollover: ConfigurationBundleIncludesRollover | None
    """What is carried over of a recurring include at the end of a month. Null: nothing, the rest
    expires.
    """


class ConfigurationBundle(Document):
    """A bundle with all that it allows, sells and includes."""
    slug: str
    """Slug of the bundle."""
    display_name: str
    """Name for people. 1 to 128 characters."""
    price_micros: str | None
    """Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep
    the price that they came for until they are put on it again. An integer as a decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    spend_limit_micros: str | None
    """Limit of each end user per period; None: no limit. An integer as a decimal string."""
    spend_limit_period: Literal["day", "week", "month", "total"] | str
    """When `spend_limit_micros` starts anew (UTC); `total`: never."""
    termination_policy: Literal["hard_token", "complete_message", "grace"] | str
    """What happens when a stream has spent what was held for it: `hard_token` stops it,
    `complete_message` never cuts, `grace` lets it run on by `max_overdraft_micros`.
    """
    max_overdraft_micros: str
    """How far a call may run past its hold under `grace`. An integer as a decimal string."""
    debit_basis: Literal["provider_cost", "sell_price"] | str
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal.
    """
    credit_currency: str | None
    """Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
    credits. 1 to 32 characters.
    """
    on_client_left: Literal["cut", "drain"] | str | None
    """What happens to a stream when an end user of the bundle leaves before its end. Null means the
    setting of the provider account.
    """
    allow: list[str]
    """Models that its end users may call."""
    deny: list[str]
    """Exceptions from `allow`."""
    prices: list[ConfigurationBundlePrices]
    """Sell prices and credit prices, by model."""
    includes: list[ConfigurationBundleIncludes]
    """Its grants, in the order they are made."""
    default: bool
    """Whether new end users get it; of one bundle at most."""


class ConfigurationChange(Document):
    """What becomes of one resource of the configuration."""
    action: Literal["create", "update", "remove", "none"] | str
    """`none`: it is not in the document and stays; `prune` would remove it."""
    resource: Literal["application", "brand", "gateway", "model", "router", "bundle", "outcome"] | str
    """Its noun."""
    path: str
    """Its part of the document, and its name there."""
    before: dict[str, Any] | None
    """As the document had it; None: it was not there."""
    after: dict[str, Any] | None
    """As the document has it; None: it is gone."""


class ConfigurationGateway(Document):
    """What the gateway is narrowed to, as `gateway.set` takes it."""
    wires: list[Literal["chat", "messages", "generate", "responses"] | str] | None
    """Wires whose calls are answered; None: all. A call of another is 404 `wire_not_served`. 1 to 4 of
    them.
    """
    models: list[str] | None
    """Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`;
    None: all. Another name is unknown, and not listed. 1 to 200 of them.
    """
    origins: list[str]
    """Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
    them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed:
    a page sends its key in a header. At most 100 of them.
    """
    addresses: list[str] | None
    """Client addresses that are answered; None: all. A call from another is 403 `address_not_allowed`.
    The address is the connection’s, or behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`) the last one in X-Forwarded-For that is none of theirs. 1 to 200 of
    them.
    """
    hours: list[WeeklyHours] | None
    """When calls are answered; None: always. At other times a call is 403 `outside_hours`, with the next
    opening. A call in flight goes on to its end. 1 to 28 of them.
    """
    default_max_tokens: int | None
    """Most output tokens of one answer to a request that states no maximum. It is held for whole and
    sent to the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no
    more is asked for than the model gives. Null: whole answers are held for 16,384 and streams for
    2,048 at first, and the provider is told no maximum. From 1 to 10000000.
    """
    hold_wait_ms: int | None
    """How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is
    429 `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its
    operator changes it). From 0 to 60000.
    """
    provider_tools: Literal["drop", "refuse"] | str
    """Tools that the provider would run and the request merely offers: `drop` takes them out and names
    them in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model
    is made to call is always refused.
    """
    conversion: Literal["lenient", "strict"] | str
    """Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names
    them in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
    """
    pass_traceparent: bool
    """Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged
    (W3C Trace Context), so that its spans join the client’s trace. False: the provider learns nothing
    of it.
    """


class ConfigurationModelCeilings(Document):
    output_tokens: int | None
    """Output tokens that are held for an answer when the request names no maximum: all of a whole one,
    and a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
    """


class ConfigurationModel(Document):
    """A model name."""
    name: str
    """The name for end users."""
    sources: list[ModelSource]
    """Accounts and models, in the order they are tried."""
    ceilings: ConfigurationModelCeilings
    """Bounds for requests that name none."""
    enabled: bool
    """False: `models.disable` stopped it."""


class ConfigurationOutcome(Document):
    """An outcome that takes runs."""
    slug: str
    """What calls name in `svc.outcome`."""
    display_name: str
    """Name for people. 1 to 128 characters."""
    ceiling_micros: str
    """Spend ceiling of one run, in micros. An integer as a decimal string."""


class ConfigurationRouter(Document):
    """A name with several ways to answer."""
    name: str
    """The name for end users."""
    policy: Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"] | str
    """How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight;
    `cheapest`: what this very call is expected to cost; `fastest`: the time to the first token;
    `leastBusy`: calls in flight; `sticky`: the same person or session stays at one.
    """
    sticky_by: Literal["end_user", "session"] | str
    """What `sticky` keeps on one target: the requests of an end user, or requests with the same
    `svc.session`.
    """
    targets: list[RouterTarget]
    """The ways to answer."""
    attempts: RouterAttemptRules
    """How targets are tried. Omitted rules get their defaults."""


class CredentialRefused(Document):
    """The provider refused the API key (401 or 403) in the newest calls that were made with it."""
    since: str
    """The first refusal after the last call that was answered. ISO 8601."""
    refusals: int
    """Calls that were refused since."""
    mend: OperationCall
    """The call that mends it."""


class Customer(Document):
    """An organization."""
    id: str
    """Id of the organization, `org_…`."""
    name: str
    """Its name."""
    code: str
    """The `<code>` in its tokens."""
    tier: str
    """The tier that it is on: see bill.tiers."""
    applications: int
    """Number of its applications that are not archived."""
    members: int
    """Number of its active members."""
    mode: Literal["live", "test"] | str
    """The mode of this request."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What the caller may do: each role may do all that those below it may."""
    created_at: str
    """When it was founded. ISO 8601."""


class DeviceSignIn(Document):
    """A device that asks to be signed in."""
    client_name: str | None
    """What the device calls itself; None: it does not say. Anybody can say anything here."""
    address: str
    """Network address from which the device asked."""
    user_agent: str
    """What its program called itself."""
    asked_role: Literal["viewer", "developer", "admin", "owner"] | str | None
    """The role that the device asked for; None: it does not say."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What its token may do once approved: never more than the member who approves."""
    created_at: str
    """When the device asked. ISO 8601."""
    expires_at: str
    """When its codes expire. ISO 8601."""


class DisputedCost(Document):
    """An account and model whose stated costs differ from the gateway's by more than 3 %."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID."""
    calls: int
    """Number of calls compared: the newest ones that state a cost."""
    stated_micros: str
    """Sum of the costs that the provider states, in micros. An integer as a decimal string."""
    cost_micros: str
    """Sum of the costs of the same calls at the current price of the account, in micros. An integer as a
    decimal string.
    """


class Emitter(Document):
    """A destination of settled usage, without its secret."""
    id: str
    """Id of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter
    events of Stripe; `openmeter`: OpenMeter.
    """
    name: str
    """Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered to it."""
    livemode: bool
    """True: it is told of live calls; false: of test calls."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """What it is told of."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
    `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person.
    Without a person, or an external id, the organization’s.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, of `vendor_a` and `openmeter`; None for the others."""
    event_name: str | None
    """Event name at the vendor, of `vendor_b` and `stripe`; None for the others."""
    last_four: str
    """Last four characters of the credential; of a webhook, of the signing secret."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Events that were accepted, replayed ones too."""
    not_delivered: int
    """Events that were attempted and not accepted."""
    dropped: int
    """Events that were never attempted, because 10,000 others waited already."""
    last_delivered_at: str | None
    """Last accepted batch; None: none. ISO 8601."""
    last_failed_at: str | None
    """Last batch not accepted; None: none. ISO 8601."""
    last_failure: str | None
    """Why that batch was not accepted."""
    failing_since: str | None
    """First batch that was not accepted since one was; None: the last one was accepted. ISO 8601."""
    missed: MissedSpan | None
    """The span of calls among which there are some whose events were not accepted and not replayed
    since; None: none. emitters.replay takes it as it is.
    """
    replay: EmitterReplay | None
    """The last replay; None: none was asked for."""
    created_at: str
    """When it was added. ISO 8601."""


class EmitterDelivery(Document):
    """A batch that was sent, and what came of it."""
    id: str
    """Id of the batch, `usgb_…`."""
    cause: Literal["settled", "replay", "test"] | str
    """`settled`: calls had settled; `replay`: they were sent again; `test`: it was a sample."""
    sent_at: str
    """When its first attempt began. ISO 8601."""
    events: int
    """Number of its events, 1 to 100."""
    usage_record_ids: list[str]
    """Usage records of its events, `ur_…`."""
    delivered: bool
    """Whether an attempt was accepted."""
    attempts: int
    """Attempts, 1 to 3."""
    status: int | None
    """HTTP status of the last attempt; None: no answer came."""
    reason: str | None
    """Why it was not accepted; None: it was."""
    latency_ms: int
    """Milliseconds from the first attempt to the end of the last one."""


class EmitterDeliveryDetail(Document):
    """A delivery with the bodies of a failed attempt."""
    id: str
    """Id of the batch, `usgb_…`."""
    cause: Literal["settled", "replay", "test"] | str
    """`settled`: calls had settled; `replay`: they were sent again; `test`: it was a sample."""
    sent_at: str
    """When its first attempt began. ISO 8601."""
    events: int
    """Number of its events, 1 to 100."""
    usage_record_ids: list[str]
    """Usage records of its events, `ur_…`."""
    delivered: bool
    """Whether an attempt was accepted."""
    attempts: int
    """Attempts, 1 to 3."""
    status: int | None
    """HTTP status of the last attempt; None: no answer came."""
    reason: str | None
    """Why it was not accepted; None: it was."""
    latency_ms: int
    """Milliseconds from the first attempt to the end of the last one."""
    request_body: str | None
    """Beginning of the posted body, at most 16384 characters. Null if the batch was accepted or was sent
    more than 7 days ago. It never contains a prompt or a completion.
    """
    response_body: str | None
    """Beginning of the response of the last attempt, at most 2048 characters. Null if no response came,
    if the batch was accepted, or if it was sent more than 7 days ago.
    """


class EmitterReplay(Document):
    """What is sent to an emitter again, and how far that is."""
    from_: str
    """Calls from then on are sent; the time is that of their arrival. ISO 8601."""
    to: str
    """Calls before then are sent. ISO 8601."""
    state: Literal["running", "done", "stopped"] | str
    """`stopped`: a batch was not accepted; asking for the same span again goes on there."""
    reached_at: str
    """Calls up to then are sent. ISO 8601."""
    events: int
    """Events that were sent and accepted."""
    reason: str | None
    """Why it was stopped; None: it was not."""
    started_at: str
    """When it was asked for. ISO 8601."""
    updated_at: str
    """When it last came further. ISO 8601."""


class EmitterTestSample(Document):
    usage_record_id: str
    """An id of its own, `ur_…`; no record has it."""
    customer_id: str
    """The organization’s id: the sample has no person."""
    request_id: str
    """An id of its own, `req_…`; no request has it."""
    provider: str
    """Of the sample."""
    model: str
    """Of the sample."""
    streamed: bool
    """Of the sample."""
    input_tokens: int
    """Of the sample."""
    output_tokens: int
    """Of the sample."""
    billed_amount_micros: str
    """Of the sample, in micros. An integer as a decimal string."""


class EmitterTest(Document):
    """What came of a sample delivery."""
    emitter_id: str
    """Id of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter
    events of Stripe; `openmeter`: OpenMeter.
    """
    destination: str
    """URL that it was posted to."""
    event: Literal["usage.recorded"]
    """The event."""
    idempotency_key: str
    """Key of the event: its usage record id."""
    batch_id: str | None
    """Key of the delivery, `usgb_…`; None: the server stops, and it was given up."""
    sample: EmitterTestSample
    """What was delivered."""
    delivered: bool
    """Whether it was accepted."""
    status: int | None
    """HTTP status of the last attempt; None: no answer came."""
    attempts: int
    """Attempts, up to 3."""
    reason: str | None
    """Why it was not accepted; None: it was."""
    latency_ms: int
    """Milliseconds from the first attempt to the end of the last one."""
    sent_at: str
    """When the first attempt began. ISO 8601."""


class EndUser(Document):
    """A person of an application."""
    id: str
    """The service's own id of the person, `eu_…`."""
    external_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    email: str | None
    """Email address; None: not known."""
    bundle: str | None
    """Slug of the bundle that the end user is on in the mode of the request. Null if there is none, or
    if the subscription has ended.
    """
    frozen: bool
    """Whether their spending is stopped."""
    frozen_at: str | None
    """When spending was stopped; None: not stopped. ISO 8601."""
    frozen_reason: str | None
    """Reason given when spending was stopped. Null if there is none. Never shown to the end user."""
    balance: Balance
    """The wallet in the mode of the request."""
    usage: UsageTotals
    """All that they used in the mode of the request."""
    on_demand_enabled: bool
    """Whether more may be used than is paid for, in the mode of the request."""
    limits: list[EndUserLimit]
    """Limits of the end user over all keys and plans, in the mode of the request. Empty if none are set.
    At most 4 of them.
    """
    last_seen_at: str | None
    """When a key of theirs was last used in the mode of the request; None: never. ISO 8601."""
    created_at: str
    """When they were made. ISO 8601."""


class EndUserLimit(Document):
    """The most that an end user can spend per window, over all keys and plans in one mode."""
    measure: Literal["micros"]
    """What the limit counts. `micros` counts what requests are charged, whichever source pays."""
    window: Literal["day", "week", "month", "total"] | str
    """Calendar window (UTC) after which the limit resets. Weeks start on Monday; `total` never resets."""
    most: str
    """Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string."""


class EndUserRequestPriceLines(Document):
    price: Literal["charge", "credits"] | str
    lines: list[PriceLine]
    """What the amount is made of."""
    multiplier: str
    """Of the service tier, in thousandths."""
    amount: str
    """The sum, rounded up once: micros, or millionths of a credit. An integer as a decimal string."""


class EndUserRequest(Document):
    """A call as the person sees it who made it."""
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
    refunded_micros: str
    """Amount refunded so far, in micros. `charge_micros` is the amount before refunds. An integer as a
    decimal string.
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
    summary: str
    """What happened, in words, with the numbers."""
    policy: ExplainedPolicy | None
    reserve: ExplainedReserve | None
    stream: ExplainedStream | None
    refusal: ExplainedRefusal | None
    usage: ExplainedUsage | None
    price_lines: list[EndUserRequestPriceLines]
    """Units times rates, by the price that was charged; the sum is exact."""
    settle: ExplainedSettle | None
    ledger: list[LedgerEntry]
    """Its ledger entries, oldest first."""
    corrections: list[EndUserRequestCorrection]
    """Refunds of the request and its true usage, oldest first."""


class EndUserRequestCorrection(Document):
    """A later change of what a request was charged, as the end user sees it."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """What each source paid more; negative if it got money back."""
    ledger_entry_ids: list[str]
    """IDs of its ledger entries, `led_…`."""
    reason: str
    """Reason given with it, as the ledger shows it."""
    created_at: str
    """When it was made. ISO 8601."""


class ExpiringCredit(Document):
    """Credit that expires."""
    grant_id: str
    """ID of the grant, `gr_…`."""
    remaining_micros: str
    """Unspent amount, in micros, including what requests in flight hold. An integer as a decimal string.
    """
    starts_at: str
    """When the credit can first be spent. ISO 8601."""
    expires_at: str
    """When what is unspent of it expires. ISO 8601."""


class ExplainedAttemptDeadlines(Document):
    connect_ms: int | None
    """To a connection."""
    first_byte_ms: int | None
    """To the head of the answer."""
    first_token_ms: int | None
    """From the request to the first text of a streamed answer."""
    idle_ms: int | None
    """Between two pieces of it."""
    total_ms: int | None
    """For the whole attempt."""


class ExplainedAttempt(Document):
    """One try at a provider."""
    n: int | None
    """Its number, from 1."""
    provider: str | None
    """Kind of the provider."""
    account: str | None
    """Id of the account."""
    target: str | None
    """Label of the account and model, `label/model`."""
    status: int | None
    """HTTP status of its answer; None: none came."""
    failure: str | None
    """Stage at which the attempt broke off: `connect`, `first_byte`, `first_token`, `idle`, `total` or
    `reset`. Null if it did not.
    """
    at_ms: int | None
    """When it began, in milliseconds of the call."""
    connect_ms: int | None
    """Until a connection took it, in milliseconds; None: none did, or none is needed."""
    first_byte_ms: int | None
    """Until the head of the answer, in milliseconds; None: none came."""
    duration_ms: int | None
    """How long it took, in milliseconds."""
    code: str | None
    """Code of the error; None: it answered."""
    cost_micros: str | None
    """What the account is charged for it, in micros; None: nothing is known of it. An integer as a
    decimal string.
    """
    not_repeated: str | None
    """Why the same target was not asked again: `retry_budget`. Null if no limit prevented it."""
    deadlines: ExplainedAttemptDeadlines | None
    """Its deadlines where they differ from the gateway's own, in milliseconds; None: they do not."""


class ExplainedAuth(Document):
    """Who called."""
    key_id: str | None
    """Id of the key, `key_…`."""
    key_prefix: str | None
    """Beginning of the key, safe to show; None: the key is not known any more."""
    key_name: str | None
    """Label of the key."""
    end_user_id: str | None
    """The service's id of the person, `eu_…`."""
    mode: str | None
    """`live` or `test`."""


class ExplainedEvent(Document):
    """The event of the call at one emitter."""
    emitter_id: str
    """Id of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """Its kind."""
    name: str
    """Its label."""
    state: Literal["waiting", "delivered", "not_delivered", "attempted"] | str
    """`waiting`: it was not attempted yet; `delivered` and `not_delivered`: what its newest delivery
    came to; `attempted`: it was, so long ago that the delivery is not kept.
    """
    delivery_id: str | None
    """Id of that delivery, `usgb_…`; None here and below: none is kept."""
    cause: Literal["settled", "replay", "test"] | str | None
    """Whether it was sent when the call had settled, or again."""
    sent_at: str | None
    """When its first attempt began. ISO 8601."""
    attempts: int | None
    """Attempts, 1 to 3. From 1."""
    status: int | None
    """HTTP status of the last attempt; None: no answer."""
    reason: str | None
    """Why it was not accepted; None: it was."""


class ExplainedLeg(Document):
    """What one source backed, or paid."""
    source_id: str | None
    """The source, as the ledger names it: `wallet`, a pool, a month of on-demand."""
    kind: str | None
    """`wallet`, `pool` or `on_demand`."""
    unit: str | None
    """What `amount` counts: `micros`, or `credits` in millionths."""
    amount: str | None
    """What it backed or paid, in its own unit. An integer as a decimal string."""
    micros: str | None
    """What that stands for in the price of the call, in micros. An integer as a decimal string."""


class ExplainedPolicyLimits(Document):
    name: str | None
    """`outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`."""
    scope: str | None
    """What the limit applies to: ID of the run or key, `portal`, slug of the bundle, or window of the
    end user limit.
    """
    limit_micros: str | None
    """The ceiling, in micros. An integer as a decimal string."""
    used_micros: str | None
    """Charged in its period before this call, in micros. An integer as a decimal string."""
    held_micros: str | None
    """Held by other calls in flight, in micros. An integer as a decimal string."""
    available_micros: str | None
    """What it left for this call, in micros; negative: it was exceeded. An integer as a decimal string.
    """
    resets_at: str | None
    """When its period ends; None: never. ISO 8601."""
    verdict: str | None
    """`pass`, or `refused`: this one refused the call."""


class ExplainedPolicy(Document):
    """The bundle and its rules."""
    bundle: str | None
    """Slug of the bundle."""
    termination_policy: str | None
    """What a stream does that has spent its hold."""
    debit_basis: str | None
    """The price that holds and charges are computed from: `provider_cost` or `sell_price`."""
    max_overdraft_micros: str | None
    """The most that the bundle lets a call be charged above its hold, in micros. Null unless the policy
    is `grace`. An integer as a decimal string.
    """
    config_version: int | None
    """Version of the configuration that it was decided on."""
    limits: list[ExplainedPolicyLimits] | None
    """Each ceiling of the call, as it stood when the call was decided."""


class ExplainedQuoteWorstCase(Document):
    input_tokens_max: int | None
    """Maximum input tokens."""
    input_micros: str | None
    """Maximum cost of the input and of fees, before the multiplier. An exact decimal, in micros."""
    output_tokens_max: int | None
    """Maximum output tokens, over all choices."""
    output_rate: str | None
    """Micros per million output tokens, at the most expensive rate that can apply. An integer as a
    decimal string.
    """
    multiplier: str | None
    """Multiplier of the service tier, in thousandths. An integer as a decimal string."""
    micros: str | None
    """The result, rounded up once, in micros. An integer as a decimal string."""
    formula: str | None
    """The same as a sentence of arithmetic."""
    target: str | None
    """The target at whose price a routed call was held, `label/model`: the most expensive one that the
    hold covers. Null if there was only one target.
    """


class ExplainedQuote(Document):
    """The prices, and the most that the call could use."""
    quote_id: str | None
    """Version of the prices and of the policy: the same id, the same prices."""
    cost: Any
    """Price of the provider account."""
    sell: Any
    """Price of the bundle."""
    credits: Any
    """Price in credits; None: no credit pool can pay."""
    bound: Any
    """The most units it may use; while in flight."""
    text_tokens_max: int | None
    """The most tokens that its text can be."""
    text_tokens_by: str | None
    """How those were counted: `bytes` or `tokenizer`."""
    audio_tokens_max: int | None
    """The most tokens of sound."""
    image_tokens_max: int | None
    """The most tokens of images."""
    input_tokens_estimated: int | None
    """The likely input, charged when the provider reports none."""
    output_tokens_asked: int | None
    """The maximum that the client stated, for each answer; None: none."""
    choices: int | None
    """How many answers were asked for."""
    service_tier: str | None
    """The service tier that was asked for; None: the usual one."""
    worst_case: ExplainedQuoteWorstCase | None
    """How the hold was computed."""


class ExplainedRefusal(Document):
    """Why it was refused or failed, with the numbers."""
    code: str | None
    """Code of the error."""
    message: str | None
    """The sentence that the caller got, or would have."""
    fix: str | None
    """What mends it; None: nothing that is known."""
    fix_operation: str | None
    """Id of the operation that does it; None: none does."""
    limit_source: str | None
    """The limit that refused it."""
    limit: str | None
    """The limit or the balance that was too small, in micros. For a pool, what was granted. An integer
    as a decimal string.
    """
    used: str | None
    """What was spent of it, in micros. An integer as a decimal string."""
    held: str | None
    """What calls in flight held of it, in micros. An integer as a decimal string."""
    requested: str | None
    """The least that this call would have held, in micros. An integer as a decimal string."""
    available: str | None
    """What was left, in micros: of a limit, or of all sources together. An integer as a decimal string.
    """
    resets_at: str | None
    """When the limit begins anew; None: never. ISO 8601."""
    pool_name: str | None
    """Display name of the pool of the plan that renews first."""
    pool_unit: str | None
    """Unit of the amounts of that pool: `micros`, or the name of its credits."""
    pool_granted: str | None
    """What that pool was granted, in micros or millionths of a credit. An integer as a decimal string."""
    pool_left: str | None
    """What that pool had left, in micros or millionths of a credit. An integer as a decimal string."""
    pool_renews_at: str | None
    """When that pool is granted again. Null if it is not. ISO 8601."""
    on_demand: str | None
    """`off` if on-demand billing could have covered the request and was off."""
    portal_url: str | None
    """The page to go to: the brand's `top_up_url` or `pay_url`, else the portal."""
    top_up_url: str | None
    """The page where the application sells credit."""
    pay_url: str | None
    """The page where the past-due invoice is paid."""
    invoice_id: str | None
    """ID of the past-due invoice that keeps on-demand usage from paying, `inv_…`."""
    invoice_amount_micros: str | None
    """Amount of that invoice, in micros. An integer as a decimal string."""
    invoice_due_at: str | None
    """When that invoice was due. ISO 8601."""
    waited_ms: int | None
    """How long it waited before it was refused, in milliseconds; None: not at all."""


class ExplainedReserve(Document):
    """The hold and its sources."""
    hold_id: str | None
    """Id of the hold, `hold_…`."""
    worst_micros: str | None
    """What is held, or was at the end, in micros. An integer as a decimal string."""
    first_worst_micros: str | None
    """What was held at first, in micros. An integer as a decimal string."""
    extended_micros: str | None
    """What a stream held more as it grew, in micros. An integer as a decimal string."""
    worst_credits: str | None
    """The same in millionths of a credit. An integer as a decimal string."""
    output_tokens_per_choice: int | None
    """How long each answer may be, in tokens."""
    input_tokens_estimated: int | None
    """The likely input, charged when the provider reports none; while in flight."""
    is_clamped: bool | None
    """Whether that is less than was asked for, for lack of balance."""
    waited_ms: int | None
    """How long it waited for money that other calls held, in milliseconds; None: not at all."""
    wallet_posted_micros: str | None
    """The wallet at that moment, in micros. An integer as a decimal string."""
    wallet_held_before_micros: str | None
    """Held of the wallet before this call, in micros. An integer as a decimal string."""
    wallet_held_micros: str | None
    """Held of the wallet with this call, in micros. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """What each source backs of the first hold, in the order they are spent."""


class ExplainedRouteCandidatesPrice(Document):
    input: str | None
    """Micros per million input tokens. Null if the price has no such rate. An integer as a decimal
    string.
    """
    output: str | None
    """Micros per million output tokens. Null if the price has no such rate. An integer as a decimal
    string.
    """


class ExplainedRouteCandidatesWorstCase(Document):
    input_tokens_max: int | None
    """Maximum input tokens."""
    input_micros: str | None
    """Maximum cost of the input and of fees, before the multiplier. An exact decimal, in micros."""
    output_tokens_max: int | None
    """Maximum output tokens, over all choices."""
    output_rate: str | None
    """Micros per million output tokens, at the most expensive rate that can apply. An integer as a
    decimal string.
    """
    multiplier: str | None
    """Multiplier of the service tier, in thousandths. An integer as a decimal string."""
    micros: str | None
    """The result, rounded up once, in micros. An integer as a decimal string."""
    formula: str | None
    """The same as a sentence of arithmetic."""


class ExplainedRouteCandidates(Document):
    path: list[str] | None
    """The names through which it is reached, the one asked for first; None: there is only it."""
    provider: str | None
    """Kind of the provider."""
    account: str | None
    """Label of the account; None: it is gone."""
    account_id: str | None
    """Id of the account."""
    model: str | None
    """The provider's model id."""
    price: ExplainedRouteCandidatesPrice | None
    """Base rates that charges at this target are computed from. Null if unpriced."""
    worst_case: ExplainedRouteCandidatesWorstCase | None
    """The most that this request could cost at this target. Null if the target has no price."""
    skipped: str | None
    """Why it was passed over; None: it was taken when its turn came."""
    skip_code: str | None
    """The same as a code: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`,
    `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`; or why the call ended
    before its turn: `not_moved_on`, `within_ms` or `attempts_max`.
    """


class ExplainedRoute(Document):
    """The account and model that were chosen."""
    provider: str | None
    """Kind of the provider."""
    account: str | None
    """Label of the account; None: it is gone."""
    account_id: str | None
    """Id of the account, `pa_…`."""
    model: str | None
    """The provider's model id."""
    answered_by: str | None
    """The model that answered, as the provider states it. Omitted if it is the requested model, a
    snapshot of it, or not stated.
    """
    upstream_wire: str | None
    """The wire that the provider was asked in, where it is not the client's."""
    lost: list[str] | None
    """Fields that the provider was not sent."""
    router: str | None
    """The router that was asked for; None: the name is a model, or there was nothing to decide."""
    policy: str | None
    """How it puts its targets in order; None: as the router."""
    candidates: list[ExplainedRouteCandidates] | None
    """All that could have answered, in the order they are tried."""


class ExplainedSettle(Document):
    """The charge, and the money given back."""
    charge_micros: str | None
    """What left the person's sources, in micros. An integer as a decimal string."""
    released_micros: str | None
    """What was held and not charged, in micros. An integer as a decimal string."""
    above_hold_micros: str | None
    """Charged above the hold, in micros, because the termination policy allows it: up to
    `policy.maxOverdraftMicros` under `grace`, without a limit under `complete_message`. An integer as
    a decimal string.
    """
    usage_record_id: str | None
    """ID of the usage record, `ur_…`, which events and exports carry."""
    billed_micros: str | None
    """What the bundle sells it for, in micros. An integer as a decimal string."""
    cost_micros: str | None
    """What the provider account is charged, in micros. An integer as a decimal string."""
    failed_attempts_micros: str | None
    """The part of `cost_micros` that attempts cost which did not answer, in micros. An integer as a
    decimal string.
    """
    assumed_micros: str | None
    """The part of `cost_micros` computed at assumed rates, in micros. The price lines show which rates
    were assumed. An integer as a decimal string.
    """
    revenue_micros: str | None
    """Revenue of the request, in micros: wallet money that was paid for, and on-demand. Omitted for
    requests recorded before payments were split. An integer as a decimal string.
    """
    margin_micros: str | None
    """`revenue_micros` less `cost_micros`; negative for a loss. Omitted where revenue is. An integer as
    a decimal string.
    """
    over_hold_micros: str | None
    """Used beyond the hold, in micros: neither charged nor billed. An integer as a decimal string."""
    is_estimated: bool | None
    """The provider told no usage; the gateway counted."""
    is_recovered: bool | None
    """The process died, and another one settled it."""
    is_over_hold: bool | None
    """More was used than was held."""
    is_disputed: bool | None
    """Whether the provider account may be charged another price: another model answered
    (`route.answeredBy`), or the costs that the provider states for the account and model differ from
    ours by more than 3 % over the last ten calls. Null if the provider stated neither.
    """
    is_late: bool | None
    """It was settled more than a minute after its end."""
    legs: list[ExplainedLeg] | None
    """What each source paid, in the order they are spent."""
    ledger_entry_ids: list[str] | None
    """Its ledger entries, `led_…`."""
    outcome: str | None
    """Slug of the outcome; None: none."""
    outcome_run: str | None
    """Id of the run; None: none."""
    settled_at: str | None
    """When it was settled. ISO 8601."""


class ExplainedStream(Document):
    """The course of the answer. Times are milliseconds of the call."""
    end: str | None
    """`answered`, `cut` (spend), `left` (the client) or `failed`."""
    first_byte_ms: int | None
    """The first byte to the client; None: none."""
    first_token_ms: int | None
    """The first piece of text of a stream; None: whole answer, or none."""
    last_token_ms: int | None
    """The last piece of a stream."""
    longest_gap_ms: int | None
    """The longest time between two pieces of a stream, in milliseconds."""
    tokens_per_second: float | None
    """Tokens out per second between first and last; None: too short to tell, or not streamed."""
    bytes: int | None
    """Bytes of a stream that were written to the client."""
    client_left_at_ms: int | None
    """When the client left before the end; None: it stayed."""
    dropped_frames: int | None
    """Frames of the provider that were not JSON, carried no words and were omitted. Null if there were
    none.
    """


class ExplainedUsage(Document):
    """What was used, and who counted it. Counts are tokens."""
    token_source: str | None
    """`provider_reported`; `estimated` if the gateway counted, or if the reported counts overlap,
    contradict one another or are incomplete; `recovered` after a crash; or `counted so far`.
    """
    input: int | None
    """Uncached text in."""
    cache_read: int | None
    """Read from the cache."""
    cache_write: int | None
    """Written to the cache."""
    cache_write_long: int | None
    """Written to the cache for long."""
    audio_input: int | None
    """Sound in."""
    image_input: int | None
    """Images in."""
    output: int | None
    """All that came out."""
    reasoning: int | None
    """Of that, reasoning."""
    audio_output: int | None
    """Of that, sound."""
    image_output: int | None
    """Of that, images."""
    web_searches: int | None
    """Web searches, each one."""
    service_tier: str | None
    """The service tier that the provider reports; None: none."""
    is_media_within: bool | None
    """Audio and images are counted within the other input as well, and are charged as if split the
    dearest way.
    """
    is_ambiguous: bool | None
    """Whether the reported counts contradict one another. The most expensive reading is charged, and
    `token_source` is `estimated`.
    """
    output_beyond: int | None
    """Output tokens in addition to `output` that the provider sent after its maximum, by the gateway's
    count. The provider account is charged for them, the end user is not. Null if there are none.
    """
    stated_cost_nanos: float | None
    """What the provider says that it cost, in thousandths of a micro, to be compared with
    `settle.costMicros`.
    """
    in_wire_terms: dict[str, float] | None
    """The same counts as the provider's wire counts and names them, made from ours: the provider's own
    object is not kept. Null: the wire is not known.
    """


class FailedCalls(Document):
    """Calls that did not go well, by whose doing it was."""
    client: int
    """The request was wrong, or its sender left."""
    limit: int
    """Money or a rate said no."""
    provider: int
    """The provider failed, or did not answer."""
    ours: int
    """This server failed."""


class FailedProbe(Document):
    """A probe that failed, sent by a member or by the gateway."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    code: str
    """Code of the error."""
    status: int | None
    """HTTP status of the provider. Null if it did not answer."""
    message: str
    """What the code means."""
    said: str | None
    """The provider's own words, without the account's key. Null if it sent none, or if they were not
    kept.
    """
    probed_at: str
    """When the probe was sent. ISO 8601."""


class FailureRates(Document):
    """Calls that did not go well as shares of all, from 0 to 1, by whose doing it was."""
    client: float
    """The request was wrong, or its sender left. From 0 to 1."""
    limit: float
    """Money or a rate said no. From 0 to 1."""
    provider: float
    """The provider failed, or did not answer. From 0 to 1."""
    ours: float
    """This server failed. From 0 to 1."""


class FindingResource(Document):
    type: str
    """Kind of the resource."""
    id: str
    """Its name in paths."""


class FindingFix(Document):
    say: str
    """What to do."""
    call: OperationCall | None
    """The call that does it, with an example of a body; None: it is mended elsewhere."""


class Finding(Document):
    """One problem, and the call that mends it."""
    code: str
    """Kind of the finding; stable."""
    severity: Literal["error", "warning", "notice"] | str
    """`error`: calls fail or money is wrong; `warning`: they may; `notice`: perhaps it is meant so."""
    resource: FindingResource
    """What it is about."""
    message: str
    """What is so, and what it means."""
    fix: FindingFix
    """How it is mended."""


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
    """What the provider account is charged, in dollars."""
    billing_account_id: str
    """Id of the provider account, `pa_…`."""
    billing_account_name: str
    """Its label; its id when it is gone."""
    billing_account_type: str
    """`Provider account`."""
    billing_currency: str
    """`USD`."""
    billing_period_start: str
    """First second of the month (UTC) in which it was charged. ISO 8601."""
    billing_period_end: str
    """First second of the month after. ISO 8601."""
    charge_category: str
    """`Usage`."""
    charge_class: Literal["Correction"] | None
    """`Correction`, or None for a charged request."""
    charge_description: str
    """The provider's model, with tokens in and out, or the kind of correction."""
    charge_frequency: str
    """`Usage-Based`."""
    charge_period_start: str
    """The second in which it was charged. ISO 8601."""
    charge_period_end: str
    """The second after. ISO 8601."""
    consumed_quantity: int
    """Tokens in and out."""
    consumed_unit: str
    """`Tokens`."""
    contracted_cost: str
    """As BilledCost: the account's own price is the contracted one."""
    contracted_unit_price: str
    """ContractedCost, of the one request."""
    effective_cost: str
    """As BilledCost: nothing is paid ahead."""
    invoice_issuer_name: str
    """As ProviderName: the vendor bills the account."""
    list_cost: str
    """As BilledCost: the published price at the time is not kept where the account has its own."""
    list_unit_price: str
    """ListCost, of the one request."""
    pricing_category: str
    """`Standard`."""
    pricing_quantity: int
    """1: a request has several rates, so it is priced whole."""
    pricing_unit: str
    """`Requests`."""
    provider_name: str
    """The vendor; of another server the label of its account."""
    publisher_name: str
    """As ProviderName."""
    resource_id: str
    """Id of the key it came with, `key_…`."""
    resource_type: str
    """`API key`."""
    service_category: str
    """`AI and Machine Learning`."""
    service_name: str
    """The vendor's API; of another server the label of its account."""
    service_subcategory: str
    """`Generative AI`."""
    sku_id: str
    """The provider's model id."""
    sku_meter: str
    """`Tokens`."""
    sku_price_id: str
    """Id of the quote that fixed the prices of the call."""
    sub_account_id: str
    """Id of the end user, `eu_…`."""
    sub_account_name: str
    """The customer's own id of the person; of a removed one the id `eu_…`."""
    sub_account_type: str
    """`End user`."""
    tags: dict[str, str]
    """The application, the mode, the requested model, and where there are any the bundle, the outcome
    and the run. CSV has them as JSON.
    """
    x_usage_record_id: str
    """ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`."""
    x_sold_for: str
    """What the bundle sells it for, of what was charged, in dollars."""
    x_charged_to_end_user: str
    """What left pools, wallet or on-demand for it, in dollars."""
    x_paid_from_plan: str | None
    x_paid_from_gift: str | None
    x_paid_from_wallet: str | None
    x_on_demand: str | None
    x_overdraft: str | None
    x_over_hold: str
    """What was used beyond what was held for it, in dollars: neither charged nor billed."""


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
    """Secret that signs the batches of emitters.listen and emitters.sample for this application and
    mode, `whsec_…`. It signs nothing that is delivered to emitters.
    """


class Gateway(Document):
    """What the gateway of an application answers, and where."""
    application: str
    """Part of the host names; never changes."""
    gateway: str
    """Its address, the base URL of clients."""
    local_gateway: str | None
    """The same by address and port, for clients that do not resolve `*.localhost`."""
    hosts: list[str]
    """Host headers at which it answers."""
    wires: list[Literal["chat", "messages", "generate", "responses"] | str] | None
    """Wires whose calls are answered; None: all. A call of another is 404 `wire_not_served`. 1 to 4 of
    them.
    """
    models: list[str] | None
    """Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`;
    None: all. Another name is unknown, and not listed. 1 to 200 of them.
    """
    origins: list[str]
    """Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
    them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed:
    a page sends its key in a header. At most 100 of them.
    """
    addresses: list[str] | None
    """Client addresses that are answered; None: all. A call from another is 403 `address_not_allowed`.
    The address is the connection’s, or behind proxies that the operator trusts
    (`TOLLGATE_TRUSTED_PROXIES`) the last one in X-Forwarded-For that is none of theirs. 1 to 200 of
    them.
    """
    hours: list[WeeklyHours] | None
    """When calls are answered; None: always. At other times a call is 403 `outside_hours`, with the next
    opening. A call in flight goes on to its end. 1 to 28 of them.
    """
    default_max_tokens: int | None
    """Most output tokens of one answer to a request that states no maximum. It is held for whole and
    sent to the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no
    more is asked for than the model gives. Null: whole answers are held for 16,384 and streams for
    2,048 at first, and the provider is told no maximum. From 1 to 10000000.
    """
    hold_wait_ms: int | None
    """How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is
    429 `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its
    operator changes it). From 0 to 60000.
    """
    provider_tools: Literal["drop", "refuse"] | str
    """Tools that the provider would run and the request merely offers: `drop` takes them out and names
    them in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model
    is made to call is always refused.
    """
    conversion: Literal["lenient", "strict"] | str
    """Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names
    them in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
    """
    pass_traceparent: bool
    """Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged
    (W3C Trace Context), so that its spans join the client’s trace. False: the provider learns nothing
    of it.
    """


class Grant(Document):
    """A credit to the wallets of people."""
    id: str
    """Id of the grant, `gr_…`."""
    amount_units: str
    """What each person was credited, in micros. An integer as a decimal string."""
    reason: str
    """The reason given when it was issued."""
    idempotency_key: str | None
    """Key that credits each person once; None: none was given."""
    end_users: int
    """Number of people whom it is for, as they were when it was issued."""
    done: int
    """How many of them have it so far."""
    status: Literal["running", "done"] | str
    """`running`: some of its people do not have it yet; `done`: each of them has it, once."""
    reversed_units: str
    """Amount taken back from all of its end users together, in micros. An integer as a decimal string."""
    reversals: list[GrantReversal]
    """Reversals of the grant, oldest first. Empty if nothing was taken back."""
    starts_at: str | None
    """When the credit can first be spent. Null if it could be spent at once. ISO 8601."""
    expires_at: str | None
    """When what is unspent of the credit expires. Null if it does not expire. ISO 8601."""
    created_at: str
    """When it was made. ISO 8601."""


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
    """Number of end users that were processed so far."""
    status: Literal["running", "done"] | str
    """`running` while end users remain to be processed, then `done`."""
    reversed_end_users: int
    """Number of end users that had unspent credit to take back."""
    reversed_units: str
    """Amount taken back from all of them together, in micros. An integer as a decimal string."""
    created_at: str
    """When the reversal was requested. ISO 8601."""


class HealthPercentiles(Document):
    """How long calls took, in milliseconds."""
    p50: int | None
    """Half of the calls took no longer; None without calls."""
    p95: int | None
    """95 of 100 calls took no longer."""
    p99: int | None
    """99 of 100 calls took no longer."""


class HealthSpanProviders(Document):
    provider: str
    """Label of the provider account; its id, `pa_…`, when it is gone."""
    calls: int
    """Calls that ended."""
    failed: FailedCalls
    """Those that did not go well, by whose doing it was."""
    failure_rates: FailureRates
    """The same as shares of `calls`, from 0 to 1; 0 without calls."""
    latency_ms: HealthPercentiles
    """Milliseconds from the first byte of a request to the last of its answer."""
    first_byte_ms: HealthPercentiles
    """Milliseconds to the first byte of the answer, where there was one."""


class HealthSpanTargets(Document):
    provider: str
    """Label of the provider account; its id, `pa_…`, when it is gone."""
    model: str
    """The provider's model id."""
    calls: int
    """Calls that ended."""
    failed: FailedCalls
    """Those that did not go well, by whose doing it was."""
    failure_rates: FailureRates
    """The same as shares of `calls`, from 0 to 1; 0 without calls."""
    latency_ms: HealthPercentiles
    """Milliseconds from the first byte of a request to the last of its answer."""
    first_byte_ms: HealthPercentiles
    """Milliseconds to the first byte of the answer, where there was one."""


class HealthSpanModels(Document):
    requested_model: str
    """The requested model name."""
    calls: int
    """Calls that ended."""
    failed: FailedCalls
    """Those that did not go well, by whose doing it was."""
    failure_rates: FailureRates
    """The same as shares of `calls`, from 0 to 1; 0 without calls."""
    latency_ms: HealthPercentiles
    """Milliseconds from the first byte of a request to the last of its answer."""
    first_byte_ms: HealthPercentiles
    """Milliseconds to the first byte of the answer, where there was one."""


class HealthSpan(Document):
    """How calls went that ended in a span of time up to now."""
    window: Literal["5m", "1h", "24h"] | str
    """Its name."""
    window_seconds: int
    """Its length, in seconds."""
    from_: str
    """From when on calls are counted. A day begins with a full hour, and so is up to an hour longer. ISO
    8601.
    """
    is_whole: bool
    """False: there were more than 20,000 calls to read, and of those since the last full hour, or of the
    window, only the newest are counted.
    """
    calls: int
    """Calls that ended."""
    failed: FailedCalls
    """Those that did not go well, by whose doing it was."""
    failure_rates: FailureRates
    """The same as shares of `calls`, from 0 to 1; 0 without calls."""
    latency_ms: HealthPercentiles
    """Milliseconds from the first byte of a request to the last of its answer."""
    first_byte_ms: HealthPercentiles
    """Milliseconds to the first byte of the answer, where there was one."""
    providers: list[HealthSpanProviders]
    """Calls that were sent, by provider account; most calls first, 200 at most."""
    targets: list[HealthSpanTargets]
    """What providers were asked for, by account and model; most calls first, 200 at most. Each attempt
    of a call counts where it was made and by how it ended, so these add up to more than `calls` where
    targets failed. Times begin with the attempt.
    """
    models: list[HealthSpanModels]
    """By the name that was asked for; most calls first, 200 at most."""


class Invoice(Document):
    """What an end user owes for a plan and for on-demand usage."""
    id: str
    """Id of the invoice, `inv_…`."""
    number: int
    """1 for the person's first invoice in its mode, and so on. From 1."""
    end_user_id: str
    """The customer's own id of the person who owes it. 1 to 256 characters."""
    status: Literal["open", "past_due", "paid", "void"] | str
    """`open`: to be paid by `due_at`; `past_due`: not paid by then, so that overage pays for nothing
    new; `paid`; `void`: nothing is owed.
    """
    amount_micros: str
    """Amount due: the sum of its lines. An integer as a decimal string."""
    lines: list[InvoiceLine]
    """What the amount is the sum of."""
    period_start: str
    """The first instant of what it is for. ISO 8601."""
    period_end: str
    """The end of what it is for. ISO 8601."""
    issued_at: str
    """When the invoice was issued: plans are invoiced in advance, on-demand usage in arrears. ISO 8601.
    """
    due_at: str
    """When the invoice becomes past due if it is unpaid: seven days after it was issued. ISO 8601."""
    paid_at: str | None
    """When it was paid; None: it was not. ISO 8601."""
    voided_at: str | None
    """When it became void; None: it did not. ISO 8601."""


class InvoiceLine(Document):
    """A part of the amount of an invoice."""
    kind: Literal["plan", "unused", "on_demand", "credit", "carried"] | str
    """`plan`: charge for a plan. `unused`: remaining days of the previous plan. `on_demand`: usage of a
    calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: kept as
    credit for later invoices.
    """
    description: str
    """The line in words."""
    period_start: str
    """The first instant of what it is for. ISO 8601."""
    period_end: str
    """The end of what it is for. ISO 8601."""
    amount_micros: str
    """Part of the amount; negative: it reduces it. An integer as a decimal string."""
    ledger_entry_id: str | None
    """ID of the ledger entry that cleared the on-demand month when the invoice was paid or voided,
    `led_…`. Omitted until the entry is written, and for other kinds of lines.
    """


class LedgerEntry(Document):
    """A movement of a balance."""
    id: str
    """Id of the entry, `led_…`."""
    kind: Literal["topup", "grant", "usage_debit", "refund", "reversal", "adjustment"] | str
    """Why the balance moved."""
    amount_units: str
    """Amount; negative: taken. An integer as a decimal string."""
    balance_after_units: str
    """Balance of its source after it. An integer as a decimal string."""
    unit: Literal["micros", "credits"] | str
    """What both count; credits in millionths."""
    source: str
    """`wallet`; a month of on-demand, `on_demand/2026-11`; a period of a pool, by bundle, slug and first
    day, `pro/tokens/2026-11-20`; or a pool of a sign-up, `pro/welcome`. The balances of each are one
    chain.
    """
    request_id: str | None
    """The call that caused it, `req_…`."""
    invoice_id: str | None
    """ID of the invoice that paid or waived a month of on-demand usage, `inv_…`."""
    grant_id: str | None
    """ID of the grant that credited it or that was reversed, `gr_…`."""
    payment_reference: str | None
    """Reference of the payment behind a top-up."""
    reason: str | None
    """Reason given when the entry was made. For a pool: `included`, `expired`, `plan_changed`,
    `used_on_another_plan` or `end_user_removed`. For a month of on-demand usage: `on_demand_paid` or
    `on_demand_waived`.
    """
    created_at: str
    """When it was written. ISO 8601."""


class LimitsOrganization(Document):
    calls_per_day: int | None
    """Most calls of a day, those in flight included; 0: none at all; None: no limit. From 0 to
    1000000000.
    """
    spend_per_day_micros: str | None
    """Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call
    whose hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
    """
    today: LimitsToday


class LimitsApplications(Document):
    application: str
    """Part of the host names; never changes."""
    calls_per_day: int | None
    """Most calls of a day, those in flight included; 0: none at all; None: no limit. From 0 to
    1000000000.
    """
    spend_per_day_micros: str | None
    """Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call
    whose hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
    """
    today: LimitsToday


class Limits(Document):
    """What the organization allows itself a day (UTC), in live mode."""
    organization: LimitsOrganization
    """The limits of all applications together."""
    applications: list[LimitsApplications]
    """The limits of single applications, of those that have some."""


class LimitsToday(Document):
    """What counts against the limits of this day, in live mode."""
    calls: int
    """Calls charged today, and calls in flight."""
    spent_micros: str
    """Provider cost of the calls charged today, in micros. An integer as a decimal string."""
    held_micros: str
    """What calls in flight hold, in micros. An integer as a decimal string."""
    resets_at: str
    """The end of the day: the next midnight, UTC. ISO 8601."""


class ListedMemberFailedSignIns(Document):
    count: int
    """Number of failed sign-ins."""
    first_at: str
    """When the first of these failed. ISO 8601."""
    last_at: str
    """When the latest failed. ISO 8601."""
    last_address: str
    """Network address of the latest."""


class ListedMember(Document):
    """A person of the team, with failed sign-ins."""
    id: str
    """Id of the member, `mem_…`."""
    email: str
    """E-mail address, in lower case."""
    name: str | None
    """Name for people; None until they have joined."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What the member may do."""
    has_password: bool
    """False: the member signs in by the identity provider only, or has not joined."""
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the invitation was accepted; None: it is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires, or did; None: none is open. ISO 8601."""
    failed_sign_ins: ListedMemberFailedSignIns | None
    """Failed password sign-ins of the last 30 days. Null if there were none. Only admins and tokens with
    that role see those of others; members see their own.
    """


class Logo(Document):
    """The logo of an application, without its bytes."""
    path: str
    """Where it is served, on the portal's host and on the control plane's: `/brand/logo/…`."""
    media_type: Literal["image/png", "image/jpeg", "image/webp"] | str
    """What it is."""
    width_px: int
    """Its width in pixels."""
    height_px: int
    """Its height in pixels."""


class MarginRow(Document):
    """What one group earned and cost."""
    end_user_id: str | None
    """External id of the person; by end user. 1 to 256 characters."""
    requested_model: str | None
    """The requested model name; None: subscriptions, which no name has; by model."""
    bundle: str | None
    """Slug of the bundle at the time of the call; by bundle. Null for calls whose bundle is not known,
    and for subscriptions.
    """
    provider: str | None
    """Label of the provider account, or its ID, `pa_…`, if the account was deleted; by provider. Null
    for calls whose account is not known, and for subscriptions.
    """
    day: str | None
    """The day, UTC; by day. A day, like 2026-11-20 (UTC)."""
    key_id: str | None
    """ID of the key, `key_…`; by key. Null for subscriptions."""
    run: MarginRun | None
    """The run; by run. Null for calls without a run, and for subscriptions."""
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
    assumed_calls: int | None
    """Calls with a cost at assumed rates, failed calls included; by model. Absent if there are none."""
    assumed_micros: str | None
    """The part of `cost_micros` computed at assumed rates, in micros; by model. Absent if there is none.
    An integer as a decimal string.
    """


class MarginRun(Document):
    """A run of an outcome."""
    outcome: str
    """Slug of the outcome."""
    run_id: str
    """ID of the run."""
    end_user_id: str
    """External ID of the end user, or the ID `eu_…` if the end user was deleted. 1 to 256 characters."""


class Member(Document):
    """A person of the team, or one who is invited to it."""
    id: str
    """Id of the member, `mem_…`."""
    email: str
    """E-mail address, in lower case."""
    name: str | None
    """Name for people; None until they have joined."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What the member may do."""
    has_password: bool
    """False: the member signs in by the identity provider only, or has not joined."""
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the invitation was accepted; None: it is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires, or did; None: none is open. ISO 8601."""


class MintedKey(Document):
    """A new key, with its secret."""
    id: str
    """Id of the key, `key_…`."""
    key: str
    """The secret, shown once."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    name: str
    """Its label."""
    end_user_id: str
    """The service's own id of the person, `eu_…`."""
    livemode: bool
    """False: a test key, which never reaches a provider."""
    cap_micros: str | None
    """What it may spend per `cap_period`; None: no cap. An integer as a decimal string."""
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC)."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    created_at: str
    """When it was minted. ISO 8601."""


class MissedSpan(Document):
    """The calls whose events were not accepted are in it."""
    from_: str
    """Arrival of the first such call. ISO 8601."""
    to: str
    """A millisecond after the arrival of the last one. ISO 8601."""


class ModelCeilings(Document):
    output_tokens: int | None
    """Output tokens that are held for an answer when the request names no maximum: all of a whole one,
    and a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
    """


class Model(Document):
    """A model name and its sources."""
    name: str
    """The name for end users."""
    sources: list[ModelSource]
    """Accounts and models, in the order they are tried."""
    ceilings: ModelCeilings
    """Bounds for requests that name none."""
    enabled: bool
    """Whether the model name is served in the mode of the request: `status` is `serving`."""
    status: Literal["serving", "disabled", "unpriced", "test_only"] | str
    """Status in the mode of the request. `unpriced`: no source has a complete price. `test_only`: every
    source is a simulator, so live requests return 503 `no_live_source`.
    """
    problems: list[str]
    """What the sources lack, one sentence each, and the bundles that serve the model all the same."""
    created_at: str
    """When the name was added. ISO 8601."""


class ModelSource(Document):
    """An account and one of its models."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""


class NameHealth(Document):
    """How a model or a router does."""
    name: str
    """The name for end users."""
    kind: Literal["model", "router"] | str
    """Whether it is a model or a router."""
    state: Literal["healthy", "degraded", "failing", "unavailable", "key_refused", "unknown"] | str
    """`healthy`: no call failed; `degraded`: fewer than 5 % or fewer than five calls failed, or some
    targets cannot be taken now; `failing`: at least 5 % failed; `unavailable`: no target can be taken
    now; `key_refused`: the provider refuses the key; `unknown`: no calls.
    """
    calls: int
    """Calls of the last 24 hours; of an account, attempts."""
    failed: int
    """Those of them that the provider or this server failed."""
    failure_rate: float
    """`failed` of `calls`; 0 without calls. From 0 to 1."""
    why: str | None
    """What is wrong now, with its numbers. Null if healthy or unknown."""


class Onboarding(Document):
    """How far the set-up of the organization is."""
    application: str | None
    """Slug of the application that is nearest to its first call; None: there is none."""
    mode: Literal["live", "test"] | str
    """The mode that was looked at."""
    steps: list[OnboardingStep]
    """The six steps, in their order."""
    funded_and_tried_at: str | None
    """When onboarding.fundAndTry found money and a settled call; None: not yet. ISO 8601."""
    completed_at: str | None
    """When onboarding.complete found every step done; None: not yet. It stays. ISO 8601."""


class OnboardingStep(Document):
    """One step of the set-up."""
    step: Literal["provider_answered", "name_served", "bundle_allows", "default_bundle", "key_minted", "call_settled"] | str
    """`provider_answered`: an account has answered a call, in test mode the simulator; `name_served`: a
    model name has a price and is served; `bundle_allows`: a bundle allows such a name;
    `default_bundle`: the application has one for new people; `key_minted`: there is a valid key;
    `call_settled`: a call has settled.
    """
    state: Literal["done", "missing"] | str
    """As the server finds it now."""
    sentence: str
    """What was found, or what is missing."""
    call: OperationCall
    """The operation that does it, with an example; of a step that is done, the one that shows it."""


class OperationCall(Document):
    """A call of the control plane."""
    operation: str
    """Id of the operation."""
    method: Literal["GET", "PUT", "POST", "PATCH", "DELETE"] | str
    """Its method."""
    path: str
    """Its path, filled in."""
    body: dict[str, Any] | None
    """An example of its body; None: it takes none."""


class Outcome(Document):
    """A goal with a bounded spend."""
    slug: str
    """What calls name in `svc.outcome`."""
    display_name: str
    """Name for people."""
    ceiling_micros: str
    """Spend ceiling of one run. An integer as a decimal string."""
    runs: int
    """Number of runs in the mode of the request."""
    spent_micros: str
    """Sum of their spending. An integer as a decimal string."""
    created_at: str
    """When it was defined. ISO 8601."""
    archived_at: str | None
    """When it was archived; None: not archived. ISO 8601."""


class OutcomeRun(Document):
    """One attempt at an outcome."""
    id: str
    """What calls named in `svc.outcome_id`."""
    end_user_id: str
    """The customer's own id of the person."""
    status: Literal["running", "done", "capped", "failed"] | str
    """`running`: takes calls; `done`, `failed`: ended; `capped`: reached its ceiling, and takes calls
    again under a higher one.
    """
    spent_micros: str
    """What its settled calls were charged. An integer as a decimal string."""
    calls: int
    """Number of its calls."""
    started_at: str
    """Time of its first call. ISO 8601."""
    last_call_at: str
    """Time of its last call. ISO 8601."""


class Passkey(Document):
    """A passkey with which a member signs in."""
    id: str
    """ID of the passkey, `psk_…`."""
    member_id: str
    """ID of the member who signs in with it, `mem_…`."""
    name: str
    """Name for people. 1 to 64 characters."""
    created_at: str
    """When the passkey was registered. ISO 8601."""
    last_used_at: str | None
    """When the passkey was last used to sign in. Null if it was never used. ISO 8601."""


class PasskeyChallenge(Document):
    """What a browser passes to an authenticator."""
    challenge: str
    """Challenge for the authenticator, base64url. It is answered once."""
    rp_id: str
    """Relying party ID: the domain that passkeys belong to."""
    user_id: str | None
    """User handle for a new passkey, base64url. Null if no email address was given."""
    expires_at: str
    """When the challenge expires: five minutes after it was created. ISO 8601."""


class PlannedTargetSkip(Document):
    code: str
    """Kind of the reason."""
    reason: str
    """What is so, with its numbers."""


class PlannedTargetCircuit(Document):
    state: Literal["closed", "open", "half_open"] | str
    """`open`: no call is sent there; `half_open`: one real call tries it."""
    until: str | None
    """When one call may try again; None: now. ISO 8601."""
    why: str | None
    """What was found; None: it is closed."""


class PlannedTargetDeadlines(Document):
    connect_ms: int
    """To a connection, in milliseconds."""
    first_byte_ms: int
    """To the head of the answer, in milliseconds."""
    first_token_ms: int | None
    """To the first text of a streamed answer; absent: no limit, in milliseconds."""
    idle_ms: int
    """Between two pieces of it, in milliseconds."""
    total_ms: int
    """For the whole attempt, in milliseconds."""


class PlannedTarget(Document):
    """One way to answer a call, where it stands in the order."""
    path: list[str]
    """The names through which it is reached, the one asked for first."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model id."""
    skip: PlannedTargetSkip | None
    """Why it is passed over; None: it is taken when its turn comes."""
    expected_micros: str | None
    """What the call is expected to cost the account, in micros; None: it has no price. An integer as a
    decimal string.
    """
    worst_micros: str | None
    """The most that it is held for there at first, in micros; None: it has no price. An integer as a
    decimal string.
    """
    circuit: PlannedTargetCircuit
    """As the one server process sees it that answers this request."""
    in_flight: int
    """Calls in flight there, in that process."""
    first_token_ms: float | None
    """Time to the first token lately, in milliseconds, in that process; None: nothing is known."""
    lost: list[str]
    """Fields of the request that a conversion to its wire would leave out or change."""
    deadlines: PlannedTargetDeadlines
    """Deadlines of an attempt there."""


class PortalAccountPlan(Document):
    slug: str
    """Slug of the plan."""
    name: str
    """Its name for people."""


class PortalAccountBalance(Document):
    balance_micros: str
    """Balance of the wallet with the credit that expires and can be spent now, in micros. An integer as
    a decimal string.
    """
    held_micros: str
    """Held by calls that are running. An integer as a decimal string."""
    available_micros: str
    """What is left: the balance less what is held. An integer as a decimal string."""
    calls_in_flight: int
    """Number of calls that are running."""
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, the soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit that can be spent now is part of the balance; credit with a later `starts_at` is
    not yet.
    """


class PortalAccountOnDemand(Document):
    enabled: bool
    """Whether more may be used than is paid for."""
    limit_micros: str | None
    """Their monthly ceiling (UTC); None: none. An integer as a decimal string."""
    ceiling_micros: str | None
    """The most that they may set it to; None: the application has set no bound. An integer as a decimal
    string.
    """
    spent_micros: str
    """On-demand usage in the current calendar month (UTC), in micros. An integer as a decimal string."""
    owed_micros: str
    """On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an
    unpaid invoice. An integer as a decimal string.
    """


class PortalAccountKeys(Document):
    may_mint: bool
    """Whether they may mint keys here."""
    cap_micros: str | None
    """The widest cap of such a key; None: any. An integer as a decimal string."""
    cap_period: Literal["day", "week", "month", "total"] | str
    """The period of that cap and of the total."""
    total_micros: str | None
    """Maximum that all keys created in the portal can spend together per `cap_period`, in micros. Null
    means no total. An integer as a decimal string.
    """
    spent_micros: str | None
    """What these keys spent of the total in the current period, in micros. Null if there is no total. An
    integer as a decimal string.
    """
    left_for_caps_micros: str | None
    """Maximum cap that a further key can have under the total, in micros. Null if there is no total. An
    integer as a decimal string.
    """


class PortalAccountSession(Document):
    expires_at: str
    """When the session ends at the latest. ISO 8601."""
    csrf_token: str | None
    """What pages send as `x-csrf-token`; None where the session is no browser's."""


class PortalAccount(Document):
    """What a person sees of themselves."""
    end_user_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    email: str | None
    """Email address; None: not known."""
    application: str
    """Slug of the application."""
    livemode: bool
    """Whether these are live data; false: test data."""
    read_only: bool
    """Whether the session is read-only: it cannot change anything."""
    opened_by: str | None
    """E-mail address of the member of the team who opened this session. Null if it is the end user."""
    plan: PortalAccountPlan | None
    """The plan that they are on; None: none."""
    balance: PortalAccountBalance
    """The wallet. What the plan grants is in portal.subscription."""
    pace: SpendingPace
    on_demand: PortalAccountOnDemand
    """Use beyond what is paid for."""
    spend_limit: PortalLimit | None
    """The spend limit of the plan; None: none."""
    limits: list[PortalLimit]
    """Limits of the end user over all keys and plans, at most one per period. Empty if none are set."""
    frozen: bool
    """Whether the application has stopped their spending."""
    keys: PortalAccountKeys
    """What portal.mintKey allows."""
    session: PortalAccountSession
    """The session in use."""


class PortalBrand(Document):
    """How the portal of an application looks."""
    product_name: str
    """What people know the product as."""
    primary_color: str
    """The colour of the brand, `#rrggbb`."""
    text_color: str
    """What is read best on that colour, `#rrggbb`."""
    support_email: str | None
    """Where people ask for help; None: not said."""
    support_url: str | None
    """The same as an address of a page."""
    top_up_url: str | None
    """The page where the application sells credit. Null if none is set."""
    pay_url: str | None
    """The page where invoices are paid. Null if none is set."""
    logo: Logo | None
    """The logo; None: none."""


class PortalKey(Document):
    """A key of the signed-in person, without its secret."""
    id: str
    """Id of the key, `key_…`."""
    name: str
    """Its label."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    minted_here: bool
    """Whether they minted it in the portal themselves."""
    cap_micros: str | None
    """What it may spend per `cap_period`; None: no cap. An integer as a decimal string."""
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC); `total`: never."""
    created_at: str
    """When it was minted. ISO 8601."""
    last_used_at: str | None
    """When it was last used; None: never. ISO 8601."""
    revoked_at: str | None
    """When it was revoked; None: it was not. ISO 8601."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    replaced_by: str | None
    """Id of the key that takes its place, `key_…`; None: it was not rotated."""


class PortalLimit(Document):
    """A limit on spending, and what is spent of it."""
    limit_micros: str
    """What may be spent per `period`. An integer as a decimal string."""
    spent_micros: str
    """What was spent in the present one. An integer as a decimal string."""
    period: Literal["day", "week", "month", "total"] | str
    """When it starts anew (UTC); `total`: never."""
    resets_at: str | None
    """When the next period begins; None: never. ISO 8601."""


class PortalRequest(Document):
    """How a call of the signed-in person went."""
    id: str
    """Id of the call, `req_…`, as its answer carried it."""
    status: Literal["settled", "released", "refused", "recovered", "in_flight"] | str
    """`settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
    `recovered`: settled after a crash; `in_flight`: not ended.
    """
    requested_model: str | None
    """The requested model name."""
    key_id: str | None
    """The key it came with."""
    streamed: bool | None
    """Whether it was streamed; None while in flight."""
    http_status: int | None
    """Status of the answer; None while in flight."""
    error_code: str | None
    """Code of the failure or refusal; None: none."""
    charge_micros: str
    """What left pools, wallet or on-demand for it, in micros. An integer as a decimal string."""
    refunded_micros: str
    """Amount refunded so far, in micros. An integer as a decimal string."""
    input_tokens: int
    """Tokens in, cached ones too; 0 where nothing was charged."""
    cached_input_tokens: int
    """Those of the tokens in that came from a cache."""
    output_tokens: int
    """Tokens out, reasoning too; 0 where nothing was charged."""
    latency_ms: int | None
    """Milliseconds from the first byte of the request to the last of the answer; None while in flight."""
    created_at: str
    """Time of the request. ISO 8601."""


class PortalSettings(Document):
    """What end users may do in the portal of the application."""
    end_users_may_mint_keys: bool
    """Whether end users create keys in the portal, and rotate and revoke keys that the application
    created for them. False until it is set.
    """
    key_cap_micros: str | None
    """Maximum cap of one key that an end user creates, in micros per `key_cap_period`. Null means any
    cap, or none. It limits a key, not the end user: see `key_caps_total_micros` and users.limit. An
    integer as a decimal string.
    """
    key_cap_period: Literal["day", "week", "month", "total"] | str
    """Calendar window (UTC) after which the cap and the total reset; `total` never resets."""
    key_caps_total_micros: str | None
    """Maximum that all keys that one end user created in the portal can spend together, in micros per
    `key_cap_period`, including keys that were revoked since. Their caps add up to this at most. Null
    means no total. An integer as a decimal string.
    """


class Price(Document):
    """Rates per million tokens, or per use, in micros. A price in credits has the same rates in
    millionths of a credit. An absent rate is no price.
    """
    input: str | None
    """Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    cache_read: str | None
    """Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    cache_write: str | None
    """Rate per million tokens of input written to the cache, in micros. In a price in credits: in
    millionths of a credit. An integer as a decimal string.
    """
    cache_write_long: str | None
    """Rate per million tokens of input written to the cache for long, in micros. In a price in credits:
    in millionths of a credit. An integer as a decimal string.
    """
    audio_input: str | None
    """Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_input: str | None
    """Rate per million tokens of image input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    output: str | None
    """Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    reasoning: str | None
    """Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    audio_output: str | None
    """Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_output: str | None
    """Rate per million tokens of image output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    request: str | None
    """Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a
    decimal string.
    """
    web_search: str | None
    """Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit.
    An integer as a decimal string.
    """
    tiers: list[PriceTier] | None
    """Rates of large inputs, ascending. At most 16 of them."""
    service_tiers: dict[str, str] | None
    """Multipliers in thousandths, by service tier."""


class PriceLine(Document):
    """Units of one kind, rated."""
    dimension: str
    """What was counted."""
    units: int
    """How many: tokens, or uses."""
    rate: str | None
    """Per million tokens, or per use; None: there is none. An integer as a decimal string."""
    assumed: bool
    """Whether the rate was assumed because the price has none for this dimension. Cached input at the
    rate of input, and reasoning at the rate of output, are not assumed.
    """
    exact: str
    """Units x rate x multiplier, not rounded."""


class PriceLines(Document):
    """Usage rated by one price."""
    price: Literal["cost", "sell", "credits"] | str
    """By which price: what the account is charged, what the bundle sells at, or credits."""
    lines: list[PriceLine]
    """What the amount is made of."""
    multiplier: str
    """Of the service tier, in thousandths."""
    amount: str
    """The sum, rounded up once: micros, or millionths of a credit. An integer as a decimal string."""


class PriceTier(Document):
    """Rates in place of the plain ones for a large input."""
    above_input_tokens: int
    """The rates hold when the whole input is larger than this."""
    input: str | None
    """Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    cache_read: str | None
    """Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    cache_write: str | None
    """Rate per million tokens of input written to the cache, in micros. In a price in credits: in
    millionths of a credit. An integer as a decimal string.
    """
    cache_write_long: str | None
    """Rate per million tokens of input written to the cache for long, in micros. In a price in credits:
    in millionths of a credit. An integer as a decimal string.
    """
    audio_input: str | None
    """Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_input: str | None
    """Rate per million tokens of image input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    output: str | None
    """Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    reasoning: str | None
    """Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    audio_output: str | None
    """Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_output: str | None
    """Rate per million tokens of image output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    request: str | None
    """Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a
    decimal string.
    """
    web_search: str | None
    """Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit.
    An integer as a decimal string.
    """


class ProbeError(Document):
    code: str
    """As in requests.list, were it a call."""
    message: str
    """What it means, and what to do."""
    said: str | None
    """The provider's answer in its own words, at most 2,000 characters, without the account's key; None:
    it sent none.
    """


class Probe(Document):
    """How a provider answered one small call."""
    provider: str
    """Label of the account."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    ok: bool
    """Whether the model answered."""
    status: int | None
    """HTTP status of the provider; None: no answer."""
    latency_ms: int
    """Milliseconds from the request to the end of the answer."""
    input_tokens: int | None
    """As the provider counts; None: it did not."""
    output_tokens: int | None
    """As the provider counts; None: it did not."""
    cost_micros: str | None
    """What the account is charged, in micros; None: the provider counted nothing, or the model has no
    price. An integer as a decimal string.
    """
    error: ProbeError | None
    """Why the model did not answer; None: it did."""
    probed_at: str
    """When. ISO 8601."""


class ProviderAccountPrices(Document):
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    price: Price


class ProviderAccount(Document):
    """An account at a model provider, without its API key."""
    id: str
    """Id of the account, `pa_…`."""
    label: str
    """Its name in the sources of models."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"] | str
    """Its protocol. The simulator is built in and answers without a network."""
    base_url: str | None
    """Base URL of requests; None for the simulator."""
    last_four: str | None
    """Last characters of its API key; None: none."""
    credential_set_at: str | None
    """When its API key was connected or last rotated; None: it has none, or not known. ISO 8601."""
    credential_refused: CredentialRefused | None
    """What its provider says of its API key now; None: nothing against it, as far as is known."""
    last_failed_probe: FailedProbe | None
    """The newest probe of the account that failed. Null if none did."""
    on_client_left: Literal["cut", "drain"] | str | None
    """What happens to a stream of the account when the client leaves. Null means the default of its
    kind: `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`.
    """
    prices: list[ProviderAccountPrices]
    """What the account is charged, by exact model, where that was set here."""
    created_at: str
    """When it was first connected. ISO 8601."""


class RemovedEndUser(Document):
    """A person as they were when they were removed."""
    id: str
    """The service's own id of the person, `eu_…`."""
    external_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    email: str | None
    """Email address; None: not known."""
    bundle: str | None
    """Slug of the bundle that the end user is on in the mode of the request. Null if there is none, or
    if the subscription has ended.
    """
    frozen: bool
    """Whether their spending is stopped."""
    frozen_at: str | None
    """When spending was stopped; None: not stopped. ISO 8601."""
    frozen_reason: str | None
    """Reason given when spending was stopped. Null if there is none. Never shown to the end user."""
    balance: Balance
    """The wallet in the mode of the request."""
    usage: UsageTotals
    """All that they used in the mode of the request."""
    on_demand_enabled: bool
    """Whether more may be used than is paid for, in the mode of the request."""
    limits: list[EndUserLimit]
    """Limits of the end user over all keys and plans, in the mode of the request. Empty if none are set.
    At most 4 of them.
    """
    last_seen_at: str | None
    """When a key of theirs was last used in the mode of the request; None: never. ISO 8601."""
    created_at: str
    """When they were made. ISO 8601."""
    keys_revoked: int
    """Number of keys that this revoked, in both modes."""
    removed_at: str
    """When the person was removed: now. ISO 8601."""


class Request(Document):
    """How a gateway call went."""
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


class RequestCorrection(Document):
    """A later change of what a request was charged."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    billed_micros: str
    """Change of the sell price, in micros. An integer as a decimal string."""
    cost_micros: str
    """Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """What each source paid more; negative if it got money back."""
    ledger_entry_ids: list[str]
    """IDs of its ledger entries, `led_…`."""
    reason: str
    """Reason given with it, as the ledger shows it."""
    actor: str | None
    """Who requested it. Null if the server corrected the request by itself."""
    created_at: str
    """When it was made. ISO 8601."""


class RequestRefund(Document):
    """A refund of a request."""
    id: str
    """ID of the correction, `cor_…`."""
    kind: Literal["refund", "late_usage"] | str
    """`refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
    request became known.
    """
    charge_micros: str
    """Change of the charge, in micros. Negative for a refund. An integer as a decimal string."""
    billed_micros: str
    """Change of the sell price, in micros. An integer as a decimal string."""
    cost_micros: str
    """Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string."""
    legs: list[ExplainedLeg] | None
    """What each source paid more; negative if it got money back."""
    ledger_entry_ids: list[str]
    """IDs of its ledger entries, `led_…`."""
    reason: str
    """Reason given with it, as the ledger shows it."""
    actor: str | None
    """Who requested it. Null if the server corrected the request by itself."""
    created_at: str
    """When it was made. ISO 8601."""
    request_id: str
    """ID of the refunded request, `req_…`."""
    amount_units: str
    """Amount that was refunded, in micros. An integer as a decimal string."""


class RevokedKey(Document):
    """A revoked key, without its secret."""
    id: str
    """Id of the key, `key_…`."""
    name: str
    """Its label."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    livemode: bool
    """False: a test key, which never reaches a provider."""
    end_user_id: str | None
    """The customer's own id of the person that it spends as; of a removed person the service's, `eu_…`.
    """
    cap_micros: str | None
    """Maximum spend per `cap_period`, in micros, for this key and the keys it replaced together. Null
    means no cap. An integer as a decimal string.
    """
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC); `total`: never."""
    spent_micros: str
    """Charges in the current `cap_period`, in micros, for this key and the keys it replaced. Reported
    whether or not a cap is set. An integer as a decimal string.
    """
    held_micros: str
    """Amount held by requests in flight, in micros, for this key and the keys it replaced. Counts
    against the cap. An integer as a decimal string.
    """
    resets_at: str | None
    """When the next `cap_period` begins; None: never. ISO 8601."""
    actor_type: str
    """Kind of the actor that minted it, such as `token`."""
    actor_label: str | None
    """Label of that actor."""
    created_at: str
    """When it was minted. ISO 8601."""
    last_used_at: str | None
    """When it was last used on the gateway; None: never. ISO 8601."""
    revoked_at: str | None
    """When it was revoked; None: it was not. ISO 8601."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    replaced_by: str | None
    """Id of the key that takes its place, `key_…`; None: it was not rotated."""
    also_revoked: list[str]
    """IDs of the keys that this key replaced and that were still in their grace period, `key_…`. They
    were revoked with it.
    """


class RevokedPortalKey(Document):
    """A revoked key of the signed-in person, without its secret."""
    id: str
    """Id of the key, `key_…`."""
    name: str
    """Its label."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    minted_here: bool
    """Whether they minted it in the portal themselves."""
    cap_micros: str | None
    """What it may spend per `cap_period`; None: no cap. An integer as a decimal string."""
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC); `total`: never."""
    created_at: str
    """When it was minted. ISO 8601."""
    last_used_at: str | None
    """When it was last used; None: never. ISO 8601."""
    revoked_at: str | None
    """When it was revoked; None: it was not. ISO 8601."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    replaced_by: str | None
    """Id of the key that takes its place, `key_…`; None: it was not rotated."""
    also_revoked: list[str]
    """IDs of the keys that this key replaced and that were still in their grace period, `key_…`. They
    were revoked with it.
    """


class RotatedKey(Document):
    """A new key in the place of an old one, with its secret."""
    id: str
    """Id of the key, `key_…`."""
    key: str
    """The secret, shown once."""
    key_prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    name: str
    """Its label."""
    end_user_id: str
    """The service's own id of the person, `eu_…`."""
    livemode: bool
    """False: a test key, which never reaches a provider."""
    cap_micros: str | None
    """What it may spend per `cap_period`; None: no cap. An integer as a decimal string."""
    cap_period: Literal["day", "week", "month", "total"] | str
    """When the cap starts anew (UTC)."""
    expires_at: str | None
    """When it expires; None: never. ISO 8601."""
    created_at: str
    """When it was minted. ISO 8601."""
    replaces: str
    """Id of the old key, `key_…`."""
    replaced_ends_at: str
    """When the old key ends: from then on it is refused. ISO 8601."""


class RotatedSecret(Document):
    """A webhook emitter with its new signing secret."""
    id: str
    """Id of the emitter, `emt_…`."""
    kind: Literal["webhook", "vendor_a", "vendor_b", "stripe", "openmeter"] | str
    """`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter
    events of Stripe; `openmeter`: OpenMeter.
    """
    name: str
    """Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters."""
    enabled: bool
    """Whether usage is delivered to it."""
    livemode: bool
    """True: it is told of live calls; false: of test calls."""
    destination: str
    """URL that events are posted to."""
    events: list[Literal["usage.recorded"]]
    """What it is told of."""
    customer_id: Literal["end_user_id", "organization_id", "external_id"] | str
    """Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
    `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person.
    Without a person, or an external id, the organization’s.
    """
    amount: Literal["all", "on_demand"] | str
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount.
    """
    event_type: str | None
    """Event type at the vendor, of `vendor_a` and `openmeter`; None for the others."""
    event_name: str | None
    """Event name at the vendor, of `vendor_b` and `stripe`; None for the others."""
    last_four: str
    """Last four characters of the credential; of a webhook, of the signing secret."""
    previous_secret_ends_at: str | None
    """When the previous signing secret stops signing deliveries, or when it did. Null if the secret was
    never rotated. ISO 8601.
    """
    delivered: int
    """Events that were accepted, replayed ones too."""
    not_delivered: int
    """Events that were attempted and not accepted."""
    dropped: int
    """Events that were never attempted, because 10,000 others waited already."""
    last_delivered_at: str | None
    """Last accepted batch; None: none. ISO 8601."""
    last_failed_at: str | None
    """Last batch not accepted; None: none. ISO 8601."""
    last_failure: str | None
    """Why that batch was not accepted."""
    failing_since: str | None
    """First batch that was not accepted since one was; None: the last one was accepted. ISO 8601."""
    missed: MissedSpan | None
    """The span of calls among which there are some whose events were not accepted and not replayed
    since; None: none. emitters.replay takes it as it is.
    """
    replay: EmitterReplay | None
    """The last replay; None: none was asked for."""
    created_at: str
    """When it was added. ISO 8601."""
    signing_secret: str
    """The new secret, `whsec_…`, returned once."""


class RoutePlanRefusal(Document):
    code: str
    """Code of the error."""
    message: str
    """The sentence."""


class RoutePlan(Document):
    """Who would be asked, in which order."""
    name: str
    """The name that is asked for."""
    router: str | None
    """The router; None: the name is a model."""
    policy: str
    """How targets are put in order."""
    input_tokens: int
    """Tokens of input, as the gateway estimates them."""
    targets: list[PlannedTarget]
    """In the order in which they are tried."""
    refusal: RoutePlanRefusal | None
    """Why such a call would be refused, whatever the money of the caller; None: it would be sent."""


class RouterAttempts(Document):
    within_ms: int
    """No attempt begins later after the first, in milliseconds."""
    attempts_max: int
    """Calls to providers for one call, the first included."""
    retries_per_target: int
    """How often one target is asked again."""
    also_moves_on: list[int]
    """Further statuses at which the next target is tried."""
    never_moves_on: list[int]
    """Statuses at which no other target is tried."""
    on_context_length: Literal["next", "fail"] | str
    """What happens if the request is too long for a target."""
    timeouts: RouterTimeouts
    """Deadlines that differ from the gateway's own."""


class Router(Document):
    """A name with several ways to answer."""
    name: str
    """The name for end users."""
    policy: Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"] | str
    """How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight;
    `cheapest`: what this very call is expected to cost; `fastest`: the time to the first token;
    `leastBusy`: calls in flight; `sticky`: the same person or session stays at one.
    """
    sticky_by: Literal["end_user", "session"] | str
    """Whose calls stay together under `sticky`."""
    targets: list[RouterTargetState]
    """The ways to answer, in their order."""
    attempts: RouterAttempts
    """How targets are tried."""
    serving: bool
    """Whether there is a target that a call can take: false, and every call is refused."""
    created_at: str
    """When the router was added. ISO 8601."""


class RouterAttemptRules(Document):
    """How targets are tried."""
    within_ms: int | None
    """No attempt begins later than so many milliseconds after the first one. 120000 when left out. From
    0 to 3600000.
    """
    attempts_max: int | None
    """Calls to providers for one call, the first included. 5 when left out. From 1 to 50."""
    retries_per_target: int | None
    """How often one target is asked again after a quick 429 or 5xx before the next one is; never after a
    deadline. Defaults to 1. From 0 to 10.
    """
    also_moves_on: list[int] | None
    """HTTP statuses at which the next target is tried, besides the usual ones. At most 50 of them."""
    never_moves_on: list[int] | None
    """HTTP statuses at which no other target is tried, although one usually is. At most 50 of them."""
    on_context_length: Literal["next", "fail"] | str | None
    """What happens if the request is too long for a target. `next`: the next target that may have more
    room is tried; `fail`: the call fails. Defaults to `next`.
    """
    timeouts: RouterTimeouts | None
    """Deadlines of each attempt, in place of the gateway's own."""


class RouterCondition(Document):
    """What a call must be, all of it."""
    bundles: list[str] | None
    """Slugs: the caller's bundle is one of them. 1 to 100 of them."""
    features: list[Literal["tools", "images", "audio", "documents", "json", "reasoning", "stream"] | str] | None
    """What the request needs: all of these. 1 to 7 of them."""
    input_tokens_min: int | None
    """Tokens of input, as the gateway estimates them, at least. From 0 to 100000000."""
    input_tokens_max: int | None
    """Tokens of input, as the gateway estimates them, at most. From 0 to 100000000."""
    mode: Literal["live", "test"] | str | None
    """Mode of the caller's key."""


class RouterTargetAlias(Document):
    """A model name of the application."""
    alias: str
    """A model name of the application."""
    weight: int | None
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: int | None
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: RouterCondition | None
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt here, in place of the router's."""


class RouterTargetProblem(Document):
    """Why a target is passed over, whatever the call."""
    code: Literal["disabled", "unpriced", "test_only", "removed", "empty"] | str
    """`empty`: it is a router, and none of its own targets can be taken. `test_only`: every account
    behind it is a simulator, and the mode of the request is live.
    """
    reason: str
    """Why no call can take it."""
    mend: OperationCall
    """The call that mends it."""


class RouterTargetRouter(Document):
    """Another router of the application."""
    router: str
    """Another router of the application."""
    weight: int | None
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: int | None
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: RouterCondition | None
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt here, in place of the router's."""


class RouterTargetSource(Document):
    """A model of a provider account."""
    provider: str
    """Label of a provider account; with `model`."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    weight: int | None
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: int | None
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: RouterCondition | None
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: RouterTimeouts | None
    """Deadlines of an attempt here, in place of the router's."""


class RouterTargetState(Document):
    """One way to answer, and whether it can be taken now."""
    alias: str | None
    """A model name of the application."""
    router: str | None
    """Another router of the application."""
    provider: str | None
    """Label of a provider account, with `model`; its id where it was removed after the application was
    archived.
    """
    model: str | None
    """The provider's model id, exactly. 1 to 200 characters."""
    weight: int
    """Under `weighted` its share among the weights of all. From 1 to 1000000."""
    max_in_flight: int | None
    """The most calls in flight through it, in one server process; None: any number. From 1 to 1000000."""
    when: RouterCondition | None
    """What a call must be for it to be taken; None: any."""
    timeouts: RouterTimeouts
    """Deadlines here that differ from the router's."""
    problem: RouterTargetProblem | None
    """Why no call takes it now; None: calls can."""


class RouterTimeouts(Document):
    """Deadlines of one attempt."""
    connect_ms: int | None
    """To a connection, in milliseconds. From 1 to 60000."""
    first_byte_ms: int | None
    """From the request to the head of its answer. Defaults to a third of `within_ms`, at most 120,000,
    while another target is left, in milliseconds. From 1 to 600000.
    """
    first_token_ms: int | None
    """From the request to the first text of a streamed answer. Defaults to 10,000 and 1,000 more for
    each 10,000 tokens of input while another target is left, and to no limit otherwise or for a model
    that reasons, in milliseconds. From 1 to 600000.
    """
    idle_ms: int | None
    """Between two pieces of an answer, in milliseconds. From 1 to 600000."""
    total_ms: int | None
    """For the whole attempt, in milliseconds. From 1 to 3600000."""


class Series(Document):
    """Some calls over time."""
    totals: SeriesTotals
    points: list[SeriesPoint]
    """Buckets in order of time; one in which nothing ended is left out."""


class SeriesGroup(Document):
    """The calls of one group over time."""
    group: str | None
    """Requested name, label of the provider account (its id, `pa_…`, when it is gone), slug of the
    bundle, external id or id of the key; None: not known, or nothing was charged.
    """
    totals: SeriesTotals
    points: list[SeriesPoint]
    """Buckets in order of time; one in which nothing ended is left out."""


class SeriesLatency(Document):
    """How long the calls of one bucket took."""
    at: str
    """The beginning of the bucket. ISO 8601."""
    latency_ms: SeriesPercentiles
    """From the first byte of a request to the last of its answer."""
    first_byte_ms: SeriesPercentiles
    """To the first byte of the answer, where there was one."""


class SeriesPercentiles(Document):
    """How long calls took, in milliseconds."""
    p50_ms: int | None
    """Half of the calls took no longer; None without calls."""
    p95_ms: int | None
    """95 of 100 calls took no longer."""


class SeriesPoint(Document):
    """What calls add up to that ended in one bucket."""
    at: str
    """The beginning of the bucket. ISO 8601."""
    calls: int | None
    """Calls that ended, charged or not; None: days of people and keys count those that were charged
    alone.
    """
    charged_calls: int
    """Those that were charged."""
    failed: FailedCalls | None
    """Those of `calls` that did not go well, by whose doing it was; None where `calls` is."""
    input_tokens: int | None
    """Tokens in; None: there are only sums of days for them, by nothing, model, end user and key."""
    output_tokens: int | None
    """Tokens out; None where `input_tokens` is."""
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


class SeriesTotals(Document):
    """What calls of a range add up to."""
    calls: int | None
    """Calls that ended, charged or not; None: days of people and keys count those that were charged
    alone.
    """
    charged_calls: int
    """Those that were charged."""
    failed: FailedCalls | None
    """Those of `calls` that did not go well, by whose doing it was; None where `calls` is."""
    input_tokens: int | None
    """Tokens in; None: there are only sums of days for them, by nothing, model, end user and key."""
    output_tokens: int | None
    """Tokens out; None where `input_tokens` is."""
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


class Session(Document):
    """A person who is signed in on one browser."""
    id: str
    """Id of the session, `ses_…`."""
    member_id: str
    """Id of the member whose it is, `mem_…`."""
    address: str
    """Network address from which the member signed in."""
    user_agent: str
    """What the browser called itself then."""
    created_at: str
    """When the member signed in. ISO 8601."""
    last_used_at: str
    """When the session was last used, to ten minutes. ISO 8601."""
    expires_at: str
    """When it ends by itself: 30 days after the sign-in, or after 7 days without use. ISO 8601."""
    is_current: bool
    """True: the session of this request."""


class SignInPolicy(Document):
    """What an organization requires of members who sign in."""
    passkey_required: bool
    """Whether members need a passkey to sign in with a password. Sign-ins by the identity provider are
    not affected.
    """


class SignedInOrganization(Document):
    id: str
    """Id of the organization, `org_…`."""
    name: str
    """Its name."""


class SignedIn(Document):
    """A session and whose it is. Its secret is in the cookie alone."""
    id: str
    """Id of the session, `ses_…`."""
    expires_at: str
    """When it ends by itself. ISO 8601."""
    csrf_token: str
    """What a page sends as the header `x-csrf-token` with every request that is not a GET."""
    active_application: str | None
    """Slug of the application that `apps.use` made active for the session; None: none."""
    member: Member
    """Who is signed in."""
    organization: SignedInOrganization
    """The organization whose team it is."""


class SpendingPace(Document):
    """How fast somebody spends, and how long what they have lasts."""
    from_: str
    """The beginning of the first of those days, UTC. ISO 8601."""
    to: str
    """Now. ISO 8601."""
    days: int
    """Number of days looked at, today included: seven, or fewer for whoever used something for the first
    time since. From 1 to 7.
    """
    charged_micros: str
    """What calls that settled in them were charged. An integer as a decimal string."""
    per_day_micros: str
    """The mean of a day, rounded up. An integer as a decimal string."""
    available_micros: str
    """What pays without overage: what wallet and pools leave, without credits that have no price. A
    wallet below zero counts as nothing. An integer as a decimal string.
    """
    lasts_days: int | None
    """How many whole days that lasts at this pace, at most 36525; None: nothing was charged, or nothing
    is left. From 0 to 36525.
    """


class SubscriptionPoolsAliases(Document):
    requested_model: str
    """The requested model name."""
    consumed: str
    """Amount paid for it. An integer as a decimal string."""


class SubscriptionPools(Document):
    slug: str
    """Slug of the include that grants it."""
    display_name: str
    """Name for people."""
    unit: Literal["tokens", "micros", "credits"] | str
    """What `granted` and `consumed` count: micros, also for credits that are sold for a price, as their
    share of it; or, as an extension of ours, millionths of a credit that has no price (`credits`).
    """
    granted: str
    """Grant of the period. An integer as a decimal string."""
    consumed: str
    """What settled calls took of it, and what pools of other plans have paid in its place in the same
    period. An integer as a decimal string.
    """
    spillover_to: str | None
    """The pool that pays for the rest of a call once this one is spent; None: none does."""
    then_on_demand: bool
    """Whether usage past it may be paid otherwise, or stops."""
    rolled_over: str
    """How much of `granted` was carried over from earlier months, in the unit of the pool. An integer as
    a decimal string.
    """
    aliases: list[SubscriptionPoolsAliases]
    """Use by model name."""


class SubscriptionInvoices(Document):
    id: str
    """Id of the invoice, `inv_…`."""
    issued_at: str
    """When it was issued. ISO 8601."""
    due_at: str
    """When it is past due if it is not paid. ISO 8601."""
    period_start: str
    """The first instant of what it is for. ISO 8601."""
    period_end: str
    """The end of what it is for. ISO 8601."""
    amount_micros: str
    """Amount due. An integer as a decimal string."""
    status: Literal["paid", "open", "past_due"] | str
    """Payment status."""
    lines: list[InvoiceLine]
    """What the amount is the sum of."""


class Subscription(Document):
    """The plan of a person and what is left of it."""
    plan_name: str
    """Display name of the bundle."""
    price_micros: str
    """What it costs per interval, as agreed when they came to it; 0 without a price. An integer as a
    decimal string.
    """
    interval: Literal["month", "year"] | str
    """Billing interval."""
    period_start: str
    """When the current period began. ISO 8601."""
    period_end: str
    """When the next one begins. ISO 8601."""
    on_demand_enabled: bool
    """Whether more may be used than is paid for."""
    on_demand_limit_micros: str | None
    """Their own monthly ceiling of that; None while enabled: none. An integer as a decimal string."""
    on_demand_spent_micros: str
    """On-demand usage in the current calendar month (UTC), in micros. It is invoiced after the month. An
    integer as a decimal string.
    """
    pools: list[SubscriptionPools]
    """Allotments that pay now, in the order they were granted."""
    expiring_credit: list[ExpiringCredit]
    """Credit that expires, the soonest first. It is spent after plan pools and before the rest of the
    wallet. Credit that can be spent now is part of the balance; credit with a later `starts_at` is
    not yet.
    """
    on_demand_blocked_since: str | None
    """Since then an invoice is past due, and overage pays for nothing new until it is paid; None: none
    is. ISO 8601.
    """
    on_demand_owed_micros: str
    """On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an
    unpaid invoice. An integer as a decimal string.
    """
    credit_micros: str
    """What later invoices are reduced by: unused days of a plan that was replaced by a dearer one. An
    integer as a decimal string.
    """
    ends_at: str | None
    """When it ends, because it was cancelled; None: it goes on. ISO 8601."""
    invoices: list[SubscriptionInvoices]
    """Bills, newest first, without void ones; the newest 100, `invoices.list` has all."""


class TestClock(Document):
    """The clock of the test mode of an application."""
    now: str
    """The time in test mode. It goes on as the real time does. ISO 8601."""
    real_now: str
    """The real time, which live mode follows. ISO 8601."""
    offset_ms: int
    """How far test mode is ahead, in milliseconds; 0: not at all."""
    latest: str
    """The latest time that it can be advanced to now. ISO 8601."""


class Tier(Document):
    """What one tier costs."""
    tier: str
    """What bill.subscribe takes."""
    base_micros: str
    """Price of a calendar month, in micros. An integer as a decimal string."""
    included_calls: int
    """Settled live calls of a month that the base pays for."""
    per_thousand_calls_micros: str
    """Micros for a thousand settled live calls beyond those; a bill rounds up once a line. An integer as
    a decimal string.
    """
    included_seats: int
    """Members that the base pays for."""
    per_seat_micros: str
    """Micros for each further member and month. An integer as a decimal string."""


class TierStateNext(Document):
    tier: str
    """The tier that it moves to."""
    from_: str
    """The first day (UTC) on it, which begins a month. ISO 8601."""


class TierState(Document):
    """The tier of an organization."""
    tier: str
    """The tier that the organization is on."""
    since: str
    """The first day (UTC) on it. ISO 8601."""
    next: TierStateNext | None
    """The move that was asked for and is ahead; None: none."""


class Token(Document):
    """A control-plane token, without its secret."""
    id: str
    """Id of the token, `apk_…`."""
    label: str
    """Name for people."""
    prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """The role whose operations it may call."""
    application_id: str | None
    """Id of the one application that it may use, `app_…`; None: every one."""
    member_id: str | None
    """Id of the member who signed in on the device that holds it, `mem_…`; None: a token of the
    organization.
    """
    created_by: TokenCreator | None
    """Who created the token. Null if the server’s operator created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When it was last used, to ten minutes; None: never. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""


class TokenCreator(Document):
    """Who created a control-plane token."""
    type: Literal["member", "token"] | str
    """Whether a member or another token created it."""
    id: str
    """ID of that member (`mem_…`) or token (`apk_…`)."""
    label: str
    """Email address of the member, or label of the token, when the token was created."""
    member_id: str | None
    """ID of the member responsible for the token, `mem_…`: the member who created it, or the member
    behind the token that created it. Null if no member is behind that token.
    """


class UsageRow(Document):
    """A usage record."""
    id: str
    """ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`."""
    kind: Literal["usage", "refund", "late_usage"] | str
    """`usage`: a charged request. `refund` and `late_usage`: a correction of one, whose amounts are
    differences and whose token counts are 0.
    """
    request_id: str
    """Id of the call, `req_…`."""
    settled_at: str
    """When the request was charged or corrected. `from` and `to` select by this time. ISO 8601."""
    created_at: str
    """Time of the request. ISO 8601."""
    end_user_id: str
    """The customer's own id of the person; of a removed one the id `eu_…`."""
    key_id: str
    """The key it came with."""
    bundle: str | None
    """Slug of the bundle that sold it; None: the call died with its process."""
    requested_model: str
    """The requested model name."""
    provider: str
    """Label of the provider account that answered; its id, `pa_…`, when it is gone."""
    provider_kind: str
    """Kind of that account."""
    provider_model: str
    """The provider's model id."""
    wire: str
    """The wire format that it came in."""
    streamed: bool
    """Whether it was streamed."""
    http_status: int
    """Status of the answer."""
    error_code: str | None
    """Code of the failure; None: none."""
    token_count_source: Literal["provider_reported", "estimated", "recovered"] | str
    """Who counted the tokens: the provider; this gateway; or its last note, after the process of the
    call had died.
    """
    input_tokens: int
    """Tokens in, cached ones too."""
    cached_input_tokens: int
    """Those of the tokens in that the provider had cached."""
    cache_write_tokens: int
    """Those of the tokens in that were written to its cache."""
    output_tokens: int
    """Tokens out, reasoning too."""
    reasoning_tokens: int
    """Those of the tokens out that were reasoning."""
    web_searches: int
    """Searches that the provider made for it."""
    cost_micros: str
    """What the provider account is charged for it, in micros. An integer as a decimal string."""
    billed_micros: str
    """What the bundle sells it for, of what was charged, in micros. An integer as a decimal string."""
    charge_micros: str
    """What left pools, wallet or on-demand for it, in micros. An integer as a decimal string."""
    paid_from_plan_micros: str | None
    """Part of the charge that pools of the plan paid, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    paid_from_gift_micros: str | None
    """Part of the charge from credit that was given, in micros. Null for requests recorded before
    payments were split. An integer as a decimal string.
    """
    paid_from_wallet_micros: str | None
    """Part of the charge from wallet money that was paid for, in micros. Null for requests recorded
    before payments were split. An integer as a decimal string.
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
    """What was used beyond what was held for it, in micros: neither charged nor billed. An integer as a
    decimal string.
    """
    outcome: str | None
    """Slug of the outcome it was a step of; None: none."""
    run_id: str | None
    """The run of that outcome; None: none."""
    latency_ms: int
    """Milliseconds from the first byte of the request to the last of the answer."""
    first_byte_ms: int | None
    """Milliseconds to the first byte of the answer; None: none."""


class UsageSeriesLatencyTotals(Document):
    latency_ms: SeriesPercentiles
    """From the first byte of a request to the last of its answer."""
    first_byte_ms: SeriesPercentiles
    """To the first byte of the answer, where there was one."""


class UsageSeries(Document):
    """What was used over time."""
    from_: str
    """From when on is counted; later than asked: there is too much to read, minutes of 100,000 calls or
    days of 100,000 people, keys and names. ISO 8601.
    """
    to: str
    """The end of the last bucket, which may not be over. ISO 8601."""
    bucket: Literal["minute", "hour", "day"] | str
    """What each point is."""
    is_whole: bool
    """False: there is too much to read, and only the newest is counted: of minutes and of people from
    `from` on, of the hour that is not over its last 100,000 calls.
    """
    all: Series
    """Every call that the filters leave."""
    groups: list[SeriesGroup]
    """Those with the most, in their order."""
    other: Series | None
    """All groups that are not among `groups`; None: there are none."""
    latency: list[SeriesLatency] | None
    """Of all calls, by bucket, as `health` has them; None: not asked for."""
    latency_totals: UsageSeriesLatencyTotals | None
    """The same of the whole range at once; None: not asked for."""


class UsageTotals(Document):
    """What settled calls add up to."""
    calls: int
    """Settled calls."""
    input_tokens: int
    """Tokens in."""
    output_tokens: int
    """Tokens out."""
    billed_micros: str
    """Amount billed, in micros, less refunds made in the range. Negative if refunds of earlier requests
    exceed it. An integer as a decimal string.
    """
    over_hold_micros: str
    """What was used beyond what was held for them: neither charged nor billed, the cost of the
    application. An integer as a decimal string.
    """


class UserLimit(Document):
    """Something that bounds what a person can spend."""
    kind: Literal["pool", "credit", "on_demand", "bundle_limit", "end_user_limit", "portal_total", "key_cap"] | str
    """`pool`: an allotment of the plan; `credit`: credit that expires; `on_demand`: overage of this
    month; `bundle_limit`: the spend limit of the plan; `end_user_limit`: a limit of the end user over
    all keys and plans; `portal_total`: the total of all keys created in the portal; `key_cap`: the
    cap of one key and the keys it replaced.
    """
    id: str
    """Slug of the include or of the bundle, ID of the grant or of the key, window of the end user limit,
    `portal`, or `on_demand`.
    """
    name: str
    """Its name for people."""
    unit: Literal["micros", "credits"] | str
    """What it counts; credits in millionths."""
    limit_units: str | None
    """What it allows; None: it has no bound. An integer as a decimal string."""
    used_units: str
    """What settled calls took of it. An integer as a decimal string."""
    held_units: str
    """What calls in flight hold of it. An integer as a decimal string."""
    available_units: str | None
    """What it leaves; negative: it was exceeded; None: it has no bound. An integer as a decimal string.
    """
    period: Literal["day", "week", "month", "total"] | str | None
    """When it starts anew (UTC); None: with the period of the plan, or once for ever."""
    resets_at: str | None
    """When that is; None: never. ISO 8601."""
    expires_at: str | None
    """When what is unspent of it expires for good. Null if it does not expire. ISO 8601."""


class UserLimits(Document):
    """What bounds the next call of a person."""
    on_plan: bool
    """Whether they are on a plan; without one keys call nothing."""
    calls_in_flight: int
    """Number of calls that are running."""
    held_micros: str
    """What those hold, of all sources together. An integer as a decimal string."""
    pace: SpendingPace
    on_demand_blocked_since: str | None
    """Since then an invoice is past due, and overage pays for nothing new; None: none is. ISO 8601."""
    limits: list[UserLimit]


class WeeklyHours(Document):
    """The same opening hours on some days of the week, in UTC."""
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | str]
    """Days on which it opens. 1 to 7 of them."""
    from_: str
    """When it opens: hours and minutes, UTC."""
    until: str
    """When it closes, UTC. Not later than `from`: on the day after. `24:00` ends the day."""


class ExplainedTimelinePart(Document):
    phase: Literal["decide", "attempt", "stream", "settle"] | str
    """`decide`: from the request to the hold; `attempt`: a provider works; `stream`: text comes;
    `settle`: to the end.
    """
    at_ms: int
    """When it began, in milliseconds of the call."""
    duration_ms: int
    """How long it took, in milliseconds."""


ExplainedTimeline: TypeAlias = list[ExplainedTimelinePart]
"""The phases with a measured time, in order."""


RouterTarget: TypeAlias = RouterTargetAlias | RouterTargetRouter | RouterTargetSource
"""One way to answer: an `alias`, a `router`, or a `provider` with a `model`."""
