// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

/** One of these words; a later server may know more. */
export type Open<Words extends string> = Words | (string & {})

/** Health of a provider account. */
export interface AccountHealth {
  /** Label of the provider account. */
  provider: string
  /**
   * Health now and over the last 24 hours.
   *
   * - `healthy`: no request failed.
   * - `degraded`: some requests failed, or some targets are unavailable now.
   * - `failing`: at least five requests and at least 5 % failed.
   * - `unavailable`: no target is available now.
   * - `key_refused`: the provider rejects the key.
   * - `unknown`: no requests.
   */
  state: Open<'healthy' | 'degraded' | 'failing' | 'unavailable' | 'key_refused' | 'unknown'>
  /** Number of requests in the last 24 hours, or of attempts for an account. */
  calls: number
  /** Number of failures caused by the provider or this server. */
  failed: number
  /** `failed` divided by `calls`. 0 if `calls` is 0. From 0 to 1. */
  failureRate: number
  /** Problem, with its numbers. Null if the state is `healthy` or `unknown`. */
  why: string | null
}

/** A model that an account can use, with its price. */
export interface AccountModel {
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  price: Price
  /** Source of the price. `account`: set on the account. `catalogue`: published by the provider. */
  pricedBy: Open<'account' | 'catalogue'>
  /**
   * Dimensions that the provider reports but the price has no rate for. If the list is not empty, the model
   * is served only in bundles that price it, and the cost of these units is assumed.
   */
  missing: string[]
  /** Context window, in tokens. Null if unknown. */
  contextTokens: number | null
  /** Maximum output tokens of a response. Null if unknown. */
  maxOutputTokens: number | null
  /** Whether the provider is about to retire the model. */
  deprecated: boolean
}

/** A new emitter, with its signing secret. */
export interface AddedEmitter {
  /** ID of the emitter, `emt_…`. */
  id: string
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label of the emitter. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered. */
  enabled: boolean
  /** Whether the emitter receives live requests. False means test requests. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** Events that are delivered. */
  events: 'usage.recorded'[]
  /**
   * ID under which usage is filed. Usage without an end user or external ID is filed under the ID of the
   * organization.
   *
   * - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
   * - `organization_id`: the ID of the organization, for all usage.
   * - `external_id`: the external ID of the end user.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds. */
  eventType: string | null
  /** Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds. */
  eventName: string | null
  /** Last four characters of the credential, or of the signing secret of a webhook. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Number of events that were accepted, including replayed events. */
  delivered: number
  /** Number of events that were attempted and not accepted. */
  notDelivered: number
  /** Number of events that were never attempted, because 10,000 events were already waiting. */
  dropped: number
  /** When a batch was last accepted. Null if no batch was accepted. ISO 8601. */
  lastDeliveredAt: string | null
  /** When a batch was last not accepted. Null if every batch was accepted. ISO 8601. */
  lastFailedAt: string | null
  /** Reason why that batch was not accepted. Null if every batch was accepted. */
  lastFailure: string | null
  /**
   * When deliveries started to fail: the first batch that was not accepted since the last accepted one.
   * Null if the last batch was accepted. ISO 8601.
   */
  failingSince: string | null
  /**
   * Span that contains every request whose events were neither accepted nor replayed since.
   * `emitters.replay` accepts it as it is. Null if no event was missed.
   */
  missed: MissedSpan | null
  /** Last replay. Null if no replay was requested. */
  replay: EmitterReplay | null
  /** When the emitter was added. ISO 8601. */
  createdAt: string
  /**
   * Signing secret of a webhook, `whsec_…`. It is returned once and cannot be retrieved again.
   * `emitters.rotateSecret` replaces it. Null for other kinds.
   */
  signingSecret: string | null
}

/** A key of an end user, without its secret. */
export interface ApiKeySummary {
  /** ID of the key, `key_…`. */
  id: string
  /** Display name of the key. */
  name: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Whether the key is a live key. Test keys never reach a provider. */
  livemode: boolean
  /**
   * External ID of the end user that the key belongs to. If the end user was deleted, their ID, `eu_…`.
   */
  endUserId: string | null
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Charges in the current `capPeriod`, in micros, for the key and the keys it replaced. Reported with or
   * without a cap. An integer as a decimal string.
   */
  spentMicros: string
  /**
   * Amount held by requests in flight, in micros, for the key and the keys it replaced. It counts toward
   * the cap. An integer as a decimal string.
   */
  heldMicros: string
  /** When the next `capPeriod` begins. Null if the cap never resets. ISO 8601. */
  resetsAt: string | null
  /** Kind of the actor who created the key, such as `token`. */
  actorType: string
  /** Label of the actor who created the key. Null if the actor has no label. */
  actorLabel: string | null
  /** When the key was created. ISO 8601. */
  createdAt: string
  /** When the key was last used at the gateway. Null if the key has never been used. ISO 8601. */
  lastUsedAt: string | null
  /** When the key was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** ID of the key that replaces this one, `key_…`. Null if the key was not rotated. */
  replacedBy: string | null
}

/** An application: one product with its own end users, keys and model names. */
export interface Application {
  /** Slug of the application. It is part of the application's host names and cannot be changed. */
  slug: string
  /** Display name. */
  name: string
  /** Base URL of the gateway. */
  gateway: string
  /** URL of the end-user portal. */
  portal: string
  /** URL of the gateway by address and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** URL of the portal by address and port, for clients that do not resolve `*.localhost`. */
  localPortal?: string
  /** Number of end users. */
  endUsers: number
  /** Number of keys that are not revoked. */
  keys: number
  /** Slugs of the bundles. */
  bundles: string[]
  /** Model names. */
  models: string[]
  /** Provider cost of settled requests in the mode of this request, in US dollars. */
  costUsd: string
  /** When the application was created. ISO 8601. */
  createdAt: string
  /** When the application was archived. Null if it is not archived. ISO 8601. */
  archivedAt: string | null
}

/** Changes that a document made, or would make in a dry run. */
export interface AppliedConfiguration {
  /** Whether this was a dry run, which changes nothing. */
  dryRun: boolean
  /**
   * Changes, in the order of the sections and then by name. Items of the document that do not change are
   * omitted.
   */
  changes: ConfigurationChange[]
}

/** A change made through the control plane. */
export interface AuditEntry {
  /** ID of the entry, `aud_…`. */
  id: string
  /** When the change was made. ISO 8601. */
  at: string
  /** ID of the operation that made the change. */
  operation: string
  /** Method and path of the request. */
  resource: string
  /** ID of the application that was changed. Null if the change belongs to the organization. */
  applicationId: string | null
  /** Mode of the request. */
  mode: Open<'live' | 'test'>
  /** Caller that made the change. */
  actor: {
    /**
     * `token`: a control-plane token. `member`: a member of the team. `end_user`: an end user in the
     * portal. `stranger`: a failed sign-in.
     */
    kind: string
    /**
     * ID of the token, member or end user. For a failed sign-in, the ID of the member whose account was
     * tried.
     */
    id: string
    /** Label of the token, or email address of the member. */
    label: string
    /** Network address of the client. */
    address: string
  }
  /** ID of the request, `req_…`. */
  requestId: string
  /** Configuration before the change. Null if the resource did not exist or has no state to compare. */
  before: unknown
  /**
   * Configuration after the change, or the response if there is no state to compare. Secrets are never
   * included.
   */
  after: unknown
}

/** Wallet of an end user. */
export interface Balance {
  /**
   * Wallet balance, including expiring credit that can be spent now, in micros. An integer as a decimal
   * string.
   */
  balanceUnits: string
  /**
   * Amount held for requests in flight, in micros. The available amount is `balanceUnits` less
   * `reservedUnits`. An integer as a decimal string.
   */
  reservedUnits: string
  /**
   * Credit that expires, soonest first. It is spent after plan pools and before the rest of the wallet.
   * Credit with a future `startsAt` is not part of the balance yet.
   */
  expiringCredit: ExpiringCredit[]
}

/** A manual change of a wallet: a top-up or an adjustment. */
export interface BalanceChange {
  /** ID of the change, `gr_…`. */
  id: string
  /** The customer's own ID for the end user. */
  endUserId: string
  /** Kind of the ledger entry. */
  kind: Open<'topup' | 'adjustment'>
  /**
   * Amount added to the balance, in micros. Negative if it was subtracted. An integer as a decimal string.
   */
  amountUnits: string
  /** Balance after the change, in micros. An integer as a decimal string. */
  balanceAfterUnits: string
  /** Reference of the payment for a top-up. Null for every other kind. */
  paymentReference: string | null
  /** Reason given with the change, as the ledger shows it. */
  reason: string
  /** ID of the ledger entry, `led_…`. */
  ledgerEntryId: string
  /** When the change was made. ISO 8601. */
  createdAt: string
}

/** A line of a bill. */
export interface BillLine {
  /**
   * Reason for the line.
   *
   * - `base`: the first tier of the month.
   * - `upgrade`: the price difference of a more expensive tier for the remaining days.
   * - `calls`: requests beyond the included ones.
   * - `seats`: members beyond the included ones.
   * - `late_calls`: requests of an earlier month that settled after its bill, at the amount that they would
   * have added to it.
   */
  kind: Open<'base' | 'upgrade' | 'calls' | 'seats' | 'late_calls'>
  /** Month that the line is for. */
  period: string
  /** Tier that sets the price. Null for `late_calls`. */
  tier: string | null
  /** Number of days of the month that the line covers. */
  days: number
  /** Billed units: 1 for `base` and `upgrade`, otherwise requests or members beyond the included ones. */
  quantity: number
  /** Requests of these days that are included. 0 for lines of other kinds. */
  included: number
  /**
   * Unit price, in micros: for a whole month of a base or a member, or for 1,000 requests. Null for
   * `late_calls`. An integer as a decimal string.
   */
  unitMicros: string | null
  /** Amount of the line, in micros, rounded up once. An integer as a decimal string. */
  amountMicros: string
}

/** The brand of the portal, with the readability of its color. */
export interface Brand {
  /** Product name that end users see. */
  productName: string
  /** Brand color, `#rrggbb`. */
  primaryColor: string
  /** Text color with the most contrast on the brand color, `#rrggbb`. */
  textColor: string
  /** Email address where end users get help. Null if not set. */
  supportEmail: string | null
  /** Web page where end users get help. Null if not set. */
  supportUrl: string | null
  /** Page where the application sells credit. Null if not set. */
  topUpUrl: string | null
  /** Page where end users pay invoices. Null if not set. */
  payUrl: string | null
  /** Logo. Null if not set. */
  logo: Logo | null
  /** Readability of the brand color. */
  contrast: {
    /** Contrast ratio of the brand color to white, 1 to 21 (WCAG 2.2). */
    white: number
    /** Contrast ratio of the brand color to black, 1 to 21 (WCAG 2.2). */
    black: number
    /**
     * Warning that text in the brand color is hard to read. Null if the contrast to white is at least
     * 4.5:1.
     */
    warning: string | null
  }
}

/** A bundle: the models, prices and grants of its end users. */
export interface Bundle {
  slug: string
  /** Display name. 1 to 128 characters. */
  displayName: string
  /**
   * Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
   * bundle keep their price until they are put on it again. An integer as a decimal string.
   */
  priceMicros: string | null
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /**
   * Maximum spend of each end user per period, in micros. Null means no limit. An integer as a decimal
   * string.
   */
  spendLimitMicros: string | null
  /** Period after which `spendLimitMicros` resets (UTC). `total` means that it never resets. */
  spendLimitPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message` lets
   * it finish. `grace` lets it continue by up to `maxOverdraftMicros`.
   */
  terminationPolicy: Open<'hard_token' | 'complete_message' | 'grace'>
  /**
   * Maximum amount by which a request can exceed its hold under `grace`, in micros. An integer as a decimal
   * string.
   */
  maxOverdraftMicros: string
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   */
  debitBasis: Open<'provider_cost' | 'sell_price'>
  /**
   * Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
   * users hold credits of the bundle. 1 to 32 characters.
   */
  creditCurrency: string | null
  /**
   * Handling of a stream when an end user of the bundle disconnects before its end. Null means the setting
   * of the provider account.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** Models that end users of the bundle can use. */
  allow: string[]
  /** Exceptions to `allow`. */
  deny: string[]
  /** Sell prices and credit prices that are set, by model. */
  prices: {
    model: string
    price: Price | null
    credits: Price | null
  }[]
  /** Includes of the bundle, in the order in which they are granted. */
  includes: BundleInclude[]
  /** Whether new end users get this bundle. */
  default: boolean
  /** Settings of the bundle that need a decision. Empty if every setting is decided. */
  warnings: BundleWarning[]
  /** When the bundle was created. ISO 8601. */
  createdAt: string
}

/** An amount that a bundle grants to its end users. */
export interface BundleInclude {
  slug: string
  /** Display name. 1 to 128 characters. */
  displayName: string
  /** Unit of `amount`. */
  unit: Open<'credits' | 'micros'>
  /** Amount of each grant, in micros or millionths of a credit. An integer as a decimal string. */
  amount: string
  /**
   * Separate price of the include, in micros. Null means that the include is free. An integer as a decimal
   * string.
   */
  price: string | null
  /** Whether the wallet and on-demand billing cover usage after this pool is exhausted. */
  thenOnDemand: boolean
  /** Whether the amount is granted every period. False means once, at sign-up. */
  recurring: boolean
  /**
   * Source that pays the rest of a request when the pool is exhausted.
   *
   * - A slug means that include of the bundle.
   * - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
   * paid, oldest.
   * - Null means no other pool. `thenOnDemand` then decides whether the wallet and on-demand billing pay.
   */
  spilloverTo: string | null
  /** Models that the pool can pay for. Null means every model in the bundle. 1 to 200 of them. */
  models: string[] | null
  /**
   * Part of a recurring include that is carried over at the end of a month. Null means that the unspent
   * amount expires.
   */
  rollover: {
    /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
    percent: number
    /** Maximum number of times that the same units are carried over, up to 12. From 1 to 12. */
    periodsMax: number
  } | null
}

/** A setting of the bundle that needs a decision. */
export interface BundleWarning {
  /** Stable code of the warning. */
  code: Open<'debit_basis_not_set'>
  /** Current behavior, and the request that changes it. */
  message: string
}

/** A model with the price that its provider publishes. */
export interface CatalogModel {
  /** Name of the model in the catalog: provider and model ID, separated by a slash. */
  name: string
  /** ID of a provider in the catalog. 1 to 64 characters. */
  provider: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  /** Format of the date that can follow the model ID after a hyphen. Null if no date can follow. */
  dated: Open<'YYYY-MM-DD' | 'YYYYMMDD'> | null
  price: Price
  /** When the price took effect. Null means before the first price list. ISO 8601. */
  effectiveFrom: string | null
  /** Context window, in tokens. Null if unknown. */
  contextTokens: number | null
  /** Maximum output tokens of a response. Null if unknown. */
  maxOutputTokens: number | null
  /** Whether the provider is about to retire the model. */
  deprecated: boolean
  /** Note on the price. Null if there is no note. */
  note: string | null
  /** Source of the price. */
  source: string
  /** Day on which the source was read. */
  checkedAt: string
}

/** A provider whose prices are in the catalog. */
export interface CatalogProvider {
  /** ID of a provider in the catalog. 1 to 64 characters. */
  id: string
  /** Name of the provider. */
  name: string
  /** API format of the provider. The simulator is built in and responds without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
  /**
   * Base URLs, the usual one first. The published prices apply to provider accounts at exactly one of these
   * URLs.
   */
  baseUrls: string[]
  /** Pricing page of the provider. */
  pricingUrl: string
  /** Number of models that currently have a price. */
  models: number
}

/** A member whose role was changed or who was removed. */
export interface ChangedMember {
  /** ID of the member, `mem_…`. */
  id: string
  /** Email address, in lower case. */
  email: string
  /** Display name. Null until the member joins. */
  name: string | null
  /** Role of the member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /**
   * Whether the member has a password. False if the member signs in only with the identity provider, or has
   * not joined.
   */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the member joined. Null if the invitation is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires or expired. Null if no invitation is open. ISO 8601. */
  inviteExpiresAt: string | null
  /**
   * Tokens that the member created, directly or with another token, and that remain valid with a role that
   * the member no longer has. Newest first, at most 200.
   */
  validTokens: Token[]
}

/** Usage and its charges. */
export interface ChargedUsage {
  /** Number of settled requests. */
  calls: number
  /** Input tokens. */
  inputTokens: number
  /** Output tokens. */
  outputTokens: number
  /**
   * Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range. An
   * integer as a decimal string.
   */
  billedMicros: string
}

/** Usage of one model name and its charges. */
export interface ChargedUsageOfModel {
  /** The requested model name. */
  requestedModel: string
  /** Number of settled requests. */
  calls: number
  /** Input tokens. */
  inputTokens: number
  /** Output tokens. */
  outputTokens: number
  /**
   * Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range. An
   * integer as a decimal string.
   */
  billedMicros: string
}

/** A circuit that is not closed, as seen by the server process that returns this response. */
export interface Circuit {
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. */
  model: string
  /**
   * `open`: no request is sent to the target. `half_open`: one request tries the target, or a probe if
   * another target serves the requests.
   */
  state: Open<'open' | 'half_open'>
  /** When one request can try the target again. Null means now. ISO 8601. */
  until: string | null
  /** Cause, with its numbers. */
  why: string
}

/** The whole configuration of an application, without secrets. */
export interface Configuration {
  /** Version of the document format. */
  format: 1
  application: ConfigurationApplication
  brand: ConfigurationBrand
  gateway: ConfigurationGateway
  /**
   * Provider accounts that the models and routers use, sorted by label. The accounts must exist already.
   */
  providers: ConfigurationAccount[]
  /** Models, sorted by name. */
  models: ConfigurationModel[]
  /** Routers, sorted by name. */
  routers: ConfigurationRouter[]
  /** Bundles, sorted by slug. */
  bundles: ConfigurationBundle[]
  /** Outcomes that accept runs, sorted by slug. */
  outcomes: ConfigurationOutcome[]
}

/** A provider account that must exist. Credentials are not included. */
export interface ConfigurationAccount {
  /** Label of the provider account. */
  label: string
  /** API format of the provider. The simulator is built in and responds without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
}

/** Settings of the application itself. */
export interface ConfigurationApplication {
  /** Display name. 1 to 128 characters. */
  name: string
}

/** Brand of the portal, with the fields of `brand.set`. The logo is uploaded separately. */
export interface ConfigurationBrand {
  /** Product name that end users see. Null means the name of the application. 1 to 128 characters. */
  productName: string | null
  /** Brand color, `#rrggbb`. */
  primaryColor: string
  /** Email address where end users get help. Null if not set. At most 254 characters. */
  supportEmail: string | null
  /** Web page where end users get help, http or https. Null if not set. At most 512 characters. */
  supportUrl: string | null
  /**
   * Page where the application sells credit. Rejections for lack of money return it as `portalUrl`, and the
   * portal links to it. Null means the portal. At most 512 characters.
   */
  topUpUrl: string | null
  /**
   * Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At most
   * 512 characters.
   */
  payUrl: string | null
}

