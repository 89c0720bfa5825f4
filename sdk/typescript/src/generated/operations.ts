// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import { Auth } from './auth.ts'
import { Customer } from './customer.ts'
import { Bill } from './bill.ts'
import { Onboarding } from './onboarding.ts'
import { Sessions } from './sessions.ts'
import { Passkeys } from './passkeys.ts'
import { Invitations } from './invitations.ts'
import { DeviceAuth } from './device-auth.ts'
import { Team } from './team.ts'
import { Tokens } from './tokens.ts'
import { Limits } from './limits.ts'
import { Apps } from './apps.ts'
import { Gateway } from './gateway.ts'
import { Providers } from './providers.ts'
import { Catalog } from './catalog.ts'
import { Models } from './models.ts'
import { Routers } from './routers.ts'
import { Bundles } from './bundles.ts'
import { Users } from './users.ts'
import { Subscription } from './subscription.ts'
import { Invoices } from './invoices.ts'
import { TestClock } from './test-clock.ts'
import { Keys } from './keys.ts'
import { Grants } from './grants.ts'
import { makeUsage, type Usage } from './usage.ts'
import { Outcomes } from './outcomes.ts'
import { Requests } from './requests.ts'
import { Emitters } from './emitters.ts'
import { Brand } from './brand.ts'
import { Portal } from './portal.ts'
import { Audit } from './audit.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

export type * from './auth.ts'
export type * from './customer.ts'
export type * from './bill.ts'
export type * from './onboarding.ts'
export type * from './sessions.ts'
export type * from './passkeys.ts'
export type * from './invitations.ts'
export type * from './device-auth.ts'
export type * from './team.ts'
export type * from './tokens.ts'
export type * from './limits.ts'
export type * from './apps.ts'
export type * from './gateway.ts'
export type * from './providers.ts'
export type * from './catalog.ts'
export type * from './models.ts'
export type * from './routers.ts'
export type * from './bundles.ts'
export type * from './users.ts'
export type * from './subscription.ts'
export type * from './invoices.ts'
export type * from './test-clock.ts'
export type * from './keys.ts'
export type * from './grants.ts'
export type * from './usage.ts'
export type * from './outcomes.ts'
export type * from './requests.ts'
export type * from './emitters.ts'
export type * from './brand.ts'
export type * from './portal.ts'
export type * from './audit.ts'

/** Of margin: show margin by end user. */
export interface MarginInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** The grouping of the rows. `endUser` when left out. */
  by?: 'endUser' | 'model' | 'bundle' | 'provider' | 'day' | 'key' | 'run' | undefined
  /** The first day, or a time in it; left out: 30 days before the end. ISO 8601. */
  from?: string | Date | undefined
  /** The end, not included; left out: today with it. ISO 8601. */
  to?: string | Date | undefined
}

/** What margin answers. */
export interface MarginOutput {
  data: types.MarginRow[]
  nextCursor: string | null
  /** The first day that is counted. A day, like 2026-11-20 (UTC). */
  from: string
  /** The day after the last one that is counted. A day, like 2026-11-20 (UTC). */
  to: string
  /**
   * What probes of the organization's accounts cost in these days (providers.probe), as far as is known, in
   * micros: no part of rows and totals. 0 in test mode, which has none. An integer as a decimal string.
   */
  probeCostMicros: string
  /** All groups together, on every page. */
  totals: {
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
     * Usage above the hold, in micros. It is neither charged nor billed, and is part of the cost. An
     * integer as a decimal string.
     */
    overHoldMicros: string
    /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
    paidFromPlanMicros: string
    /**
     * Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string.
     */
    paidFromWalletMicros: string
    /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
    paidFromGiftMicros: string
    /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
    onDemandMicros: string
    /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
    overdraftMicros: string
    /**
     * Part of the charge of requests recorded before payments were split, in micros. An integer as a
     * decimal string.
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
     * The margin as a percentage of revenue, with two decimal places, halves rounded away from zero. Null
     * if revenue is not positive.
     */
    marginPercent: string | null
    /** Calls with a cost at assumed rates, failed calls included. */
    assumedCalls: number
    /**
     * The part of `costMicros` computed at assumed rates, in micros. 0 for calls of versions that did not
     * record it. An integer as a decimal string.
     */
    assumedMicros: string
  }
}

