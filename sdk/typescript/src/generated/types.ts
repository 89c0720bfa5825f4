// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

/** One of these words; a later server may know more. */
export type Open<Words extends string> = Words | (string & {})

/** How a provider account does. */
export interface AccountHealth {
  /** Label of the provider account. */
  provider: string
  /**
   * `healthy`: no call failed; `degraded`: fewer than 5 % or fewer than five calls failed, or some targets
   * cannot be taken now; `failing`: at least 5 % failed; `unavailable`: no target can be taken now;
   * `key_refused`: the provider refuses the key; `unknown`: no calls.
   */
  state: Open<'healthy' | 'degraded' | 'failing' | 'unavailable' | 'key_refused' | 'unknown'>
  /** Calls of the last 24 hours; of an account, attempts. */
  calls: number
  /** Those of them that the provider or this server failed. */
  failed: number
  /** `failed` of `calls`; 0 without calls. From 0 to 1. */
  failureRate: number
  /** What is wrong now, with its numbers. Null if healthy or unknown. */
  why: string | null
}

/** A model that an account can use, and what it pays for it. */
export interface AccountModel {
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  price: Price
  /** Whether the price was set on the account, or is what the provider publishes. */
  pricedBy: Open<'account' | 'catalogue'>
  /**
   * Dimensions that the provider reports and the price has no rate for. While there are any, the model is
   * served only in bundles that price it, and the cost of these units is assumed.
   */
  missing: string[]
  /** Size of its context; null: not known. */
  contextTokens: number | null
  /** Longest answer; null: not known. */
  maxOutputTokens: number | null
  /** Whether its provider is about to retire it. */
  deprecated: boolean
}

/** A new emitter, with its signing secret. */
export interface AddedEmitter {
  /** Id of the emitter, `emt_…`. */
  id: string
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered to it. */
  enabled: boolean
  /** True: it is told of live calls; false: of test calls. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** What it is told of. */
  events: 'usage.recorded'[]
  /**
   * Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
   * `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person. Without
   * a person, or an external id, the organization’s.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, of `vendor_a` and `openmeter`; null for the others. */
  eventType: string | null
  /** Event name at the vendor, of `vendor_b` and `stripe`; null for the others. */
  eventName: string | null
  /** Last four characters of the credential; of a webhook, of the signing secret. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Events that were accepted, replayed ones too. */
  delivered: number
  /** Events that were attempted and not accepted. */
  notDelivered: number
  /** Events that were never attempted, because 10,000 others waited already. */
  dropped: number
  /** Last accepted batch; null: none. ISO 8601. */
  lastDeliveredAt: string | null
  /** Last batch not accepted; null: none. ISO 8601. */
  lastFailedAt: string | null
  /** Why that batch was not accepted. */
  lastFailure: string | null
  /** First batch that was not accepted since one was; null: the last one was accepted. ISO 8601. */
  failingSince: string | null
  /**
   * The span of calls among which there are some whose events were not accepted and not replayed since;
   * null: none. emitters.replay takes it as it is.
   */
  missed: MissedSpan | null
  /** The last replay; null: none was asked for. */
  replay: EmitterReplay | null
  /** When it was added. ISO 8601. */
  createdAt: string
  /**
   * Signing secret of a webhook, `whsec_…`. Returned once and cannot be retrieved again;
   * emitters.rotateSecret replaces it. Null for other kinds.
   */
  signingSecret: string | null
}

/** A key of a person, without its secret. */
export interface ApiKeySummary {
  /** Id of the key, `key_…`. */
  id: string
  /** Its label. */
  name: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** False: a test key, which never reaches a provider. */
  livemode: boolean
  /** The customer's own id of the person that it spends as; of a removed person the service's, `eu_…`. */
  endUserId: string | null
  /**
   * Maximum spend per `capPeriod`, in micros, for this key and the keys it replaced together. Null means no
   * cap. An integer as a decimal string.
   */
  capMicros: string | null
  /** When the cap starts anew (UTC); `total`: never. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Charges in the current `capPeriod`, in micros, for this key and the keys it replaced. Reported whether
   * or not a cap is set. An integer as a decimal string.
   */
  spentMicros: string
  /**
   * Amount held by requests in flight, in micros, for this key and the keys it replaced. Counts against the
   * cap. An integer as a decimal string.
   */
  heldMicros: string
  /** When the next `capPeriod` begins; null: never. ISO 8601. */
  resetsAt: string | null
  /** Kind of the actor that minted it, such as `token`. */
  actorType: string
  /** Label of that actor. */
  actorLabel: string | null
  /** When it was minted. ISO 8601. */
  createdAt: string
  /** When it was last used on the gateway; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When it was revoked; null: it was not. ISO 8601. */
  revokedAt: string | null
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** Id of the key that takes its place, `key_…`; null: it was not rotated. */
  replacedBy: string | null
}

/** An application: one product with its own people, keys and names. */
export interface Application {
  /** Part of the host names; never changes. */
  slug: string
  /** Name for people. */
  name: string
  /** Address of its gateway. */
  gateway: string
  /** Address of its end users' portal. */
  portal: string
  /** The gateway by address and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** The portal likewise. */
  localPortal?: string
  /** Number of end users. */
  endUsers: number
  /** Number of keys that are not revoked. */
  keys: number
  /** Slugs of its bundles. */
  bundles: string[]
  /** Its model names. */
  models: string[]
  /** Provider cost of its settled calls in this mode, in dollars. */
  costUsd: string
  /** When it was made. ISO 8601. */
  createdAt: string
  /** When it was archived; null: not archived. ISO 8601. */
  archivedAt: string | null
}

/** What a document changed, or would change. */
export interface AppliedConfiguration {
  /** Whether nothing was changed. */
  dryRun: boolean
  /** In the order of the parts, and by name. What stays as it is does not occur. */
  changes: ConfigurationChange[]
}

/** A change that somebody made through the control plane. */
export interface AuditEntry {
  /** Id of the entry, `aud_…`. */
  id: string
  /** When the change was made. ISO 8601. */
  at: string
  /** Id of the operation that made it. */
  operation: string
  /** Method and path of the request. */
  resource: string
  /** Id of the application that was changed; null: the organization. */
  applicationId: string | null
  /** The mode of the request. */
  mode: Open<'live' | 'test'>
  /** Who made the change. */
  actor: {
    /**
     * `token`, `member` for a person of the team, `end_user` for one in the portal, or `stranger` for
     * failed sign-ins.
     */
    kind: string
    /** Id of the token or the member; of failed sign-ins, of the member whose account was tried. */
    id: string
    /** Label of the token, or e-mail address of the member. */
    label: string
    /** Network address of the client. */
    address: string
  }
  /** Id of the request, `req_…`. */
  requestId: string
  /** The configuration before the change; null: there was none, or it has no state to compare. */
  before: unknown
  /** The configuration after the change, else the answer. Never a secret. */
  after: unknown
}

/** A wallet. */
export interface Balance {
  /**
   * Balance of the wallet with the credit that expires and can be spent now, in micros. An integer as a
   * decimal string.
   */
  balanceUnits: string
  /** Held for calls in flight; available = balance - reserved. An integer as a decimal string. */
  reservedUnits: string
  /**
   * Credit that expires, the soonest first. It is spent after plan pools and before the rest of the wallet.
   * Credit that can be spent now is part of the balance; credit with a later `startsAt` is not yet.
   */
  expiringCredit: ExpiringCredit[]
}

/** A change of a wallet that no request caused. */
export interface BalanceChange {
  /** ID of the change, `gr_…`. */
  id: string
  /** The customer's own ID of the end user. */
  endUserId: string
  /** Kind of its ledger entry. */
  kind: Open<'topup' | 'adjustment'>
  /** Amount added to the balance, in micros. Negative if it was taken. An integer as a decimal string. */
  amountUnits: string
  /** Balance after the change, in micros. An integer as a decimal string. */
  balanceAfterUnits: string
  /** Reference of the payment behind a top-up. Null for every other kind. */
  paymentReference: string | null
  /** Reason given with the change, as the ledger shows it. */
  reason: string
  /** ID of its ledger entry, `led_…`. */
  ledgerEntryId: string
  /** When the change was made. ISO 8601. */
  createdAt: string
}

/** One line of a bill. */
export interface BillLine {
  /**
   * `base`: the month’s first tier; `upgrade`: the difference to a dearer tier for the days left; `calls`:
   * those that are not included; `seats`: members that are not included; `late_calls`: calls of an earlier
   * month that settled after its bill, at what they would have added to it.
   */
  kind: Open<'base' | 'upgrade' | 'calls' | 'seats' | 'late_calls'>
  /** The month that the line is for. */
  period: string
  /** The tier that prices it; null of late calls. */
  tier: string | null
  /** The days of the month that it is for. */
  days: number
  /** Priced units: 1 of a base, else calls or members beyond the included ones. */
  quantity: number
  /** Calls of these days that were included; 0 of other lines. */
  included: number
  /**
   * Micros of a whole month for a base or a member, or for a thousand calls; null of late calls. An integer
   * as a decimal string.
   */
  unitMicros: string | null
  /** Micros of the line, rounded up once. An integer as a decimal string. */
  amountMicros: string
}

/** How the portal of the application looks, and how well it is read. */
export interface Brand {
  /** What people know the product as. */
  productName: string
  /** The colour of the brand, `#rrggbb`. */
  primaryColor: string
  /** What is read best on that colour, `#rrggbb`. */
  textColor: string
  /** Where people ask for help; null: not said. */
  supportEmail: string | null
  /** The same as an address of a page. */
  supportUrl: string | null
  /** The page where the application sells credit. Null if none is set. */
  topUpUrl: string | null
  /** The page where invoices are paid. Null if none is set. */
  payUrl: string | null
  /** The logo; null: none. */
  logo: Logo | null
  /** How well the colour is read. */
  contrast: {
    /** Contrast of the colour and white, 1 to 21 (WCAG 2.2). */
    white: number
    /** Contrast of the colour and black. */
    black: number
    /** Said where the colour has less than 4.5:1 to white: text in it is hard to read; else null. */
    warning: string | null
  }
}

/** The models, prices and grants of its end users. */
export interface Bundle {
  slug: string
  /** Name for people. 1 to 128 characters. */
  displayName: string
  /**
   * Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the
   * price that they came for until they are put on it again. An integer as a decimal string.
   */
  priceMicros: string | null
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /** Limit of each end user per period; null: no limit. An integer as a decimal string. */
  spendLimitMicros: string | null
  /** When `spendLimitMicros` starts anew (UTC); `total`: never. */
  spendLimitPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message`
   * never cuts, `grace` lets it run on by `maxOverdraftMicros`.
   */
  terminationPolicy: Open<'hard_token' | 'complete_message' | 'grace'>
  /** How far a call may run past its hold under `grace`. An integer as a decimal string. */
  maxOverdraftMicros: string
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   */
  debitBasis: Open<'provider_cost' | 'sell_price'>
  /**
   * Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
   * credits. 1 to 32 characters.
   */
  creditCurrency: string | null
  /**
   * What happens to a stream when an end user of the bundle leaves before its end. Null means the setting
   * of the provider account.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** Models that its end users may call. */
  allow: string[]
  /** Exceptions from `allow`. */
  deny: string[]
  /** Sell prices and credit prices by model, where they were set. */
  prices: {
    model: string
    price: Price | null
    credits: Price | null
  }[]
  /** Its grants. */
  includes: BundleInclude[]
  /** Whether new end users get it. */
  default: boolean
  /** Settings of the bundle that were never decided. Empty if there are none. */
  warnings: BundleWarning[]
  /** When it was made. ISO 8601. */
  createdAt: string
}

/** A grant of a bundle. */
export interface BundleInclude {
  slug: string
  /** Name for people. 1 to 128 characters. */
  displayName: string
  /** What `amount` counts. */
  unit: Open<'credits' | 'micros'>
  /** Granted each time: micros, or millionths of a credit. An integer as a decimal string. */
  amount: string
  /** Its separate price, in micros; null: none. An integer as a decimal string. */
  price: string | null
  /** Whether wallet and on-demand may pay once it is spent. */
  thenOnDemand: boolean
  /** True: granted every period; false: once, at sign-up. */
  recurring: boolean
  /**
   * What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers the
   * call and comes next (fewest models, soonest end, free before paid, oldest); null: none, and then
   * `thenOnDemand` says whether wallet and on-demand do.
   */
  spilloverTo: string | null
  /** Models it may pay for; null: all that the bundle allows. 1 to 200 of them. */
  models: string[] | null
  /**
   * What is carried over of a recurring include at the end of a month. Null: nothing, the rest expires.
   */
  rollover: {
    /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
    percent: number
    /** How many times the same units are carried over, at most 12. From 1 to 12. */
    periodsMax: number
  } | null
}

/** A setting of the bundle that was never decided. */
export interface BundleWarning {
  /** What to decide; stable. */
  code: Open<'debit_basis_not_set'>
  /** What happens now, and which call changes it. */
  message: string
}

/** A model at the price that its provider publishes. */
export interface CatalogModel {
  /** Provider and model with a slash between: what catalog.show takes. */
  name: string
  /** Id of a provider of the catalogue. 1 to 64 characters. */
  provider: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  /** The form of date that may follow the id after a hyphen; null: none may. */
  dated: Open<'YYYY-MM-DD' | 'YYYYMMDD'> | null
  price: Price
  /** Start of the price; null: before the first list. ISO 8601. */
  effectiveFrom: string | null
  /** Size of its context; null: not known. */
  contextTokens: number | null
  /** Longest answer; null: not known. */
  maxOutputTokens: number | null
  /** Whether its provider is about to retire it. */
  deprecated: boolean
  /** Remark on the price. */
  note: string | null
  /** Source of the price. */
  source: string
  /** The day on which the source was read. */
  checkedAt: string
}

/** A provider whose prices are known. */
export interface CatalogProvider {
  /** Id of a provider of the catalogue. 1 to 64 characters. */
  id: string
  /** Name of the provider. */
  name: string
  /** Its protocol. The simulator is built in and answers without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
  /** Accounts at exactly one of these addresses pay the prices; the first is the usual one. */
  baseUrls: string[]
  /** Its own page of prices. */
  pricingUrl: string
  /** Models with a price now. */
  models: number
}

/** A member whose role was changed or who was removed. */
export interface ChangedMember {
  /** Id of the member, `mem_…`. */
  id: string
  /** E-mail address, in lower case. */
  email: string
  /** Name for people; null until they have joined. */
  name: string | null
  /** What the member may do. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** False: the member signs in by the identity provider only, or has not joined. */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the invitation was accepted; null: it is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires, or did; null: none is open. ISO 8601. */
  inviteExpiresAt: string | null
  /**
   * Tokens that the member created, directly or with another token, and that remain valid although the
   * member no longer has their role. Newest first, at most 200.
   */
  validTokens: Token[]
}

/** Usage and the amount charged for it. */
export interface ChargedUsage {
  /** Number of settled requests. */
  calls: number
  /** Input tokens. */
  inputTokens: number
  /** Output tokens. */
  outputTokens: number
  /**
   * Amount charged for them, in micros, less refunds made in the range: what pools, wallet and on-demand
   * paid. An integer as a decimal string.
   */
  billedMicros: string
}

/** Usage of one model name and the amount charged for it. */
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
   * Amount charged for them, in micros, less refunds made in the range: what pools, wallet and on-demand
   * paid. An integer as a decimal string.
   */
  billedMicros: string
}

/** A circuit that is not closed, as seen by the one server process that answers this request. */
export interface Circuit {
  /** Label of the provider account. */
  provider: string
  /** The provider's model id. */
  model: string
  /**
   * `open`: no call is sent there; `half_open`: one real call tries it, or a probe if another target serves
   * the calls.
   */
  state: Open<'open' | 'half_open'>
  /** When one call may try again; null: now. ISO 8601. */
  until: string | null
  /** What was found, with its numbers. */
  why: string
}

/** The whole configuration of an application, without secrets. */
export interface Configuration {
  /** Version of the format of this document. */
  format: 1
  application: ConfigurationApplication
  brand: ConfigurationBrand
  gateway: ConfigurationGateway
  /** Provider accounts that must be there, in label order: those that its models and routers name. */
  providers: ConfigurationAccount[]
  /** Model names, in name order. */
  models: ConfigurationModel[]
  /** Routers, in name order. */
  routers: ConfigurationRouter[]
  /** Bundles, in slug order. */
  bundles: ConfigurationBundle[]
  /** Outcomes that take runs, in slug order. */
  outcomes: ConfigurationOutcome[]
}

/** A provider account that must be there. Never its credential. */
export interface ConfigurationAccount {
  /** Label of the account. */
  label: string
  /** Its protocol. The simulator is built in and answers without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
}

/** What the application says of itself. */
export interface ConfigurationApplication {
  /** Name for people. 1 to 128 characters. */
  name: string
}

/** How the portal looks, as `brand.set` takes it; the logo is uploaded apart. */
export interface ConfigurationBrand {
  /** What people know the product as; null: the name of the application. 1 to 128 characters. */
  productName: string | null
  /** The colour of the brand, `#rrggbb`. */
  primaryColor: string
  /** Where people ask for help; null: not said. At most 254 characters. */
  supportEmail: string | null
  /** The same as an address of a page, http or https; null: not said. At most 512 characters. */
  supportUrl: string | null
  /**
   * The page where the application sells credit. Refusals for money return it as `portalUrl`, and the
   * portal links to it. Null means the portal. At most 512 characters.
   */
  topUpUrl: string | null
  /**
   * The page where end users pay invoices. The portal links past-due invoices to it. Null means none. At
   * most 512 characters.
   */
  payUrl: string | null
}