/** A bundle with its patterns, prices and includes. */
export interface ConfigurationBundle {
  /** Slug of the bundle. */
  slug: string
  /** Display name. 1 to 128 characters. */
  displayName: string
  /**
   * Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
   * bundle keep their price until they are put on it again. An integer as a decimal string.
   */
  priceMicros: string | null
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /**
   * Maximum spend of each end user per period, in micros. Null means no limit. An integer as a decimal
   * string.
   */
  spendLimitMicros: string | null
  /** Period after which `spendLimitMicros` resets (UTC). `total` means that it never resets. */
  spendLimitPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message` lets
   * it finish. `grace` lets it continue by up to `maxOverdraftMicros`.
   */
  terminationPolicy: Open<'hard_token' | 'complete_message' | 'grace'>
  /**
   * Maximum amount by which a request can exceed its hold under `grace`, in micros. An integer as a decimal
   * string.
   */
  maxOverdraftMicros: string
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   */
  debitBasis: Open<'provider_cost' | 'sell_price'>
  /**
   * Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
   * users hold credits of the bundle. 1 to 32 characters.
   */
  creditCurrency: string | null
  /**
   * Handling of a stream when an end user of the bundle disconnects before its end. Null means the setting
   * of the provider account.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** Models that end users of the bundle can use. */
  allow: string[]
  /** Exceptions to `allow`. */
  deny: string[]
  /** Sell prices and credit prices, by model. */
  prices: {
    /** Exact name of the model or router. */
    model: string
    /** Sell price. Null means that the model is sold at cost. */
    price: Price | null
    /** Price in millionths of a credit. Null means that credits cannot pay for the model. */
    credits: Price | null
  }[]
  /** Includes of the bundle, in the order in which they are granted. */
  includes: {
    slug: string
    /** Display name. 1 to 128 characters. */
    displayName: string
    /** Unit of `amount`. */
    unit: Open<'credits' | 'micros'>
    /** Amount of each grant, in micros or millionths of a credit. An integer as a decimal string. */
    amount: string
    /**
     * Separate price of the include, in micros. Null means that the include is free. An integer as a
     * decimal string.
     */
    price: string | null
    /** Whether the wallet and on-demand billing cover usage after this pool is exhausted. */
    thenOnDemand: boolean
    /** Whether the amount is granted every period. False means once, at sign-up. */
    recurring: boolean
    /**
     * Source that pays the rest of a request when the pool is exhausted.
     *
     * - A slug means that include of the bundle.
     * - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
     * paid, oldest.
     * - Null means no other pool. `thenOnDemand` then decides whether the wallet and on-demand billing pay.
     */
    spilloverTo: string | null
    /**
     * Models that the pool can pay for. Null means every model in the bundle. An empty list means no model.
     * At most 200 of them.
     */
    models: string[] | null
    /**
     * Part of a recurring include that is carried over at the end of a month. Null means that the unspent
     * amount expires.
     */
    rollover: {
      /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
      percent: number
      /** Maximum number of times that the same units are carried over, up to 12. From 1 to 12. */
      periodsMax: number
    } | null
  }[]
  /** Whether new end users get this bundle. At most one bundle can be the default. */
  default: boolean
}

/** The change of one resource of the configuration. */
export interface ConfigurationChange {
  /**
   * Change of the resource. `none` means that the resource is not in the document and is kept. `prune`
   * would delete it.
   */
  action: Open<'create' | 'update' | 'remove' | 'none'>
  /** Type of the resource. */
  resource: Open<'application' | 'brand' | 'gateway' | 'model' | 'router' | 'bundle' | 'outcome'>
  /** Section of the document, followed by the name of the item if the section is a list. */
  path: string
  /** State before the change, in the form of the document. Null if the resource did not exist. */
  before: Record<string, unknown> | null
  /** State after the change, in the form of the document. Null if the resource was deleted. */
  after: Record<string, unknown> | null
}

/** Settings of the gateway, with the fields of `gateway.set`. */
export interface ConfigurationGateway {
  /**
   * Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
   * `wire_not_served`. 1 to 4 of them.
   */
  wires: Open<'chat' | 'messages' | 'generate' | 'responses'>[] | null
  /**
   * Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null means
   * all names. The bundle of the end user must allow the name too. Other names are treated as unknown and
   * are not listed. 1 to 200 of them.
   */
  models: string[] | null
  /**
   * Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers send
   * them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials are never
   * allowed, so pages send the key in a header. At most 100 of them.
   */
  origins: string[]
  /**
   * Client addresses that the gateway accepts. Null means all. Requests from other addresses return 403
   * `address_not_allowed`.
   *
   * The client address is the address of the connection. Behind proxies that the operator trusts
   * (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy. 1
   * to 200 of them.
   */
  addresses: string[] | null
  /**
   * Times at which the gateway accepts requests. Null means always. At other times, requests return 403
   * `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of them.
   */
  hours: WeeklyHours[] | null
  /**
   * Maximum output tokens of a response if the request sets no maximum. The whole amount is held and is
   * sent to the provider.
   *
   * - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
   * model is never exceeded.
   * - Null means that no maximum is sent to the provider. Non-streaming responses are then held for 16,384
   * tokens, and streams initially for 2,048. From 1 to 10000000.
   */
  defaultMaxTokens: number | null
  /**
   * Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After that,
   * it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server setting, which
   * is 2,000 unless the operator changes it. From 0 to 60000.
   */
  holdWaitMs: number | null
  /**
   * Handling of tools that the provider runs and that the request only offers. `drop` removes them and
   * lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that the
   * model is forced to use is always rejected.
   */
  providerTools: Open<'drop' | 'refuse'>
  /**
   * Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits the
   * fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route` with
   * their names.
   */
  conversion: Open<'lenient' | 'strict'>
  /**
   * Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C Trace
   * Context). The spans of the provider then join the trace of the client. If false, the headers are not
   * sent.
   */
  passTraceparent: boolean
}

/** A model name with its sources. */
export interface ConfigurationModel {
  /** Name of the model, as end users request it. */
  name: string
  /** Provider accounts and their models, in the order in which they are tried. */
  sources: ModelSource[]
  /** Limits for requests that do not set their own. */
  ceilings: {
    /**
     * Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend it.
     * Providers whose API requires a maximum receive this value. From 1 to 10000000.
     */
    outputTokens?: number
  }
  /** Whether the model is enabled. `models.disable` disables it. */
  enabled: boolean
}

/** An outcome that accepts runs. */
export interface ConfigurationOutcome {
  /** Slug of the outcome. Requests send it as `svc.outcome`. */
  slug: string
  /** Display name. 1 to 128 characters. */
  displayName: string
  /** Maximum spend of one run, in micros. An integer as a decimal string. */
  ceilingMicros: string
}

/** A router: a name that routes requests to several targets. */
export interface ConfigurationRouter {
  /** Name of the router, as end users request it. */
  name: string
  /**
   * Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight. `cheapest`: by
   * expected cost of the request. `fastest`: by time to the first token. `leastBusy`: by requests in
   * flight. `sticky`: the same target for each end user or session.
   */
  policy: Open<'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky'>
  /**
   * Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
   * target.
   */
  stickyBy: Open<'end_user' | 'session'>
  /** Targets that requests are routed to. */
  targets: RouterTarget[]
  /** Rules for attempts. Omitted rules get their defaults. */
  attempts: RouterAttemptRules
}

/**
 * Rejections of the account's API key (401 or 403) by the provider, in the newest requests with the key.
 */
export interface CredentialRefused {
  /** Time of the first rejection after the last successful request. ISO 8601. */
  since: string
  /** Number of requests rejected since then. */
  refusals: number
  /** Operation that fixes the problem. */
  mend: OperationCall
}

/** An organization. */
export interface Customer {
  /** ID of the organization, `org_…`. */
  id: string
  /** Name of the organization. */
  name: string
  /** Code of the organization, which is the `<code>` part of its tokens. */
  code: string
  /** Billing tier of the organization. `bill.tiers` lists all tiers. */
  tier: string
  /** Number of applications that are not archived. */
  applications: number
  /** Number of active members. */
  members: number
  /** Mode of the request. */
  mode: Open<'live' | 'test'>
  /** Role of the caller. Each role includes the permissions of the roles below it. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the organization was created. ISO 8601. */
  createdAt: string
}

/** A device that requests a sign-in. */
export interface DeviceSignIn {
  /** Name that the device reports, which is not verified. Null if the device reports no name. */
  clientName: string | null
  /** Network address of the device. */
  address: string
  /** User agent that the device reported, which is not verified. */
  userAgent: string
  /** Role that the device requested. Null if it requested no role. */
  askedRole: Open<'viewer' | 'developer' | 'admin' | 'owner'> | null
  /** Role of the token after approval. It is never higher than the role of the approving member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the device started the sign-in. ISO 8601. */
  createdAt: string
  /** When the codes expire. ISO 8601. */
  expiresAt: string
}

/** An account and model whose stated costs differ from the gateway's by more than 3 %. */
export interface DisputedCost {
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. */
  model: string
  /** Number of compared requests: the newest requests with a stated cost. */
  calls: number
  /** Sum of the costs that the provider states, in micros. An integer as a decimal string. */
  statedMicros: string
  /**
   * Sum of the costs of the same requests at the current price of the account, in micros. An integer as a
   * decimal string.
   */
  costMicros: string
}

/** A destination for usage events, without its secret. */
export interface Emitter {
  /** ID of the emitter, `emt_…`. */
  id: string
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label of the emitter. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered. */
  enabled: boolean
  /** Whether the emitter receives live requests. False means test requests. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** Events that are delivered. */
  events: 'usage.recorded'[]
  /**
   * ID under which usage is filed. Usage without an end user or external ID is filed under the ID of the
   * organization.
   *
   * - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
   * - `organization_id`: the ID of the organization, for all usage.
   * - `external_id`: the external ID of the end user.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds. */
  eventType: string | null
  /** Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds. */
  eventName: string | null
  /** Last four characters of the credential, or of the signing secret of a webhook. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Number of events that were accepted, including replayed events. */
  delivered: number
  /** Number of events that were attempted and not accepted. */
  notDelivered: number
  /** Number of events that were never attempted, because 10,000 events were already waiting. */
  dropped: number
  /** When a batch was last accepted. Null if no batch was accepted. ISO 8601. */
  lastDeliveredAt: string | null
  /** When a batch was last not accepted. Null if every batch was accepted. ISO 8601. */
  lastFailedAt: string | null
  /** Reason why that batch was not accepted. Null if every batch was accepted. */
  lastFailure: string | null
  /**
   * When deliveries started to fail: the first batch that was not accepted since the last accepted one.
   * Null if the last batch was accepted. ISO 8601.
   */
  failingSince: string | null
  /**
   * Span that contains every request whose events were neither accepted nor replayed since.
   * `emitters.replay` accepts it as it is. Null if no event was missed.
   */
  missed: MissedSpan | null
  /** Last replay. Null if no replay was requested. */
  replay: EmitterReplay | null
  /** When the emitter was added. ISO 8601. */
  createdAt: string
}

/** A batch that was sent, with its result. */
export interface EmitterDelivery {
  /** ID of the batch, `usgb_…`. */
  id: string
  /**
   * Reason for the batch. `settled`: requests settled. `replay`: recorded usage was sent again. `test`: a
   * sample was sent.
   */
  cause: Open<'settled' | 'replay' | 'test'>
  /** When the first attempt started. ISO 8601. */
  sentAt: string
  /** Number of events in the batch, 1 to 100. */
  events: number
  /** Usage records of the events, `ur_…`. */
  usageRecordIds: string[]
  /** Whether the batch was accepted. */
  delivered: boolean
  /** Number of attempts, 1 to 3. */
  attempts: number
  /** HTTP status of the last attempt. Null if no response came. */
  status: number | null
  /** Reason why the batch was not accepted. Null if it was accepted. */
  reason: string | null
  /** Time from the start of the first attempt to the end of the last one, in milliseconds. */
  latencyMs: number
}

/** A delivery with the bodies of a failed attempt. */
export interface EmitterDeliveryDetail {
  /** ID of the batch, `usgb_…`. */
  id: string
  /**
   * Reason for the batch. `settled`: requests settled. `replay`: recorded usage was sent again. `test`: a
   * sample was sent.
   */
  cause: Open<'settled' | 'replay' | 'test'>
  /** When the first attempt started. ISO 8601. */
  sentAt: string
  /** Number of events in the batch, 1 to 100. */
  events: number
  /** Usage records of the events, `ur_…`. */
  usageRecordIds: string[]
  /** Whether the batch was accepted. */
  delivered: boolean
  /** Number of attempts, 1 to 3. */
  attempts: number
  /** HTTP status of the last attempt. Null if no response came. */
  status: number | null
  /** Reason why the batch was not accepted. Null if it was accepted. */
  reason: string | null
  /** Time from the start of the first attempt to the end of the last one, in milliseconds. */
  latencyMs: number
  /**
   * Beginning of the posted body, at most 16384 characters. Null if the batch was accepted or was sent more
   * than 7 days ago. It never contains a prompt or a completion.
   */
  requestBody: string | null
  /**
   * Beginning of the response of the last attempt, at most 2048 characters. Null if no response came, if
   * the batch was accepted, or if it was sent more than 7 days ago.
   */
  responseBody: string | null
}

/** A replay of recorded usage to an emitter, with its progress. */
export interface EmitterReplay {
  /** Requests that arrived at or after this time are sent. ISO 8601. */
  from: string
  /** Requests that arrived before this time are sent. ISO 8601. */
  to: string
  /**
   * State of the replay. `stopped` means that a batch was not accepted. Replaying the same span again
   * continues with that batch.
   */
  state: Open<'running' | 'done' | 'stopped'>
  /** Requests that arrived up to this time have been sent. ISO 8601. */
  reachedAt: string
  /** Number of events that were sent and accepted. */
  events: number
  /** Reason why the replay stopped. Null if it did not stop. */
  reason: string | null
  /** When the replay was requested. ISO 8601. */
  startedAt: string
  /** When the replay last made progress. ISO 8601. */
  updatedAt: string
}

/** The result of a sample delivery. */
export interface EmitterTest {
  /** ID of the emitter, `emt_…`. */
  emitterId: string
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** URL that the sample was posted to. */
  destination: string
  /** Event that was delivered. */
  event: 'usage.recorded'
  /** Idempotency key of the event, which is its usage record ID. */
  idempotencyKey: string
  /** ID of the batch, `usgb_…`. Null if the delivery was canceled because the server is stopping. */
  batchId: string | null
  /** Sample that was delivered. */
  sample: {
    /** ID of the sample, `ur_…`. No usage record has this ID. */
    usageRecordId: string
    /** ID of the organization, because the sample has no end user. */
    customerId: string
    /** Request ID of the sample, `req_…`. No request has this ID. */
    requestId: string
    /** Provider of the sample. */
    provider: string
    /** Model of the sample. */
    model: string
    /** Whether the response of the sample was streamed. */
    streamed: boolean
    /** Input tokens of the sample. */
    inputTokens: number
    /** Output tokens of the sample. */
    outputTokens: number
    /** Billed amount of the sample, in micros. An integer as a decimal string. */
    billedAmountMicros: string
  }
  /** Whether the sample was accepted. */
  delivered: boolean
  /** HTTP status of the last attempt. Null if no response came. */
  status: number | null
  /** Number of attempts, at most 3. */
  attempts: number
  /** Reason why the sample was not accepted. Null if it was accepted. */
  reason: string | null
  /** Time from the start of the first attempt to the end of the last one, in milliseconds. */
  latencyMs: number
  /** When the first attempt started. ISO 8601. */
  sentAt: string
}

/** An end user of an application. */
export interface EndUser {
  /** ID of the end user, `eu_…`. */
  id: string
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  externalId: string
  /** Email address of the end user. Null if unknown. */
  email: string | null
  /**
   * Slug of the end user's bundle in the mode of the request. Null if the end user has no bundle, or if the
   * subscription has ended.
   */
  bundle: string | null
  /** Whether the end user is frozen, so that all requests are rejected. */
  frozen: boolean
  /** When the end user was frozen. Null if the end user is not frozen. ISO 8601. */
  frozenAt: string | null
  /** Reason for the freeze, for the team. Null if no reason was given. Never shown to the end user. */
  frozenReason: string | null
  /** Wallet in the mode of the request. */
  balance: Balance
  /** Total usage in the mode of the request. */
  usage: UsageTotals
  /** Whether usage beyond pools and wallet is billed on demand, in the mode of the request. */
  onDemandEnabled: boolean
  /**
   * Limits of the end user over all keys and plans, in the mode of the request. Empty if no limit is set.
   * At most 4 of them.
   */
  limits: EndUserLimit[]
  /**
   * When a key of the end user was last used in the mode of the request. Null if no key was ever used. ISO
   * 8601.
   */
  lastSeenAt: string | null
  /** When the end user was created. ISO 8601. */
  createdAt: string
}

/** Maximum spend of an end user per window, over all keys and plans in one mode. */
export interface EndUserLimit {
  /** Measure of the limit. `micros` counts the charges of requests, whichever source pays. */
  measure: 'micros'
  /** Calendar window (UTC) after which the limit resets. Weeks start on Monday. `total` never resets. */
  window: Open<'day' | 'week' | 'month' | 'total'>
  /** Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string. */
  most: string
}