/** Of health: show latency and failure rate. */
export interface HealthInput {
  /** Only that window in `windows`; left out: all three. */
  window?: '5m' | '1h' | '24h' | undefined
}

/** What health answers. */
export interface HealthOutput {
  /** Length of the window of these fields, an hour. */
  windowSeconds: number
  /** Calls that have ended. */
  calls: number
  /** Those answered 5xx: broken here or at the provider. */
  failures: number
  /** Those answered 4xx. */
  refusals: number
  /** `failures` of `calls`; 0 without calls. From 0 to 1. */
  failureRate: number
  /** Milliseconds from the first byte of a request to the last of its answer. */
  latencyMs: types.HealthPercentiles
  /** The accounts and models that calls are kept from now, in the mode. */
  circuits: types.Circuit[]
  /** The organization's accounts whose API key is refused; empty in test mode. */
  credentialsRefused: {
    /** Label of the provider account. */
    provider: string
    /** The first refusal after the last call that was answered. ISO 8601. */
    since: string
    /** Calls that were refused since. */
    refusals: number
    /** The call that mends it. */
    mend: types.OperationCall
  }[]
  /**
   * Accounts and models whose stated costs differ from the gateway's by more than 3 % over the last ten
   * calls that state one. Empty if none do.
   */
  disputedCosts: types.DisputedCost[]
  /** How the organization's provider accounts do with the application's calls, oldest first. */
  accounts: types.AccountHealth[]
  /** How the application's models and routers do: models by name, then routers by name. */
  names: types.NameHealth[]
  /** The windows, shortest first. */
  windows: types.HealthSpan[]
  /** Destinations of settled usage that are enabled, oldest first. */
  emitters: {
    /** Id of the emitter, `emt_…`. */
    emitterId: string
    /** Its label. */
    name: string
    /** First batch that was not accepted since one was; null: the last one was accepted. ISO 8601. */
    failingSince: string | null
    /** Events, in all, that were attempted and not accepted. */
    notDelivered: number
    /** Events, in all, that were never attempted: too many waited. */
    dropped: number
  }[]
}

/** What doctor answers. */
export interface DoctorOutput {
  /** Slug of the application that was looked at. */
  application: string
  /** The mode that was looked at. */
  mode: Open<'live' | 'test'>
  /** When. ISO 8601. */
  checkedAt: string
  /** Whether nothing of severity `error` was found. */
  sound: boolean
  /** What was found, the worst first. */
  findings: types.Finding[]
  /** The checks that were made. */
  checks: {
    /** Name of the check. */
    name: string
    /** What it looks at, and how far. */
    looksAt: string
    /** `found`: it has findings; `failed`: it could not be made. */
    state: Open<'sound' | 'found' | 'failed'>
    /** Number of its findings. */
    findings: number
  }[]
}

/** Every operation, by its id. */
export class Operations {
  readonly #sender: Sender
  /** Who makes a request. */
  readonly auth: Auth
  /** The organization that a request is about. */
  readonly customer: Customer
  /** What the organization pays the operator of this server. */
  readonly bill: Bill
  /** How far the set-up is, up to a first settled call. */
  readonly onboarding: Onboarding
  /** People who sign in. */
  readonly sessions: Sessions
  /** Passkeys, with which members sign in. */
  readonly passkeys: Passkeys
  /** The links by which people join the team. */
  readonly invitations: Invitations
  /** Sign-ins of command lines (RFC 8628). */
  readonly deviceAuth: DeviceAuth
  /** The people of the organization, and what they may do. */
  readonly team: Team
  /** The `sk_` tokens of the organization. */
  readonly tokens: Tokens
  /** What the organization allows itself a day. */
  readonly limits: Limits
  /** Applications: products with end users, keys, bundles and model names of their own. */
  readonly apps: Apps
  /** What the gateway of an application answers. */
  readonly gateway: Gateway
  /** Accounts at model providers, and what they are charged. */
  readonly providers: Providers
  /** Providers and models whose prices are published. */
  readonly catalog: Catalog
  /** The names of models that end users ask for. */
  readonly models: Models
  /** Names with several ways to answer. */
  readonly routers: Routers
  /** What a plan allows, sells, limits and grants. */
  readonly bundles: Bundles
  /** End users, and what moved their balance. */
  readonly users: Users
  /** The plan of an end user, its pools and on-demand use. */
  readonly subscription: Subscription
  /** What subscriptions cost, and whether it was paid. */
  readonly invoices: Invoices
  /** The time of test mode. */
  readonly testClock: TestClock
  /** The `ak_` keys with which end users call the gateway. */
  readonly keys: Keys
  /** Credit given to end users. */
  readonly grants: Grants
  /** What was used, by model name. */
  readonly usage: Usage
  /** Runs of several calls under one spend ceiling. */
  readonly outcomes: Outcomes
  /** Calls of the gateway, and why each cost what it cost. */
  readonly requests: Requests
  /** Where settled usage is delivered. */
  readonly emitters: Emitters
  /** How the portal of an application looks. */
  readonly brand: Brand
  /** What end users see of themselves, and how they come there. */
  readonly portal: Portal
  /** Who changed what. */
  readonly audit: Audit

