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

/** Of margin: show margin. */
export interface MarginInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Grouping of the rows. `endUser` when left out. */
  by?: 'endUser' | 'model' | 'bundle' | 'provider' | 'day' | 'key' | 'run' | undefined
  /** First day, or a time within it. Defaults to 30 days before the end. ISO 8601. */
  from?: string | Date | undefined
  /** End of the range (exclusive). Defaults to the end of today. ISO 8601. */
  to?: string | Date | undefined
}

/** What margin answers. */
export interface MarginOutput {
  data: types.MarginRow[]
  nextCursor: string | null
  /** First day of the range. A day, like 2026-11-20 (UTC). */
  from: string
  /** Day after the last day of the range. A day, like 2026-11-20 (UTC). */
  to: string
  /**
   * Known cost of probes (providers.probe) of the organization's accounts in these days, in micros. Not
   * part of the rows and totals. 0 in test mode, which has no probes. An integer as a decimal string.
   */
  probeCostMicros: string
  /** Totals of all groups, the same on every page. */
  totals: {
    /** Charged requests. */
    calls: number
    /** Provider cost, in micros. An integer as a decimal string. */
    costMicros: string
    /**
     * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An
     * integer as a decimal string.
     */
    billedMicros: string
    /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
    chargeMicros: string
    /**
     * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
     * cost. An integer as a decimal string.
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
     * Part of the charge of requests recorded before payments were split, in micros. An integer as a
     * decimal string.
     */
    unattributedMicros: string
    /**
     * Subscription fees earned in the range, in micros. Each invoice line is spread over the days it
     * covers. Omitted for groups that cannot have subscriptions of their own. An integer as a decimal
     * string.
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
     * `onDemandMicros`. Usage paid from a plan or from given credit earns no revenue. An integer as a
     * decimal string.
     */
    revenueMicros: string
    /**
     * `revenueMicros` minus `costMicros`, in micros. Negative for a loss. An integer as a decimal string.
     */
    marginMicros: string
    /**
     * Margin as a percentage of revenue, with two decimal places. Halves are rounded away from zero. Null
     * if revenue is not positive.
     */
    marginPercent: string | null
    /** Requests with a cost at assumed rates, including failed requests. */
    assumedCalls: number
    /**
     * Part of `costMicros` computed at assumed rates, in micros. 0 for requests from versions that did not
     * record it. An integer as a decimal string.
     */
    assumedMicros: string
  }
}

/** Of health: show latency and failures. */
export interface HealthInput {
  /** Window to return in `windows`. Omit for all three windows. */
  window?: '5m' | '1h' | '24h' | undefined
}

/** What health answers. */
export interface HealthOutput {
  /** Length of the window of the top-level fields, in seconds. Always one hour. */
  windowSeconds: number
  /** Number of completed requests, including failed ones. */
  calls: number
  /** Number of requests that returned 5xx, because this server or the provider failed. */
  failures: number
  /** Number of requests that returned 4xx. */
  refusals: number
  /** `failures` divided by `calls`. 0 if `calls` is 0. From 0 to 1. */
  failureRate: number
  /** Time from the first byte of a request to the last byte of its response, in milliseconds. */
  latencyMs: types.HealthPercentiles
  /**
   * Circuits that are not closed, in the mode of the request. They keep requests away from an account and
   * model.
   */
  circuits: types.Circuit[]
  /** Provider accounts of the organization whose API key is rejected. Empty in test mode. */
  credentialsRefused: {
    /** Label of the provider account. */
    provider: string
    /** Time of the first rejection after the last successful request. ISO 8601. */
    since: string
    /** Number of requests rejected since then. */
    refusals: number
    /** Operation that fixes the problem. */
    mend: types.OperationCall
  }[]
  /**
   * Accounts and models whose stated costs differ from the gateway's by more than 3 % over the last ten
   * requests that state a cost. Empty if all costs match.
   */
  disputedCosts: types.DisputedCost[]
  /**
   * Health of the provider accounts of the organization, for requests of the application. Oldest account
   * first.
   */
  accounts: types.AccountHealth[]
  /** Health of the models and routers of the application. Models by name, then routers by name. */
  names: types.NameHealth[]
  /** Windows, shortest first. */
  windows: types.HealthSpan[]
  /** Enabled emitters, oldest first. */
  emitters: {
    /** ID of the emitter, `emt_…`. */
    emitterId: string
    /** Label of the emitter. */
    name: string
    /**
     * When deliveries started to fail: the first batch that was not accepted since the last accepted one.
     * Null if the last batch was accepted. ISO 8601.
     */
    failingSince: string | null
    /** Number of events that were attempted and not accepted. */
    notDelivered: number
    /** Number of events that were never attempted, because 10,000 events were already waiting. */
    dropped: number
  }[]
}