/** A request as the end user who made it sees it. */
export interface EndUserRequest {
  /** ID of the request, `req_…`, as returned with its response. */
  id: string
  /**
   * `settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected before it
   * was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own ID for the end user. Null if the end user is unknown. */
  endUserId: string | null
  /** ID of the key, `key_…`. Null if the key is unknown. */
  keyId: string | null
  /** Requested model name. Null if the request was rejected before its model name was read. */
  requestedModel: string | null
  /** Wire format of the request. Null while in flight. */
  wire: string | null
  /** Whether the response was streamed. Null while in flight. */
  streamed: boolean | null
  /** HTTP status of the response. Null while in flight. */
  httpStatus: number | null
  /** Error code of the failure or rejection. Null if no error occurred. */
  errorCode: string | null
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Amount refunded so far, in micros. `chargeMicros` is the amount before refunds. An integer as a decimal
   * string.
   */
  refundedMicros: string
  /** Input tokens, including cached tokens. 0 if nothing was charged. */
  inputTokens: number
  /** Input tokens that were read from the provider's cache. */
  cachedInputTokens: number
  /** Output tokens, including reasoning. 0 if nothing was charged. */
  outputTokens: number
  /**
   * Time from the first byte of the request to the last byte of the response, in milliseconds. Null while
   * in flight.
   */
  latencyMs: number | null
  /** Time to the first byte of the response, in milliseconds. Null if no byte was sent. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
  /** Summary of the request in words, with the numbers. */
  summary: string
  policy: ExplainedPolicy | null
  reserve: ExplainedReserve | null
  stream: ExplainedStream | null
  refusal: ExplainedRefusal | null
  usage: ExplainedUsage | null
  /** Units times rates, at the charged price. The sum is exact. */
  priceLines: {
    price: Open<'charge' | 'credits'>
    /** Lines that add up to the amount. */
    lines: PriceLine[]
    /** Multiplier of the service tier, in thousandths. */
    multiplier: string
    /**
     * Sum of the lines, rounded up once, in micros or millionths of a credit. An integer as a decimal
     * string.
     */
    amount: string
  }[]
  settle: ExplainedSettle | null
  /** Ledger entries of the request, oldest first. */
  ledger: LedgerEntry[]
  /** Refunds and late usage of the request, oldest first. Empty if the request was not corrected. */
  corrections: EndUserRequestCorrection[]
}

/** A later change of the charge of a request, as the end user sees it. */
export interface EndUserRequestCorrection {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered request
   * became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** Additional amount that each source paid. Negative if money was returned to the source. */
  legs?: ExplainedLeg[] | null
  /** IDs of the ledger entries of the correction, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with the correction, as the ledger shows it. */
  reason: string
  /** When the correction was made. ISO 8601. */
  createdAt: string
}

/** Credit that expires. */
export interface ExpiringCredit {
  /** ID of the grant, `gr_…`. */
  grantId: string
  /**
   * Unspent amount, in micros, including amounts held by requests in flight. An integer as a decimal
   * string.
   */
  remainingMicros: string
  /** When the credit can first be spent. ISO 8601. */
  startsAt: string
  /** When the unspent amount expires. ISO 8601. */
  expiresAt: string
}

/** An attempt at a provider. */
export interface ExplainedAttempt {
  /** Number of the attempt, starting with 1. */
  n?: number | null
  /** Provider kind. */
  provider?: string | null
  /** ID of the provider account, `pa_…`. */
  account?: string | null
  /** Label of the account and model, `label/model`. */
  target?: string | null
  /** HTTP status of the response. Null if no response was received. */
  status?: number | null
  /**
   * Stage at which the attempt broke off: `connect`, `first_byte`, `first_token`, `idle`, `total` or
   * `reset`. Null if the attempt did not break off.
   */
  failure?: string | null
  /** Start of the attempt, in milliseconds since the start of the request. */
  atMs?: number | null
  /**
   * Time until the connection was established, in milliseconds. Null if no connection was established or
   * needed.
   */
  connectMs?: number | null
  /** Time until the response headers were received, in milliseconds. Null if no response was received. */
  firstByteMs?: number | null
  /** Duration of the attempt, in milliseconds. */
  durationMs?: number | null
  /** Error code. Null if the attempt succeeded. */
  code?: string | null
  /** Provider cost of the attempt, in micros. Null if unknown. An integer as a decimal string. */
  costMicros?: string | null
  /** Reason why the same target was not retried: `retry_budget`. Null if no limit prevented a retry. */
  notRepeated?: string | null
  /** Deadlines that differ from the gateway's own. Null if no deadline differs. */
  deadlines?: {
    /** Maximum time until the connection is established, in milliseconds. */
    connectMs?: number | null
    /** Maximum time until the response headers are received, in milliseconds. */
    firstByteMs?: number | null
    /** Maximum time from the request to the first text of a streamed response, in milliseconds. */
    firstTokenMs?: number | null
    /** Maximum time between two chunks of the response, in milliseconds. */
    idleMs?: number | null
    /** Maximum time for the whole attempt, in milliseconds. */
    totalMs?: number | null
  } | null
}

/** Key and end user of the request. */
export interface ExplainedAuth {
  /** ID of the key, `key_…`. */
  keyId?: string | null
  /** First characters of the key, safe to display. Null if the key is no longer known. */
  keyPrefix?: string | null
  /** Label of the key. */
  keyName?: string | null
  /** ID of the end user, `eu_…`. */
  endUserId?: string | null
  /** Mode of the request: `live` or `test`. */
  mode?: string | null
}

/** Delivery of the usage event of a request to one emitter. */
export interface ExplainedEvent {
  /** ID of the emitter, `emt_…`. */
  emitterId: string
  /** Kind of the emitter. */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label of the emitter. */
  name: string
  /**
   * `waiting`: not attempted yet. `delivered` or `not_delivered`: result of the newest delivery.
   * `attempted`: attempted so long ago that the delivery is no longer stored.
   */
  state: Open<'waiting' | 'delivered' | 'not_delivered' | 'attempted'>
  /** ID of the newest delivery, `usgb_…`. Null, like the fields below, if no delivery is stored. */
  deliveryId: string | null
  /** Cause of the delivery: the request settled, a replay, or a test. */
  cause: Open<'settled' | 'replay' | 'test'> | null
  /** When the first attempt of the delivery began. ISO 8601. */
  sentAt: string | null
  /** Number of attempts, from 1 to 3. From 1. */
  attempts: number | null
  /** HTTP status of the last attempt. Null if no response was received. */
  status: number | null
  /** Reason why the event was not accepted. Null if it was accepted. */
  reason: string | null
}

/** Amount that one source backs or paid. */
export interface ExplainedLeg {
  /** Source, as the ledger names it: `wallet`, a pool, or a month of on-demand usage. */
  sourceId?: string | null
  /** Kind of the source: `wallet`, `pool` or `on_demand`. */
  kind?: string | null
  /** Unit of `amount`: `micros`, or `credits` for millionths of a credit. */
  unit?: string | null
  /** Amount that the source backs or paid, in `unit`. An integer as a decimal string. */
  amount?: string | null
  /** Part of the price of the request that `amount` covers, in micros. An integer as a decimal string. */
  micros?: string | null
}

/** Bundle of the end user, and its rules. */
export interface ExplainedPolicy {
  /** Slug of the bundle. */
  bundle?: string | null
  /** Termination policy of the bundle: what happens to a stream after its hold is used up. */
  terminationPolicy?: string | null
  /** Price that holds and charges are computed from: `provider_cost` or `sell_price`. */
  debitBasis?: string | null
  /**
   * Maximum charge above the hold, in micros. Null unless the policy is `grace`. An integer as a decimal
   * string.
   */
  maxOverdraftMicros?: string | null
  /** Version of the configuration that applied to the request. */
  configVersion?: number | null
  /** Limits that applied to the request, with their values at that time. */
  limits?: {
    /** Kind of the limit: `outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`. */
    name?: string | null
    /**
     * Scope of the limit: ID of the run or key, `portal`, slug of the bundle, or window of the end user's
     * limit.
     */
    scope?: string | null
    /** Maximum spend in the period, in micros. An integer as a decimal string. */
    limitMicros?: string | null
    /** Amount charged in the period before this request, in micros. An integer as a decimal string. */
    usedMicros?: string | null
    /** Amount held by other requests in flight, in micros. An integer as a decimal string. */
    heldMicros?: string | null
    /**
     * Amount available for this request, in micros. Negative if the limit was exceeded. An integer as a
     * decimal string.
     */
    availableMicros?: string | null
    /** When the limit resets. Null if it never resets. ISO 8601. */
    resetsAt?: string | null
    /** `refused` if this limit rejected the request, otherwise `pass`. */
    verdict?: string | null
  }[] | null
}

/** Prices and maximum usage of the request. */
export interface ExplainedQuote {
  /** ID of the prices and the policy. Requests with the same ID have the same prices. */
  quoteId?: string | null
  /** Price of the provider account. */
  cost: unknown
  /** Sell price of the bundle. */
  sell: unknown
  /** Price in credits. Null if no credit pool can pay. */
  credits: unknown
  /** Maximum usage of the request. Null unless the request is in flight. */
  bound: unknown
  /** Maximum text input tokens. */
  textTokensMax?: number | null
  /** Method that counted `textTokensMax`: `bytes` or `tokenizer`. */
  textTokensBy?: string | null
  /** Maximum audio input tokens. */
  audioTokensMax?: number | null
  /** Maximum image input tokens. */
  imageTokensMax?: number | null
  /** Estimated input tokens. They are charged if the provider reports no usage. */
  inputTokensEstimated?: number | null
  /** Maximum output tokens per choice, as set by the client. Null if the client set no maximum. */
  outputTokensAsked?: number | null
  /** Number of requested choices. */
  choices?: number | null
  /** Requested service tier. Null for the default tier. */
  serviceTier?: string | null
  /** Calculation of the hold. */
  worstCase?: {
    /** Maximum input tokens. */
    inputTokensMax?: number | null
    /** Maximum cost of input and fees before the multiplier, in micros. An exact decimal. */
    inputMicros?: string | null
    /** Maximum output tokens, over all choices. */
    outputTokensMax?: number | null
    /**
     * Most expensive rate that can apply to output, in micros per million tokens. An integer as a decimal
     * string.
     */
    outputRate?: string | null
    /** Multiplier of the service tier, in thousandths. An integer as a decimal string. */
    multiplier?: string | null
    /** Worst-case cost, rounded up once, in micros. An integer as a decimal string. */
    micros?: string | null
    /** Calculation of the worst-case cost, as text. */
    formula?: string | null
    /**
     * Target whose price determined the hold of a routed request, `label/model`. It is the most expensive
     * target that the hold covers. Null if there was only one target.
     */
    target?: string | null
  } | null
}

/** Reason for the rejection or failure, with the numbers. */
export interface ExplainedRefusal {
  /** Error code. */
  code?: string | null
  /** Error message that the caller received or would have received. */
  message?: string | null
  /** Suggested fix. Null if no fix is known. */
  fix?: string | null
  /** ID of the operation that applies the fix. Null if no operation applies it. */
  fixOperation?: string | null
  /** Limit that rejected the request. */
  limitSource?: string | null
  /**
   * Limit or balance that was too low, in micros. For a pool, the granted amount. An integer as a decimal
   * string.
   */
  limit?: string | null
  /** Amount of the limit that was already spent, in micros. An integer as a decimal string. */
  used?: string | null
  /** Amount of the limit that requests in flight held, in micros. An integer as a decimal string. */
  held?: string | null
  /** Minimum hold of this request, in micros. An integer as a decimal string. */
  requested?: string | null
  /**
   * Remaining amount of the limit, or of all sources together, in micros. An integer as a decimal string.
   */
  available?: string | null
  /** When the limit resets. Null if it never resets. ISO 8601. */
  resetsAt?: string | null
  /** Display name of the plan pool that renews first. */
  poolName?: string | null
  /** Unit of the amounts of this pool: `micros`, or the name of the credits. */
  poolUnit?: string | null
  /** Granted amount of this pool, in micros or millionths of a credit. An integer as a decimal string. */
  poolGranted?: string | null
  /**
   * Remaining amount of this pool, in micros or millionths of a credit. An integer as a decimal string.
   */
  poolLeft?: string | null
  /** When this pool renews. Null if it does not renew. ISO 8601. */
  poolRenewsAt?: string | null
  /** `off` if on-demand billing could have covered the request but was off. */
  onDemand?: string | null
  /** Page for the end user: the brand's `topUpUrl` or `payUrl`, or else the portal. */
  portalUrl?: string | null
  /** Page where the application sells credit. */
  topUpUrl?: string | null
  /** Page where the past-due invoice is paid. */
  payUrl?: string | null
  /** ID of the past-due invoice that blocks on-demand billing, `inv_…`. */
  invoiceId?: string | null
  /** Amount of the past-due invoice, in micros. An integer as a decimal string. */
  invoiceAmountMicros?: string | null
  /** When the past-due invoice was due. ISO 8601. */
  invoiceDueAt?: string | null
  /** Time that the request waited before it was rejected, in milliseconds. Null if it did not wait. */
  waitedMs?: number | null
}

/** The hold and its sources. */
export interface ExplainedReserve {
  /** ID of the hold, `hold_…`. */
  holdId?: string | null
  /** Amount held now, or at the end of the request, in micros. An integer as a decimal string. */
  worstMicros?: string | null
  /** Amount of the first hold, in micros. An integer as a decimal string. */
  firstWorstMicros?: string | null
  /** Amount by which a stream extended the hold, in micros. An integer as a decimal string. */
  extendedMicros?: string | null
  /** Amount held of credit pools, in millionths of a credit. An integer as a decimal string. */
  worstCredits?: string | null
  /** Maximum output tokens per choice that the hold covers. */
  outputTokensPerChoice?: number | null
  /**
   * Estimated input tokens. They are charged if the provider reports no usage. Omitted unless the request
   * is in flight.
   */
  inputTokensEstimated?: number | null
  /** Whether the output was limited to less than requested because the balance was too low. */
  isClamped?: boolean | null
  /**
   * Time that the request waited for money held by other requests, in milliseconds. Null if it did not
   * wait.
   */
  waitedMs?: number | null
  /** Wallet balance when the hold was placed, in micros. An integer as a decimal string. */
  walletPostedMicros?: string | null
  /** Amount of the wallet that was held before this request, in micros. An integer as a decimal string. */
  walletHeldBeforeMicros?: string | null
  /**
   * Amount of the wallet that was held including this request, in micros. An integer as a decimal string.
   */
  walletHeldMicros?: string | null
  /** Part of the first hold that each source backs, in the order in which sources are spent. */
  legs?: ExplainedLeg[] | null
}

/** Chosen provider account and model, and the other targets. */
export interface ExplainedRoute {
  /** Provider kind. */
  provider?: string | null
  /** Label of the provider account. Null if the account was deleted. */
  account?: string | null
  /** ID of the provider account, `pa_…`. */
  accountId?: string | null
  /** The provider's model ID. */
  model?: string | null
  /**
   * Model that answered, as the provider states it. Omitted if the provider states the requested model, a
   * snapshot of it, or no model.
   */
  answeredBy?: string | null
  /** Wire format of the request to the provider, if it differs from the client's. */
  upstreamWire?: string | null
  /** Request fields that were not sent to the provider. */
  lost?: string[]
  /** Requested router. Null if the requested name is a model, or if no routing decision was needed. */
  router?: string | null
  /** Policy that orders the targets of the router. Null if `router` is null. */
  policy?: string | null
  /** All possible targets, in the order in which they are tried. */
  candidates?: {
    /**
     * Names through which the target is reached, starting with the requested name. Null if the requested
     * name is the only one.
     */
    path?: string[] | null
    /** Provider kind. */
    provider?: string | null
    /** Label of the provider account. Null if the account was deleted. */
    account?: string | null
    /** ID of the provider account, `pa_…`. */
    accountId?: string | null
    /** The provider's model ID. */
    model?: string | null
    /** Base rates for charges at this target. Null if the target has no price. */
    price?: {
      /**
       * Rate per million input tokens, in micros. Null if the price has no such rate. An integer as a
       * decimal string.
       */
      input?: string | null
      /**
       * Rate per million output tokens, in micros. Null if the price has no such rate. An integer as a
       * decimal string.
       */
      output?: string | null
    } | null
    /** Worst-case cost of the request at this target. Null if the target has no price. */
    worstCase?: {
      /** Maximum input tokens. */
      inputTokensMax?: number | null
      /** Maximum cost of input and fees before the multiplier, in micros. An exact decimal. */
      inputMicros?: string | null
      /** Maximum output tokens, over all choices. */
      outputTokensMax?: number | null
      /**
       * Most expensive rate that can apply to output, in micros per million tokens. An integer as a decimal
       * string.
       */
      outputRate?: string | null
      /** Multiplier of the service tier, in thousandths. An integer as a decimal string. */
      multiplier?: string | null
      /** Worst-case cost, rounded up once, in micros. An integer as a decimal string. */
      micros?: string | null
      /** Calculation of the worst-case cost, as text. */
      formula?: string | null
    } | null
    /** Reason why the target was skipped. Null if the target was not skipped. */
    skipped?: string | null
    /**
     * Code of the reason: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`,
     * `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`. If the request ended before
     * the target was reached: `not_moved_on`, `within_ms` or `attempts_max`.
     */
    skipCode?: string | null
  }[] | null
}

/** Charge of the request, and the released part of the hold. */
export interface ExplainedSettle {
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros?: string | null
  /** Amount that was held and not charged, in micros. An integer as a decimal string. */
  releasedMicros?: string | null
  /**
   * Amount charged above the hold, in micros. The termination policy `grace` allows up to
   * `policy.maxOverdraftMicros`; `complete_message` sets no limit. An integer as a decimal string.
   */
  aboveHoldMicros?: string | null
  /** ID of the usage record, `ur_…`, as in events and exports. */
  usageRecordId?: string | null
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros?: string | null
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros?: string | null
  /** Part of `costMicros` that failed attempts cost, in micros. An integer as a decimal string. */
  failedAttemptsMicros?: string | null
  /**
   * Part of `costMicros` computed at assumed rates, in micros. The price lines show the assumed rates. An
   * integer as a decimal string.
   */
  assumedMicros?: string | null
  /**
   * Revenue of the request, in micros: paid wallet money and on-demand usage. Omitted for requests recorded
   * before payments were split. An integer as a decimal string.
   */
  revenueMicros?: string | null
  /**
   * `revenueMicros` less `costMicros`, in micros. Negative for a loss. Omitted if `revenueMicros` is
   * omitted. An integer as a decimal string.
   */
  marginMicros?: string | null
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros?: string | null
  /** Whether `usage.tokenSource` is `estimated`. */
  isEstimated?: boolean | null
  /** Whether another process settled the request after a crash. */
  isRecovered?: boolean | null
  /** Whether usage exceeded the hold. */
  isOverHold?: boolean | null
  /**
   * Whether the provider may charge the account another price. Null if the provider stated neither a model
   * nor a cost. True in two cases:
   * - Another model answered (`route.answeredBy`).
   * - The costs that the provider stated for the account and model differ from ours by more than 3 % over
   * the last ten requests.
   */
  isDisputed?: boolean | null
  /** Whether the request was settled more than a minute after its end. */
  isLate?: boolean | null
  /** Amount that each source paid, in the order in which sources are spent. */
  legs?: ExplainedLeg[] | null
  /** IDs of the ledger entries of the request, `led_…`. */
  ledgerEntryIds?: string[] | null
  /** Slug of the outcome. Null if the request counted toward no outcome. */
  outcome?: string | null
  /** ID of the run. Null if the request belonged to no run. */
  outcomeRun?: string | null
  /** When the request was settled. ISO 8601. */
  settledAt?: string | null
}