  constructor(sender: Sender) {
    this.#sender = sender
    this.auth = new Auth(sender)
    this.customer = new Customer(sender)
    this.bill = new Bill(sender)
    this.onboarding = new Onboarding(sender)
    this.sessions = new Sessions(sender)
    this.passkeys = new Passkeys(sender)
    this.invitations = new Invitations(sender)
    this.deviceAuth = new DeviceAuth(sender)
    this.team = new Team(sender)
    this.tokens = new Tokens(sender)
    this.limits = new Limits(sender)
    this.apps = new Apps(sender)
    this.gateway = new Gateway(sender)
    this.providers = new Providers(sender)
    this.catalog = new Catalog(sender)
    this.models = new Models(sender)
    this.routers = new Routers(sender)
    this.bundles = new Bundles(sender)
    this.users = new Users(sender)
    this.subscription = new Subscription(sender)
    this.invoices = new Invoices(sender)
    this.testClock = new TestClock(sender)
    this.keys = new Keys(sender)
    this.grants = new Grants(sender)
    this.usage = makeUsage(sender)
    this.outcomes = new Outcomes(sender)
    this.requests = new Requests(sender)
    this.emitters = new Emitters(sender)
    this.brand = new Brand(sender)
    this.portal = new Portal(sender)
    this.audit = new Audit(sender)
  }

  /**
   * Show margin by end user. Returns earned revenue, provider cost and margin by end user, model name,
   * bundle, provider account, day, key or run. Revenue is subscription fees accrued by day, wallet money
   * that was paid for, and on-demand usage. `billedMicros` is the list value of usage, whoever paid for it.
   * Sums are exact: the rows of all pages add up to the totals. Groups without subscriptions of their own
   * leave them to a last row, null, with the calls that no group accounts for. By provider, the cost of a
   * failed attempt counts with the account that made it, so the column can be compared with the provider's
   * invoice. Days are UTC, by the end of a call. A time within a day takes the whole day. Rows are in the
   * order of their group, days newest first. By end user and by key, a page passes over at most 2,000
   * without usage: it may have fewer rows than `limit`, or none, while `nextCursor` continues.
   *
   * GET /v1/margin
   */
  margin(input?: MarginInput, options?: CallOptions): PageCall<types.MarginRow, MarginOutput> {
    return this.#sender.page(
      { id: 'margin', method: 'GET', path: '/v1/margin', query: ['limit', 'cursor', 'by', 'from', 'to'] },
      input,
      options,
    )
  }

  /**
   * Show latency and failure rate. How the application's gateway calls of the mode went that ended in the
   * last five minutes, hour and day, by provider account, by account and model with each attempt, and by
   * name. Counts are exact. Percentiles are nearest ranks of a histogram: exact to 64 ms, above that at
   * most 3.2 % too large and never too small. The first fields are those of the last hour.
   *
   * GET /v1/health
   */
  health(input?: HealthInput, options?: CallOptions): Call<HealthOutput> {
    return this.#sender.call(
      { id: 'health', method: 'GET', path: '/v1/health', query: ['window'] },
      input,
      options,
    )
  }

  /**
   * Find configuration problems. Looks at the application, the accounts of its organization and the server
   * itself, in the mode of the request, and names for each problem what it means and the call that mends
   * it. Nothing is changed and no provider is asked. A check that cannot be made is a finding too.
   *
   * GET /v1/diagnose
   */
  doctor(input?: Record<string, never>, options?: CallOptions): Call<DoctorOutput> {
    return this.#sender.call(
      { id: 'doctor', method: 'GET', path: '/v1/diagnose' },
      input,
      options,
    )
  }
}