/** A bundle with all that it allows, sells and includes. */
export interface ConfigurationBundle {
  /** Slug of the bundle. */
  slug: string
  /** Name for people. 1 to 128 characters. */
  displayName: string
  /**
   * Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the
   * price that they came for until they are put on it again. An integer as a decimal string.
   */
  priceMicros: string | null
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /** Limit of each end user per period; null: no limit. An integer as a decimal string. */
  spendLimitMicros: string | null
  /** When `spendLimitMicros` starts anew (UTC); `total`: never. */
  spendLimitPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message`
   * never cuts, `grace` lets it run on by `maxOverdraftMicros`.
   */
  terminationPolicy: Open<'hard_token' | 'complete_message' | 'grace'>
  /** How far a call may run past its hold under `grace`. An integer as a decimal string. */
  maxOverdraftMicros: string
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   */
  debitBasis: Open<'provider_cost' | 'sell_price'>
  /**
   * Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
   * credits. 1 to 32 characters.
   */
  creditCurrency: string | null
  /**
   * What happens to a stream when an end user of the bundle leaves before its end. Null means the setting
   * of the provider account.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** Models that its end users may call. */
  allow: string[]
  /** Exceptions from `allow`. */
  deny: string[]
  /** Sell prices and credit prices, by model. */
  prices: {
    /** The model name, exactly. */
    model: string
    /** Sell price; null: sold at cost. */
    price: Price | null
    /** Credit price, in millionths of a credit; null: credits cannot pay for it. */
    credits: Price | null
  }[]
  /** Its grants, in the order they are made. */
  includes: {
    slug: string
    /** Name for people. 1 to 128 characters. */
    displayName: string
    /** What `amount` counts. */
    unit: Open<'credits' | 'micros'>
    /** Granted each time: micros, or millionths of a credit. An integer as a decimal string. */
    amount: string
    /** Its separate price, in micros; null: none. An integer as a decimal string. */
    price: string | null
    /** Whether wallet and on-demand may pay once it is spent. */
    thenOnDemand: boolean
    /** True: granted every period; false: once, at sign-up. */
    recurring: boolean
    /**
     * What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
     * the call and comes next (fewest models, soonest end, free before paid, oldest); null: none, and then
     * `thenOnDemand` says whether wallet and on-demand do.
     */
    spilloverTo: string | null
    /** Models it may pay for; null: all that the bundle allows; empty: none. At most 200 of them. */
    models: string[] | null
    /**
     * What is carried over of a recurring include at the end of a month. Null: nothing, the rest expires.
     */
    rollover: {
      /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
      percent: number
      /** How many times the same units are carried over, at most 12. From 1 to 12. */
      periodsMax: number
    } | null
  }[]
  /** Whether new end users get it; of one bundle at most. */
  default: boolean
}

/** What becomes of one resource of the configuration. */
export interface ConfigurationChange {
  /** `none`: it is not in the document and stays; `prune` would remove it. */
  action: Open<'create' | 'update' | 'remove' | 'none'>
  /** Its noun. */
  resource: Open<'application' | 'brand' | 'gateway' | 'model' | 'router' | 'bundle' | 'outcome'>
  /** Its part of the document, and its name there. */
  path: string
  /** As the document had it; null: it was not there. */
  before: Record<string, unknown> | null
  /** As the document has it; null: it is gone. */
  after: Record<string, unknown> | null
}

/** What the gateway is narrowed to, as `gateway.set` takes it. */
export interface ConfigurationGateway {
  /**
   * Wires whose calls are answered; null: all. A call of another is 404 `wire_not_served`. 1 to 4 of them.
   */
  wires: Open<'chat' | 'messages' | 'generate' | 'responses'>[] | null
  /**
   * Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`; null:
   * all. Another name is unknown, and not listed. 1 to 200 of them.
   */
  models: string[] | null
  /**
   * Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
   * them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed: a
   * page sends its key in a header. At most 100 of them.
   */
  origins: string[]
  /**
   * Client addresses that are answered; null: all. A call from another is 403 `address_not_allowed`. The
   * address is the connection’s, or behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`)
   * the last one in X-Forwarded-For that is none of theirs. 1 to 200 of them.
   */
  addresses: string[] | null
  /**
   * When calls are answered; null: always. At other times a call is 403 `outside_hours`, with the next
   * opening. A call in flight goes on to its end. 1 to 28 of them.
   */
  hours: WeeklyHours[] | null
  /**
   * Most output tokens of one answer to a request that states no maximum. It is held for whole and sent to
   * the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no more is asked
   * for than the model gives. Null: whole answers are held for 16,384 and streams for 2,048 at first, and
   * the provider is told no maximum. From 1 to 10000000.
   */
  defaultMaxTokens: number | null
  /**
   * How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is 429
   * `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its operator changes
   * it). From 0 to 60000.
   */
  holdWaitMs: number | null
  /**
   * Tools that the provider would run and the request merely offers: `drop` takes them out and names them
   * in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model is made to
   * call is always refused.
   */
  providerTools: Open<'drop' | 'refuse'>
  /**
   * Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names them
   * in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
   */
  conversion: Open<'lenient' | 'strict'>
  /**
   * Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged (W3C
   * Trace Context), so that its spans join the client’s trace. False: the provider learns nothing of it.
   */
  passTraceparent: boolean
}

/** A model name. */
export interface ConfigurationModel {
  /** The name for end users. */
  name: string
  /** Accounts and models, in the order they are tried. */
  sources: ModelSource[]
  /** Bounds for requests that name none. */
  ceilings: {
    /**
     * Output tokens that are held for an answer when the request names no maximum: all of a whole one, and
     * a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
     */
    outputTokens?: number
  }
  /** False: `models.disable` stopped it. */
  enabled: boolean
}

/** An outcome that takes runs. */
export interface ConfigurationOutcome {
  /** What calls name in `svc.outcome`. */
  slug: string
  /** Name for people. 1 to 128 characters. */
  displayName: string
  /** Spend ceiling of one run, in micros. An integer as a decimal string. */
  ceilingMicros: string
}

/** A name with several ways to answer. */
export interface ConfigurationRouter {
  /** The name for end users. */
  name: string
  /**
   * How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight; `cheapest`:
   * what this very call is expected to cost; `fastest`: the time to the first token; `leastBusy`: calls in
   * flight; `sticky`: the same person or session stays at one.
   */
  policy: Open<'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky'>
  /**
   * What `sticky` keeps on one target: the requests of an end user, or requests with the same
   * `svc.session`.
   */
  stickyBy: Open<'end_user' | 'session'>
  /** The ways to answer. */
  targets: RouterTarget[]
  /** How targets are tried. Omitted rules get their defaults. */
  attempts: RouterAttemptRules
}

/** The provider refused the API key (401 or 403) in the newest calls that were made with it. */
export interface CredentialRefused {
  /** The first refusal after the last call that was answered. ISO 8601. */
  since: string
  /** Calls that were refused since. */
  refusals: number
  /** The call that mends it. */
  mend: OperationCall
}

/** An organization. */
export interface Customer {
  /** Id of the organization, `org_…`. */
  id: string
  /** Its name. */
  name: string
  /** The `<code>` in its tokens. */
  code: string
  /** The tier that it is on: see bill.tiers. */
  tier: string
  /** Number of its applications that are not archived. */
  applications: number
  /** Number of its active members. */
  members: number
  /** The mode of this request. */
  mode: Open<'live' | 'test'>
  /** What the caller may do: each role may do all that those below it may. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When it was founded. ISO 8601. */
  createdAt: string
}

/** A device that asks to be signed in. */
export interface DeviceSignIn {
  /** What the device calls itself; null: it does not say. Anybody can say anything here. */
  clientName: string | null
  /** Network address from which the device asked. */
  address: string
  /** What its program called itself. */
  userAgent: string
  /** The role that the device asked for; null: it does not say. */
  askedRole: Open<'viewer' | 'developer' | 'admin' | 'owner'> | null
  /** What its token may do once approved: never more than the member who approves. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the device asked. ISO 8601. */
  createdAt: string
  /** When its codes expire. ISO 8601. */
  expiresAt: string
}

/** An account and model whose stated costs differ from the gateway's by more than 3 %. */
export interface DisputedCost {
  /** Label of the provider account. */
  provider: string
  /** The provider's model ID. */
  model: string
  /** Number of calls compared: the newest ones that state a cost. */
  calls: number
  /** Sum of the costs that the provider states, in micros. An integer as a decimal string. */
  statedMicros: string
  /**
   * Sum of the costs of the same calls at the current price of the account, in micros. An integer as a
   * decimal string.
   */
  costMicros: string
}

/** A destination of settled usage, without its secret. */
export interface Emitter {
  /** Id of the emitter, `emt_…`. */
  id: string
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered to it. */
  enabled: boolean
  /** True: it is told of live calls; false: of test calls. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** What it is told of. */
  events: 'usage.recorded'[]
  /**
   * Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
   * `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person. Without
   * a person, or an external id, the organization’s.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, of `vendor_a` and `openmeter`; null for the others. */
  eventType: string | null
  /** Event name at the vendor, of `vendor_b` and `stripe`; null for the others. */
  eventName: string | null
  /** Last four characters of the credential; of a webhook, of the signing secret. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Events that were accepted, replayed ones too. */
  delivered: number
  /** Events that were attempted and not accepted. */
  notDelivered: number
  /** Events that were never attempted, because 10,000 others waited already. */
  dropped: number
  /** Last accepted batch; null: none. ISO 8601. */
  lastDeliveredAt: string | null
  /** Last batch not accepted; null: none. ISO 8601. */
  lastFailedAt: string | null
  /** Why that batch was not accepted. */
  lastFailure: string | null
  /** First batch that was not accepted since one was; null: the last one was accepted. ISO 8601. */
  failingSince: string | null
  /**
   * The span of calls among which there are some whose events were not accepted and not replayed since;
   * null: none. emitters.replay takes it as it is.
   */
  missed: MissedSpan | null
  /** The last replay; null: none was asked for. */
  replay: EmitterReplay | null
  /** When it was added. ISO 8601. */
  createdAt: string
}

/** A batch that was sent, and what came of it. */
export interface EmitterDelivery {
  /** Id of the batch, `usgb_…`. */
  id: string
  /** `settled`: calls had settled; `replay`: they were sent again; `test`: it was a sample. */
  cause: Open<'settled' | 'replay' | 'test'>
  /** When its first attempt began. ISO 8601. */
  sentAt: string
  /** Number of its events, 1 to 100. */
  events: number
  /** Usage records of its events, `ur_…`. */
  usageRecordIds: string[]
  /** Whether an attempt was accepted. */
  delivered: boolean
  /** Attempts, 1 to 3. */
  attempts: number
  /** HTTP status of the last attempt; null: no answer came. */
  status: number | null
  /** Why it was not accepted; null: it was. */
  reason: string | null
  /** Milliseconds from the first attempt to the end of the last one. */
  latencyMs: number
}