/** Progress of the response. Times are in milliseconds since the start of the request. */
export interface ExplainedStream {
  /**
   * End of the response: `answered`, `cut` (the hold was used up), `left` (the client disconnected) or
   * `failed`.
   */
  end?: string | null
  /** Time of the first byte to the client. Null if no byte was sent. */
  firstByteMs?: number | null
  /** Time of the first text of a stream. Null for a non-streaming response, or if no text was sent. */
  firstTokenMs?: number | null
  /** Time of the last chunk of a stream. */
  lastTokenMs?: number | null
  /** Longest time between two chunks of a stream, in milliseconds. */
  longestGapMs?: number | null
  /**
   * Output tokens per second between the first and the last chunk. Null if the stream was too short, or if
   * the response was not streamed.
   */
  tokensPerSecond?: number | null
  /** Number of bytes of a stream that were written to the client. */
  bytes?: number | null
  /** Time at which the client disconnected before the end. Null if the client did not disconnect. */
  clientLeftAtMs?: number | null
  /**
   * Number of provider frames that were omitted because they were not JSON and carried no text. Null if no
   * frame was omitted.
   */
  droppedFrames?: number | null
}

/** Phases with a measured duration, in order. */
export type ExplainedTimeline = {
  /**
   * `decide`: from the request to the first attempt. `attempt`: an attempt at a provider. `stream`: from
   * the first to the last text of a stream. `settle`: from the last attempt to the end.
   */
  phase: Open<'decide' | 'attempt' | 'stream' | 'settle'>
  /** Start of the phase, in milliseconds since the start of the request. */
  atMs: number
  /** Duration of the phase, in milliseconds. */
  durationMs: number
}[]

/** Usage of the request, in tokens, and how it was counted. */
export interface ExplainedUsage {
  /**
   * Source of the counts:
   * - `provider_reported`: the provider reported them.
   * - `estimated`: the gateway counted, or the reported counts overlap, contradict one another or are
   * incomplete.
   * - `recovered`: the last checkpoint before a crash.
   * - `counted so far`: the request is in flight.
   */
  tokenSource?: string | null
  /** Uncached text input tokens. */
  input?: number | null
  /** Input tokens read from the cache. */
  cacheRead?: number | null
  /** Input tokens written to the cache. */
  cacheWrite?: number | null
  /** Input tokens written to the cache with a longer lifetime. */
  cacheWriteLong?: number | null
  /** Audio input tokens. */
  audioInput?: number | null
  /** Image input tokens. */
  imageInput?: number | null
  /** Output tokens of all kinds. */
  output?: number | null
  /** Reasoning tokens, part of `output`. */
  reasoning?: number | null
  /** Audio tokens, part of `output`. */
  audioOutput?: number | null
  /** Image tokens, part of `output`. */
  imageOutput?: number | null
  /** Number of web searches. */
  webSearches?: number | null
  /** Service tier that the provider reports. Null if the provider reports no service tier. */
  serviceTier?: string | null
  /**
   * Whether the other input counts also include audio and images. If true, the input is charged as if split
   * in the most expensive way.
   */
  isMediaWithin?: boolean | null
  /**
   * Whether the reported counts contradict one another. If true, the most expensive reading is charged, and
   * `tokenSource` is `estimated`.
   */
  isAmbiguous?: boolean | null
  /**
   * Output tokens that the provider sent after its maximum, in addition to `output`, as counted by the
   * gateway. They are part of the provider cost, but the end user is not charged for them. Null if the
   * provider did not exceed its maximum.
   */
  outputBeyond?: number | null
  /** Cost that the provider states, in thousandths of a micro, for comparison with `settle.costMicros`. */
  statedCostNanos?: number | null
  /**
   * The same counts in the terms of the provider's wire format. They are computed from the counts above,
   * because the provider's own usage object is not stored. Null if the wire format is unknown.
   */
  inWireTerms?: Record<string, number> | null
}

/** Failed requests, by cause. */
export interface FailedCalls {
  /** Failures caused by the client: the request was wrong, or the client disconnected. */
  client: number
  /** Failures caused by a limit on money or rate. */
  limit: number
  /** Failures caused by the provider: it failed or did not respond. */
  provider: number
  /** Failures caused by this server. */
  ours: number
}

/** A probe that failed, sent by a member or by the gateway. */
export interface FailedProbe {
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  /** Error code. */
  code: string
  /** HTTP status of the provider. Null if it did not respond. */
  status: number | null
  /** Meaning of the error, and what to do. */
  message: string
  /**
   * The provider's own error text, without the account's API key. Null if the provider sent no text, or if
   * it was not kept.
   */
  said: string | null
  /** When the probe was sent. ISO 8601. */
  probedAt: string
}

/** Failed requests as shares of all requests, from 0 to 1, by cause. */
export interface FailureRates {
  /** Failures caused by the client: the request was wrong, or the client disconnected. From 0 to 1. */
  client: number
  /** Failures caused by a limit on money or rate. From 0 to 1. */
  limit: number
  /** Failures caused by the provider: it failed or did not respond. From 0 to 1. */
  provider: number
  /** Failures caused by this server. From 0 to 1. */
  ours: number
}

/** A problem, and the request that fixes it. */
export interface Finding {
  /** Stable code of the finding. */
  code: string
  /**
   * `error`: requests fail, or charges are wrong. `warning`: requests may soon fail, or charges may become
   * wrong. `notice`: the setting may be intended.
   */
  severity: Open<'error' | 'warning' | 'notice'>
  /** Resource that the finding is about. */
  resource: {
    /** Kind of the resource. */
    type: string
    /** Name or ID of the resource, as in paths. */
    id: string
  }
  /** Problem and its consequence. */
  message: string
  /** Fix for the problem. */
  fix: {
    /** Instruction. */
    say: string
    /** Request that fixes the problem, with an example body. Null if the API cannot fix it. */
    call: OperationCall | null
  }
}

/** A usage record in columns of FOCUS 1.2. */
export interface FocusRow {
  /** Provider cost, in dollars. */
  BilledCost: string
  /** ID of the provider account, `pa_…`. */
  BillingAccountId: string
  /** Label of the provider account, or its ID if the account was deleted. */
  BillingAccountName: string
  /** Always `Provider account`. */
  BillingAccountType: string
  /** Always `USD`. */
  BillingCurrency: string
  /** Start of the month (UTC) in which the request was charged. ISO 8601. */
  BillingPeriodStart: string
  /** Start of the following month (exclusive end of the period). ISO 8601. */
  BillingPeriodEnd: string
  /** Always `Usage`. */
  ChargeCategory: string
  /** `Correction`, or null for a charged request. */
  ChargeClass: 'Correction' | null
  /** The provider's model with its input and output tokens, or with the kind of correction. */
  ChargeDescription: string
  /** Always `Usage-Based`. */
  ChargeFrequency: string
  /** Second in which the request was charged. ISO 8601. */
  ChargePeriodStart: string
  /** The following second (exclusive end of the period). ISO 8601. */
  ChargePeriodEnd: string
  /** Sum of input and output tokens. */
  ConsumedQuantity: number
  /** Always `Tokens`. */
  ConsumedUnit: string
  /** Same as BilledCost, because the price of the account is the contracted price. */
  ContractedCost: string
  /** Same as ContractedCost, because each row is one request. */
  ContractedUnitPrice: string
  /** Same as BilledCost, because nothing is prepaid. */
  EffectiveCost: string
  /** Same as ProviderName, because the vendor bills the account. */
  InvoiceIssuerName: string
  /** Same as BilledCost. If the account has its own price, the published price is not stored. */
  ListCost: string
  /** Same as ListCost, because each row is one request. */
  ListUnitPrice: string
  /** Always `Standard`. */
  PricingCategory: string
  /** Always 1. A request has several rates, so it is priced as a whole. */
  PricingQuantity: number
  /** Always `Requests`. */
  PricingUnit: string
  /** Vendor of the model. For other servers, the label of the provider account. */
  ProviderName: string
  /** Same as ProviderName. */
  PublisherName: string
  /** ID of the key, `key_…`. */
  ResourceId: string
  /** Always `API key`. */
  ResourceType: string
  /** Always `AI and Machine Learning`. */
  ServiceCategory: string
  /** API of the vendor. For other servers, the label of the provider account. */
  ServiceName: string
  /** Always `Generative AI`. */
  ServiceSubcategory: string
  /** The provider's model ID. */
  SkuId: string
  /** Always `Tokens`. */
  SkuMeter: string
  /** ID of the quote that fixed the prices of the request. */
  SkuPriceId: string
  /** ID of the end user, `eu_…`. */
  SubAccountId: string
  /** The customer's own ID for the end user. For a deleted end user, the ID `eu_…`. */
  SubAccountName: string
  /** Always `End user`. */
  SubAccountType: string
  /**
   * Application, mode and requested model, and also bundle, outcome and run if they exist. In CSV, the tags
   * are JSON.
   */
  Tags: Record<string, string>
  /** ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`), for use in `after`. */
  x_UsageRecordId: string
  /** List value: usage at the sell price of the bundle, in dollars, regardless of who paid for it. */
  x_SoldFor: string
  /** Amount debited from the sources of end users, in dollars. */
  x_ChargedToEndUser: string
  x_PaidFromPlan: string | null
  x_PaidFromGift: string | null
  x_PaidFromWallet: string | null
  x_OnDemand: string | null
  x_Overdraft: string | null
  /**
   * Usage above the hold, in dollars. It is neither charged nor billed, and the application bears its cost.
   */
  x_OverHold: string
}

/** A signed batch of usage events, as a webhook receives it. */
export interface ForwardedBatch {
  /** ID of the batch, `usgb_…`. */
  batchId: string
  /** Number of events in the batch. */
  events: number
  /** Usage records of the events, `ur_…`. */
  usageRecordIds: string[]
  /** Headers to send with the body, including the signature. */
  headers: Record<string, string>
  /** Body to send. The signature covers this exact text. */
  body: string
  /**
   * Secret that signs the batches of `emitters.listen` and `emitters.sample` for this application and mode,
   * `whsec_…`. Deliveries to emitters use other secrets.
   */
  signingSecret: string
}

/** The gateway of an application: its addresses and its settings. */
export interface Gateway {
  /** Slug of the application. It is part of the application's host names and cannot be changed. */
  application: string
  /** Base URL of the gateway. */
  gateway: string
  /** URL of the gateway by address and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** Host headers that the gateway accepts. */
  hosts: string[]
  /**
   * Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
   * `wire_not_served`. 1 to 4 of them.
   */
  wires: Open<'chat' | 'messages' | 'generate' | 'responses'>[] | null
  /**
   * Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null means
   * all names. The bundle of the end user must allow the name too. Other names are treated as unknown and
   * are not listed. 1 to 200 of them.
   */
  models: string[] | null
  /**
   * Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers send
   * them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials are never
   * allowed, so pages send the key in a header. At most 100 of them.
   */
  origins: string[]
  /**
   * Client addresses that the gateway accepts. Null means all. Requests from other addresses return 403
   * `address_not_allowed`.
   *
   * The client address is the address of the connection. Behind proxies that the operator trusts
   * (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy. 1
   * to 200 of them.
   */
  addresses: string[] | null
  /**
   * Times at which the gateway accepts requests. Null means always. At other times, requests return 403
   * `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of them.
   */
  hours: WeeklyHours[] | null
  /**
   * Maximum output tokens of a response if the request sets no maximum. The whole amount is held and is
   * sent to the provider.
   *
   * - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
   * model is never exceeded.
   * - Null means that no maximum is sent to the provider. Non-streaming responses are then held for 16,384
   * tokens, and streams initially for 2,048. From 1 to 10000000.
   */
  defaultMaxTokens: number | null
  /**
   * Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After that,
   * it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server setting, which
   * is 2,000 unless the operator changes it. From 0 to 60000.
   */
  holdWaitMs: number | null
  /**
   * Handling of tools that the provider runs and that the request only offers. `drop` removes them and
   * lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that the
   * model is forced to use is always rejected.
   */
  providerTools: Open<'drop' | 'refuse'>
  /**
   * Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits the
   * fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route` with
   * their names.
   */
  conversion: Open<'lenient' | 'strict'>
  /**
   * Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C Trace
   * Context). The spans of the provider then join the trace of the client. If false, the headers are not
   * sent.
   */
  passTraceparent: boolean
}

/** Credit for one or more end users. */
export interface Grant {
  /** ID of the grant, `gr_…`. */
  id: string
  /** Amount credited to each end user, in micros. An integer as a decimal string. */
  amountUnits: string
  /** Reason given with the grant. */
  reason: string
  /** Idempotency key of the grant. Null if no key was sent. */
  idempotencyKey: string | null
  /** Number of end users that the grant is for, fixed when it was issued. */
  endUsers: number
  /** Number of end users credited so far. */
  done: number
  /** `running`: some end users are not credited yet. `done`: every end user was credited once. */
  status: Open<'running' | 'done'>
  /** Amount taken back from all end users together, in micros. An integer as a decimal string. */
  reversedUnits: string
  /** Reversals of the grant, oldest first. Empty if nothing was taken back. */
  reversals: GrantReversal[]
  /** When the credit can first be spent. Null if it could be spent immediately. ISO 8601. */
  startsAt: string | null
  /** When the unspent credit expires. Null if it does not expire. ISO 8601. */
  expiresAt: string | null
  /** When the grant was issued. ISO 8601. */
  createdAt: string
}

/** Unspent credit of a grant that was taken back. */
export interface GrantReversal {
  /** ID of the reversal, `gr_…`. */
  id: string
  /** ID of the grant that was reversed, `gr_…`. */
  grantId: string
  /** Reason given with the reversal. */
  reason: string
  /** Number of end users that the reversal is for. */
  endUsers: number
  /** Number of end users processed so far. */
  done: number
  /** `running`: some end users are not processed yet. `done`: every end user is processed. */
  status: Open<'running' | 'done'>
  /** Number of end users that had unspent credit to take back. */
  reversedEndUsers: number
  /** Amount taken back from all end users together, in micros. An integer as a decimal string. */
  reversedUnits: string
  /** When the reversal was requested. ISO 8601. */
  createdAt: string
}

/** Percentiles of a duration, in milliseconds. */
export interface HealthPercentiles {
  /** 50th percentile, in milliseconds. Null if no request was measured. */
  p50: number | null
  /** 95th percentile, in milliseconds. Null if no request was measured. */
  p95: number | null
  /** 99th percentile, in milliseconds. Null if no request was measured. */
  p99: number | null
}

/** Figures of the requests that ended in a time window up to now. */
export interface HealthSpan {
  /** Name of the window. */
  window: Open<'5m' | '1h' | '24h'>
  /** Length of the window, in seconds. */
  windowSeconds: number
  /**
   * Start of the window. The window of a day starts at a full hour, so it is up to one hour longer. ISO
   * 8601.
   */
  from: string
  /**
   * Whether every request of the window is counted. False if the window has more than 20,000 requests to
   * read. In that case, only the newest of those since the last full hour, or in the window, are counted.
   */
  isWhole: boolean
  /** Number of completed requests, including failed ones. */
  calls: number
  /** Number of failed requests, by cause. */
  failed: FailedCalls
  /** Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0. */
  failureRates: FailureRates
  /** Time from the first byte of a request to the last byte of its response, in milliseconds. */
  latencyMs: HealthPercentiles
  /**
   * Time to the first byte of the response, in milliseconds. Requests without a response are not counted.
   */
  firstByteMs: HealthPercentiles
  /**
   * Requests that were sent to a provider, by provider account. Most requests first, at most 200 accounts.
   */
  providers: {
    /** Label of the provider account, or its ID, `pa_…`, if the account was deleted. */
    provider: string
    /** Number of completed requests, including failed ones. */
    calls: number
    /** Number of failed requests, by cause. */
    failed: FailedCalls
    /** Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0. */
    failureRates: FailureRates
    /** Time from the first byte of a request to the last byte of its response, in milliseconds. */
    latencyMs: HealthPercentiles
    /**
     * Time to the first byte of the response, in milliseconds. Requests without a response are not counted.
     */
    firstByteMs: HealthPercentiles
  }[]
  /**
   * Attempts by provider account and model. Most attempts first, at most 200. Each attempt of a request is
   * counted at its own target and by its own result, so the sum exceeds `calls` if targets failed.
   * Durations start with the attempt.
   */
  targets: {
    /** Label of the provider account, or its ID, `pa_…`, if the account was deleted. */
    provider: string
    /** The provider's model ID. */
    model: string
    /** Number of completed requests, including failed ones. */
    calls: number
    /** Number of failed requests, by cause. */
    failed: FailedCalls
    /** Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0. */
    failureRates: FailureRates
    /** Time from the first byte of a request to the last byte of its response, in milliseconds. */
    latencyMs: HealthPercentiles
    /**
     * Time to the first byte of the response, in milliseconds. Requests without a response are not counted.
     */
    firstByteMs: HealthPercentiles
  }[]
  /** Requests by requested model name. Most requests first, at most 200 names. */
  models: {
    /** Requested model name. */
    requestedModel: string
    /** Number of completed requests, including failed ones. */
    calls: number
    /** Number of failed requests, by cause. */
    failed: FailedCalls
    /** Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0. */
    failureRates: FailureRates
    /** Time from the first byte of a request to the last byte of its response, in milliseconds. */
    latencyMs: HealthPercentiles
    /**
     * Time to the first byte of the response, in milliseconds. Requests without a response are not counted.
     */
    firstByteMs: HealthPercentiles
  }[]
}