/** What doctor answers. */
export interface DoctorOutput {
  /** Slug of the application that was checked. */
  application: string
  /** Mode that was checked. */
  mode: Open<'live' | 'test'>
  /** When the checks ran. ISO 8601. */
  checkedAt: string
  /** Whether the application has no finding of severity `error`. */
  sound: boolean
  /** Findings, most severe first. */
  findings: types.Finding[]
  /** Checks that ran. */
  checks: {
    /** Name of the check. */
    name: string
    /** Scope of the check, with its limits. */
    looksAt: string
    /**
     * Result of the check. `sound`: no findings. `found`: at least one finding. `failed`: the check could
     * not run.
     */
    state: Open<'sound' | 'found' | 'failed'>
    /** Number of findings. */
    findings: number
  }[]
}

/** Every operation, by its id. */
export class Operations {
  readonly #sender: Sender
  /** The credential of the request. */
  readonly auth: Auth
  /** The organization and applications of the credential. */
  readonly customer: Customer
  /** The organization's own plan with the operator of this server, and its bill. */
  readonly bill: Bill
  /** Setup progress, up to the first settled request. */
  readonly onboarding: Onboarding
  /** Sign-ins of team members. */
  readonly sessions: Sessions
  /** Passkeys that members sign in with. */
  readonly passkeys: Passkeys
  /** Links that invite people to a team. */
  readonly invitations: Invitations
  /** Sign-ins from the command line (RFC 8628). */
  readonly deviceAuth: DeviceAuth
  /** Members of the organization and their roles. */
  readonly team: Team
  /** The organization's `sk_` tokens. */
  readonly tokens: Tokens
  /** Daily limits that the organization sets for itself. */
  readonly limits: Limits
  /** Applications: products that have their own end users, keys, bundles and model names. */
  readonly apps: Apps
  /** Settings of an application's gateway. */
  readonly gateway: Gateway
  /** Accounts at model providers, and their prices. */
  readonly providers: Providers
  /** Providers and models with published prices. */
  readonly catalog: Catalog
  /** Model names that end users request. */
  readonly models: Models
  /** Model names that route to several targets. */
  readonly routers: Routers
  /** Plans: which models they allow, at which prices, with which limits and credit. */
  readonly bundles: Bundles
  /** End users and their balances. */
  readonly users: Users
  /** An end user's plan, pools and on-demand billing. */
  readonly subscription: Subscription
  /** Invoices for plans and on-demand usage. */
  readonly invoices: Invoices
  /** The clock of test mode. */
  readonly testClock: TestClock
  /** `ak_` keys that authenticate end users at the gateway. */
  readonly keys: Keys
  /** Credit given to end users. */
  readonly grants: Grants
  /** Usage by model name and over time. */
  readonly usage: Usage
  /** Runs of several requests under one spend ceiling. */
  readonly outcomes: Outcomes
  /** Requests to the gateway, and how the cost of each was computed. */
  readonly requests: Requests
  /** Destinations for settled usage. */
  readonly emitters: Emitters
  /** The appearance of an application's portal. */
  readonly brand: Brand
  /** The end users' own view of their account, and their access to it. */
  readonly portal: Portal
  /** Changes, and who made them. */
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
   * Show margin. Returns earned revenue, provider cost and margin by end user, model name, bundle, provider
   * account, day, key or run.
   *
   * - Revenue is the sum of subscription fees (accrued by day), paid wallet money and on-demand usage.
   * - `billedMicros` is the list value of usage, regardless of who paid for it.
   * - The rows of all pages add up exactly to the totals. Subscriptions and requests that belong to no
   * group are in a last row, whose group is null.
   * - By provider, the cost of a failed attempt counts for the account that made it, so that the sum
   * matches the provider's invoice.
   * - Days are UTC. A request counts on the day it ends. A time in `from` or `to` includes its whole day.
   * - Rows are sorted by group, days newest first.
   * - By end user and by key, a page skips at most 2,000 groups without usage. It can have fewer rows than
   * `limit`, or no rows, although `nextCursor` is not null.
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
   * Show latency and failures. Returns the latency and failures of gateway requests that ended in the last
   * five minutes, hour and day, in the mode of the request. The top-level fields cover the last hour.
   *
   * - Figures are grouped by provider account, by account and model with each attempt, and by requested
   * name.
   * - Counts are exact. Percentiles are nearest ranks of a histogram. They are exact up to 64 ms. Above
   * that, they are at most 3.2 % too large and never too small.
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
   * Find configuration problems. Checks the application, the provider accounts of its organization and the
   * server, in the mode of the request. Each finding states the consequence and the request that fixes it.
   * Nothing is changed, and no request is sent to providers. A check that fails to run is also a finding.
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