/** A delivery with the bodies of a failed attempt. */
export interface EmitterDeliveryDetail {
  /** Id of the batch, `usgb_…`. */
  id: string
  /** `settled`: calls had settled; `replay`: they were sent again; `test`: it was a sample. */
  cause: Open<'settled' | 'replay' | 'test'>
  /** When its first attempt began. ISO 8601. */
  sentAt: string
  /** Number of its events, 1 to 100. */
  events: number
  /** Usage records of its events, `ur_…`. */
  usageRecordIds: string[]
  /** Whether an attempt was accepted. */
  delivered: boolean
  /** Attempts, 1 to 3. */
  attempts: number
  /** HTTP status of the last attempt; null: no answer came. */
  status: number | null
  /** Why it was not accepted; null: it was. */
  reason: string | null
  /** Milliseconds from the first attempt to the end of the last one. */
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

/** What is sent to an emitter again, and how far that is. */
export interface EmitterReplay {
  /** Calls from then on are sent; the time is that of their arrival. ISO 8601. */
  from: string
  /** Calls before then are sent. ISO 8601. */
  to: string
  /** `stopped`: a batch was not accepted; asking for the same span again goes on there. */
  state: Open<'running' | 'done' | 'stopped'>
  /** Calls up to then are sent. ISO 8601. */
  reachedAt: string
  /** Events that were sent and accepted. */
  events: number
  /** Why it was stopped; null: it was not. */
  reason: string | null
  /** When it was asked for. ISO 8601. */
  startedAt: string
  /** When it last came further. ISO 8601. */
  updatedAt: string
}

/** What came of a sample delivery. */
export interface EmitterTest {
  /** Id of the emitter, `emt_…`. */
  emitterId: string
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** URL that it was posted to. */
  destination: string
  /** The event. */
  event: 'usage.recorded'
  /** Key of the event: its usage record id. */
  idempotencyKey: string
  /** Key of the delivery, `usgb_…`; null: the server stops, and it was given up. */
  batchId: string | null
  /** What was delivered. */
  sample: {
    /** An id of its own, `ur_…`; no record has it. */
    usageRecordId: string
    /** The organization’s id: the sample has no person. */
    customerId: string
    /** An id of its own, `req_…`; no request has it. */
    requestId: string
    /** Of the sample. */
    provider: string
    /** Of the sample. */
    model: string
    /** Of the sample. */
    streamed: boolean
    /** Of the sample. */
    inputTokens: number
    /** Of the sample. */
    outputTokens: number
    /** Of the sample, in micros. An integer as a decimal string. */
    billedAmountMicros: string
  }
  /** Whether it was accepted. */
  delivered: boolean
  /** HTTP status of the last attempt; null: no answer came. */
  status: number | null
  /** Attempts, up to 3. */
  attempts: number
  /** Why it was not accepted; null: it was. */
  reason: string | null
  /** Milliseconds from the first attempt to the end of the last one. */
  latencyMs: number
  /** When the first attempt began. ISO 8601. */
  sentAt: string
}

/** A person of an application. */
export interface EndUser {
  /** The service's own id of the person, `eu_…`. */
  id: string
  /** The customer's own id of the person. 1 to 256 characters. */
  externalId: string
  /** Email address; null: not known. */
  email: string | null
  /**
   * Slug of the bundle that the end user is on in the mode of the request. Null if there is none, or if the
   * subscription has ended.
   */
  bundle: string | null
  /** Whether their spending is stopped. */
  frozen: boolean
  /** When spending was stopped; null: not stopped. ISO 8601. */
  frozenAt: string | null
  /** Reason given when spending was stopped. Null if there is none. Never shown to the end user. */
  frozenReason: string | null
  /** The wallet in the mode of the request. */
  balance: Balance
  /** All that they used in the mode of the request. */
  usage: UsageTotals
  /** Whether more may be used than is paid for, in the mode of the request. */
  onDemandEnabled: boolean
  /**
   * Limits of the end user over all keys and plans, in the mode of the request. Empty if none are set. At
   * most 4 of them.
   */
  limits: EndUserLimit[]
  /** When a key of theirs was last used in the mode of the request; null: never. ISO 8601. */
  lastSeenAt: string | null
  /** When they were made. ISO 8601. */
  createdAt: string
}

/** The most that an end user can spend per window, over all keys and plans in one mode. */
export interface EndUserLimit {
  /** What the limit counts. `micros` counts what requests are charged, whichever source pays. */
  measure: 'micros'
  /** Calendar window (UTC) after which the limit resets. Weeks start on Monday; `total` never resets. */
  window: Open<'day' | 'week' | 'month' | 'total'>
  /** Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string. */
  most: string
}

/** A call as the person sees it who made it. */
export interface EndUserRequest {
  /** Id of the call, `req_…`, as its answer carried it. */
  id: string
  /**
   * `settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
   * `recovered`: settled after a crash; `in_flight`: not ended.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own id of the person; null: not known. */
  endUserId: string | null
  /** The key it came with; null: none that is known. */
  keyId: string | null
  /** The requested model name. */
  requestedModel: string | null
  /** The wire format that it came in; null while in flight. */
  wire: string | null
  /** Whether it was streamed; null while in flight. */
  streamed: boolean | null
  /** Status of the answer; null while in flight. */
  httpStatus: number | null
  /** Code of the failure or refusal; null: none. */
  errorCode: string | null
  /** What left pools, wallet or on-demand for it, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Amount refunded so far, in micros. `chargeMicros` is the amount before refunds. An integer as a decimal
   * string.
   */
  refundedMicros: string
  /** Tokens in, cached ones too; 0 where nothing was charged. */
  inputTokens: number
  /** Those of the tokens in that the provider had cached. */
  cachedInputTokens: number
  /** Tokens out, reasoning too; 0 where nothing was charged. */
  outputTokens: number
  /** Milliseconds from the first byte of the request to the last of the answer; null while in flight. */
  latencyMs: number | null
  /** Milliseconds to the first byte of the answer; null: there was none. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
  /** What happened, in words, with the numbers. */
  summary: string
  policy: ExplainedPolicy | null
  reserve: ExplainedReserve | null
  stream: ExplainedStream | null
  refusal: ExplainedRefusal | null
  usage: ExplainedUsage | null
  /** Units times rates, by the price that was charged; the sum is exact. */
  priceLines: {
    price: Open<'charge' | 'credits'>
    /** What the amount is made of. */
    lines: PriceLine[]
    /** Of the service tier, in thousandths. */
    multiplier: string
    /** The sum, rounded up once: micros, or millionths of a credit. An integer as a decimal string. */
    amount: string
  }[]
  settle: ExplainedSettle | null
  /** Its ledger entries, oldest first. */
  ledger: LedgerEntry[]
  /** Refunds of the request and its true usage, oldest first. */
  corrections: EndUserRequestCorrection[]
}

/** A later change of what a request was charged, as the end user sees it. */
export interface EndUserRequestCorrection {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
   * request became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** What each source paid more; negative if it got money back. */
  legs?: ExplainedLeg[] | null
  /** IDs of its ledger entries, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with it, as the ledger shows it. */
  reason: string
  /** When it was made. ISO 8601. */
  createdAt: string
}

/** Credit that expires. */
export interface ExpiringCredit {
  /** ID of the grant, `gr_…`. */
  grantId: string
  /** Unspent amount, in micros, including what requests in flight hold. An integer as a decimal string. */
  remainingMicros: string
  /** When the credit can first be spent. ISO 8601. */
  startsAt: string
  /** When what is unspent of it expires. ISO 8601. */
  expiresAt: string
}

/** One try at a provider. */
export interface ExplainedAttempt {
  /** Its number, from 1. */
  n?: number | null
  /** Kind of the provider. */
  provider?: string | null
  /** Id of the account. */
  account?: string | null
  /** Label of the account and model, `label/model`. */
  target?: string | null
  /** HTTP status of its answer; null: none came. */
  status?: number | null
  /**
   * Stage at which the attempt broke off: `connect`, `first_byte`, `first_token`, `idle`, `total` or
   * `reset`. Null if it did not.
   */
  failure?: string | null
  /** When it began, in milliseconds of the call. */
  atMs?: number | null
  /** Until a connection took it, in milliseconds; null: none did, or none is needed. */
  connectMs?: number | null
  /** Until the head of the answer, in milliseconds; null: none came. */
  firstByteMs?: number | null
  /** How long it took, in milliseconds. */
  durationMs?: number | null
  /** Code of the error; null: it answered. */
  code?: string | null
  /**
   * What the account is charged for it, in micros; null: nothing is known of it. An integer as a decimal
   * string.
   */
  costMicros?: string | null
  /** Why the same target was not asked again: `retry_budget`. Null if no limit prevented it. */
  notRepeated?: string | null
  /** Its deadlines where they differ from the gateway's own, in milliseconds; null: they do not. */
  deadlines?: {
    /** To a connection. */
    connectMs?: number | null
    /** To the head of the answer. */
    firstByteMs?: number | null
    /** From the request to the first text of a streamed answer. */
    firstTokenMs?: number | null
    /** Between two pieces of it. */
    idleMs?: number | null
    /** For the whole attempt. */
    totalMs?: number | null
  } | null
}

/** Who called. */
export interface ExplainedAuth {
  /** Id of the key, `key_…`. */
  keyId?: string | null
  /** Beginning of the key, safe to show; null: the key is not known any more. */
  keyPrefix?: string | null
  /** Label of the key. */
  keyName?: string | null
  /** The service's id of the person, `eu_…`. */
  endUserId?: string | null
  /** `live` or `test`. */
  mode?: string | null
}

/** The event of the call at one emitter. */
export interface ExplainedEvent {
  /** Id of the emitter, `emt_…`. */
  emitterId: string
  /** Its kind. */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Its label. */
  name: string
  /**
   * `waiting`: it was not attempted yet; `delivered` and `not_delivered`: what its newest delivery came to;
   * `attempted`: it was, so long ago that the delivery is not kept.
   */
  state: Open<'waiting' | 'delivered' | 'not_delivered' | 'attempted'>
  /** Id of that delivery, `usgb_…`; null here and below: none is kept. */
  deliveryId: string | null
  /** Whether it was sent when the call had settled, or again. */
  cause: Open<'settled' | 'replay' | 'test'> | null
  /** When its first attempt began. ISO 8601. */
  sentAt: string | null
  /** Attempts, 1 to 3. From 1. */
  attempts: number | null
  /** HTTP status of the last attempt; null: no answer. */
  status: number | null
  /** Why it was not accepted; null: it was. */
  reason: string | null
}

/** What one source backed, or paid. */
export interface ExplainedLeg {
  /** The source, as the ledger names it: `wallet`, a pool, a month of on-demand. */
  sourceId?: string | null
  /** `wallet`, `pool` or `on_demand`. */
  kind?: string | null
  /** What `amount` counts: `micros`, or `credits` in millionths. */
  unit?: string | null
  /** What it backed or paid, in its own unit. An integer as a decimal string. */
  amount?: string | null
  /** What that stands for in the price of the call, in micros. An integer as a decimal string. */
  micros?: string | null
}

/** The bundle and its rules. */
export interface ExplainedPolicy {
  /** Slug of the bundle. */
  bundle?: string | null
  /** What a stream does that has spent its hold. */
  terminationPolicy?: string | null
  /** The price that holds and charges are computed from: `provider_cost` or `sell_price`. */
  debitBasis?: string | null
  /**
   * The most that the bundle lets a call be charged above its hold, in micros. Null unless the policy is
   * `grace`. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | null
  /** Version of the configuration that it was decided on. */
  configVersion?: number | null
  /** Each ceiling of the call, as it stood when the call was decided. */
  limits?: {
    /** `outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`. */
    name?: string | null
    /**
     * What the limit applies to: ID of the run or key, `portal`, slug of the bundle, or window of the end
     * user limit.
     */
    scope?: string | null
    /** The ceiling, in micros. An integer as a decimal string. */
    limitMicros?: string | null
    /** Charged in its period before this call, in micros. An integer as a decimal string. */
    usedMicros?: string | null
    /** Held by other calls in flight, in micros. An integer as a decimal string. */
    heldMicros?: string | null
    /**
     * What it left for this call, in micros; negative: it was exceeded. An integer as a decimal string.
     */
    availableMicros?: string | null
    /** When its period ends; null: never. ISO 8601. */
    resetsAt?: string | null
    /** `pass`, or `refused`: this one refused the call. */
    verdict?: string | null
  }[] | null
}

/** The prices, and the most that the call could use. */
export interface ExplainedQuote {
  /** Version of the prices and of the policy: the same id, the same prices. */
  quoteId?: string | null
  /** Price of the provider account. */
  cost: unknown
  /** Price of the bundle. */
  sell: unknown
  /** Price in credits; null: no credit pool can pay. */
  credits: unknown
  /** The most units it may use; while in flight. */
  bound: unknown
  /** The most tokens that its text can be. */
  textTokensMax?: number | null
  /** How those were counted: `bytes` or `tokenizer`. */
  textTokensBy?: string | null
  /** The most tokens of sound. */
  audioTokensMax?: number | null
  /** The most tokens of images. */
  imageTokensMax?: number | null
  /** The likely input, charged when the provider reports none. */
  inputTokensEstimated?: number | null
  /** The maximum that the client stated, for each answer; null: none. */
  outputTokensAsked?: number | null
  /** How many answers were asked for. */
  choices?: number | null
  /** The service tier that was asked for; null: the usual one. */
  serviceTier?: string | null
  /** How the hold was computed. */
  worstCase?: {
    /** Maximum input tokens. */
    inputTokensMax?: number | null
    /** Maximum cost of the input and of fees, before the multiplier. An exact decimal, in micros. */
    inputMicros?: string | null
    /** Maximum output tokens, over all choices. */
    outputTokensMax?: number | null
    /**
     * Micros per million output tokens, at the most expensive rate that can apply. An integer as a decimal
     * string.
     */
    outputRate?: string | null
    /** Multiplier of the service tier, in thousandths. An integer as a decimal string. */
    multiplier?: string | null
    /** The result, rounded up once, in micros. An integer as a decimal string. */
    micros?: string | null
    /** The same as a sentence of arithmetic. */
    formula?: string | null
    /**
     * The target at whose price a routed call was held, `label/model`: the most expensive one that the hold
     * covers. Null if there was only one target.
     */
    target?: string | null
  } | null
}

/** Why it was refused or failed, with the numbers. */
export interface ExplainedRefusal {
  /** Code of the error. */
  code?: string | null
  /** The sentence that the caller got, or would have. */
  message?: string | null
  /** What mends it; null: nothing that is known. */
  fix?: string | null
  /** Id of the operation that does it; null: none does. */
  fixOperation?: string | null
  /** The limit that refused it. */
  limitSource?: string | null
  /**
   * The limit or the balance that was too small, in micros. For a pool, what was granted. An integer as a
   * decimal string.
   */
  limit?: string | null
  /** What was spent of it, in micros. An integer as a decimal string. */
  used?: string | null
  /** What calls in flight held of it, in micros. An integer as a decimal string. */
  held?: string | null
  /** The least that this call would have held, in micros. An integer as a decimal string. */
  requested?: string | null
  /** What was left, in micros: of a limit, or of all sources together. An integer as a decimal string. */
  available?: string | null
  /** When the limit begins anew; null: never. ISO 8601. */
  resetsAt?: string | null
  /** Display name of the pool of the plan that renews first. */
  poolName?: string | null
  /** Unit of the amounts of that pool: `micros`, or the name of its credits. */
  poolUnit?: string | null
  /** What that pool was granted, in micros or millionths of a credit. An integer as a decimal string. */
  poolGranted?: string | null
  /** What that pool had left, in micros or millionths of a credit. An integer as a decimal string. */
  poolLeft?: string | null
  /** When that pool is granted again. Null if it is not. ISO 8601. */
  poolRenewsAt?: string | null
  /** `off` if on-demand billing could have covered the request and was off. */
  onDemand?: string | null
  /** The page to go to: the brand's `topUpUrl` or `payUrl`, else the portal. */
  portalUrl?: string | null
  /** The page where the application sells credit. */
  topUpUrl?: string | null
  /** The page where the past-due invoice is paid. */
  payUrl?: string | null
  /** ID of the past-due invoice that keeps on-demand usage from paying, `inv_…`. */
  invoiceId?: string | null
  /** Amount of that invoice, in micros. An integer as a decimal string. */
  invoiceAmountMicros?: string | null
  /** When that invoice was due. ISO 8601. */
  invoiceDueAt?: string | null
  /** How long it waited before it was refused, in milliseconds; null: not at all. */
  waitedMs?: number | null
}

/** The hold and its sources. */
export interface ExplainedReserve {
  /** Id of the hold, `hold_…`. */
  holdId?: string | null
  /** What is held, or was at the end, in micros. An integer as a decimal string. */
  worstMicros?: string | null
  /** What was held at first, in micros. An integer as a decimal string. */
  firstWorstMicros?: string | null
  /** What a stream held more as it grew, in micros. An integer as a decimal string. */
  extendedMicros?: string | null
  /** The same in millionths of a credit. An integer as a decimal string. */
  worstCredits?: string | null
  /** How long each answer may be, in tokens. */
  outputTokensPerChoice?: number | null
  /** The likely input, charged when the provider reports none; while in flight. */
  inputTokensEstimated?: number | null
  /** Whether that is less than was asked for, for lack of balance. */
  isClamped?: boolean | null
  /** How long it waited for money that other calls held, in milliseconds; null: not at all. */
  waitedMs?: number | null
  /** The wallet at that moment, in micros. An integer as a decimal string. */
  walletPostedMicros?: string | null
  /** Held of the wallet before this call, in micros. An integer as a decimal string. */
  walletHeldBeforeMicros?: string | null
  /** Held of the wallet with this call, in micros. An integer as a decimal string. */
  walletHeldMicros?: string | null
  /** What each source backs of the first hold, in the order they are spent. */
  legs?: ExplainedLeg[] | null
}

/** The account and model that were chosen. */
export interface ExplainedRoute {
  /** Kind of the provider. */
  provider?: string | null
  /** Label of the account; null: it is gone. */
  account?: string | null
  /** Id of the account, `pa_…`. */
  accountId?: string | null
  /** The provider's model id. */
  model?: string | null
  /**
   * The model that answered, as the provider states it. Omitted if it is the requested model, a snapshot of
   * it, or not stated.
   */
  answeredBy?: string | null
  /** The wire that the provider was asked in, where it is not the client's. */
  upstreamWire?: string | null
  /** Fields that the provider was not sent. */
  lost?: string[]
  /** The router that was asked for; null: the name is a model, or there was nothing to decide. */
  router?: string | null
  /** How it puts its targets in order; null: as the router. */
  policy?: string | null
  /** All that could have answered, in the order they are tried. */
  candidates?: {
    /** The names through which it is reached, the one asked for first; null: there is only it. */
    path?: string[] | null
    /** Kind of the provider. */
    provider?: string | null
    /** Label of the account; null: it is gone. */
    account?: string | null
    /** Id of the account. */
    accountId?: string | null
    /** The provider's model id. */
    model?: string | null
    /** Base rates that charges at this target are computed from. Null if unpriced. */
    price?: {
      /**
       * Micros per million input tokens. Null if the price has no such rate. An integer as a decimal
       * string.
       */
      input?: string | null
      /**
       * Micros per million output tokens. Null if the price has no such rate. An integer as a decimal
       * string.
       */
      output?: string | null
    } | null
    /** The most that this request could cost at this target. Null if the target has no price. */
    worstCase?: {
      /** Maximum input tokens. */
      inputTokensMax?: number | null
      /** Maximum cost of the input and of fees, before the multiplier. An exact decimal, in micros. */
      inputMicros?: string | null
      /** Maximum output tokens, over all choices. */
      outputTokensMax?: number | null
      /**
       * Micros per million output tokens, at the most expensive rate that can apply. An integer as a
       * decimal string.
       */
      outputRate?: string | null
      /** Multiplier of the service tier, in thousandths. An integer as a decimal string. */
      multiplier?: string | null
      /** The result, rounded up once, in micros. An integer as a decimal string. */
      micros?: string | null
      /** The same as a sentence of arithmetic. */
      formula?: string | null
    } | null
    /** Why it was passed over; null: it was taken when its turn came. */
    skipped?: string | null
    /**
     * The same as a code: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`,
     * `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`; or why the call ended before
     * its turn: `not_moved_on`, `within_ms` or `attempts_max`.
     */
    skipCode?: string | null
  }[] | null
}

/** The charge, and the money given back. */
export interface ExplainedSettle {
  /** What left the person's sources, in micros. An integer as a decimal string. */
  chargeMicros?: string | null
  /** What was held and not charged, in micros. An integer as a decimal string. */
  releasedMicros?: string | null
  /**
   * Charged above the hold, in micros, because the termination policy allows it: up to
   * `policy.maxOverdraftMicros` under `grace`, without a limit under `complete_message`. An integer as a
   * decimal string.
   */
  aboveHoldMicros?: string | null
  /** ID of the usage record, `ur_…`, which events and exports carry. */
  usageRecordId?: string | null
  /** What the bundle sells it for, in micros. An integer as a decimal string. */
  billedMicros?: string | null
  /** What the provider account is charged, in micros. An integer as a decimal string. */
  costMicros?: string | null
  /**
   * The part of `costMicros` that attempts cost which did not answer, in micros. An integer as a decimal
   * string.
   */
  failedAttemptsMicros?: string | null
  /**
   * The part of `costMicros` computed at assumed rates, in micros. The price lines show which rates were
   * assumed. An integer as a decimal string.
   */
  assumedMicros?: string | null
  /**
   * Revenue of the request, in micros: wallet money that was paid for, and on-demand. Omitted for requests
   * recorded before payments were split. An integer as a decimal string.
   */
  revenueMicros?: string | null
  /**
   * `revenueMicros` less `costMicros`; negative for a loss. Omitted where revenue is. An integer as a
   * decimal string.
   */
  marginMicros?: string | null
  /** Used beyond the hold, in micros: neither charged nor billed. An integer as a decimal string. */
  overHoldMicros?: string | null
  /** The provider told no usage; the gateway counted. */
  isEstimated?: boolean | null
  /** The process died, and another one settled it. */
  isRecovered?: boolean | null
  /** More was used than was held. */
  isOverHold?: boolean | null
  /**
   * Whether the provider account may be charged another price: another model answered (`route.answeredBy`),
   * or the costs that the provider states for the account and model differ from ours by more than 3 % over
   * the last ten calls. Null if the provider stated neither.
   */
  isDisputed?: boolean | null
  /** It was settled more than a minute after its end. */
  isLate?: boolean | null
  /** What each source paid, in the order they are spent. */
  legs?: ExplainedLeg[] | null
  /** Its ledger entries, `led_…`. */
  ledgerEntryIds?: string[] | null
  /** Slug of the outcome; null: none. */
  outcome?: string | null
  /** Id of the run; null: none. */
  outcomeRun?: string | null
  /** When it was settled. ISO 8601. */
  settledAt?: string | null
}

/** The course of the answer. Times are milliseconds of the call. */
export interface ExplainedStream {
  /** `answered`, `cut` (spend), `left` (the client) or `failed`. */
  end?: string | null
  /** The first byte to the client; null: none. */
  firstByteMs?: number | null
  /** The first piece of text of a stream; null: whole answer, or none. */
  firstTokenMs?: number | null
  /** The last piece of a stream. */
  lastTokenMs?: number | null
  /** The longest time between two pieces of a stream, in milliseconds. */
  longestGapMs?: number | null
  /** Tokens out per second between first and last; null: too short to tell, or not streamed. */
  tokensPerSecond?: number | null
  /** Bytes of a stream that were written to the client. */
  bytes?: number | null
  /** When the client left before the end; null: it stayed. */
  clientLeftAtMs?: number | null
  /**
   * Frames of the provider that were not JSON, carried no words and were omitted. Null if there were none.
   */
  droppedFrames?: number | null
}

/** The phases with a measured time, in order. */
export type ExplainedTimeline = {
  /**
   * `decide`: from the request to the hold; `attempt`: a provider works; `stream`: text comes; `settle`: to
   * the end.
   */
  phase: Open<'decide' | 'attempt' | 'stream' | 'settle'>
  /** When it began, in milliseconds of the call. */
  atMs: number
  /** How long it took, in milliseconds. */
  durationMs: number
}[]

/** What was used, and who counted it. Counts are tokens. */
export interface ExplainedUsage {
  /**
   * `provider_reported`; `estimated` if the gateway counted, or if the reported counts overlap, contradict
   * one another or are incomplete; `recovered` after a crash; or `counted so far`.
   */
  tokenSource?: string | null
  /** Uncached text in. */
  input?: number | null
  /** Read from the cache. */
  cacheRead?: number | null
  /** Written to the cache. */
  cacheWrite?: number | null
  /** Written to the cache for long. */
  cacheWriteLong?: number | null
  /** Sound in. */
  audioInput?: number | null
  /** Images in. */
  imageInput?: number | null
  /** All that came out. */
  output?: number | null
  /** Of that, reasoning. */
  reasoning?: number | null
  /** Of that, sound. */
  audioOutput?: number | null
  /** Of that, images. */
  imageOutput?: number | null
  /** Web searches, each one. */
  webSearches?: number | null
  /** The service tier that the provider reports; null: none. */
  serviceTier?: string | null
  /**
   * Audio and images are counted within the other input as well, and are charged as if split the dearest
   * way.
   */
  isMediaWithin?: boolean | null
  /**
   * Whether the reported counts contradict one another. The most expensive reading is charged, and
   * `tokenSource` is `estimated`.
   */
  isAmbiguous?: boolean | null
  /**
   * Output tokens in addition to `output` that the provider sent after its maximum, by the gateway's count.
   * The provider account is charged for them, the end user is not. Null if there are none.
   */
  outputBeyond?: number | null
  /**
   * What the provider says that it cost, in thousandths of a micro, to be compared with
   * `settle.costMicros`.
   */
  statedCostNanos?: number | null
  /**
   * The same counts as the provider's wire counts and names them, made from ours: the provider's own object
   * is not kept. Null: the wire is not known.
   */
  inWireTerms?: Record<string, number> | null
}

/** Calls that did not go well, by whose doing it was. */
export interface FailedCalls {
  /** The request was wrong, or its sender left. */
  client: number
  /** Money or a rate said no. */
  limit: number
  /** The provider failed, or did not answer. */
  provider: number
  /** This server failed. */
  ours: number
}

/** A probe that failed, sent by a member or by the gateway. */
export interface FailedProbe {
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  /** Code of the error. */
  code: string
  /** HTTP status of the provider. Null if it did not answer. */
  status: number | null
  /** What the code means. */
  message: string
  /**
   * The provider's own words, without the account's key. Null if it sent none, or if they were not kept.
   */
  said: string | null
  /** When the probe was sent. ISO 8601. */
  probedAt: string
}

/** Calls that did not go well as shares of all, from 0 to 1, by whose doing it was. */
export interface FailureRates {
  /** The request was wrong, or its sender left. From 0 to 1. */
  client: number
  /** Money or a rate said no. From 0 to 1. */
  limit: number
  /** The provider failed, or did not answer. From 0 to 1. */
  provider: number
  /** This server failed. From 0 to 1. */
  ours: number
}

/** One problem, and the call that mends it. */
export interface Finding {
  /** Kind of the finding; stable. */
  code: string
  /** `error`: calls fail or money is wrong; `warning`: they may; `notice`: perhaps it is meant so. */
  severity: Open<'error' | 'warning' | 'notice'>
  /** What it is about. */
  resource: {
    /** Kind of the resource. */
    type: string
    /** Its name in paths. */
    id: string
  }
  /** What is so, and what it means. */
  message: string
  /** How it is mended. */
  fix: {
    /** What to do. */
    say: string
    /** The call that does it, with an example of a body; null: it is mended elsewhere. */
    call: OperationCall | null
  }
}

/** A usage record in columns of FOCUS 1.2. */
export interface FocusRow {
  /** What the provider account is charged, in dollars. */
  BilledCost: string
  /** Id of the provider account, `pa_…`. */
  BillingAccountId: string
  /** Its label; its id when it is gone. */
  BillingAccountName: string
  /** `Provider account`. */
  BillingAccountType: string
  /** `USD`. */
  BillingCurrency: string
  /** First second of the month (UTC) in which it was charged. ISO 8601. */
  BillingPeriodStart: string
  /** First second of the month after. ISO 8601. */
  BillingPeriodEnd: string
  /** `Usage`. */
  ChargeCategory: string
  /** `Correction`, or null for a charged request. */
  ChargeClass: 'Correction' | null
  /** The provider's model, with tokens in and out, or the kind of correction. */
  ChargeDescription: string
  /** `Usage-Based`. */
  ChargeFrequency: string
  /** The second in which it was charged. ISO 8601. */
  ChargePeriodStart: string
  /** The second after. ISO 8601. */
  ChargePeriodEnd: string
  /** Tokens in and out. */
  ConsumedQuantity: number
  /** `Tokens`. */
  ConsumedUnit: string
  /** As BilledCost: the account's own price is the contracted one. */
  ContractedCost: string
  /** ContractedCost, of the one request. */
  ContractedUnitPrice: string
  /** As BilledCost: nothing is paid ahead. */
  EffectiveCost: string
  /** As ProviderName: the vendor bills the account. */
  InvoiceIssuerName: string
  /** As BilledCost: the published price at the time is not kept where the account has its own. */
  ListCost: string
  /** ListCost, of the one request. */
  ListUnitPrice: string
  /** `Standard`. */
  PricingCategory: string
  /** 1: a request has several rates, so it is priced whole. */
  PricingQuantity: number
  /** `Requests`. */
  PricingUnit: string
  /** The vendor; of another server the label of its account. */
  ProviderName: string
  /** As ProviderName. */
  PublisherName: string
  /** Id of the key it came with, `key_…`. */
  ResourceId: string
  /** `API key`. */
  ResourceType: string
  /** `AI and Machine Learning`. */
  ServiceCategory: string
  /** The vendor's API; of another server the label of its account. */
  ServiceName: string
  /** `Generative AI`. */
  ServiceSubcategory: string
  /** The provider's model id. */
  SkuId: string
  /** `Tokens`. */
  SkuMeter: string
  /** Id of the quote that fixed the prices of the call. */
  SkuPriceId: string
  /** Id of the end user, `eu_…`. */
  SubAccountId: string
  /** The customer's own id of the person; of a removed one the id `eu_…`. */
  SubAccountName: string
  /** `End user`. */
  SubAccountType: string
  /**
   * The application, the mode, the requested model, and where there are any the bundle, the outcome and the
   * run. CSV has them as JSON.
   */
  Tags: Record<string, string>
  /** ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`. */
  x_UsageRecordId: string
  /** What the bundle sells it for, of what was charged, in dollars. */
  x_SoldFor: string
  /** What left pools, wallet or on-demand for it, in dollars. */
  x_ChargedToEndUser: string
  x_PaidFromPlan: string | null
  x_PaidFromGift: string | null
  x_PaidFromWallet: string | null
  x_OnDemand: string | null
  x_Overdraft: string | null
  /** What was used beyond what was held for it, in dollars: neither charged nor billed. */
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
   * Secret that signs the batches of emitters.listen and emitters.sample for this application and mode,
   * `whsec_…`. It signs nothing that is delivered to emitters.
   */
  signingSecret: string
}

/** What the gateway of an application answers, and where. */
export interface Gateway {
  /** Part of the host names; never changes. */
  application: string
  /** Its address, the base URL of clients. */
  gateway: string
  /** The same by address and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** Host headers at which it answers. */
  hosts: string[]
  /**
   * Wires whose calls are answered; null: all. A call of another is 404 `wire_not_served`. 1 to 4 of them.
   */
  wires: Open<'chat' | 'messages' | 'generate' | 'responses'>[] | null
  /**
   * Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`; null:
   * all. Another name is unknown, and not listed. 1 to 200 of them.
   */
  models: string[] | null
  /**
   * Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
   * them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed: a
   * page sends its key in a header. At most 100 of them.
   */
  origins: string[]
  /**
   * Client addresses that are answered; null: all. A call from another is 403 `address_not_allowed`. The
   * address is the connection’s, or behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`)
   * the last one in X-Forwarded-For that is none of theirs. 1 to 200 of them.
   */
  addresses: string[] | null
  /**
   * When calls are answered; null: always. At other times a call is 403 `outside_hours`, with the next
   * opening. A call in flight goes on to its end. 1 to 28 of them.
   */
  hours: WeeklyHours[] | null
  /**
   * Most output tokens of one answer to a request that states no maximum. It is held for whole and sent to
   * the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no more is asked
   * for than the model gives. Null: whole answers are held for 16,384 and streams for 2,048 at first, and
   * the provider is told no maximum. From 1 to 10000000.
   */
  defaultMaxTokens: number | null
  /**
   * How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is 429
   * `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its operator changes
   * it). From 0 to 60000.
   */
  holdWaitMs: number | null
  /**
   * Tools that the provider would run and the request merely offers: `drop` takes them out and names them
   * in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model is made to
   * call is always refused.
   */
  providerTools: Open<'drop' | 'refuse'>
  /**
   * Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names them
   * in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
   */
  conversion: Open<'lenient' | 'strict'>
  /**
   * Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged (W3C
   * Trace Context), so that its spans join the client’s trace. False: the provider learns nothing of it.
   */
  passTraceparent: boolean
}

/** A credit to the wallets of people. */
export interface Grant {
  /** Id of the grant, `gr_…`. */
  id: string
  /** What each person was credited, in micros. An integer as a decimal string. */
  amountUnits: string
  /** The reason given when it was issued. */
  reason: string
  /** Key that credits each person once; null: none was given. */
  idempotencyKey: string | null
  /** Number of people whom it is for, as they were when it was issued. */
  endUsers: number
  /** How many of them have it so far. */
  done: number
  /** `running`: some of its people do not have it yet; `done`: each of them has it, once. */
  status: Open<'running' | 'done'>
  /** Amount taken back from all of its end users together, in micros. An integer as a decimal string. */
  reversedUnits: string
  /** Reversals of the grant, oldest first. Empty if nothing was taken back. */
  reversals: GrantReversal[]
  /** When the credit can first be spent. Null if it could be spent at once. ISO 8601. */
  startsAt: string | null
  /** When what is unspent of the credit expires. Null if it does not expire. ISO 8601. */
  expiresAt: string | null
  /** When it was made. ISO 8601. */
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
  /** Number of end users that were processed so far. */
  done: number
  /** `running` while end users remain to be processed, then `done`. */
  status: Open<'running' | 'done'>
  /** Number of end users that had unspent credit to take back. */
  reversedEndUsers: number
  /** Amount taken back from all of them together, in micros. An integer as a decimal string. */
  reversedUnits: string
  /** When the reversal was requested. ISO 8601. */
  createdAt: string
}

/** How long calls took, in milliseconds. */
export interface HealthPercentiles {
  /** Half of the calls took no longer; null without calls. */
  p50: number | null
  /** 95 of 100 calls took no longer. */
  p95: number | null
  /** 99 of 100 calls took no longer. */
  p99: number | null
}

/** How calls went that ended in a span of time up to now. */
export interface HealthSpan {
  /** Its name. */
  window: Open<'5m' | '1h' | '24h'>
  /** Its length, in seconds. */
  windowSeconds: number
  /**
   * From when on calls are counted. A day begins with a full hour, and so is up to an hour longer. ISO
   * 8601.
   */
  from: string
  /**
   * False: there were more than 20,000 calls to read, and of those since the last full hour, or of the
   * window, only the newest are counted.
   */
  isWhole: boolean
  /** Calls that ended. */
  calls: number
  /** Those that did not go well, by whose doing it was. */
  failed: FailedCalls
  /** The same as shares of `calls`, from 0 to 1; 0 without calls. */
  failureRates: FailureRates
  /** Milliseconds from the first byte of a request to the last of its answer. */
  latencyMs: HealthPercentiles
  /** Milliseconds to the first byte of the answer, where there was one. */
  firstByteMs: HealthPercentiles
  /** Calls that were sent, by provider account; most calls first, 200 at most. */
  providers: {
    /** Label of the provider account; its id, `pa_…`, when it is gone. */
    provider: string
    /** Calls that ended. */
    calls: number
    /** Those that did not go well, by whose doing it was. */
    failed: FailedCalls
    /** The same as shares of `calls`, from 0 to 1; 0 without calls. */
    failureRates: FailureRates
    /** Milliseconds from the first byte of a request to the last of its answer. */
    latencyMs: HealthPercentiles
    /** Milliseconds to the first byte of the answer, where there was one. */
    firstByteMs: HealthPercentiles
  }[]
  /**
   * What providers were asked for, by account and model; most calls first, 200 at most. Each attempt of a
   * call counts where it was made and by how it ended, so these add up to more than `calls` where targets
   * failed. Times begin with the attempt.
   */
  targets: {
    /** Label of the provider account; its id, `pa_…`, when it is gone. */
    provider: string
    /** The provider's model id. */
    model: string
    /** Calls that ended. */
    calls: number
    /** Those that did not go well, by whose doing it was. */
    failed: FailedCalls
    /** The same as shares of `calls`, from 0 to 1; 0 without calls. */
    failureRates: FailureRates
    /** Milliseconds from the first byte of a request to the last of its answer. */
    latencyMs: HealthPercentiles
    /** Milliseconds to the first byte of the answer, where there was one. */
    firstByteMs: HealthPercentiles
  }[]
  /** By the name that was asked for; most calls first, 200 at most. */
  models: {
    /** The requested model name. */
    requestedModel: string
    /** Calls that ended. */
    calls: number
    /** Those that did not go well, by whose doing it was. */
    failed: FailedCalls
    /** The same as shares of `calls`, from 0 to 1; 0 without calls. */
    failureRates: FailureRates
    /** Milliseconds from the first byte of a request to the last of its answer. */
    latencyMs: HealthPercentiles
    /** Milliseconds to the first byte of the answer, where there was one. */
    firstByteMs: HealthPercentiles
  }[]
}

/** What an end user owes for a plan and for on-demand usage. */
export interface Invoice {
  /** Id of the invoice, `inv_…`. */
  id: string
  /** 1 for the person's first invoice in its mode, and so on. From 1. */
  number: number
  /** The customer's own id of the person who owes it. 1 to 256 characters. */
  endUserId: string
  /**
   * `open`: to be paid by `dueAt`; `past_due`: not paid by then, so that overage pays for nothing new;
   * `paid`; `void`: nothing is owed.
   */
  status: Open<'open' | 'past_due' | 'paid' | 'void'>
  /** Amount due: the sum of its lines. An integer as a decimal string. */
  amountMicros: string
  /** What the amount is the sum of. */
  lines: InvoiceLine[]
  /** The first instant of what it is for. ISO 8601. */
  periodStart: string
  /** The end of what it is for. ISO 8601. */
  periodEnd: string
  /** When the invoice was issued: plans are invoiced in advance, on-demand usage in arrears. ISO 8601. */
  issuedAt: string
  /** When the invoice becomes past due if it is unpaid: seven days after it was issued. ISO 8601. */
  dueAt: string
  /** When it was paid; null: it was not. ISO 8601. */
  paidAt: string | null
  /** When it became void; null: it did not. ISO 8601. */
  voidedAt: string | null
}

/** A part of the amount of an invoice. */
export interface InvoiceLine {
  /**
   * `plan`: charge for a plan. `unused`: remaining days of the previous plan. `on_demand`: usage of a
   * calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: kept as credit
   * for later invoices.
   */
  kind: Open<'plan' | 'unused' | 'on_demand' | 'credit' | 'carried'>
  /** The line in words. */
  description: string
  /** The first instant of what it is for. ISO 8601. */
  periodStart: string
  /** The end of what it is for. ISO 8601. */
  periodEnd: string
  /** Part of the amount; negative: it reduces it. An integer as a decimal string. */
  amountMicros: string
  /**
   * ID of the ledger entry that cleared the on-demand month when the invoice was paid or voided, `led_…`.
   * Omitted until the entry is written, and for other kinds of lines.
   */
  ledgerEntryId?: string
}

/** A movement of a balance. */
export interface LedgerEntry {
  /** Id of the entry, `led_…`. */
  id: string
  /** Why the balance moved. */
  kind: Open<'topup' | 'grant' | 'usage_debit' | 'refund' | 'reversal' | 'adjustment'>
  /** Amount; negative: taken. An integer as a decimal string. */
  amountUnits: string
  /** Balance of its source after it. An integer as a decimal string. */
  balanceAfterUnits: string
  /** What both count; credits in millionths. */
  unit: Open<'micros' | 'credits'>
  /**
   * `wallet`; a month of on-demand, `on_demand/2026-11`; a period of a pool, by bundle, slug and first day,
   * `pro/tokens/2026-11-20`; or a pool of a sign-up, `pro/welcome`. The balances of each are one chain.
   */
  source: string
  /** The call that caused it, `req_…`. */
  requestId?: string
  /** ID of the invoice that paid or waived a month of on-demand usage, `inv_…`. */
  invoiceId?: string
  /** ID of the grant that credited it or that was reversed, `gr_…`. */
  grantId?: string
  /** Reference of the payment behind a top-up. */
  paymentReference?: string
  /**
   * Reason given when the entry was made. For a pool: `included`, `expired`, `plan_changed`,
   * `used_on_another_plan` or `end_user_removed`. For a month of on-demand usage: `on_demand_paid` or
   * `on_demand_waived`.
   */
  reason?: string
  /** When it was written. ISO 8601. */
  createdAt: string
}

/** What the organization allows itself a day (UTC), in live mode. */
export interface Limits {
  /** The limits of all applications together. */
  organization: {
    /**
     * Most calls of a day, those in flight included; 0: none at all; null: no limit. From 0 to 1000000000.
     */
    callsPerDay: number | null
    /**
     * Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call whose
     * hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
     */
    spendPerDayMicros: string | null
    today: LimitsToday
  }
  /** The limits of single applications, of those that have some. */
  applications: {
    /** Part of the host names; never changes. */
    application: string
    /**
     * Most calls of a day, those in flight included; 0: none at all; null: no limit. From 0 to 1000000000.
     */
    callsPerDay: number | null
    /**
     * Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call whose
     * hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
     */
    spendPerDayMicros: string | null
    today: LimitsToday
  }[]
}

/** What counts against the limits of this day, in live mode. */
export interface LimitsToday {
  /** Calls charged today, and calls in flight. */
  calls: number
  /** Provider cost of the calls charged today, in micros. An integer as a decimal string. */
  spentMicros: string
  /** What calls in flight hold, in micros. An integer as a decimal string. */
  heldMicros: string
  /** The end of the day: the next midnight, UTC. ISO 8601. */
  resetsAt: string
}

/** A person of the team, with failed sign-ins. */
export interface ListedMember {
  /** Id of the member, `mem_…`. */
  id: string
  /** E-mail address, in lower case. */
  email: string
  /** Name for people; null until they have joined. */
  name: string | null
  /** What the member may do. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** False: the member signs in by the identity provider only, or has not joined. */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the invitation was accepted; null: it is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires, or did; null: none is open. ISO 8601. */
  inviteExpiresAt: string | null
  /**
   * Failed password sign-ins of the last 30 days. Null if there were none. Only admins and tokens with that
   * role see those of others; members see their own.
   */
  failedSignIns: {
    /** Number of failed sign-ins. */
    count: number
    /** When the first of these failed. ISO 8601. */
    firstAt: string
    /** When the latest failed. ISO 8601. */
    lastAt: string
    /** Network address of the latest. */
    lastAddress: string
  } | null
}

/** The logo of an application, without its bytes. */
export interface Logo {
  /** Where it is served, on the portal's host and on the control plane's: `/brand/logo/…`. */
  path: string
  /** What it is. */
  mediaType: Open<'image/png' | 'image/jpeg' | 'image/webp'>
  /** Its width in pixels. */
  widthPx: number
  /** Its height in pixels. */
  heightPx: number
}

/** What one group earned and cost. */
export interface MarginRow {
  /** External id of the person; by end user. 1 to 256 characters. */
  endUserId?: string
  /** The requested model name; null: subscriptions, which no name has; by model. */
  requestedModel?: string | null
  /**
   * Slug of the bundle at the time of the call; by bundle. Null for calls whose bundle is not known, and
   * for subscriptions.
   */
  bundle?: string | null
  /**
   * Label of the provider account, or its ID, `pa_…`, if the account was deleted; by provider. Null for
   * calls whose account is not known, and for subscriptions.
   */
  provider?: string | null
  /** The day, UTC; by day. A day, like 2026-11-20 (UTC). */
  day?: string
  /** ID of the key, `key_…`; by key. Null for subscriptions. */
  keyId?: string | null
  /** The run; by run. Null for calls without a run, and for subscriptions. */
  run?: MarginRun | null
  /** Charged calls. */
  calls: number
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, whoever paid for it, in micros. An integer as a
   * decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and is part of the cost. An integer
   * as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
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
   * Subscription fees earned in the range, in micros: each invoice line is spread over the days it pays
   * for. Omitted for groups that have no subscriptions of their own. An integer as a decimal string.
   */
  subscriptionMicros?: string
  /**
   * Invoices issued in the range that are not void, in micros. Shown for comparison and not part of
   * revenue. Omitted where `subscriptionMicros` is, and for bundles. An integer as a decimal string.
   */
  invoicedMicros?: string
  /**
   * Earned revenue, in micros: `subscriptionMicros`, `paidFromWalletMicros` and `onDemandMicros`. Usage
   * paid by a plan or by given credit earns nothing. An integer as a decimal string.
   */
  revenueMicros: string
  /** `revenueMicros` less `costMicros`. Negative for a loss. An integer as a decimal string. */
  marginMicros: string
  /**
   * The margin as a percentage of revenue, with two decimal places, halves rounded away from zero. Null if
   * revenue is not positive.
   */
  marginPercent: string | null
  /** Calls with a cost at assumed rates, failed calls included; by model. Absent if there are none. */
  assumedCalls?: number
  /**
   * The part of `costMicros` computed at assumed rates, in micros; by model. Absent if there is none. An
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
  /** External ID of the end user, or the ID `eu_…` if the end user was deleted. 1 to 256 characters. */
  endUserId: string
}

/** A person of the team, or one who is invited to it. */
export interface Member {
  /** Id of the member, `mem_…`. */
  id: string
  /** E-mail address, in lower case. */
  email: string
  /** Name for people; null until they have joined. */
  name: string | null
  /** What the member may do. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** False: the member signs in by the identity provider only, or has not joined. */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the invitation was accepted; null: it is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires, or did; null: none is open. ISO 8601. */
  inviteExpiresAt: string | null
}

/** A new key, with its secret. */
export interface MintedKey {
  /** Id of the key, `key_…`. */
  id: string
  /** The secret, shown once. */
  key: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** Its label. */
  name: string
  /** The service's own id of the person, `eu_…`. */
  endUserId: string
  /** False: a test key, which never reaches a provider. */
  livemode: boolean
  /** What it may spend per `capPeriod`; null: no cap. An integer as a decimal string. */
  capMicros: string | null
  /** When the cap starts anew (UTC). */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** When it was minted. ISO 8601. */
  createdAt: string
}

/** The calls whose events were not accepted are in it. */
export interface MissedSpan {
  /** Arrival of the first such call. ISO 8601. */
  from: string
  /** A millisecond after the arrival of the last one. ISO 8601. */
  to: string
}

/** A model name and its sources. */
export interface Model {
  /** The name for end users. */
  name: string
  /** Accounts and models, in the order they are tried. */
  sources: ModelSource[]
  /** Bounds for requests that name none. */
  ceilings: {
    /**
     * Output tokens that are held for an answer when the request names no maximum: all of a whole one, and
     * a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
     */
    outputTokens?: number
  }
  /** Whether the model name is served in the mode of the request: `status` is `serving`. */
  enabled: boolean
  /**
   * Status in the mode of the request. `unpriced`: no source has a complete price. `test_only`: every
   * source is a simulator, so live requests return 503 `no_live_source`.
   */
  status: Open<'serving' | 'disabled' | 'unpriced' | 'test_only'>
  /** What the sources lack, one sentence each, and the bundles that serve the model all the same. */
  problems: string[]
  /** When the name was added. ISO 8601. */
  createdAt: string
}

/** An account and one of its models. */
export interface ModelSource {
  /** Label of the provider account. */
  provider: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
}

/** How a model or a router does. */
export interface NameHealth {
  /** The name for end users. */
  name: string
  /** Whether it is a model or a router. */
  kind: Open<'model' | 'router'>
  /**
   * `healthy`: no call failed; `degraded`: fewer than 5 % or fewer than five calls failed, or some targets
   * cannot be taken now; `failing`: at least 5 % failed; `unavailable`: no target can be taken now;
   * `key_refused`: the provider refuses the key; `unknown`: no calls.
   */
  state: Open<'healthy' | 'degraded' | 'failing' | 'unavailable' | 'key_refused' | 'unknown'>
  /** Calls of the last 24 hours; of an account, attempts. */
  calls: number
  /** Those of them that the provider or this server failed. */
  failed: number
  /** `failed` of `calls`; 0 without calls. From 0 to 1. */
  failureRate: number
  /** What is wrong now, with its numbers. Null if healthy or unknown. */
  why: string | null
}

/** What `navigator.credentials.create` returned for the challenge. */
export interface NewCredential {
  /** `id` of the credential that the browser returned, base64url. At most 1400 characters. */
  id: string
  /** `response.clientDataJSON` of the credential, base64url. At most 8192 characters. */
  clientDataJson: string
  /** `response.attestationObject` of the credential, base64url. At most 32768 characters. */
  attestationObject: string
}

/** How far the set-up of the organization is. */
export interface Onboarding {
  /** Slug of the application that is nearest to its first call; null: there is none. */
  application: string | null
  /** The mode that was looked at. */
  mode: Open<'live' | 'test'>
  /** The six steps, in their order. */
  steps: OnboardingStep[]
  /** When onboarding.fundAndTry found money and a settled call; null: not yet. ISO 8601. */
  fundedAndTriedAt: string | null
  /** When onboarding.complete found every step done; null: not yet. It stays. ISO 8601. */
  completedAt: string | null
}

/** One step of the set-up. */
export interface OnboardingStep {
  /**
   * `provider_answered`: an account has answered a call, in test mode the simulator; `name_served`: a model
   * name has a price and is served; `bundle_allows`: a bundle allows such a name; `default_bundle`: the
   * application has one for new people; `key_minted`: there is a valid key; `call_settled`: a call has
   * settled.
   */
  step: Open<'provider_answered' | 'name_served' | 'bundle_allows' | 'default_bundle' | 'key_minted' | 'call_settled'>
  /** As the server finds it now. */
  state: Open<'done' | 'missing'>
  /** What was found, or what is missing. */
  sentence: string
  /** The operation that does it, with an example; of a step that is done, the one that shows it. */
  call: OperationCall
}

/** A call of the control plane. */
export interface OperationCall {
  /** Id of the operation. */
  operation: string
  /** Its method. */
  method: Open<'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'>
  /** Its path, filled in. */
  path: string
  /** An example of its body; null: it takes none. */
  body: Record<string, unknown> | null
}

/** A goal with a bounded spend. */
export interface Outcome {
  /** What calls name in `svc.outcome`. */
  slug: string
  /** Name for people. */
  displayName: string
  /** Spend ceiling of one run. An integer as a decimal string. */
  ceilingMicros: string
  /** Number of runs in the mode of the request. */
  runs: number
  /** Sum of their spending. An integer as a decimal string. */
  spentMicros: string
  /** When it was defined. ISO 8601. */
  createdAt: string
  /** When it was archived; null: not archived. ISO 8601. */
  archivedAt: string | null
}

/** One attempt at an outcome. */
export interface OutcomeRun {
  /** What calls named in `svc.outcome_id`. */
  id: string
  /** The customer's own id of the person. */
  endUserId: string
  /**
   * `running`: takes calls; `done`, `failed`: ended; `capped`: reached its ceiling, and takes calls again
   * under a higher one.
   */
  status: Open<'running' | 'done' | 'capped' | 'failed'>
  /** What its settled calls were charged. An integer as a decimal string. */
  spentMicros: string
  /** Number of its calls. */
  calls: number
  /** Time of its first call. ISO 8601. */
  startedAt: string
  /** Time of its last call. ISO 8601. */
  lastCallAt: string
}

/** A passkey with which a member signs in. */
export interface Passkey {
  /** ID of the passkey, `psk_…`. */
  id: string
  /** ID of the member who signs in with it, `mem_…`. */
  memberId: string
  /** Name for people. 1 to 64 characters. */
  name: string
  /** When the passkey was registered. ISO 8601. */
  createdAt: string
  /** When the passkey was last used to sign in. Null if it was never used. ISO 8601. */
  lastUsedAt: string | null
}

/** What a browser passes to an authenticator. */
export interface PasskeyChallenge {
  /** Challenge for the authenticator, base64url. It is answered once. */
  challenge: string
  /** Relying party ID: the domain that passkeys belong to. */
  rpId: string
  /** User handle for a new passkey, base64url. Null if no email address was given. */
  userId: string | null
  /** When the challenge expires: five minutes after it was created. ISO 8601. */
  expiresAt: string
}

/** One way to answer a call, where it stands in the order. */
export interface PlannedTarget {
  /** The names through which it is reached, the one asked for first. */
  path: string[]
  /** Label of the provider account. */
  provider: string
  /** The provider's model id. */
  model: string
  /** Why it is passed over; null: it is taken when its turn comes. */
  skip: {
    /** Kind of the reason. */
    code: string
    /** What is so, with its numbers. */
    reason: string
  } | null
  /**
   * What the call is expected to cost the account, in micros; null: it has no price. An integer as a
   * decimal string.
   */
  expectedMicros: string | null
  /**
   * The most that it is held for there at first, in micros; null: it has no price. An integer as a decimal
   * string.
   */
  worstMicros: string | null
  /** As the one server process sees it that answers this request. */
  circuit: {
    /** `open`: no call is sent there; `half_open`: one real call tries it. */
    state: Open<'closed' | 'open' | 'half_open'>
    /** When one call may try again; null: now. ISO 8601. */
    until: string | null
    /** What was found; null: it is closed. */
    why: string | null
  }
  /** Calls in flight there, in that process. */
  inFlight: number
  /** Time to the first token lately, in milliseconds, in that process; null: nothing is known. */
  firstTokenMs: number | null
  /** Fields of the request that a conversion to its wire would leave out or change. */
  lost: string[]
  /** Deadlines of an attempt there. */
  deadlines: {
    /** To a connection, in milliseconds. */
    connectMs: number
    /** To the head of the answer, in milliseconds. */
    firstByteMs: number
    /** To the first text of a streamed answer; absent: no limit, in milliseconds. */
    firstTokenMs?: number
    /** Between two pieces of it, in milliseconds. */
    idleMs: number
    /** For the whole attempt, in milliseconds. */
    totalMs: number
  }
}

/** What a person sees of themselves. */
export interface PortalAccount {
  /** The customer's own id of the person. 1 to 256 characters. */
  endUserId: string
  /** Email address; null: not known. */
  email: string | null
  /** Slug of the application. */
  application: string
  /** Whether these are live data; false: test data. */
  livemode: boolean
  /** Whether the session is read-only: it cannot change anything. */
  readOnly: boolean
  /** E-mail address of the member of the team who opened this session. Null if it is the end user. */
  openedBy: string | null
  /** The plan that they are on; null: none. */
  plan: {
    /** Slug of the plan. */
    slug: string
    /** Its name for people. */
    name: string
  } | null
  /** The wallet. What the plan grants is in portal.subscription. */
  balance: {
    /**
     * Balance of the wallet with the credit that expires and can be spent now, in micros. An integer as a
     * decimal string.
     */
    balanceMicros: string
    /** Held by calls that are running. An integer as a decimal string. */
    heldMicros: string
    /** What is left: the balance less what is held. An integer as a decimal string. */
    availableMicros: string
    /** Number of calls that are running. */
    callsInFlight: number
    /**
     * Credit that expires, the soonest first. It is spent after plan pools and before the rest of the
     * wallet. Credit that can be spent now is part of the balance; credit with a later `startsAt` is not
     * yet.
     */
    expiringCredit: ExpiringCredit[]
  }
  pace: SpendingPace
  /** Use beyond what is paid for. */
  onDemand: {
    /** Whether more may be used than is paid for. */
    enabled: boolean
    /** Their monthly ceiling (UTC); null: none. An integer as a decimal string. */
    limitMicros: string | null
    /**
     * The most that they may set it to; null: the application has set no bound. An integer as a decimal
     * string.
     */
    ceilingMicros: string | null
    /** On-demand usage in the current calendar month (UTC), in micros. An integer as a decimal string. */
    spentMicros: string
    /**
     * On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an unpaid
     * invoice. An integer as a decimal string.
     */
    owedMicros: string
  }
  /** The spend limit of the plan; null: none. */
  spendLimit: PortalLimit | null
  /** Limits of the end user over all keys and plans, at most one per period. Empty if none are set. */
  limits: PortalLimit[]
  /** Whether the application has stopped their spending. */
  frozen: boolean
  /** What portal.mintKey allows. */
  keys: {
    /** Whether they may mint keys here. */
    mayMint: boolean
    /** The widest cap of such a key; null: any. An integer as a decimal string. */
    capMicros: string | null
    /** The period of that cap and of the total. */
    capPeriod: Open<'day' | 'week' | 'month' | 'total'>
    /**
     * Maximum that all keys created in the portal can spend together per `capPeriod`, in micros. Null means
     * no total. An integer as a decimal string.
     */
    totalMicros: string | null
    /**
     * What these keys spent of the total in the current period, in micros. Null if there is no total. An
     * integer as a decimal string.
     */
    spentMicros: string | null
    /**
     * Maximum cap that a further key can have under the total, in micros. Null if there is no total. An
     * integer as a decimal string.
     */
    leftForCapsMicros: string | null
  }
  /** The session in use. */
  session: {
    /** When the session ends at the latest. ISO 8601. */
    expiresAt: string
    /** What pages send as `x-csrf-token`; null where the session is no browser's. */
    csrfToken: string | null
  }
}

/** How the portal of an application looks. */
export interface PortalBrand {
  /** What people know the product as. */
  productName: string
  /** The colour of the brand, `#rrggbb`. */
  primaryColor: string
  /** What is read best on that colour, `#rrggbb`. */
  textColor: string
  /** Where people ask for help; null: not said. */
  supportEmail: string | null
  /** The same as an address of a page. */
  supportUrl: string | null
  /** The page where the application sells credit. Null if none is set. */
  topUpUrl: string | null
  /** The page where invoices are paid. Null if none is set. */
  payUrl: string | null
  /** The logo; null: none. */
  logo: Logo | null
}

/** A key of the signed-in person, without its secret. */
export interface PortalKey {
  /** Id of the key, `key_…`. */
  id: string
  /** Its label. */
  name: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** Whether they minted it in the portal themselves. */
  mintedHere: boolean
  /** What it may spend per `capPeriod`; null: no cap. An integer as a decimal string. */
  capMicros: string | null
  /** When the cap starts anew (UTC); `total`: never. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When it was minted. ISO 8601. */
  createdAt: string
  /** When it was last used; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When it was revoked; null: it was not. ISO 8601. */
  revokedAt: string | null
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** Id of the key that takes its place, `key_…`; null: it was not rotated. */
  replacedBy: string | null
}

/** A limit on spending, and what is spent of it. */
export interface PortalLimit {
  /** What may be spent per `period`. An integer as a decimal string. */
  limitMicros: string
  /** What was spent in the present one. An integer as a decimal string. */
  spentMicros: string
  /** When it starts anew (UTC); `total`: never. */
  period: Open<'day' | 'week' | 'month' | 'total'>
  /** When the next period begins; null: never. ISO 8601. */
  resetsAt: string | null
}

/** How a call of the signed-in person went. */
export interface PortalRequest {
  /** Id of the call, `req_…`, as its answer carried it. */
  id: string
  /**
   * `settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
   * `recovered`: settled after a crash; `in_flight`: not ended.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The requested model name. */
  requestedModel: string | null
  /** The key it came with. */
  keyId: string | null
  /** Whether it was streamed; null while in flight. */
  streamed: boolean | null
  /** Status of the answer; null while in flight. */
  httpStatus: number | null
  /** Code of the failure or refusal; null: none. */
  errorCode: string | null
  /** What left pools, wallet or on-demand for it, in micros. An integer as a decimal string. */
  chargeMicros: string
  /** Amount refunded so far, in micros. An integer as a decimal string. */
  refundedMicros: string
  /** Tokens in, cached ones too; 0 where nothing was charged. */
  inputTokens: number
  /** Those of the tokens in that came from a cache. */
  cachedInputTokens: number
  /** Tokens out, reasoning too; 0 where nothing was charged. */
  outputTokens: number
  /** Milliseconds from the first byte of the request to the last of the answer; null while in flight. */
  latencyMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
}

/** What end users may do in the portal of the application. */
export interface PortalSettings {
  /**
   * Whether end users create keys in the portal, and rotate and revoke keys that the application created
   * for them. False until it is set.
   */
  endUsersMayMintKeys: boolean
  /**
   * Maximum cap of one key that an end user creates, in micros per `keyCapPeriod`. Null means any cap, or
   * none. It limits a key, not the end user: see `keyCapsTotalMicros` and users.limit. An integer as a
   * decimal string.
   */
  keyCapMicros: string | null
  /** Calendar window (UTC) after which the cap and the total reset; `total` never resets. */
  keyCapPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Maximum that all keys that one end user created in the portal can spend together, in micros per
   * `keyCapPeriod`, including keys that were revoked since. Their caps add up to this at most. Null means
   * no total. An integer as a decimal string.
   */
  keyCapsTotalMicros: string | null
}

/**
 * Rates per million tokens, or per use, in micros. A price in credits has the same rates in millionths of a
 * credit. An absent rate is no price.
 */
export interface Price {
  /**
   * Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  input?: string
  /**
   * Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  cacheRead?: string
  /**
   * Rate per million tokens of input written to the cache, in micros. In a price in credits: in millionths
   * of a credit. An integer as a decimal string.
   */
  cacheWrite?: string
  /**
   * Rate per million tokens of input written to the cache for long, in micros. In a price in credits: in
   * millionths of a credit. An integer as a decimal string.
   */
  cacheWriteLong?: string
  /**
   * Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  audioInput?: string
  /**
   * Rate per million tokens of image input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  imageInput?: string
  /**
   * Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  output?: string
  /**
   * Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
   * credit. An integer as a decimal string.
   */
  reasoning?: string
  /**
   * Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  audioOutput?: string
  /**
   * Rate per million tokens of image output, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  imageOutput?: string
  /**
   * Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a decimal
   * string.
   */
  request?: string
  /**
   * Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  webSearch?: string
  /** Rates of large inputs, ascending. At most 16 of them. */
  tiers?: PriceTier[]
  /** Multipliers in thousandths, by service tier. */
  serviceTiers?: Record<string, string>
}

/** Units of one kind, rated. */
export interface PriceLine {
  /** What was counted. */
  dimension: string
  /** How many: tokens, or uses. */
  units: number
  /** Per million tokens, or per use; null: there is none. An integer as a decimal string. */
  rate: string | null
  /**
   * Whether the rate was assumed because the price has none for this dimension. Cached input at the rate of
   * input, and reasoning at the rate of output, are not assumed.
   */
  assumed: boolean
  /** Units x rate x multiplier, not rounded. */
  exact: string
}

/** Usage rated by one price. */
export interface PriceLines {
  /** By which price: what the account is charged, what the bundle sells at, or credits. */
  price: Open<'cost' | 'sell' | 'credits'>
  /** What the amount is made of. */
  lines: PriceLine[]
  /** Of the service tier, in thousandths. */
  multiplier: string
  /** The sum, rounded up once: micros, or millionths of a credit. An integer as a decimal string. */
  amount: string
}

/** Rates in place of the plain ones for a large input. */
export interface PriceTier {
  /** The rates hold when the whole input is larger than this. */
  aboveInputTokens: number
  /**
   * Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  input?: string
  /**
   * Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  cacheRead?: string
  /**
   * Rate per million tokens of input written to the cache, in micros. In a price in credits: in millionths
   * of a credit. An integer as a decimal string.
   */
  cacheWrite?: string
  /**
   * Rate per million tokens of input written to the cache for long, in micros. In a price in credits: in
   * millionths of a credit. An integer as a decimal string.
   */
  cacheWriteLong?: string
  /**
   * Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  audioInput?: string
  /**
   * Rate per million tokens of image input, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  imageInput?: string
  /**
   * Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  output?: string
  /**
   * Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
   * credit. An integer as a decimal string.
   */
  reasoning?: string
  /**
   * Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  audioOutput?: string
  /**
   * Rate per million tokens of image output, in micros. In a price in credits: in millionths of a credit.
   * An integer as a decimal string.
   */
  imageOutput?: string
  /**
   * Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a decimal
   * string.
   */
  request?: string
  /**
   * Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit. An
   * integer as a decimal string.
   */
  webSearch?: string
}

/** How a provider answered one small call. */
export interface Probe {
  /** Label of the account. */
  provider: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  /** Whether the model answered. */
  ok: boolean
  /** HTTP status of the provider; null: no answer. */
  status: number | null
  /** Milliseconds from the request to the end of the answer. */
  latencyMs: number
  /** As the provider counts; null: it did not. */
  inputTokens: number | null
  /** As the provider counts; null: it did not. */
  outputTokens: number | null
  /**
   * What the account is charged, in micros; null: the provider counted nothing, or the model has no price.
   * An integer as a decimal string.
   */
  costMicros: string | null
  /** Why the model did not answer; null: it did. */
  error: {
    /** As in requests.list, were it a call. */
    code: string
    /** What it means, and what to do. */
    message: string
    /**
     * The provider's answer in its own words, at most 2,000 characters, without the account's key; null: it
     * sent none.
     */
    said: string | null
  } | null
  /** When. ISO 8601. */
  probedAt: string
}

/** An account at a model provider, without its API key. */
export interface ProviderAccount {
  /** Id of the account, `pa_…`. */
  id: string
  /** Its name in the sources of models. */
  label: string
  /** Its protocol. The simulator is built in and answers without a network. */
  kind: Open<'openai' | 'anthropic' | 'google' | 'openai_compatible' | 'simulator'>
  /** Base URL of requests; null for the simulator. */
  baseUrl: string | null
  /** Last characters of its API key; null: none. */
  lastFour: string | null
  /** When its API key was connected or last rotated; null: it has none, or not known. ISO 8601. */
  credentialSetAt: string | null
  /** What its provider says of its API key now; null: nothing against it, as far as is known. */
  credentialRefused: CredentialRefused | null
  /** The newest probe of the account that failed. Null if none did. */
  lastFailedProbe: FailedProbe | null
  /**
   * What happens to a stream of the account when the client leaves. Null means the default of its kind:
   * `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`.
   */
  onClientLeft: Open<'cut' | 'drain'> | null
  /** What the account is charged, by exact model, where that was set here. */
  prices: {
    /** The provider's model id, exactly. 1 to 200 characters. */
    model: string
    price: Price
  }[]
  /** When it was first connected. ISO 8601. */
  createdAt: string
}

/** A person as they were when they were removed. */
export interface RemovedEndUser {
  /** The service's own id of the person, `eu_…`. */
  id: string
  /** The customer's own id of the person. 1 to 256 characters. */
  externalId: string
  /** Email address; null: not known. */
  email: string | null
  /**
   * Slug of the bundle that the end user is on in the mode of the request. Null if there is none, or if the
   * subscription has ended.
   */
  bundle: string | null
  /** Whether their spending is stopped. */
  frozen: boolean
  /** When spending was stopped; null: not stopped. ISO 8601. */
  frozenAt: string | null
  /** Reason given when spending was stopped. Null if there is none. Never shown to the end user. */
  frozenReason: string | null
  /** The wallet in the mode of the request. */
  balance: Balance
  /** All that they used in the mode of the request. */
  usage: UsageTotals
  /** Whether more may be used than is paid for, in the mode of the request. */
  onDemandEnabled: boolean
  /**
   * Limits of the end user over all keys and plans, in the mode of the request. Empty if none are set. At
   * most 4 of them.
   */
  limits: EndUserLimit[]
  /** When a key of theirs was last used in the mode of the request; null: never. ISO 8601. */
  lastSeenAt: string | null
  /** When they were made. ISO 8601. */
  createdAt: string
  /** Number of keys that this revoked, in both modes. */
  keysRevoked: number
  /** When the person was removed: now. ISO 8601. */
  removedAt: string
}

/** How a gateway call went. */
export interface Request {
  /** Id of the call, `req_…`, as its answer carried it. */
  id: string
  /**
   * `settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
   * `recovered`: settled after a crash; `in_flight`: not ended.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own id of the person; null: not known. */
  endUserId: string | null
  /** The key it came with; null: none that is known. */
  keyId: string | null
  /** The requested model name. */
  requestedModel: string | null
  /**
   * Label of the provider account that answered, or would have; its id, `pa_…`, when it is gone; null: it
   * was not decided.
   */
  provider: string | null
  /** The provider's model id that the name led to; null: it was not decided. */
  providerModel: string | null
  /** The wire format that it came in; null while in flight. */
  wire: string | null
  /** Whether it was streamed; null while in flight. */
  streamed: boolean | null
  /** Status of the answer; null while in flight. */
  httpStatus: number | null
  /** Code of the failure or refusal; null: none. */
  errorCode: string | null
  /** What left pools, wallet or on-demand for it, in micros. An integer as a decimal string. */
  chargeMicros: string
  /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string. */
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
   * What was used beyond what was held for it: neither charged nor billed, the cost of the application. An
   * integer as a decimal string.
   */
  overHoldMicros: string
  /** What the bundle sells it for, of what was charged, in micros. An integer as a decimal string. */
  billedMicros: string
  /**
   * What provider accounts charge for it, for attempts that did not answer too, in micros; more than 0 too
   * where nothing was charged. An integer as a decimal string.
   */
  costMicros: string
  /**
   * The part of `costMicros` computed at assumed rates, in micros. 0 if the account has a rate for
   * everything that was used. An integer as a decimal string.
   */
  assumedMicros: string
  /** Tokens in, cached ones too; 0 where nothing was charged. */
  inputTokens: number
  /** Those of the tokens in that the provider had cached. */
  cachedInputTokens: number
  /** Tokens out, reasoning too; 0 where nothing was charged. */
  outputTokens: number
  /** Milliseconds from the first byte of the request to the last of the answer; null while in flight. */
  latencyMs: number | null
  /** Milliseconds to the first byte of the answer; null: there was none. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
}

/** A later change of what a request was charged. */
export interface RequestCorrection {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
   * request became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** Change of the sell price, in micros. An integer as a decimal string. */
  billedMicros: string
  /** Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string. */
  costMicros: string
  /** What each source paid more; negative if it got money back. */
  legs?: ExplainedLeg[] | null
  /** IDs of its ledger entries, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with it, as the ledger shows it. */
  reason: string
  /** Who requested it. Null if the server corrected the request by itself. */
  actor: string | null
  /** When it was made. ISO 8601. */
  createdAt: string
}

/** A refund of a request. */
export interface RequestRefund {
  /** ID of the correction, `cor_…`. */
  id: string
  /**
   * `refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered
   * request became known.
   */
  kind: Open<'refund' | 'late_usage'>
  /** Change of the charge, in micros. Negative for a refund. An integer as a decimal string. */
  chargeMicros: string
  /** Change of the sell price, in micros. An integer as a decimal string. */
  billedMicros: string
  /** Change of the provider cost, in micros. 0 for a refund. An integer as a decimal string. */
  costMicros: string
  /** What each source paid more; negative if it got money back. */
  legs?: ExplainedLeg[] | null
  /** IDs of its ledger entries, `led_…`. */
  ledgerEntryIds: string[]
  /** Reason given with it, as the ledger shows it. */
  reason: string
  /** Who requested it. Null if the server corrected the request by itself. */
  actor: string | null
  /** When it was made. ISO 8601. */
  createdAt: string
  /** ID of the refunded request, `req_…`. */
  requestId: string
  /** Amount that was refunded, in micros. An integer as a decimal string. */
  amountUnits: string
}

/** A revoked key, without its secret. */
export interface RevokedKey {
  /** Id of the key, `key_…`. */
  id: string
  /** Its label. */
  name: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** False: a test key, which never reaches a provider. */
  livemode: boolean
  /** The customer's own id of the person that it spends as; of a removed person the service's, `eu_…`. */
  endUserId: string | null
  /**
   * Maximum spend per `capPeriod`, in micros, for this key and the keys it replaced together. Null means no
   * cap. An integer as a decimal string.
   */
  capMicros: string | null
  /** When the cap starts anew (UTC); `total`: never. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /**
   * Charges in the current `capPeriod`, in micros, for this key and the keys it replaced. Reported whether
   * or not a cap is set. An integer as a decimal string.
   */
  spentMicros: string
  /**
   * Amount held by requests in flight, in micros, for this key and the keys it replaced. Counts against the
   * cap. An integer as a decimal string.
   */
  heldMicros: string
  /** When the next `capPeriod` begins; null: never. ISO 8601. */
  resetsAt: string | null
  /** Kind of the actor that minted it, such as `token`. */
  actorType: string
  /** Label of that actor. */
  actorLabel: string | null
  /** When it was minted. ISO 8601. */
  createdAt: string
  /** When it was last used on the gateway; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When it was revoked; null: it was not. ISO 8601. */
  revokedAt: string | null
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** Id of the key that takes its place, `key_…`; null: it was not rotated. */
  replacedBy: string | null
  /**
   * IDs of the keys that this key replaced and that were still in their grace period, `key_…`. They were
   * revoked with it.
   */
  alsoRevoked: string[]
}

/** A revoked key of the signed-in person, without its secret. */
export interface RevokedPortalKey {
  /** Id of the key, `key_…`. */
  id: string
  /** Its label. */
  name: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** Whether they minted it in the portal themselves. */
  mintedHere: boolean
  /** What it may spend per `capPeriod`; null: no cap. An integer as a decimal string. */
  capMicros: string | null
  /** When the cap starts anew (UTC); `total`: never. */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When it was minted. ISO 8601. */
  createdAt: string
  /** When it was last used; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When it was revoked; null: it was not. ISO 8601. */
  revokedAt: string | null
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** Id of the key that takes its place, `key_…`; null: it was not rotated. */
  replacedBy: string | null
  /**
   * IDs of the keys that this key replaced and that were still in their grace period, `key_…`. They were
   * revoked with it.
   */
  alsoRevoked: string[]
}

/** A new key in the place of an old one, with its secret. */
export interface RotatedKey {
  /** Id of the key, `key_…`. */
  id: string
  /** The secret, shown once. */
  key: string
  /** First characters of the secret; safe to show. */
  keyPrefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** Its label. */
  name: string
  /** The service's own id of the person, `eu_…`. */
  endUserId: string
  /** False: a test key, which never reaches a provider. */
  livemode: boolean
  /** What it may spend per `capPeriod`; null: no cap. An integer as a decimal string. */
  capMicros: string | null
  /** When the cap starts anew (UTC). */
  capPeriod: Open<'day' | 'week' | 'month' | 'total'>
  /** When it expires; null: never. ISO 8601. */
  expiresAt: string | null
  /** When it was minted. ISO 8601. */
  createdAt: string
  /** Id of the old key, `key_…`. */
  replaces: string
  /** When the old key ends: from then on it is refused. ISO 8601. */
  replacedEndsAt: string
}

/** A webhook emitter with its new signing secret. */
export interface RotatedSecret {
  /** Id of the emitter, `emt_…`. */
  id: string
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: Open<'webhook' | 'vendor_a' | 'vendor_b' | 'stripe' | 'openmeter'>
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name: string
  /** Whether usage is delivered to it. */
  enabled: boolean
  /** True: it is told of live calls; false: of test calls. */
  livemode: boolean
  /** URL that events are posted to. */
  destination: string
  /** What it is told of. */
  events: 'usage.recorded'[]
  /**
   * Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
   * `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person. Without
   * a person, or an external id, the organization’s.
   */
  customerId: Open<'end_user_id' | 'organization_id' | 'external_id'>
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount.
   */
  amount: Open<'all' | 'on_demand'>
  /** Event type at the vendor, of `vendor_a` and `openmeter`; null for the others. */
  eventType: string | null
  /** Event name at the vendor, of `vendor_b` and `stripe`; null for the others. */
  eventName: string | null
  /** Last four characters of the credential; of a webhook, of the signing secret. */
  lastFour: string
  /**
   * When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never
   * rotated. ISO 8601.
   */
  previousSecretEndsAt: string | null
  /** Events that were accepted, replayed ones too. */
  delivered: number
  /** Events that were attempted and not accepted. */
  notDelivered: number
  /** Events that were never attempted, because 10,000 others waited already. */
  dropped: number
  /** Last accepted batch; null: none. ISO 8601. */
  lastDeliveredAt: string | null
  /** Last batch not accepted; null: none. ISO 8601. */
  lastFailedAt: string | null
  /** Why that batch was not accepted. */
  lastFailure: string | null
  /** First batch that was not accepted since one was; null: the last one was accepted. ISO 8601. */
  failingSince: string | null
  /**
   * The span of calls among which there are some whose events were not accepted and not replayed since;
   * null: none. emitters.replay takes it as it is.
   */
  missed: MissedSpan | null
  /** The last replay; null: none was asked for. */
  replay: EmitterReplay | null
  /** When it was added. ISO 8601. */
  createdAt: string
  /** The new secret, `whsec_…`, returned once. */
  signingSecret: string
}

/** Who would be asked, in which order. */
export interface RoutePlan {
  /** The name that is asked for. */
  name: string
  /** The router; null: the name is a model. */
  router: string | null
  /** How targets are put in order. */
  policy: string
  /** Tokens of input, as the gateway estimates them. */
  inputTokens: number
  /** In the order in which they are tried. */
  targets: PlannedTarget[]
  /** Why such a call would be refused, whatever the money of the caller; null: it would be sent. */
  refusal: {
    /** Code of the error. */
    code: string
    /** The sentence. */
    message: string
  } | null
}

/** A name with several ways to answer. */
export interface Router {
  /** The name for end users. */
  name: string
  /**
   * How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight; `cheapest`:
   * what this very call is expected to cost; `fastest`: the time to the first token; `leastBusy`: calls in
   * flight; `sticky`: the same person or session stays at one.
   */
  policy: Open<'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky'>
  /** Whose calls stay together under `sticky`. */
  stickyBy: Open<'end_user' | 'session'>
  /** The ways to answer, in their order. */
  targets: RouterTargetState[]
  /** How targets are tried. */
  attempts: {
    /** No attempt begins later after the first, in milliseconds. */
    withinMs: number
    /** Calls to providers for one call, the first included. */
    attemptsMax: number
    /** How often one target is asked again. */
    retriesPerTarget: number
    /** Further statuses at which the next target is tried. */
    alsoMovesOn: number[]
    /** Statuses at which no other target is tried. */
    neverMovesOn: number[]
    /** What happens if the request is too long for a target. */
    onContextLength: Open<'next' | 'fail'>
    /** Deadlines that differ from the gateway's own. */
    timeouts: RouterTimeouts
  }
  /** Whether there is a target that a call can take: false, and every call is refused. */
  serving: boolean
  /** When the router was added. ISO 8601. */
  createdAt: string
}

/** How targets are tried. */
export interface RouterAttemptRules {
  /**
   * No attempt begins later than so many milliseconds after the first one. 120000 when left out. From 0 to
   * 3600000.
   */
  withinMs?: number
  /** Calls to providers for one call, the first included. 5 when left out. From 1 to 50. */
  attemptsMax?: number
  /**
   * How often one target is asked again after a quick 429 or 5xx before the next one is; never after a
   * deadline. Defaults to 1. From 0 to 10.
   */
  retriesPerTarget?: number
  /** HTTP statuses at which the next target is tried, besides the usual ones. At most 50 of them. */
  alsoMovesOn?: number[]
  /** HTTP statuses at which no other target is tried, although one usually is. At most 50 of them. */
  neverMovesOn?: number[]
  /**
   * What happens if the request is too long for a target. `next`: the next target that may have more room
   * is tried; `fail`: the call fails. Defaults to `next`.
   */
  onContextLength?: Open<'next' | 'fail'>
  /** Deadlines of each attempt, in place of the gateway's own. */
  timeouts?: RouterTimeouts
}

/** What a call must be, all of it. */
export interface RouterCondition {
  /** Slugs: the caller's bundle is one of them. 1 to 100 of them. */
  bundles?: string[]
  /** What the request needs: all of these. 1 to 7 of them. */
  features?: Open<'tools' | 'images' | 'audio' | 'documents' | 'json' | 'reasoning' | 'stream'>[]
  /** Tokens of input, as the gateway estimates them, at least. From 0 to 100000000. */
  inputTokensMin?: number
  /** Tokens of input, as the gateway estimates them, at most. From 0 to 100000000. */
  inputTokensMax?: number
  /** Mode of the caller's key. */
  mode?: Open<'live' | 'test'>
}

/** One way to answer: an `alias`, a `router`, or a `provider` with a `model`. */
export type RouterTarget = RouterTargetAlias | RouterTargetRouter | RouterTargetSource

/** A model name of the application. */
export interface RouterTargetAlias {
  /** A model name of the application. */
  alias: string
  /** Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000. */
  weight?: number
  /**
   * The most calls in flight through it, in one server process; left out: any number. From 1 to 1000000.
   */
  maxInFlight?: number
  /** What a call must be for it to be taken, all of it; left out: any call. */
  when?: RouterCondition
  /** Deadlines of an attempt here, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** Why a target is passed over, whatever the call. */
export interface RouterTargetProblem {
  /**
   * `empty`: it is a router, and none of its own targets can be taken. `test_only`: every account behind it
   * is a simulator, and the mode of the request is live.
   */
  code: Open<'disabled' | 'unpriced' | 'test_only' | 'removed' | 'empty'>
  /** Why no call can take it. */
  reason: string
  /** The call that mends it. */
  mend: OperationCall
}

/** Another router of the application. */
export interface RouterTargetRouter {
  /** Another router of the application. */
  router: string
  /** Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000. */
  weight?: number
  /**
   * The most calls in flight through it, in one server process; left out: any number. From 1 to 1000000.
   */
  maxInFlight?: number
  /** What a call must be for it to be taken, all of it; left out: any call. */
  when?: RouterCondition
  /** Deadlines of an attempt here, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** A model of a provider account. */
export interface RouterTargetSource {
  /** Label of a provider account; with `model`. */
  provider: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  /** Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000. */
  weight?: number
  /**
   * The most calls in flight through it, in one server process; left out: any number. From 1 to 1000000.
   */
  maxInFlight?: number
  /** What a call must be for it to be taken, all of it; left out: any call. */
  when?: RouterCondition
  /** Deadlines of an attempt here, in place of the router's. */
  timeouts?: RouterTimeouts
}

/** One way to answer, and whether it can be taken now. */
export interface RouterTargetState {
  /** A model name of the application. */
  alias?: string
  /** Another router of the application. */
  router?: string
  /**
   * Label of a provider account, with `model`; its id where it was removed after the application was
   * archived.
   */
  provider?: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model?: string
  /** Under `weighted` its share among the weights of all. From 1 to 1000000. */
  weight: number
  /** The most calls in flight through it, in one server process; null: any number. From 1 to 1000000. */
  maxInFlight: number | null
  /** What a call must be for it to be taken; null: any. */
  when: RouterCondition | null
  /** Deadlines here that differ from the router's. */
  timeouts: RouterTimeouts
  /** Why no call takes it now; null: calls can. */
  problem: RouterTargetProblem | null
}

/** Deadlines of one attempt. */
export interface RouterTimeouts {
  /** To a connection, in milliseconds. From 1 to 60000. */
  connectMs?: number
  /**
   * From the request to the head of its answer. Defaults to a third of `withinMs`, at most 120,000, while
   * another target is left, in milliseconds. From 1 to 600000.
   */
  firstByteMs?: number
  /**
   * From the request to the first text of a streamed answer. Defaults to 10,000 and 1,000 more for each
   * 10,000 tokens of input while another target is left, and to no limit otherwise or for a model that
   * reasons, in milliseconds. From 1 to 600000.
   */
  firstTokenMs?: number
  /** Between two pieces of an answer, in milliseconds. From 1 to 600000. */
  idleMs?: number
  /** For the whole attempt, in milliseconds. From 1 to 3600000. */
  totalMs?: number
}

/** Some calls over time. */
export interface Series {
  totals: SeriesTotals
  /** Buckets in order of time; one in which nothing ended is left out. */
  points: SeriesPoint[]
}

/** The calls of one group over time. */
export interface SeriesGroup {
  /**
   * Requested name, label of the provider account (its id, `pa_…`, when it is gone), slug of the bundle,
   * external id or id of the key; null: not known, or nothing was charged.
   */
  group: string | null
  totals: SeriesTotals
  /** Buckets in order of time; one in which nothing ended is left out. */
  points: SeriesPoint[]
}

/** How long the calls of one bucket took. */
export interface SeriesLatency {
  /** The beginning of the bucket. ISO 8601. */
  at: string
  /** From the first byte of a request to the last of its answer. */
  latencyMs: SeriesPercentiles
  /** To the first byte of the answer, where there was one. */
  firstByteMs: SeriesPercentiles
}

/** How long calls took, in milliseconds. */
export interface SeriesPercentiles {
  /** Half of the calls took no longer; null without calls. */
  p50Ms: number | null
  /** 95 of 100 calls took no longer. */
  p95Ms: number | null
}

/** What calls add up to that ended in one bucket. */
export interface SeriesPoint {
  /** The beginning of the bucket. ISO 8601. */
  at: string
  /**
   * Calls that ended, charged or not; null: days of people and keys count those that were charged alone.
   */
  calls: number | null
  /** Those that were charged. */
  chargedCalls: number
  /** Those of `calls` that did not go well, by whose doing it was; null where `calls` is. */
  failed: FailedCalls | null
  /** Tokens in; null: there are only sums of days for them, by nothing, model, end user and key. */
  inputTokens: number | null
  /** Tokens out; null where `inputTokens` is. */
  outputTokens: number | null
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, whoever paid for it, in micros. An integer as a
   * decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and is part of the cost. An integer
   * as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
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

/** What calls of a range add up to. */
export interface SeriesTotals {
  /**
   * Calls that ended, charged or not; null: days of people and keys count those that were charged alone.
   */
  calls: number | null
  /** Those that were charged. */
  chargedCalls: number
  /** Those of `calls` that did not go well, by whose doing it was; null where `calls` is. */
  failed: FailedCalls | null
  /** Tokens in; null: there are only sums of days for them, by nothing, model, end user and key. */
  inputTokens: number | null
  /** Tokens out; null where `inputTokens` is. */
  outputTokens: number | null
  /** Provider cost, in micros. An integer as a decimal string. */
  costMicros: string
  /**
   * List value: usage at the sell price of the bundle, whoever paid for it, in micros. An integer as a
   * decimal string.
   */
  billedMicros: string
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and is part of the cost. An integer
   * as a decimal string.
   */
  overHoldMicros: string
  /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
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

/** A person who is signed in on one browser. */
export interface Session {
  /** Id of the session, `ses_…`. */
  id: string
  /** Id of the member whose it is, `mem_…`. */
  memberId: string
  /** Network address from which the member signed in. */
  address: string
  /** What the browser called itself then. */
  userAgent: string
  /** When the member signed in. ISO 8601. */
  createdAt: string
  /** When the session was last used, to ten minutes. ISO 8601. */
  lastUsedAt: string
  /** When it ends by itself: 30 days after the sign-in, or after 7 days without use. ISO 8601. */
  expiresAt: string
  /** True: the session of this request. */
  isCurrent: boolean
}

/** What an organization requires of members who sign in. */
export interface SignInPolicy {
  /**
   * Whether members need a passkey to sign in with a password. Sign-ins by the identity provider are not
   * affected.
   */
  passkeyRequired: boolean
}

/** A session and whose it is. Its secret is in the cookie alone. */
export interface SignedIn {
  /** Id of the session, `ses_…`. */
  id: string
  /** When it ends by itself. ISO 8601. */
  expiresAt: string
  /** What a page sends as the header `x-csrf-token` with every request that is not a GET. */
  csrfToken: string
  /** Slug of the application that `apps.use` made active for the session; null: none. */
  activeApplication: string | null
  /** Who is signed in. */
  member: Member
  /** The organization whose team it is. */
  organization: {
    /** Id of the organization, `org_…`. */
    id: string
    /** Its name. */
    name: string
  }
}

/** How fast somebody spends, and how long what they have lasts. */
export interface SpendingPace {
  /** The beginning of the first of those days, UTC. ISO 8601. */
  from: string
  /** Now. ISO 8601. */
  to: string
  /**
   * Number of days looked at, today included: seven, or fewer for whoever used something for the first time
   * since. From 1 to 7.
   */
  days: number
  /** What calls that settled in them were charged. An integer as a decimal string. */
  chargedMicros: string
  /** The mean of a day, rounded up. An integer as a decimal string. */
  perDayMicros: string
  /**
   * What pays without overage: what wallet and pools leave, without credits that have no price. A wallet
   * below zero counts as nothing. An integer as a decimal string.
   */
  availableMicros: string
  /**
   * How many whole days that lasts at this pace, at most 36525; null: nothing was charged, or nothing is
   * left. From 0 to 36525.
   */
  lastsDays: number | null
}

/** The plan of a person and what is left of it. */
export interface Subscription {
  /** Display name of the bundle. */
  planName: string
  /**
   * What it costs per interval, as agreed when they came to it; 0 without a price. An integer as a decimal
   * string.
   */
  priceMicros: string
  /** Billing interval. */
  interval: Open<'month' | 'year'>
  /** When the current period began. ISO 8601. */
  periodStart: string
  /** When the next one begins. ISO 8601. */
  periodEnd: string
  /** Whether more may be used than is paid for. */
  onDemandEnabled: boolean
  /** Their own monthly ceiling of that; null while enabled: none. An integer as a decimal string. */
  onDemandLimitMicros: string | null
  /**
   * On-demand usage in the current calendar month (UTC), in micros. It is invoiced after the month. An
   * integer as a decimal string.
   */
  onDemandSpentMicros: string
  /** Allotments that pay now, in the order they were granted. */
  pools: {
    /** Slug of the include that grants it. */
    slug: string
    /** Name for people. */
    displayName: string
    /**
     * What `granted` and `consumed` count: micros, also for credits that are sold for a price, as their
     * share of it; or, as an extension of ours, millionths of a credit that has no price (`credits`).
     */
    unit: Open<'tokens' | 'micros' | 'credits'>
    /** Grant of the period. An integer as a decimal string. */
    granted: string
    /**
     * What settled calls took of it, and what pools of other plans have paid in its place in the same
     * period. An integer as a decimal string.
     */
    consumed: string
    /** The pool that pays for the rest of a call once this one is spent; null: none does. */
    spilloverTo: string | null
    /** Whether usage past it may be paid otherwise, or stops. */
    thenOnDemand: boolean
    /**
     * How much of `granted` was carried over from earlier months, in the unit of the pool. An integer as a
     * decimal string.
     */
    rolledOver: string
    /** Use by model name. */
    aliases: {
      /** The requested model name. */
      requestedModel: string
      /** Amount paid for it. An integer as a decimal string. */
      consumed: string
    }[]
  }[]
  /**
   * Credit that expires, the soonest first. It is spent after plan pools and before the rest of the wallet.
   * Credit that can be spent now is part of the balance; credit with a later `startsAt` is not yet.
   */
  expiringCredit: ExpiringCredit[]
  /**
   * Since then an invoice is past due, and overage pays for nothing new until it is paid; null: none is.
   * ISO 8601.
   */
  onDemandBlockedSince: string | null
  /**
   * On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an unpaid
   * invoice. An integer as a decimal string.
   */
  onDemandOwedMicros: string
  /**
   * What later invoices are reduced by: unused days of a plan that was replaced by a dearer one. An integer
   * as a decimal string.
   */
  creditMicros: string
  /** When it ends, because it was cancelled; null: it goes on. ISO 8601. */
  endsAt: string | null
  /** Bills, newest first, without void ones; the newest 100, `invoices.list` has all. */
  invoices: {
    /** Id of the invoice, `inv_…`. */
    id: string
    /** When it was issued. ISO 8601. */
    issuedAt: string
    /** When it is past due if it is not paid. ISO 8601. */
    dueAt: string
    /** The first instant of what it is for. ISO 8601. */
    periodStart: string
    /** The end of what it is for. ISO 8601. */
    periodEnd: string
    /** Amount due. An integer as a decimal string. */
    amountMicros: string
    /** Payment status. */
    status: Open<'paid' | 'open' | 'past_due'>
    /** What the amount is the sum of. */
    lines: InvoiceLine[]
  }[]
}

/** The clock of the test mode of an application. */
export interface TestClock {
  /** The time in test mode. It goes on as the real time does. ISO 8601. */
  now: string
  /** The real time, which live mode follows. ISO 8601. */
  realNow: string
  /** How far test mode is ahead, in milliseconds; 0: not at all. */
  offsetMs: number
  /** The latest time that it can be advanced to now. ISO 8601. */
  latest: string
}

/** What one tier costs. */
export interface Tier {
  /** What bill.subscribe takes. */
  tier: string
  /** Price of a calendar month, in micros. An integer as a decimal string. */
  baseMicros: string
  /** Settled live calls of a month that the base pays for. */
  includedCalls: number
  /**
   * Micros for a thousand settled live calls beyond those; a bill rounds up once a line. An integer as a
   * decimal string.
   */
  perThousandCallsMicros: string
  /** Members that the base pays for. */
  includedSeats: number
  /** Micros for each further member and month. An integer as a decimal string. */
  perSeatMicros: string
}

/** The tier of an organization. */
export interface TierState {
  /** The tier that the organization is on. */
  tier: string
  /** The first day (UTC) on it. ISO 8601. */
  since: string
  /** The move that was asked for and is ahead; null: none. */
  next: {
    /** The tier that it moves to. */
    tier: string
    /** The first day (UTC) on it, which begins a month. ISO 8601. */
    from: string
  } | null
}

/** A control-plane token, without its secret. */
export interface Token {
  /** Id of the token, `apk_…`. */
  id: string
  /** Name for people. */
  label: string
  /** First characters of the secret; safe to show. */
  prefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** The role whose operations it may call. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** Id of the one application that it may use, `app_…`; null: every one. */
  applicationId: string | null
  /**
   * Id of the member who signed in on the device that holds it, `mem_…`; null: a token of the organization.
   */
  memberId: string | null
  /**
   * Who created the token. Null if the server’s operator created it, or if it was created before creators
   * were recorded.
   */
  createdBy: TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When it was last used, to ten minutes; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
}

/** Who created a control-plane token. */
export interface TokenCreator {
  /** Whether a member or another token created it. */
  type: Open<'member' | 'token'>
  /** ID of that member (`mem_…`) or token (`apk_…`). */
  id: string
  /** Email address of the member, or label of the token, when the token was created. */
  label: string
  /**
   * ID of the member responsible for the token, `mem_…`: the member who created it, or the member behind
   * the token that created it. Null if no member is behind that token.
   */
  memberId: string | null
}

/** A usage record. */
export interface UsageRow {
  /** ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`. */
  id: string
  /**
   * `usage`: a charged request. `refund` and `late_usage`: a correction of one, whose amounts are
   * differences and whose token counts are 0.
   */
  kind: Open<'usage' | 'refund' | 'late_usage'>
  /** Id of the call, `req_…`. */
  requestId: string
  /** When the request was charged or corrected. `from` and `to` select by this time. ISO 8601. */
  settledAt: string
  /** Time of the request. ISO 8601. */
  createdAt: string
  /** The customer's own id of the person; of a removed one the id `eu_…`. */
  endUserId: string
  /** The key it came with. */
  keyId: string
  /** Slug of the bundle that sold it; null: the call died with its process. */
  bundle: string | null
  /** The requested model name. */
  requestedModel: string
  /** Label of the provider account that answered; its id, `pa_…`, when it is gone. */
  provider: string
  /** Kind of that account. */
  providerKind: string
  /** The provider's model id. */
  providerModel: string
  /** The wire format that it came in. */
  wire: string
  /** Whether it was streamed. */
  streamed: boolean
  /** Status of the answer. */
  httpStatus: number
  /** Code of the failure; null: none. */
  errorCode: string | null
  /**
   * Who counted the tokens: the provider; this gateway; or its last note, after the process of the call had
   * died.
   */
  tokenCountSource: Open<'provider_reported' | 'estimated' | 'recovered'>
  /** Tokens in, cached ones too. */
  inputTokens: number
  /** Those of the tokens in that the provider had cached. */
  cachedInputTokens: number
  /** Those of the tokens in that were written to its cache. */
  cacheWriteTokens: number
  /** Tokens out, reasoning too. */
  outputTokens: number
  /** Those of the tokens out that were reasoning. */
  reasoningTokens: number
  /** Searches that the provider made for it. */
  webSearches: number
  /** What the provider account is charged for it, in micros. An integer as a decimal string. */
  costMicros: string
  /** What the bundle sells it for, of what was charged, in micros. An integer as a decimal string. */
  billedMicros: string
  /** What left pools, wallet or on-demand for it, in micros. An integer as a decimal string. */
  chargeMicros: string
  /**
   * Part of the charge that pools of the plan paid, in micros. Null for requests recorded before payments
   * were split. An integer as a decimal string.
   */
  paidFromPlanMicros: string | null
  /**
   * Part of the charge from credit that was given, in micros. Null for requests recorded before payments
   * were split. An integer as a decimal string.
   */
  paidFromGiftMicros: string | null
  /**
   * Part of the charge from wallet money that was paid for, in micros. Null for requests recorded before
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
   * What was used beyond what was held for it, in micros: neither charged nor billed. An integer as a
   * decimal string.
   */
  overHoldMicros: string
  /** Slug of the outcome it was a step of; null: none. */
  outcome: string | null
  /** The run of that outcome; null: none. */
  runId: string | null
  /** Milliseconds from the first byte of the request to the last of the answer. */
  latencyMs: number
  /** Milliseconds to the first byte of the answer; null: none. */
  firstByteMs: number | null
}

/** What was used over time. */
export interface UsageSeries {
  /**
   * From when on is counted; later than asked: there is too much to read, minutes of 100,000 calls or days
   * of 100,000 people, keys and names. ISO 8601.
   */
  from: string
  /** The end of the last bucket, which may not be over. ISO 8601. */
  to: string
  /** What each point is. */
  bucket: Open<'minute' | 'hour' | 'day'>
  /**
   * False: there is too much to read, and only the newest is counted: of minutes and of people from `from`
   * on, of the hour that is not over its last 100,000 calls.
   */
  isWhole: boolean
  /** Every call that the filters leave. */
  all: Series
  /** Those with the most, in their order. */
  groups: SeriesGroup[]
  /** All groups that are not among `groups`; null: there are none. */
  other: Series | null
  /** Of all calls, by bucket, as `health` has them; null: not asked for. */
  latency: SeriesLatency[] | null
  /** The same of the whole range at once; null: not asked for. */
  latencyTotals: {
    /** From the first byte of a request to the last of its answer. */
    latencyMs: SeriesPercentiles
    /** To the first byte of the answer, where there was one. */
    firstByteMs: SeriesPercentiles
  } | null
}

/** What settled calls add up to. */
export interface UsageTotals {
  /** Settled calls. */
  calls: number
  /** Tokens in. */
  inputTokens: number
  /** Tokens out. */
  outputTokens: number
  /**
   * Amount billed, in micros, less refunds made in the range. Negative if refunds of earlier requests
   * exceed it. An integer as a decimal string.
   */
  billedMicros: string
  /**
   * What was used beyond what was held for them: neither charged nor billed, the cost of the application.
   * An integer as a decimal string.
   */
  overHoldMicros: string
}

/** What `navigator.credentials.get` returned for the challenge. */
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

/** Something that bounds what a person can spend. */
export interface UserLimit {
  /**
   * `pool`: an allotment of the plan; `credit`: credit that expires; `on_demand`: overage of this month;
   * `bundle_limit`: the spend limit of the plan; `end_user_limit`: a limit of the end user over all keys
   * and plans; `portal_total`: the total of all keys created in the portal; `key_cap`: the cap of one key
   * and the keys it replaced.
   */
  kind: Open<'pool' | 'credit' | 'on_demand' | 'bundle_limit' | 'end_user_limit' | 'portal_total' | 'key_cap'>
  /**
   * Slug of the include or of the bundle, ID of the grant or of the key, window of the end user limit,
   * `portal`, or `on_demand`.
   */
  id: string
  /** Its name for people. */
  name: string
  /** What it counts; credits in millionths. */
  unit: Open<'micros' | 'credits'>
  /** What it allows; null: it has no bound. An integer as a decimal string. */
  limitUnits: string | null
  /** What settled calls took of it. An integer as a decimal string. */
  usedUnits: string
  /** What calls in flight hold of it. An integer as a decimal string. */
  heldUnits: string
  /** What it leaves; negative: it was exceeded; null: it has no bound. An integer as a decimal string. */
  availableUnits: string | null
  /** When it starts anew (UTC); null: with the period of the plan, or once for ever. */
  period: Open<'day' | 'week' | 'month' | 'total'> | null
  /** When that is; null: never. ISO 8601. */
  resetsAt: string | null
  /** When what is unspent of it expires for good. Null if it does not expire. ISO 8601. */
  expiresAt: string | null
}

/** What bounds the next call of a person. */
export interface UserLimits {
  /** Whether they are on a plan; without one keys call nothing. */
  onPlan: boolean
  /** Number of calls that are running. */
  callsInFlight: number
  /** What those hold, of all sources together. An integer as a decimal string. */
  heldMicros: string
  pace: SpendingPace
  /** Since then an invoice is past due, and overage pays for nothing new; null: none is. ISO 8601. */
  onDemandBlockedSince: string | null
  limits: UserLimit[]
}

/** A bundle with all that it allows, sells and includes. */
export interface WantedBundle {
  /** Slug of the bundle. */
  slug: string
  /** Name for people. Required on creation; omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the
   * price that they came for until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Limit of each end user per period; null: no limit. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * When `spendLimitMicros` starts anew (UTC); `total`: never. Defaults to `month`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message`
   * never cuts, `grace` lets it run on by `maxOverdraftMicros`. Defaults to `hard_token`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * How far a call may run past its hold under `grace`. Defaults to `0`. Omit to keep the current value;
   * set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
   * credits. Omit to keep the current value; set to null to remove it. 1 to 32 characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * What happens to a stream when an end user of the bundle leaves before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
  /**
   * Models that its end users may call. Defaults to `[]`. Omit to keep the current value; set to null to
   * reset it to the default.
   */
  allow?: readonly string[] | null | undefined
  /**
   * Exceptions from `allow`. Defaults to `[]`. Omit to keep the current value; set to null to reset it to
   * the default.
   */
  deny?: readonly string[] | null | undefined
  /**
   * Sell prices and credit prices, by model. Defaults to `[]`. Omit to keep the current value; set to null
   * to reset it to the default.
   */
  prices?: readonly {
    /** The model name, exactly. */
    model: string
    /** Sell price; null: sold at cost. */
    price?: Price | null | undefined
    /** Credit price, in millionths of a credit; null: credits cannot pay for it. */
    credits?: Price | null | undefined
  }[] | null | undefined
  /**
   * Its grants, in the order they are made. Defaults to `[]`. Omit to keep the current value; set to null
   * to reset it to the default.
   */
  includes?: readonly {
    /** Slug of the include and of its pools. */
    slug: string
    /** Name for people. 1 to 128 characters. */
    displayName: string
    /** What `amount` counts. */
    unit: 'credits' | 'micros'
    /** Granted each time: micros, or millionths of a credit. An integer as a decimal string. */
    amount: string | bigint
    /** Its separate price, in micros; null: none. An integer as a decimal string. */
    price?: string | bigint | null | undefined
    /** Whether wallet and on-demand may pay once it is spent. `true` when left out. */
    thenOnDemand?: boolean | undefined
    /** True: granted every period; false: once, at sign-up. `true` when left out. */
    recurring?: boolean | undefined
    /**
     * What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
     * the call and comes next (fewest models, soonest end, free before paid, oldest); null: none, and then
     * `thenOnDemand` says whether wallet and on-demand do. `*` when left out.
     */
    spilloverTo?: string | null | undefined
    /**
     * Models it may pay for; null: all that the bundle allows; empty: none. At most 200 of them. `null`
     * when left out.
     */
    models?: readonly string[] | null | undefined
    /**
     * What is carried over of a recurring include at the end of a month. Null: nothing, the rest expires.
     * `null` when left out.
     */
    rollover?: {
      /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
      percent: number
      /** How many times the same units are carried over, at most 12. From 1 to 12. */
      periodsMax: number
    } | null | undefined
  }[] | null | undefined
  /**
   * Whether new end users get it; of one bundle at most. Defaults to `false`. Omit to keep the current
   * value; set to null to reset it to the default.
   */
  default?: boolean | null | undefined
}

/** A model name. */
export interface WantedModel {
  /** The name for end users. */
  name: string
  /**
   * Accounts and models, in the order they are tried. Required on creation; omit to keep the current value.
   * 1 to 16 of them.
   */
  sources?: readonly ModelSource[] | undefined
  /**
   * Bounds for requests that name none. Defaults to `{}`. Omit to keep the current value; set to null to
   * reset it to the default.
   */
  ceilings?: {
    /**
     * Output tokens that are held for an answer when the request names no maximum: all of a whole one, and
     * a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
     */
    outputTokens?: number | undefined
  } | null | undefined
  /**
   * False: `models.disable` stopped it. Defaults to `true`. Omit to keep the current value; set to null to
   * reset it to the default.
   */
  enabled?: boolean | null | undefined
}

/** An outcome. */
export interface WantedOutcome {
  /** What calls name in `svc.outcome`. */
  slug: string
  /** Name for people. Required on creation; omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Spend ceiling of one run, in micros. Required on creation; omit to keep the current value. An integer
   * as a decimal string.
   */
  ceilingMicros?: string | bigint | undefined
}

/** A name with several ways to answer. */
export interface WantedRouter {
  /** The name for end users. */
  name: string
  /**
   * How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight; `cheapest`:
   * what this very call is expected to cost; `fastest`: the time to the first token; `leastBusy`: calls in
   * flight; `sticky`: the same person or session stays at one. Required on creation; omit to keep the
   * current value.
   */
  policy?: 'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky' | undefined
  /**
   * What `sticky` keeps on one target: the requests of an end user, or requests with the same
   * `svc.session`. Defaults to `end_user`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  stickyBy?: 'end_user' | 'session' | null | undefined
  /** The ways to answer. Required on creation; omit to keep the current value. 1 to 64 of them. */
  targets?: readonly RouterTarget[] | undefined
  /**
   * How targets are tried. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current
   * value; set to null to reset it to the default.
   */
  attempts?: RouterAttemptRules | null | undefined
}

/** The same opening hours on some days of the week, in UTC. */
export interface WeeklyHours {
  /** Days on which it opens. 1 to 7 of them. */
  days: Open<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>[]
  /** When it opens: hours and minutes, UTC. */
  from: string
  /** When it closes, UTC. Not later than `from`: on the day after. `24:00` ends the day. */
  until: string
}