/** An invoice to an end user for plans and on-demand usage. */
export interface Invoice {
  /** ID of the invoice, `inv_…`. */
  id: string
  /** Number of the invoice, starting at 1 for each end user and mode. From 1. */
  number: number
  /** External ID of the end user who owes the invoice. 1 to 256 characters. */
  endUserId: string
  /**
   * Status of the invoice. `open`: due by `dueAt`. `past_due`: unpaid after `dueAt`, which blocks new
   * on-demand usage. `paid`: paid. `void`: waived, nothing is owed.
   */
  status: Open<'open' | 'past_due' | 'paid' | 'void'>
  /** Amount due, in micros: the sum of the lines. An integer as a decimal string. */
  amountMicros: string
  /** Lines that add up to the amount. */
  lines: InvoiceLine[]
  /** Start of the period that the invoice covers. ISO 8601. */
  periodStart: string
  /** End of the period that the invoice covers (exclusive). ISO 8601. */
  periodEnd: string
  /** When the invoice was issued. Plans are invoiced in advance, on-demand usage in arrears. ISO 8601. */
  issuedAt: string
  /** When the invoice becomes past due if it is unpaid, seven days after it was issued. ISO 8601. */
  dueAt: string
  /** When the invoice was paid. Null if it was not paid. ISO 8601. */
  paidAt: string | null
  /** When the invoice was voided. Null if it was not voided. ISO 8601. */
  voidedAt: string | null
}

/** A line of an invoice. */
export interface InvoiceLine {
  /**
   * `plan`: charge for a plan. `unused`: remaining days of the previous plan. `on_demand`: usage of a
   * calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: kept as credit
   * for later invoices.
   */
  kind: Open<'plan' | 'unused' | 'on_demand' | 'credit' | 'carried'>
  /** Text of the line. */
  description: string
  /** Start of the period that the line covers. ISO 8601. */
  periodStart: string
  /** End of the period that the line covers (exclusive). ISO 8601. */
  periodEnd: string
  /**
   * Amount of the line, in micros. Negative if the line reduces the invoice. An integer as a decimal
   * string.
   */
  amountMicros: string
  /**
   * ID of the ledger entry that cleared the on-demand month, `led_…`. It is written after the invoice is
   * paid or voided. Omitted before that, and for other kinds of lines.
   */
  ledgerEntryId?: string
}

/** A change of a balance. */
export interface LedgerEntry {
  /** ID of the ledger entry, `led_…`. */
  id: string
  /** Kind of the entry. */
  kind: Open<'topup' | 'grant' | 'usage_debit' | 'refund' | 'reversal' | 'adjustment'>
  /** Amount of the entry, in `unit`. Negative if it was debited. An integer as a decimal string. */
  amountUnits: string
  /** Balance of the source after the entry, in `unit`. An integer as a decimal string. */
  balanceAfterUnits: string
  /** Unit of the amounts: micros, or millionths of a credit. */
  unit: Open<'micros' | 'credits'>
  /**
   * Source whose balance changed. Each source has its own chain of balances:
   * - `wallet`
   * - a month of on-demand usage, such as `on_demand/2026-11`
   * - a period of a pool, by bundle, slug and first day, such as `pro/tokens/2026-11-20`
   * - a pool granted at sign-up, such as `pro/welcome`
   */
  source: string
  /** ID of the request that caused the entry, `req_…`. */
  requestId?: string
  /** ID of the invoice that paid or waived the month of on-demand usage, `inv_…`. */
  invoiceId?: string
  /** ID of the grant that was credited or reversed, `gr_…`. */
  grantId?: string
  /** Reference of the payment for a top-up. */
  paymentReference?: string
  /**
   * Reason given when the entry was made. For a pool: `included`, `expired`, `plan_changed`,
   * `used_on_another_plan` or `end_user_removed`. For a month of on-demand usage: `on_demand_paid` or
   * `on_demand_waived`.
   */
  reason?: string
  /** When the entry was written. ISO 8601. */
  createdAt: string
}

/** Daily limits (UTC) of the organization in live mode. */
export interface Limits {
  /** Limits over all applications of the organization. */
  organization: {
    /**
     * Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no limit.
     * From 0 to 1000000000.
     */
    callsPerDay: number | null
    /**
     * Maximum provider cost per day, in micros. Requests in flight count with the amount they hold.
     * Requests whose hold would exceed the limit are rejected. Null means no limit. An integer as a decimal
     * string.
     */
    spendPerDayMicros: string | null
    today: LimitsToday
  }
  /** Limits of single applications. Applications without limits are omitted. */
  applications: {
    /** Slug of the application. It is part of the application's host names and cannot be changed. */
    application: string
    /**
     * Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no limit.
     * From 0 to 1000000000.
     */
    callsPerDay: number | null
    /**
     * Maximum provider cost per day, in micros. Requests in flight count with the amount they hold.
     * Requests whose hold would exceed the limit are rejected. Null means no limit. An integer as a decimal
     * string.
     */
    spendPerDayMicros: string | null
    today: LimitsToday
  }[]
}

/** Today's usage that counts toward the limits, in live mode. */
export interface LimitsToday {
  /** Number of requests charged today, plus requests in flight. */
  calls: number
  /** Provider cost of the requests charged today, in micros. An integer as a decimal string. */
  spentMicros: string
  /** Amount held by requests in flight, in micros. An integer as a decimal string. */
  heldMicros: string
  /** End of the day: the next midnight (UTC). ISO 8601. */
  resetsAt: string
}

/** A team member, with failed sign-ins. */
export interface ListedMember {
  /** ID of the member, `mem_…`. */
  id: string
  /** Email address, in lower case. */
  email: string
  /** Display name. Null until the member joins. */
  name: string | null
  /** Role of the member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /**
   * Whether the member has a password. False if the member signs in only with the identity provider, or has
   * not joined.
   */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the member joined. Null if the invitation is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires or expired. Null if no invitation is open. ISO 8601. */
  inviteExpiresAt: string | null
  /**
   * Failed password sign-ins of the last 30 days. Null if no sign-in failed. Reading them for other members
   * requires the admin role; otherwise they are null.
   */
  failedSignIns: {
    /** Number of failed sign-ins. */
    count: number
    /** When the first of these sign-ins failed. ISO 8601. */
    firstAt: string
    /** When the latest sign-in failed. ISO 8601. */
    lastAt: string
    /** Network address of the latest failed sign-in. */
    lastAddress: string
  } | null
}

/** The logo of an application, without its image data. */
export interface Logo {
  /** Path of the logo on the hosts of the portal and the control plane, `/brand/logo/…`. */
  path: string
  /** Media type of the logo. */
  mediaType: Open<'image/png' | 'image/jpeg' | 'image/webp'>
  /** Width, in pixels. */
  widthPx: number
  /** Height, in pixels. */
  heightPx: number
}

/** Revenue, cost and margin of one group. */
export interface MarginRow {
  /** External ID of the end user. Only with `by=endUser`. 1 to 256 characters. */
  endUserId?: string
  /** The requested model name. Null for subscriptions. Only with `by=model`. */
  requestedModel?: string | null
  /**
   * Slug of the bundle at the time of the request. Null for requests whose bundle is not known, and for
   * subscriptions. Only with `by=bundle`.
   */
  bundle?: string | null
  /**
   * Label of the provider account, or its ID (`pa_…`) if the account was deleted. Null for requests whose
   * account is not known, and for subscriptions. Only with `by=provider`.
   */
  provider?: string | null
  /** Day (UTC). Only with `by=day`. A day, like 2026-11-20 (UTC). */
  day?: string
  /** ID of the key, `key_…`. Null for subscriptions. Only with `by=key`. */
  keyId?: string | null
  /** Run of an outcome. Null for requests without a run, and for subscriptions. Only with `by=run`. */
  run?: MarginRun | null
  /** Charged requests. */
  calls: number
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge paid from pools of the plan, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge paid from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
  onDemandMicros: string
  /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
  overdraftMicros: string
  /**
   * Part of the charge of requests recorded before payments were split, in micros. An integer as a decimal
   * string.
   */
  unattributedMicros: string
  /**
   * Subscription fees earned in the range, in micros. Each invoice line is spread over the days it covers.
   * Omitted for groups that cannot have subscriptions of their own. An integer as a decimal string.
   */
  subscriptionMicros?: string
  /**
   * Invoices issued in the range that are not void, in micros. Shown for comparison and not part of
   * revenue. Omitted for bundles, and for groups without `subscriptionMicros`. An integer as a decimal
   * string.
   */
  invoicedMicros?: string
  /**
   * Earned revenue, in micros: the sum of `subscriptionMicros`, `paidFromWalletMicros` and
   * `onDemandMicros`. Usage paid from a plan or from given credit earns no revenue. An integer as a decimal
   * string.
   */
  revenueMicros: string
  /**
   * `revenueMicros` minus `costMicros`, in micros. Negative for a loss. An integer as a decimal string.
   */
  marginMicros: string
  /**
   * Margin as a percentage of revenue, with two decimal places. Halves are rounded away from zero. Null if
   * revenue is not positive.
   */
  marginPercent: string | null
  /**
   * Requests with a cost at assumed rates, including failed requests. Only with `by=model`, and omitted if
   * 0.
   */
  assumedCalls?: number
  /**
   * Part of `costMicros` computed at assumed rates, in micros. Only with `by=model`, and omitted if 0. An
   * integer as a decimal string.
   */
  assumedMicros?: string
}

/** A run of an outcome. */
export interface MarginRun {
  /** Slug of the outcome. */
  outcome: string
  /** ID of the run. */
  runId: string
  /**
   * External ID of the end user, or their ID (`eu_…`) if the end user was deleted. 1 to 256 characters.
   */
  endUserId: string
}

/** A team member, or an open invitation. */
export interface Member {
  /** ID of the member, `mem_…`. */
  id: string
  /** Email address, in lower case. */
  email: string
  /** Display name. Null until the member joins. */
  name: string | null
  /** Role of the member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /**
   * Whether the member has a password. False if the member signs in only with the identity provider, or has
   * not joined.
   */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the member joined. Null if the invitation is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires or expired. Null if no invitation is open. ISO 8601. */
  inviteExpiresAt: string | null
}

/** A new key, with its secret. */
export interface MintedKey {
  /** ID of the key, `key_…`. */
  id: string
  /** Secret of the key. It is returned once. */
  key: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Display name of the key. */
  name: string
  /** ID of the end user, `eu_…`. */
  endUserId: string
  /** Whether the key is a live key. Test keys never reach a provider. */
  livemode: boolean
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When the key was created. ISO 8601. */
  createdAt: string
}

/** Span of the requests whose events were not accepted. */
export interface MissedSpan {
  /** Time of arrival of the first of these requests. ISO 8601. */
  from: string
  /** Time of arrival of the last of these requests, plus one millisecond. ISO 8601. */
  to: string
}

/** A model name and its sources. */
export interface Model {
  /** The model name, as end users request it. */
  name: string
  /** Provider accounts and models, in the order in which they are tried. */
  sources: ModelSource[]
  /** Output limits for requests that set no limit. */
  ceilings: {
    /**
     * Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend it.
     * Providers whose API requires a maximum receive this value. From 1 to 10000000.
     */
    outputTokens?: number
  }
  /** Whether the model name is served in the mode of the request: `status` is `serving`. */
  enabled: boolean
  /**
   * Status in the mode of the request. `serving`: requests are served. `disabled`: turned off by
   * models.disable. `unpriced`: no source has a complete price. `test_only`: every source is a simulator,
   * so live requests return 503 `no_live_source`.
   */
  status: Open<'serving' | 'disabled' | 'unpriced' | 'test_only'>
  /**
   * Missing prices of the sources, one sentence each, and the bundles that serve the model name anyway.
   */
  problems: string[]
  /** When the model name was created. ISO 8601. */
  createdAt: string
}

/** A provider account and one of its models. */
export interface ModelSource {
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
}

/** Health of a model or a router. */
export interface NameHealth {
  /** Name of the model or router, as end users request it. */
  name: string
  /** Kind of the name. */
  kind: Open<'model' | 'router'>
  /**
   * Health now and over the last 24 hours.
   *
   * - `healthy`: no request failed.
   * - `degraded`: some requests failed, or some targets are unavailable now.
   * - `failing`: at least five requests and at least 5 % failed.
   * - `unavailable`: no target is available now.
   * - `key_refused`: the provider rejects the key.
   * - `unknown`: no requests.
   */
  state: Open<'healthy' | 'degraded' | 'failing' | 'unavailable' | 'key_refused' | 'unknown'>
  /** Number of requests in the last 24 hours, or of attempts for an account. */
  calls: number
  /** Number of failures caused by the provider or this server. */
  failed: number
  /** `failed` divided by `calls`. 0 if `calls` is 0. From 0 to 1. */
  failureRate: number
  /** Problem, with its numbers. Null if the state is `healthy` or `unknown`. */
  why: string | null
}

/** Result of `navigator.credentials.create` for the challenge. */
export interface NewCredential {
  /** `id` of the credential that the browser returned, base64url. At most 1400 characters. */
  id: string
  /** `response.clientDataJSON` of the credential, base64url. At most 8192 characters. */
  clientDataJson: string
  /** `response.attestationObject` of the credential, base64url. At most 32768 characters. */
  attestationObject: string
}

/** Setup progress of the organization. */
export interface Onboarding {
  /** Slug of the application that is closest to its first request. Null if no application exists. */
  application: string | null
  /** Mode that was checked. */
  mode: Open<'live' | 'test'>
  /** The six steps, in order. */
  steps: OnboardingStep[]
  /**
   * When onboarding.fundAndTry first found credit and a settled request. Null if it has not yet. ISO 8601.
   */
  fundedAndTriedAt: string | null
  /**
   * When onboarding.complete first found every step done. Kept even if a step is undone later. Null if it
   * has not yet. ISO 8601.
   */
  completedAt: string | null
}

/** A step of the setup. */
export interface OnboardingStep {
  /**
   * The step.
   *
   * - `provider_answered`: a provider account has responded to a request. In test mode, the simulator
   * responds.
   * - `name_served`: a model name has a price and is served.
   * - `bundle_allows`: a bundle allows such a model name.
   * - `default_bundle`: the application has a default bundle for new end users.
   * - `key_minted`: a valid key exists.
   * - `call_settled`: a request has settled.
   */
  step: Open<'provider_answered' | 'name_served' | 'bundle_allows' | 'default_bundle' | 'key_minted' | 'call_settled'>
  /** Current state of the step, checked by this request. */
  state: Open<'done' | 'missing'>
  /** Finding, or what is missing. */
  sentence: string
  /**
   * Operation that completes the step, with an example. If the step is done, the operation that shows the
   * result.
   */
  call: OperationCall
}

/** A request to the control plane that is suggested as the next step. */
export interface OperationCall {
  /** ID of the operation. */
  operation: string
  /** HTTP method of the operation. */
  method: Open<'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'>
  /** Path of the operation, with its parameters filled in. */
  path: string
  /** Example request body. Null if the operation has no body. */
  body: Record<string, unknown> | null
}

/** A goal that end users reach in runs of several requests, with a spend ceiling per run. */
export interface Outcome {
  /** Slug of the outcome, sent in requests as `svc.outcome`. */
  slug: string
  /** Display name of the outcome. */
  displayName: string
  /** Spend ceiling of one run, in micros. An integer as a decimal string. */
  ceilingMicros: string
  /** Number of runs in the mode of the request. */
  runs: number
  /** Spending of all runs in the mode of the request, in micros. An integer as a decimal string. */
  spentMicros: string
  /** When the outcome was created. ISO 8601. */
  createdAt: string
  /** When the outcome was archived. Null if it is not archived. ISO 8601. */
  archivedAt: string | null
}

/** A run of an outcome. */
export interface OutcomeRun {
  /** ID of the run, sent in requests as `svc.outcome_id`. */
  id: string
  /** External ID of the end user. */
  endUserId: string
  /**
   * Status of the run. `running`: accepts requests. `done` and `failed`: ended. `capped`: reached its
   * ceiling, and accepts requests again if the ceiling is raised.
   */
  status: Open<'running' | 'done' | 'capped' | 'failed'>
  /** Charges for the settled requests of the run, in micros. An integer as a decimal string. */
  spentMicros: string
  /** Number of requests in the run. */
  calls: number
  /** Time of the first request in the run. ISO 8601. */
  startedAt: string
  /** Time of the last request in the run. ISO 8601. */
  lastCallAt: string
}

/** A passkey that a member signs in with. */
export interface Passkey {
  /** ID of the passkey, `psk_…`. */
  id: string
  /** ID of the member who signs in with the passkey, `mem_…`. */
  memberId: string
  /** Display name of the passkey. 1 to 64 characters. */
  name: string
  /** When the passkey was registered. ISO 8601. */
  createdAt: string
  /** When the passkey was last used to sign in. Null if it was never used. ISO 8601. */
  lastUsedAt: string | null
}

/** Values that a browser passes to an authenticator. */
export interface PasskeyChallenge {
  /** Challenge for the authenticator, base64url. It can be used once. */
  challenge: string
  /** Relying party ID: the domain that passkeys belong to. */
  rpId: string
  /** User handle for a new passkey, base64url. Null if no email address was given. */
  userId: string | null
  /** When the challenge expires, five minutes after it was created. ISO 8601. */
  expiresAt: string
}

/** A target, at its position in the order. */
export interface PlannedTarget {
  /** Names through which the target is reached, starting with the requested name. */
  path: string[]
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. */
  model: string
  /** Reason why the target is skipped. Null if the target is not skipped. */
  skip: {
    /** Code of the reason. */
    code: string
    /** Reason in words, with the numbers. */
    reason: string
  } | null
  /**
   * Expected provider cost of the request at this target, in micros. Null if the target has no price. An
   * integer as a decimal string.
   */
  expectedMicros: string | null
  /**
   * Worst-case cost of the first hold at this target, in micros. Null if the target has no price. An
   * integer as a decimal string.
   */
  worstMicros: string | null
  /** Circuit breaker of the target, as seen by the server process that handles this request. */
  circuit: {
    /**
     * `closed`: requests are sent to the target. `open`: no request is sent. `half_open`: one real request
     * tests the target.
     */
    state: Open<'closed' | 'open' | 'half_open'>
    /** When one request may test the target. Null unless the circuit is open. ISO 8601. */
    until: string | null
    /** Reason why the circuit is not closed. Null if it is closed. */
    why: string | null
  }
  /** Number of requests in flight at the target, in this server process. */
  inFlight: number
  /** Recent time to the first token, in milliseconds, in this server process. Null if unknown. */
  firstTokenMs: number | null
  /** Request fields that the conversion to the target's wire format would omit or change. */
  lost: string[]
  /** Deadlines of an attempt at this target. */
  deadlines: {
    /** Maximum time until the connection is established, in milliseconds. */
    connectMs: number
    /** Maximum time until the response headers are received, in milliseconds. */
    firstByteMs: number
    /**
     * Maximum time from the request to the first text of a streamed response, in milliseconds. Omitted if
     * unlimited.
     */
    firstTokenMs?: number
    /** Maximum time between two chunks of the response, in milliseconds. */
    idleMs: number
    /** Maximum time for the whole attempt, in milliseconds. */
    totalMs: number
  }
}

/** Account of the signed-in end user. */
export interface PortalAccount {
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  endUserId: string
  /** Email address. Null if it is not known. */
  email: string | null
  /** Slug of the application. */
  application: string
  /** Whether the session shows live data. Otherwise it shows test data. */
  livemode: boolean
  /** Whether the session is read-only. A read-only session cannot change anything. */
  readOnly: boolean
  /** Email address of the team member who opened this session. Null if the end user opened it. */
  openedBy: string | null
  /** Plan of the end user. Null if the end user has no plan. */
  plan: {
    /** Slug of the plan. */
    slug: string
    /** Display name of the plan. */
    name: string
  } | null
  /** The end user's wallet. Plan credit is in portal.subscription. */
  balance: {
    /**
     * Balance of the wallet, in micros. It includes expiring credit that can be spent now. An integer as a
     * decimal string.
     */
    balanceMicros: string
    /** Amount held by requests in flight, in micros. An integer as a decimal string. */
    heldMicros: string
    /**
     * Remaining balance, in micros: `balanceMicros` minus `heldMicros`. An integer as a decimal string.
     */
    availableMicros: string
    /** Number of requests in flight. */
    callsInFlight: number
    /**
     * Credit that expires, soonest first. It is spent after plan pools and before the rest of the wallet.
     * Credit with a future `startsAt` is not part of the balance yet.
     */
    expiringCredit: ExpiringCredit[]
  }
  pace: SpendingPace
  /** On-demand usage: usage beyond plan and wallet. */
  onDemand: {
    /** Whether on-demand billing is enabled. */
    enabled: boolean
    /**
     * Monthly on-demand ceiling (UTC), set by the end user, in micros. Null means no ceiling. An integer as
     * a decimal string.
     */
    limitMicros: string | null
    /**
     * Maximum that the end user can set `limitMicros` to, in micros. Null means no maximum. An integer as a
     * decimal string.
     */
    ceilingMicros: string | null
    /** On-demand usage in the current calendar month (UTC), in micros. An integer as a decimal string. */
    spentMicros: string
    /**
     * On-demand usage of earlier months that is not invoiced yet or on an unpaid invoice, in micros. An
     * integer as a decimal string.
     */
    owedMicros: string
  }
  /** Spend limit of the plan. Null if the plan has no spend limit. */
  spendLimit: PortalLimit | null
  /**
   * Limits of the end user over all keys and plans, at most one per period. Empty if no limits are set.
   */
  limits: PortalLimit[]
  /** Whether the account is frozen. Requests of a frozen end user are rejected. */
  frozen: boolean
  /** Rules for keys that the end user creates with portal.mintKey. */
  keys: {
    /** Whether the end user can create keys in the portal. */
    mayMint: boolean
    /**
     * Maximum cap of one key created in the portal, in micros. Null means no maximum. An integer as a
     * decimal string.
     */
    capMicros: string | null
    /** Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset. */
    capPeriod: Open<'day' | 'week' | 'month' | 'total'>
    /**
     * Maximum that all keys created in the portal can spend together per `capPeriod`, in micros. Null means
     * no total. An integer as a decimal string.
     */
    totalMicros: string | null
    /**
     * Amount of the total that these keys spent in the current period, in micros. Null if no total is set.
     * An integer as a decimal string.
     */
    spentMicros: string | null
    /**
     * Maximum cap of a further key under the total, in micros. Null if no total is set. An integer as a
     * decimal string.
     */
    leftForCapsMicros: string | null
  }
  /** The current session. */
  session: {
    /** When the session expires at the latest. ISO 8601. */
    expiresAt: string
    /** Token that pages send as `x-csrf-token`. Null if the session does not use a cookie. */
    csrfToken: string | null
  }
}

/** The brand of an end-user portal. */
export interface PortalBrand {
  /** Product name that end users see. */
  productName: string
  /** Brand color, `#rrggbb`. */
  primaryColor: string
  /** Text color with the most contrast on the brand color, `#rrggbb`. */
  textColor: string
  /** Email address where end users get help. Null if not set. */
  supportEmail: string | null
  /** Web page where end users get help. Null if not set. */
  supportUrl: string | null
  /** Page where the application sells credit. Null if not set. */
  topUpUrl: string | null
  /** Page where end users pay invoices. Null if not set. */
  payUrl: string | null
  /** Logo. Null if not set. */
  logo: Logo | null
}

/** A key of the signed-in end user, without its secret. */
export interface PortalKey {
  /** ID of the key, `key_…`. */
  id: string
  /** Display name of the key. */
  name: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Whether the end user created the key in the portal. */
  mintedHere: boolean
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When the key was created. ISO 8601. */
  createdAt: string
  /** When the key was last used at the gateway. Null if the key has never been used. ISO 8601. */
  lastUsedAt: string | null
  /** When the key was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** ID of the key that replaces this one, `key_…`. Null if the key was not rotated. */
  replacedBy: string | null
}

/** A spend limit and the spending that counts toward it. */
export interface PortalLimit {
  /** Maximum spend per `period`, in micros. An integer as a decimal string. */
  limitMicros: string
  /** Spending in the current `period`, in micros. An integer as a decimal string. */
  spentMicros: string
  /** Calendar period (UTC) after which the limit resets. With `total`, the limit never resets. */
  period: Open<'day' | 'week' | 'month' | 'total'>
  /** When the next period begins. Null if the limit never resets. ISO 8601. */
  resetsAt: string | null
}

/** A request of the signed-in end user, with its result. */
export interface PortalRequest {
  /** ID of the request, `req_…`, as returned with its response. */
  id: string
  /**
   * `settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected before it
   * was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** Requested model name. Null if the request was rejected before its model name was read. */
  requestedModel: string | null
  /** ID of the key that sent the request, `key_…`. */
  keyId: string | null
  /** Whether the response was streamed. Null while in flight. */
  streamed: boolean | null
  /** HTTP status of the response. Null while in flight. */
  httpStatus: number | null
  /** Error code of the failure or rejection. Null if no error occurred. */
  errorCode: string | null
  /**
   * Amount charged to pools, wallet and on-demand billing, in micros, before refunds. An integer as a
   * decimal string.
   */
  chargeMicros: string
  /** Amount refunded so far, in micros. An integer as a decimal string. */
  refundedMicros: string
  /** Input tokens, including cached tokens. 0 if nothing was charged. */
  inputTokens: number
  /** Input tokens that were read from the provider's cache. */
  cachedInputTokens: number
  /** Output tokens, including reasoning tokens. 0 if nothing was charged. */
  outputTokens: number
  /**
   * Time from the first byte of the request to the last byte of the response, in milliseconds. Null while
   * in flight.
   */
  latencyMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
}

/** Rules for keys that end users create in the portal. */
export interface PortalSettings {
  /**
   * Whether end users can create keys in the portal, and rotate and revoke keys that the application
   * created for them. Defaults to false.
   */
  endUsersMayMintKeys: boolean
  /**
   * Maximum cap of one key that an end user creates, in micros per `keyCapPeriod`. Null means no maximum.
   * It limits one key, not the end user. Use `keyCapsTotalMicros` or users.limit to limit the end user. An
   * integer as a decimal string.
   */
  keyCapMicros: string | null
  /** Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset. */
  keyCapPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Maximum that all keys that one end user created in the portal can spend together, in micros per
   * `keyCapPeriod`. Keys that were revoked since are included. The sum of the caps cannot exceed this
   * maximum. Null means no total. An integer as a decimal string.
   */
  keyCapsTotalMicros: string | null
}

/**
 * Rates in micros, per million tokens or per use. A price in credits has the same rates in millionths of a
 * credit. An omitted rate means no price, not 0.
 */
export interface Price {
  /**
   * Rate per million tokens of input, in micros, or in millionths of a credit if the price is in credits.
   * An integer as a decimal string.
   */
  input?: string
  /**
   * Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  cacheRead?: string
  /**
   * Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if the
   * price is in credits. An integer as a decimal string.
   */
  cacheWrite?: string
  /**
   * Rate per million tokens of input written to the cache for long, in micros, or in millionths of a credit
   * if the price is in credits. An integer as a decimal string.
   */
  cacheWriteLong?: string
  /**
   * Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  audioInput?: string
  /**
   * Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  imageInput?: string
  /**
   * Rate per million tokens of output, in micros, or in millionths of a credit if the price is in credits.
   * An integer as a decimal string.
   */
  output?: string
  /**
   * Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  reasoning?: string
  /**
   * Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  audioOutput?: string
  /**
   * Rate per million tokens of image output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  imageOutput?: string
  /**
   * Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer as a
   * decimal string.
   */
  request?: string
  /**
   * Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  webSearch?: string
  /** Rates for large inputs, in ascending order of `aboveInputTokens`. At most 16 of them. */
  tiers?: PriceTier[]
  /** Price multipliers by service tier, in thousandths. `1000` leaves the price unchanged. */
  serviceTiers?: Record<string, string>
}

/** Usage of one dimension and its amount. */
export interface PriceLine {
  /** Dimension of the price, such as `input` or `webSearch`. */
  dimension: string
  /** Number of tokens or uses. */
  units: number
  /**
   * Rate per million tokens, or per use. Null if the price has no such rate. An integer as a decimal
   * string.
   */
  rate: string | null
  /**
   * Whether the rate was assumed because the price has no rate for this dimension. False for cached input
   * at the input rate and for reasoning at the output rate.
   */
  assumed: boolean
  /** Units times rate times multiplier, not rounded. */
  exact: string
}

/** Usage and its amount at one price. */
export interface PriceLines {
  /**
   * `cost`: price of the provider account. `sell`: sell price of the bundle. `credits`: price in credits.
   */
  price: Open<'cost' | 'sell' | 'credits'>
  /** Lines that add up to the amount. */
  lines: PriceLine[]
  /** Multiplier of the service tier, in thousandths. */
  multiplier: string
  /**
   * Sum of the lines, rounded up once, in micros or millionths of a credit. An integer as a decimal string.
   */
  amount: string
}

/** Rates that replace the standard rates if the input is large. */
export interface PriceTier {
  /**
   * Lower bound of the tier, in input tokens. The rates apply if the request's whole input is larger than
   * this.
   */
  aboveInputTokens: number
  /**
   * Rate per million tokens of input, in micros, or in millionths of a credit if the price is in credits.
   * An integer as a decimal string.
   */
  input?: string
  /**
   * Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  cacheRead?: string
  /**
   * Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if the
   * price is in credits. An integer as a decimal string.
   */
  cacheWrite?: string
  /**
   * Rate per million tokens of input written to the cache for long, in micros, or in millionths of a credit
   * if the price is in credits. An integer as a decimal string.
   */
  cacheWriteLong?: string
  /**
   * Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  audioInput?: string
  /**
   * Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  imageInput?: string
  /**
   * Rate per million tokens of output, in micros, or in millionths of a credit if the price is in credits.
   * An integer as a decimal string.
   */
  output?: string
  /**
   * Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  reasoning?: string
  /**
   * Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  audioOutput?: string
  /**
   * Rate per million tokens of image output, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  imageOutput?: string
  /**
   * Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer as a
   * decimal string.
   */
  request?: string
  /**
   * Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
   * credits. An integer as a decimal string.
   */
  webSearch?: string
}

/** Result of a probe of a provider account. */
export interface Probe {
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  /** Whether the model responded. */
  ok: boolean
  /** HTTP status of the provider. Null if it did not respond. */
  status: number | null
  /** Milliseconds from the request to the end of the response. */
  latencyMs: number
  /** Input tokens reported by the provider. Null if it reported no usage. */
  inputTokens: number | null
  /** Output tokens reported by the provider. Null if it reported no usage. */
  outputTokens: number | null
  /**
   * Cost of the request, in micros. Null if the provider reported no usage, or if the model has no price.
   * An integer as a decimal string.
   */
  costMicros: string | null
  /** Reason for the failure. Null if the model responded. */
  error: {
    /** Error code, as in requests.list. */
    code: string
    /** Meaning of the error, and what to do. */
    message: string
    /**
     * The provider's own error text, at most 2,000 characters, without the account's API key. Null if the
     * provider sent no text.
     */
    said: string | null
  } | null
  /** When the probe was sent. ISO 8601. */
  probedAt: string
}

/** An account at a model provider, without its API key. */
export interface ProviderAccount {
  /** ID of the provider account, `pa_…`. */
  id: string
  /** Label of the provider account, used in the sources of model names. */
  label: string
  /** API format of the provider. The simulator is built in and responds without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
  /** Base URL of requests. Null for the simulator. */
  baseUrl: string | null
  /** Last characters of the API key. Null if the account has no API key. */
  lastFour: string | null
  /**
   * When the API key was set or last rotated. Null if the account has no API key, or if the time is not
   * known. ISO 8601.
   */
  credentialSetAt: string | null
  /** Rejections of the API key by the provider. Null if no current rejection is known. */
  credentialRefused: CredentialRefused | null
  /** Newest failed probe of the account. Null if no probe failed. */
  lastFailedProbe: FailedProbe | null
  /**
   * Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
   * `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** Prices set on this account, by exact model ID. */
  prices: {
    /** The provider's model ID. It must match exactly. 1 to 200 characters. */
    model: string
    price: Price
  }[]
  /** When the account was first connected. ISO 8601. */
  createdAt: string
}

/** An end user at the time of the deletion. */
export interface RemovedEndUser {
  /** ID of the end user, `eu_…`. */
  id: string
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  externalId: string
  /** Email address of the end user. Null if unknown. */
  email: string | null
  /**
   * Slug of the end user's bundle in the mode of the request. Null if the end user has no bundle, or if the
   * subscription has ended.
   */
  bundle: string | null
  /** Whether the end user is frozen, so that all requests are rejected. */
  frozen: boolean
  /** When the end user was frozen. Null if the end user is not frozen. ISO 8601. */
  frozenAt: string | null
  /** Reason for the freeze, for the team. Null if no reason was given. Never shown to the end user. */
  frozenReason: string | null
  /** Wallet in the mode of the request. */
  balance: Balance
  /** Total usage in the mode of the request. */
  usage: UsageTotals
  /** Whether usage beyond pools and wallet is billed on demand, in the mode of the request. */
  onDemandEnabled: boolean
  /**
   * Limits of the end user over all keys and plans, in the mode of the request. Empty if no limit is set.
   * At most 4 of them.
   */
  limits: EndUserLimit[]
  /**
   * When a key of the end user was last used in the mode of the request. Null if no key was ever used. ISO
   * 8601.
   */
  lastSeenAt: string | null
  /** When the end user was created. ISO 8601. */
  createdAt: string
  /** Number of revoked keys, in both modes. */
  keysRevoked: number
  /** When the end user was deleted. ISO 8601. */
  removedAt: string
}

/** A gateway request and its result. */
export interface Request {
  /** ID of the request, `req_…`, as returned with its response. */
  id: string
  /**
   * `settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected before it
   * was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own ID for the end user. Null if the end user is unknown. */
  endUserId: string | null
  /** ID of the key, `key_…`. Null if the key is unknown. */
  keyId: string | null
  /** Requested model name. Null if the request was rejected before its model name was read. */
  requestedModel: string | null
  /**
   * Label of the chosen provider account, or its ID, `pa_…`, if the account was deleted. Null if no account
   * was chosen.
   */
  provider: string | null
  /** The provider's model ID that the requested name resolved to. Null if no model was chosen. */
  providerModel: string | null
  /** Wire format of the request. Null while in flight. */
  wire: string | null
  /** Whether the response was streamed. Null while in flight. */
  streamed: boolean | null
  /** HTTP status of the response. Null while in flight. */
  httpStatus: number | null
  /** Error code of the failure or rejection. Null if no error occurred. */
  errorCode: string | null
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /** Part of the charge paid from pools of the plan, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge paid from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
  onDemandMicros: string
  /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
  overdraftMicros: string
  /**
   * Part of the charge of requests recorded before payments were split, in micros. An integer as a decimal
   * string.
   */
  unattributedMicros: string
  /**
   * Amount refunded so far, in micros. `chargeMicros` is the amount before refunds. An integer as a decimal
   * string.
   */
  refundedMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /**
   * Provider cost, in micros, including failed attempts. It can be more than 0 for requests that are not
   * charged. An integer as a decimal string.
   */
  costMicros: string
  /**
   * Part of `costMicros` computed at assumed rates, in micros. 0 if the account has a rate for all usage.
   * An integer as a decimal string.
   */
  assumedMicros: string
  /** Input tokens, including cached tokens. 0 if nothing was charged. */
  inputTokens: number
  /** Input tokens that were read from the provider's cache. */
  cachedInputTokens: number
  /** Output tokens, including reasoning. 0 if nothing was charged. */
  outputTokens: number
  /**
   * Time from the first byte of the request to the last byte of the response, in milliseconds. Null while
   * in flight.
   */
  latencyMs: number | null
  /** Time to the first byte of the response, in milliseconds. Null if no byte was sent. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
}

/** A later change of the charge of a request. */
export interface RequestCorrection {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered request
   * became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** Change of the sell price, in micros. An integer as a decimal string. */
  billedMicros: string
  /** Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string. */
  costMicros: string
  /** Additional amount that each source paid. Negative if money was returned to the source. */
  legs?: ExplainedLeg[] | null
  /** IDs of the ledger entries of the correction, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with the correction, as the ledger shows it. */
  reason: string
  /** Member or token that requested the correction. Null if the server corrected the request. */
  actor: string | null
  /** When the correction was made. ISO 8601. */
  createdAt: string
}

/** A refund of a request. */
export interface RequestRefund {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: all or part of the charge was refunded. `late_usage`: the true usage of a recovered request
   * became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** Change of the sell price, in micros. An integer as a decimal string. */
  billedMicros: string
  /** Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string. */
  costMicros: string
  /** Additional amount that each source paid. Negative if money was returned to the source. */
  legs?: ExplainedLeg[] | null
  /** IDs of the ledger entries of the correction, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with the correction, as the ledger shows it. */
  reason: string
  /** Member or token that requested the correction. Null if the server corrected the request. */
  actor: string | null
  /** When the correction was made. ISO 8601. */
  createdAt: string
  /** ID of the refunded request, `req_…`. */
  requestId: string
  /** Refunded amount, in micros. An integer as a decimal string. */
  amountUnits: string
}

/** A revoked key, without its secret. */
export interface RevokedKey {
  /** ID of the key, `key_…`. */
  id: string
  /** Display name of the key. */
  name: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Whether the key is a live key. Test keys never reach a provider. */
  livemode: boolean
  /**
   * External ID of the end user that the key belongs to. If the end user was deleted, their ID, `eu_…`.
   */
  endUserId: string | null
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Charges in the current `capPeriod`, in micros, for the key and the keys it replaced. Reported with or
   * without a cap. An integer as a decimal string.
   */
  spentMicros: string
  /**
   * Amount held by requests in flight, in micros, for the key and the keys it replaced. It counts toward
   * the cap. An integer as a decimal string.
   */
  heldMicros: string
  /** When the next `capPeriod` begins. Null if the cap never resets. ISO 8601. */
  resetsAt: string | null
  /** Kind of the actor who created the key, such as `token`. */
  actorType: string
  /** Label of the actor who created the key. Null if the actor has no label. */
  actorLabel: string | null
  /** When the key was created. ISO 8601. */
  createdAt: string
  /** When the key was last used at the gateway. Null if the key has never been used. ISO 8601. */
  lastUsedAt: string | null
  /** When the key was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** ID of the key that replaces this one, `key_…`. Null if the key was not rotated. */
  replacedBy: string | null
  /**
   * IDs of the keys that were revoked with this key, `key_…`: keys that it replaced and whose grace period
   * had not ended.
   */
  alsoRevoked: string[]
}

/** A revoked key of the signed-in end user, without its secret. */
export interface RevokedPortalKey {
  /** ID of the key, `key_…`. */
  id: string
  /** Display name of the key. */
  name: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Whether the end user created the key in the portal. */
  mintedHere: boolean
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When the key was created. ISO 8601. */
  createdAt: string
  /** When the key was last used at the gateway. Null if the key has never been used. ISO 8601. */
  lastUsedAt: string | null
  /** When the key was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** ID of the key that replaces this one, `key_…`. Null if the key was not rotated. */
  replacedBy: string | null
  /**
   * IDs of the keys that were revoked with this key, `key_…`: keys that it replaced and whose grace period
   * had not ended.
   */
  alsoRevoked: string[]
}

/** A new key that replaces an old one, with its secret. */
export interface RotatedKey {
  /** ID of the key, `key_…`. */
  id: string
  /** Secret of the key. It is returned once. */
  key: string
  /** First characters of the secret. Safe to show. */
  keyPrefix: string
  /** Last four characters of the secret. Safe to show. */
  lastFour: string
  /** Display name of the key. */
  name: string
  /** ID of the end user, `eu_…`. */
  endUserId: string
  /** Whether the key is a live key. Test keys never reach a provider. */
  livemode: boolean
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | null
  /** Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When the key expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When the key was created. ISO 8601. */
  createdAt: string
  /** ID of the old key, `key_…`. */
  replaces: string
  /** When the old key stops working. ISO 8601. */
  replacedEndsAt: string
}

/** A webhook emitter with its new signing secret. */
export interface RotatedSecret {
  /** ID of the emitter, `emt_…`. */
  id: string
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label of the emitter. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered. */
  enabled: boolean
  /** Whether the emitter receives live requests. False means test requests. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** Events that are delivered. */
  events: 'usage.recorded'[]
  /**
   * ID under which usage is filed. Usage without an end user or external ID is filed under the ID of the
   * organization.
   *
   * - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
   * - `organization_id`: the ID of the organization, for all usage.
   * - `external_id`: the external ID of the end user.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds. */
  eventType: string | null
  /** Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds. */
  eventName: string | null
  /** Last four characters of the credential, or of the signing secret of a webhook. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Number of events that were accepted, including replayed events. */
  delivered: number
  /** Number of events that were attempted and not accepted. */
  notDelivered: number
  /** Number of events that were never attempted, because 10,000 events were already waiting. */
  dropped: number
  /** When a batch was last accepted. Null if no batch was accepted. ISO 8601. */
  lastDeliveredAt: string | null
  /** When a batch was last not accepted. Null if every batch was accepted. ISO 8601. */
  lastFailedAt: string | null
  /** Reason why that batch was not accepted. Null if every batch was accepted. */
  lastFailure: string | null
  /**
   * When deliveries started to fail: the first batch that was not accepted since the last accepted one.
   * Null if the last batch was accepted. ISO 8601.
   */
  failingSince: string | null
  /**
   * Span that contains every request whose events were neither accepted nor replayed since.
   * `emitters.replay` accepts it as it is. Null if no event was missed.
   */
  missed: MissedSpan | null
  /** Last replay. Null if no replay was requested. */
  replay: EmitterReplay | null
  /** When the emitter was added. ISO 8601. */
  createdAt: string
  /** New signing secret, `whsec_…`. It is returned once and cannot be retrieved again. */
  signingSecret: string
}

/** Targets that a request would try, in order. */
export interface RoutePlan {
  /** Requested name. */
  name: string
  /** Name of the router. Null if the requested name is a model. */
  router: string | null
  /** Policy that orders the targets. */
  policy: string
  /** Input tokens, as estimated by the gateway. */
  inputTokens: number
  /** Targets in the order in which they are tried. */
  targets: PlannedTarget[]
  /**
   * Error that the request would return, regardless of the end user's balance. Null if the request would be
   * sent.
   */
  refusal: {
    /** Error code. */
    code: string
    /** Error message. */
    message: string
  } | null
}

/** A name that routes requests to one of several targets. */
export interface Router {
  /** Name of the router, as end users request it. */
  name: string
  /**
   * Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight. `cheapest`: by
   * expected cost of the request. `fastest`: by time to the first token. `leastBusy`: by requests in
   * flight. `sticky`: the same target for each end user or session.
   */
  policy: Open<'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky'>
  /**
   * Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
   * target.
   */
  stickyBy: Open<'end_user' | 'session'>
  /** Targets of the router, in order. */
  targets: RouterTargetState[]
  /** Rules for attempts. */
  attempts: {
    /** Maximum time from the first attempt to the start of the last attempt, in milliseconds. */
    withinMs: number
    /** Maximum attempts per request, including the first. */
    attemptsMax: number
    /** Maximum retries at the same target. */
    retriesPerTarget: number
    /** Additional HTTP statuses after which the next target is tried. */
    alsoMovesOn: number[]
    /** HTTP statuses after which no other target is tried. */
    neverMovesOn: number[]
    /** Behavior if the request is too long for a target. */
    onContextLength: Open<'next' | 'fail'>
    /** Deadlines that differ from the gateway's own. */
    timeouts: RouterTimeouts
  }
  /** Whether a request can use at least one target. If false, every request is rejected. */
  serving: boolean
  /** When the router was created. ISO 8601. */
  createdAt: string
}

/** Rules for attempts. */
export interface RouterAttemptRules {
  /**
   * Maximum time from the first attempt to the start of the last attempt, in milliseconds. Defaults to
   * 120000. From 0 to 3600000.
   */
  withinMs?: number
  /** Maximum attempts per request, including the first. Defaults to 5. From 1 to 50. */
  attemptsMax?: number
  /**
   * Maximum retries at the same target after a quick 429 or 5xx response. A missed deadline is not retried
   * at the same target. Defaults to 1. From 0 to 10.
   */
  retriesPerTarget?: number
  /** Additional HTTP statuses after which the next target is tried. At most 50 of them. */
  alsoMovesOn?: number[]
  /**
   * HTTP statuses after which no other target is tried, even if the default is to try one. At most 50 of
   * them.
   */
  neverMovesOn?: number[]
  /**
   * Behavior if the request is too long for a target. `next`: the next target that may accept a longer
   * request is tried. `fail`: the request fails. Defaults to `next`.
   */
  onContextLength?: Open<'next' | 'fail'>
  /** Deadlines of each attempt, in place of the gateway's own. */
  timeouts?: RouterTimeouts
}

/** Conditions for using a target. A request must meet all of them. */
export interface RouterCondition {
  /** Slugs of bundles. The end user must be on one of them. 1 to 100 of them. */
  bundles?: string[]
  /** Features, all of which the request must need. 1 to 7 of them. */
  features?: Open<'tools' | 'images' | 'audio' | 'documents' | 'json' | 'reasoning' | 'stream'>[]
  /** Minimum input tokens, as estimated by the gateway. From 0 to 100000000. */
  inputTokensMin?: number
  /** Maximum input tokens, as estimated by the gateway. From 0 to 100000000. */
  inputTokensMax?: number
  /** Mode of the key. */
  mode?: Open<'live' | 'test'>
}

/** A target of a router: an `alias`, a `router`, or a `provider` with a `model`. */
export type RouterTarget = RouterTargetAlias | RouterTargetRouter | RouterTargetSource

/** A model name of the application. */
export interface RouterTargetAlias {
  /** A model name of the application. */
  alias: string
  /**
   * Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
   * 1000000.
   */
  weight?: number
  /** Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000. */
  maxInFlight?: number
  /** Conditions that a request must meet to use the target. Omit for no condition. */
  when?: RouterCondition
  /** Deadlines of an attempt at this target, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** Reason why a target is skipped for every request. */
export interface RouterTargetProblem {
  /**
   * `disabled`: the model is disabled. `unpriced`: a price is missing. `test_only`: every account of the
   * target is a simulator, and the mode of the request is live. `removed`: the target was deleted. `empty`:
   * the target is a router without a usable target.
   */
  code: Open<'disabled' | 'unpriced' | 'test_only' | 'removed' | 'empty'>
  /** Reason why requests cannot use the target. */
  reason: string
  /** Operation that fixes the problem. */
  mend: OperationCall
}

/** Another router of the application. */
export interface RouterTargetRouter {
  /** Another router of the application. */
  router: string
  /**
   * Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
   * 1000000.
   */
  weight?: number
  /** Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000. */
  maxInFlight?: number
  /** Conditions that a request must meet to use the target. Omit for no condition. */
  when?: RouterCondition
  /** Deadlines of an attempt at this target, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** A model of a provider account. */
export interface RouterTargetSource {
  /** Label of a provider account. Requires `model`. */
  provider: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  /**
   * Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
   * 1000000.
   */
  weight?: number
  /** Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000. */
  maxInFlight?: number
  /** Conditions that a request must meet to use the target. Omit for no condition. */
  when?: RouterCondition
  /** Deadlines of an attempt at this target, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** A target, and whether requests can use it now. */
export interface RouterTargetState {
  /** A model name of the application. */
  alias?: string
  /** Another router of the application. */
  router?: string
  /**
   * Label of a provider account, with `model`. If the account was deleted after the application was
   * archived, its ID.
   */
  provider?: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model?: string
  /** Share of requests under `weighted`, relative to the sum of all weights. From 1 to 1000000. */
  weight: number
  /** Maximum concurrent requests per server process. Null means no limit. From 1 to 1000000. */
  maxInFlight: number | null
  /** Conditions that a request must meet to use the target. Null means no condition. */
  when: RouterCondition | null
  /** Deadlines that differ from the router's. */
  timeouts: RouterTimeouts
  /** Problem that keeps requests from using the target. Null if requests can use it. */
  problem: RouterTargetProblem | null
}

/** Deadlines of one attempt. */
export interface RouterTimeouts {
  /** Maximum time until the connection is established, in milliseconds. From 1 to 60000. */
  connectMs?: number
  /**
   * Maximum time until the response headers are received, in milliseconds. If other targets are left,
   * defaults to a third of `withinMs`, at most 120,000. From 1 to 600000.
   */
  firstByteMs?: number
  /**
   * Maximum time from the request to the first text of a streamed response, in milliseconds. If other
   * targets are left, defaults to 10,000 plus 1,000 for each 10,000 input tokens. Otherwise, and for a
   * model that reasons, defaults to no limit. From 1 to 600000.
   */
  firstTokenMs?: number
  /** Maximum time between two chunks of the response, in milliseconds. From 1 to 600000. */
  idleMs?: number
  /** Maximum time for the whole attempt, in milliseconds. From 1 to 3600000. */
  totalMs?: number
}

/** Totals of a group of requests over time. */
export interface Series {
  totals: SeriesTotals
  /** Buckets in chronological order. Buckets in which no request ended are omitted. */
  points: SeriesPoint[]
}

/** Totals of one group over time. */
export interface SeriesGroup {
  /**
   * Requested model name, label of the provider account, slug of the bundle, external ID of the end user,
   * or ID of the key. A deleted provider account is shown by its ID, `pa_…`. Null if unknown, or if nothing
   * was charged.
   */
  group: string | null
  totals: SeriesTotals
  /** Buckets in chronological order. Buckets in which no request ended are omitted. */
  points: SeriesPoint[]
}

/** Latencies of the requests of one bucket. */
export interface SeriesLatency {
  /** Start of the bucket. ISO 8601. */
  at: string
  /** Time from the first byte of the request to the last byte of the response. */
  latencyMs: SeriesPercentiles
  /** Time to the first byte of the response. Requests without a response byte are not counted. */
  firstByteMs: SeriesPercentiles
}

/** Percentiles of the durations of requests, in milliseconds. */
export interface SeriesPercentiles {
  /** Median, in milliseconds. Null without requests. */
  p50Ms: number | null
  /** 95th percentile, in milliseconds. Null without requests. */
  p95Ms: number | null
}

/** Totals of the requests that ended in one bucket. */
export interface SeriesPoint {
  /** Start of the bucket. ISO 8601. */
  at: string
  /**
   * Number of requests that ended, charged or not. Null by end user and by key, where only charged requests
   * are counted.
   */
  calls: number | null
  /** Number of charged requests. */
  chargedCalls: number
  /** Number of failed requests, by cause. Null if `calls` is null. */
  failed: FailedCalls | null
  /** Input tokens. Null except in sums per day without a group, by model, by end user and by key. */
  inputTokens: number | null
  /** Output tokens. Null if `inputTokens` is null. */
  outputTokens: number | null
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge paid from pools of the plan, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge paid from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
  onDemandMicros: string
  /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
  overdraftMicros: string
  /**
   * Part of the charge of requests recorded before payments were split, in micros. An integer as a decimal
   * string.
   */
  unattributedMicros: string
}

/** Totals of the requests of a range. */
export interface SeriesTotals {
  /**
   * Number of requests that ended, charged or not. Null by end user and by key, where only charged requests
   * are counted.
   */
  calls: number | null
  /** Number of charged requests. */
  chargedCalls: number
  /** Number of failed requests, by cause. Null if `calls` is null. */
  failed: FailedCalls | null
  /** Input tokens. Null except in sums per day without a group, by model, by end user and by key. */
  inputTokens: number | null
  /** Output tokens. Null if `inputTokens` is null. */
  outputTokens: number | null
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge paid from pools of the plan, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge paid from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
  onDemandMicros: string
  /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
  overdraftMicros: string
  /**
   * Part of the charge of requests recorded before payments were split, in micros. An integer as a decimal
   * string.
   */
  unattributedMicros: string
}

/** A sign-in of a member in one browser. */
export interface Session {
  /** ID of the session, `ses_…`. */
  id: string
  /** ID of the member, `mem_…`. */
  memberId: string
  /** Network address from which the member signed in. */
  address: string
  /** User agent of the browser at sign-in. */
  userAgent: string
  /** When the member signed in. ISO 8601. */
  createdAt: string
  /** When the session was last used, accurate to ten minutes. ISO 8601. */
  lastUsedAt: string
  /** When the session expires: 30 days after the sign-in, or after 7 days without use. ISO 8601. */
  expiresAt: string
  /** Whether this is the session of the request. */
  isCurrent: boolean
}

/** Sign-in requirements of an organization. */
export interface SignInPolicy {
  /**
   * Whether members need a passkey to sign in with a password. Sign-ins with the identity provider are not
   * affected.
   */
  passkeyRequired: boolean
}

/** A session and its member. The secret is only in the cookie. */
export interface SignedIn {
  /** ID of the session, `ses_…`. */
  id: string
  /** When the session expires: 30 days after the sign-in, or after 7 days without use. ISO 8601. */
  expiresAt: string
  /** Value of the header `x-csrf-token`, which a page must send with every request other than GET. */
  csrfToken: string
  /**
   * Slug of the application that `apps.use` made active for the session. Null if no application is active.
   */
  activeApplication: string | null
  /** Signed-in member. */
  member: Member
  /** Organization of the member. */
  organization: {
    /** ID of the organization, `org_…`. */
    id: string
    /** Name of the organization. */
    name: string
  }
}

/** Spending pace of an end user, and how long the available credit lasts. */
export interface SpendingPace {
  /** Start of the first counted day (UTC). ISO 8601. */
  from: string
  /** Current time. ISO 8601. */
  to: string
  /**
   * Number of counted days, including today: seven, or fewer if the first usage is more recent. From 1 to
   * 7.
   */
  days: number
  /** Charges of requests that settled on these days, in micros. An integer as a decimal string. */
  chargedMicros: string
  /** Average charge per day, in micros, rounded up. An integer as a decimal string. */
  perDayMicros: string
  /**
   * Available credit without on-demand billing, in micros: wallet and pools, but no credits without a
   * price. A negative wallet counts as 0. An integer as a decimal string.
   */
  availableMicros: string
  /**
   * Number of whole days that the available credit lasts at this pace, at most 36525. Null if nothing was
   * charged, or if no credit is available. From 0 to 36525.
   */
  lastsDays: number | null
}

/** The plan of an end user, with its pools and invoices. */
export interface Subscription {
  /** Display name of the bundle. */
  planName: string
  /**
   * Price per interval, in micros, as agreed when the end user joined the plan. 0 if the plan has no price.
   * An integer as a decimal string.
   */
  priceMicros: string
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /** When the current period began. ISO 8601. */
  periodStart: string
  /** When the next period begins. ISO 8601. */
  periodEnd: string
  /** Whether more may be used than is paid for. */
  onDemandEnabled: boolean
  /**
   * Maximum on-demand usage of the end user per calendar month (UTC), in micros. Null means no limit. An
   * integer as a decimal string.
   */
  onDemandLimitMicros: string | null
  /**
   * On-demand usage in the current calendar month (UTC), in micros. It is invoiced after the month. An
   * integer as a decimal string.
   */
  onDemandSpentMicros: string
  /** Pools that pay now, in the order in which they were granted. */
  pools: {
    /** Slug of the include that grants the pool. */
    slug: string
    /** Display name of the pool. */
    displayName: string
    /**
     * Unit of the amounts of the pool. `micros`: money, or credits that have a price, as their share of
     * that price. `credits`: millionths of a credit without a price. `tokens` is not returned.
     */
    unit: Open<'tokens' | 'micros' | 'credits'>
    /** Amount granted for the period. An integer as a decimal string. */
    granted: string
    /**
     * Amount that settled requests consumed, including amounts that pools of other plans paid in the same
     * period. An integer as a decimal string.
     */
    consumed: string
    /**
     * Slug of the pool that pays the rest of a request after this pool is used up. Null if no other pool
     * pays.
     */
    spilloverTo: string | null
    /** Whether the wallet and on-demand billing cover usage after this pool is exhausted. */
    thenOnDemand: boolean
    /**
     * Part of `granted` that was carried over from earlier months, in the unit of the pool. An integer as a
     * decimal string.
     */
    rolledOver: string
    /** Consumption by model name. */
    aliases: {
      /** The requested model name. */
      requestedModel: string
      /**
       * Amount that the pool paid for this model name, in the unit of the pool. An integer as a decimal
       * string.
       */
      consumed: string
    }[]
  }[]
  /**
   * Credit that expires, soonest first. It is spent after plan pools and before the rest of the wallet.
   * Credit with a future `startsAt` is not part of the balance yet.
   */
  expiringCredit: ExpiringCredit[]
  /**
   * When on-demand billing was blocked by a past-due invoice, until the invoice is paid. Null if no invoice
   * is past due. ISO 8601.
   */
  onDemandBlockedSince: string | null
  /**
   * On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an unpaid
   * invoice. An integer as a decimal string.
   */
  onDemandOwedMicros: string
  /**
   * Credit for later invoices, in micros, from unused days of a plan that was replaced by a more expensive
   * one. An integer as a decimal string.
   */
  creditMicros: string
  /** When the plan ends because the subscription was canceled. Null if it was not canceled. ISO 8601. */
  endsAt: string | null
  /** The newest 100 invoices that are not void, newest first. `invoices.list` returns all invoices. */
  invoices: {
    /** ID of the invoice, `inv_…`. */
    id: string
    /** When the invoice was issued. ISO 8601. */
    issuedAt: string
    /** When the invoice becomes past due if it is unpaid. ISO 8601. */
    dueAt: string
    /** Start of the invoiced time. ISO 8601. */
    periodStart: string
    /** End of the invoiced time, exclusive. ISO 8601. */
    periodEnd: string
    /** Amount due, in micros. An integer as a decimal string. */
    amountMicros: string
    /** Payment status. */
    status: Open<'paid' | 'open' | 'past_due'>
    /** Lines that add up to the amount. */
    lines: InvoiceLine[]
  }[]
}

/** An application's clock in test mode. */
export interface TestClock {
  /** Time in test mode. It advances with the real time. ISO 8601. */
  now: string
  /** Real time, which live mode uses. ISO 8601. */
  realNow: string
  /**
   * How far the time in test mode is ahead of the real time, in milliseconds. 0 if the clock was never
   * advanced.
   */
  offsetMs: number
  /** Latest time that the clock can currently be advanced to. ISO 8601. */
  latest: string
}

/** A billing tier with its prices. */
export interface Tier {
  /** Name of the tier, as sent to `bill.subscribe`. */
  tier: string
  /** Price of a calendar month, in micros. An integer as a decimal string. */
  baseMicros: string
  /** Number of settled live requests per month that the base price includes. */
  includedCalls: number
  /**
   * Price of 1,000 settled live requests beyond the included ones, in micros. A bill rounds up once per
   * line. An integer as a decimal string.
   */
  perThousandCallsMicros: string
  /** Number of members that the base price includes. */
  includedSeats: number
  /** Price of each further member per month, in micros. An integer as a decimal string. */
  perSeatMicros: string
}

/** The tier of an organization. */
export interface TierState {
  /** Current tier of the organization. */
  tier: string
  /** First day (UTC) on the tier. ISO 8601. */
  since: string
  /** Pending move to another tier. Null if no move is pending. */
  next: {
    /** Tier that the organization moves to. */
    tier: string
    /** First day (UTC) on the next tier, which is the first day of a month. ISO 8601. */
    from: string
  } | null
}

/** A control-plane token, without its secret. */
export interface Token {
  /** ID of the token, `apk_…`. */
  id: string
  /** Display name of the token. */
  label: string
  /** First characters of the secret, safe to display. */
  prefix: string
  /** Last characters of the secret, safe to display. */
  lastFour: string
  /** Role of the token. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** ID of the only application that the token can use, `app_…`. Null means every application. */
  applicationId: string | null
  /**
   * ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of the
   * organization.
   */
  memberId: string | null
  /**
   * Creator of the token. Null if the operator of the server created it, or if it was created before
   * creators were recorded.
   */
  createdBy: TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
}

/** Creator of a control-plane token. */
export interface TokenCreator {
  /** Kind of the creator: a member or another token. */
  type: Open<'member' | 'token'>
  /** ID of the member (`mem_…`) or of the token (`apk_…`) that created the token. */
  id: string
  /** Email address of the member, or label of the token, when the token was created. */
  label: string
  /**
   * ID of the responsible member, `mem_…`: the member who created the token, or the member responsible for
   * the token that created it. Null if no member is responsible.
   */
  memberId: string | null
}

/** A usage record. */
export interface UsageRow {
  /** ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`), for use in `after`. */
  id: string
  /**
   * `usage`: a charged request. `refund` and `late_usage`: corrections of a request. The amounts of a
   * correction are differences, and its token counts are 0.
   */
  kind: Open<'usage' | 'refund' | 'late_usage'>
  /** ID of the request, `req_…`. */
  requestId: string
  /** When the request was charged or corrected. `from` and `to` select by this time. ISO 8601. */
  settledAt: string
  /** Time of the request. ISO 8601. */
  createdAt: string
  /** The customer's own ID for the end user. For a deleted end user, the ID `eu_…`. */
  endUserId: string
  /** ID of the key, `key_…`. */
  keyId: string
  /** Slug of the bundle that the request was charged under. Null if the request died with its process. */
  bundle: string | null
  /** The requested model name. */
  requestedModel: string
  /** Label of the provider account, or its ID, `pa_…`, if the account was deleted. */
  provider: string
  /** Provider kind. */
  providerKind: string
  /** The provider's model ID. */
  providerModel: string
  /** Wire format of the request. */
  wire: string
  /** Whether the response was streamed. */
  streamed: boolean
  /** HTTP status of the response. */
  httpStatus: number
  /** Error code of the failure. Null if no error occurred. */
  errorCode: string | null
  /**
   * Source of the token counts. `provider_reported`: the provider. `estimated`: the gateway. `recovered`:
   * the last checkpoint before a crash.
   */
  tokenCountSource: Open<'provider_reported' | 'estimated' | 'recovered'>
  /** Input tokens, including cached tokens. */
  inputTokens: number
  /** Input tokens that were read from the provider's cache. */
  cachedInputTokens: number
  /** Input tokens that were written to the provider's cache. */
  cacheWriteTokens: number
  /** Output tokens, including reasoning. */
  outputTokens: number
  /** Output tokens that were reasoning. */
  reasoningTokens: number
  /** Number of web searches. */
  webSearches: number
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Part of the charge paid from pools of the plan, in micros. Null for requests recorded before payments
   * were split. An integer as a decimal string.
   */
  paidFromPlanMicros: string | null
  /**
   * Part of the charge paid from credit that was given, in micros. Null for requests recorded before
   * payments were split. An integer as a decimal string.
   */
  paidFromGiftMicros: string | null
  /**
   * Part of the charge paid from purchased wallet money, in micros. Null for requests recorded before
   * payments were split. An integer as a decimal string.
   */
  paidFromWalletMicros: string | null
  /**
   * Part of the charge billed on demand, in micros. Null for requests recorded before payments were split.
   * An integer as a decimal string.
   */
  onDemandMicros: string | null
  /**
   * Part of the charge that took a wallet below 0, in micros. Null for requests recorded before payments
   * were split. An integer as a decimal string.
   */
  overdraftMicros: string | null
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /** Slug of the outcome. Null if the request counted toward no outcome. */
  outcome: string | null
  /** ID of the run. Null if the request belonged to no run. */
  runId: string | null
  /** Time from the first byte of the request to the last byte of the response, in milliseconds. */
  latencyMs: number
  /** Time to the first byte of the response, in milliseconds. Null if no byte was sent. */
  firstByteMs: number | null
}

/** Usage over time. */
export interface UsageSeries {
  /**
   * Start of the counted range. It is later than requested if there is too much data to read: 100,000
   * requests by minute, or 100,000 end users, keys and model names by day. ISO 8601.
   */
  from: string
  /** End of the last bucket. It can be in the future. ISO 8601. */
  to: string
  /** Length of each bucket. */
  bucket: Open<'minute' | 'hour' | 'day'>
  /**
   * Whether the whole range is counted. If false, the range has too much data, and only the newest data is
   * counted. By minute, end user and key, this is the time since `from`; in the current hour, the last
   * 100,000 requests.
   */
  isWhole: boolean
  /** All requests that match the filters. */
  all: Series
  /** The largest groups, in descending order of `order`. */
  groups: SeriesGroup[]
  /** Totals of all groups that are not in `groups`. Null if there are no other groups. */
  other: Series | null
  /** Latencies of all requests, by bucket, as in `health`. Null unless requested. */
  latency: SeriesLatency[] | null
  /** Latencies of all requests in the whole range. Null unless requested. */
  latencyTotals: {
    /** Time from the first byte of the request to the last byte of the response. */
    latencyMs: SeriesPercentiles
    /** Time to the first byte of the response. Requests without a response byte are not counted. */
    firstByteMs: SeriesPercentiles
  } | null
}

/** Totals of settled requests. */
export interface UsageTotals {
  /** Number of settled requests. */
  calls: number
  /** Input tokens. */
  inputTokens: number
  /** Output tokens. */
  outputTokens: number
  /**
   * Billed amount, in micros, less refunds in the range. Negative if refunds of earlier requests exceed it.
   * An integer as a decimal string.
   */
  billedMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
}

/** Result of `navigator.credentials.get` for the challenge. */
export interface UsedCredential {
  /** `id` of the credential that the browser returned, base64url. At most 1400 characters. */
  id: string
  /** `response.clientDataJSON` of the credential, base64url. At most 8192 characters. */
  clientDataJson: string
  /** `response.authenticatorData` of the credential, base64url. At most 8192 characters. */
  authenticatorData: string
  /** `response.signature` of the credential, base64url. At most 4096 characters. */
  signature: string
}

/** A limit of an end user's spending. */
export interface UserLimit {
  /**
   * Kind of the limit:
   * - `pool`: a pool of the plan.
   * - `credit`: credit that expires.
   * - `on_demand`: on-demand billing in the current month.
   * - `bundle_limit`: the spend limit of the plan.
   * - `end_user_limit`: a limit of the end user over all keys and plans.
   * - `portal_total`: the total of all keys created in the portal.
   * - `key_cap`: the cap of one key and the keys it replaced.
   */
  kind: Open<'pool' | 'credit' | 'on_demand' | 'bundle_limit' | 'end_user_limit' | 'portal_total' | 'key_cap'>
  /**
   * Slug of the include or of the bundle, ID of the grant or of the key, window of the end user's limit,
   * `portal`, or `on_demand`.
   */
  id: string
  /** Display name of the limit. */
  name: string
  /** Unit of the amounts: micros, or millionths of a credit. */
  unit: Open<'micros' | 'credits'>
  /** Maximum amount. Null means no limit. An integer as a decimal string. */
  limitUnits: string | null
  /** Amount used by settled requests. An integer as a decimal string. */
  usedUnits: string
  /** Amount held by requests in flight. An integer as a decimal string. */
  heldUnits: string
  /**
   * Remaining amount. Negative if the limit was exceeded. Null means no limit. An integer as a decimal
   * string.
   */
  availableUnits: string | null
  /**
   * Calendar period (UTC) after which the limit resets. Null if it follows the period of the plan, or if it
   * never resets.
   */
  period: Open<'day' | 'week' | 'month' | 'total'> | null
  /** When the limit resets. Null if it never resets. ISO 8601. */
  resetsAt: string | null
  /** When the unspent amount expires. Null if it does not expire. ISO 8601. */
  expiresAt: string | null
}

/** Limits for the next request of an end user. */
export interface UserLimits {
  /** Whether the end user is on a plan. If false, all requests are rejected. */
  onPlan: boolean
  /** Number of requests in flight. */
  callsInFlight: number
  /** Amount held by these requests from all sources, in micros. An integer as a decimal string. */
  heldMicros: string
  pace: SpendingPace
  /**
   * When on-demand billing was blocked by a past-due invoice, until the invoice is paid. Null if no invoice
   * is past due. ISO 8601.
   */
  onDemandBlockedSince: string | null
  limits: UserLimit[]
}

/** A bundle with its patterns, prices and includes. */
export interface WantedBundle {
  /** Slug of the bundle. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
   * bundle keep their price until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Maximum spend of each end user per period, in micros. Null means no limit. Omit to keep the current
   * value; set to null to remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * Period after which `spendLimitMicros` resets (UTC). `total` means that it never resets. Defaults to
   * `month`. Omit to keep the current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message` lets
   * it finish. `grace` lets it continue by up to `maxOverdraftMicros`. Defaults to `hard_token`. Omit to
   * keep the current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * Maximum amount by which a request can exceed its hold under `grace`, in micros. Defaults to `0`. Omit
   * to keep the current value; set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
   * users hold credits of the bundle. Omit to keep the current value; set to null to remove it. 1 to 32
   * characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * Handling of a stream when an end user of the bundle disconnects before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
  /**
   * Models that end users of the bundle can use. Defaults to `[]`. Omit to keep the current value; set to
   * null to reset it to the default.
   */
  allow?: readonly string[] | null | undefined
  /**
   * Exceptions to `allow`. Defaults to `[]`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  deny?: readonly string[] | null | undefined
  /**
   * Sell prices and credit prices, by model. Defaults to `[]`. Omit to keep the current value; set to null
   * to reset it to the default.
   */
  prices?: readonly {
    /** Exact name of the model or router. */
    model: string
    /** Sell price. Null means that the model is sold at cost. */
    price?: Price | null | undefined
    /** Price in millionths of a credit. Null means that credits cannot pay for the model. */
    credits?: Price | null | undefined
  }[] | null | undefined
  /**
   * Includes of the bundle, in the order in which they are granted. Defaults to `[]`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  includes?: readonly {
    /** Slug of the include and of its pools. */
    slug: string
    /** Display name. 1 to 128 characters. */
    displayName: string
    /** Unit of `amount`. */
    unit: 'credits' | 'micros'
    /** Amount of each grant, in micros or millionths of a credit. An integer as a decimal string. */
    amount: string | bigint
    /**
     * Separate price of the include, in micros. Null means that the include is free. An integer as a
     * decimal string.
     */
    price?: string | bigint | null | undefined
    /**
     * Whether the wallet and on-demand billing cover usage after this pool is exhausted. `true` when left
     * out.
     */
    thenOnDemand?: boolean | undefined
    /** Whether the amount is granted every period. False means once, at sign-up. `true` when left out. */
    recurring?: boolean | undefined
    /**
     * Source that pays the rest of a request when the pool is exhausted.
     *
     * - A slug means that include of the bundle.
     * - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
     * paid, oldest.
     * - Null means no other pool. `thenOnDemand` then decides whether the wallet and on-demand billing pay.
     * `*` when left out.
     */
    spilloverTo?: string | null | undefined
    /**
     * Models that the pool can pay for. Null means every model in the bundle. An empty list means no model.
     * At most 200 of them. `null` when left out.
     */
    models?: readonly string[] | null | undefined
    /**
     * Part of a recurring include that is carried over at the end of a month. Null means that the unspent
     * amount expires. `null` when left out.
     */
    rollover?: {
      /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
      percent: number
      /** Maximum number of times that the same units are carried over, up to 12. From 1 to 12. */
      periodsMax: number
    } | null | undefined
  }[] | null | undefined
  /**
   * Whether new end users get this bundle. At most one bundle can be the default. Defaults to `false`. Omit
   * to keep the current value; set to null to reset it to the default.
   */
  default?: boolean | null | undefined
}

/** A model name with its sources. */
export interface WantedModel {
  /** Name of the model, as end users request it. */
  name: string
  /**
   * Provider accounts and their models, in the order in which they are tried. Required on creation. Omit to
   * keep the current value. 1 to 16 of them.
   */
  sources?: readonly ModelSource[] | undefined
  /**
   * Limits for requests that do not set their own. Defaults to `{}`. Omit to keep the current value; set to
   * null to reset it to the default.
   */
  ceilings?: {
    /**
     * Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend it.
     * Providers whose API requires a maximum receive this value. From 1 to 10000000.
     */
    outputTokens?: number | undefined
  } | null | undefined
  /**
   * Whether the model is enabled. `models.disable` disables it. Defaults to `true`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  enabled?: boolean | null | undefined
}

/** An outcome that accepts runs. */
export interface WantedOutcome {
  /** Slug of the outcome. Requests send it as `svc.outcome`. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Maximum spend of one run, in micros. Required on creation. Omit to keep the current value. An integer
   * as a decimal string.
   */
  ceilingMicros?: string | bigint | undefined
}

/** A router: a name that routes requests to several targets. */
export interface WantedRouter {
  /** Name of the router, as end users request it. */
  name: string
  /**
   * Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight. `cheapest`: by
   * expected cost of the request. `fastest`: by time to the first token. `leastBusy`: by requests in
   * flight. `sticky`: the same target for each end user or session. Required on creation. Omit to keep the
   * current value.
   */
  policy?: 'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky' | undefined
  /**
   * Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
   * target. Defaults to `end_user`. Omit to keep the current value; set to null to reset it to the default.
   */
  stickyBy?: 'end_user' | 'session' | null | undefined
  /** Targets of the router. Required on creation. Omit to keep the current value. 1 to 64 of them. */
  targets?: readonly RouterTarget[] | undefined
  /**
   * Rules for attempts. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current value;
   * set to null to reset it to the default.
   */
  attempts?: RouterAttemptRules | null | undefined
}

/** Opening hours on some days of the week, in UTC. */
export interface WeeklyHours {
  /** Days on which the gateway opens. 1 to 7 of them. */
  days: Open<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>[]
  /** Opening time, in hours and minutes (UTC). */
  from: string
  /**
   * Closing time (UTC). If it is not later than `from`, the gateway closes on the following day. `24:00` is
   * the end of the day.
   */
  until: string
}
