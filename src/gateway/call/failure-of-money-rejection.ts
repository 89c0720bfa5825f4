import type { ApplicationConfig } from '#domain/application-config.ts'
import { Failure } from '#domain/errors.ts'
import type { OverdueInvoice } from '#domain/gateway-directory-interface.ts'
import type { RefusedPlan } from '#domain/ledger-interface.ts'
import { sharedRateSources } from '#money/decision-types.ts'
import type { LimitSource, Refusal } from '#money/refusal-types.ts'

type Details = Record<string, string | null>

/** Clients do not wait longer than a minute on their own. The error details contain the full time. */
const retryAfterMaxSeconds = 60

interface Facts {
  readonly portalUrl: string
  readonly config: Pick<ApplicationConfig, 'payUrl' | 'topUpUrl'>
  /** The unpaid invoice that blocks on-demand billing. Null if not yet issued. */
  readonly overdue?: OverdueInvoice | null
}

/**
 * The details contain amounts as decimal strings of micros, a sentence about the plan
 * (domain/sentence-of-money-rejection.ts), and the page where the end user can resolve the problem.
 */
export function failureOfRefusal(
  refusal: Refusal & {
    readonly runId?: string | null
    readonly at?: number | null
    readonly plan?: RefusedPlan | null
  },
  { config, overdue = null, portalUrl }: Facts,
  nowMs = 0,
): Failure {
  const { code, limit, limitSource, used, held, requested, resetsAtMs, runId = null, at = null } = refusal
  const { rate } = refusal
  const { payUrl, topUpUrl } = config
  const isUnpaid = limitSource === 'unpaid_invoice'
  const free = limit === null ? null : limit - (used ?? 0n) - (held ?? 0n)
  const details: Details = {
    limitSource,
    limit: text(limit),
    // For a balance limit, `limit` is the remaining balance.
    used: text(limit === null ? used : (used ?? 0n)),
    held: text(held),
    requested: text(requested),
    available: free === null ? null : String(max0(refusal.available ?? free)),
    resetsAt: iso(resetsAtMs),
    portalUrl: (isUnpaid ? payUrl : null) ?? topUpUrl ?? portalUrl,
    ...(topUpUrl !== null && { topUpUrl }),
    ...planDetails(refusal),
    ...(rate !== undefined && rateDetails(rate)),
    ...(isUnpaid && { ...invoiceDetails(overdue), ...(payUrl !== null && { payUrl }) }),
    ...(runId !== null && { run: runId }),
    ...(at !== null && { at: iso(at) }),
  }
  // Calls in flight end soon and release their money.
  if (code === 'balance_held') return new Failure(code, { ...details, retryAfterSeconds: 1 })
  const [told, options] = sharedSources.has(limitSource) ? withoutSums(details) : [details, {}]
  if (code !== 'rate_limited') return new Failure(code, told, options)
  const waitMs = Math.max(1, (resetsAtMs ?? nowMs) - nowMs)
  const waitSeconds = Math.ceil(waitMs / 1000)
  const retryAfterSeconds = Math.min(waitSeconds, retryAfterMaxSeconds)
  const retryAfterMs = Math.min(waitMs, retryAfterMaxSeconds * 1000)
  return new Failure(code, { ...told, retryAfterSeconds, retryAfterMs, waitSeconds }, options)
}

const sharedSources: ReadonlySet<LimitSource> = new Set(sharedRateSources)

/** Sums over all end users are private to the customer. Only operators see them, in `requests.explain`. */
function withoutSums({ available, held, limit, used, ...details }: Details) {
  const operatorDetails = { limit: limit ?? null, used: used ?? null, held: held ?? null }
  return [details, { operatorDetails: { ...operatorDetails, available: available ?? null } }] as const
}

/** `measure` names the unit of the amounts, such as tokens. */
function rateDetails({ measure, models, tag, team, window }: NonNullable<Refusal['rate']>): Details {
  return {
    measure,
    window,
    ...(tag !== undefined && { tag }),
    ...(team !== undefined && { team }),
    ...(models !== null && { models: models.join(', ') }),
  }
}

/** Amounts of a pool are in the unit of the pool: micros, or millionths of a credit. */
function planDetails({
  plan = null,
  pool,
  requestedCredits,
}: Pick<Refusal, 'pool' | 'requestedCredits'> & { readonly plan?: RefusedPlan | null }): Details {
  if (pool === undefined || plan === null) return {}
  return {
    poolName: plan.poolName,
    poolUnit: pool.currency ?? 'micros',
    poolGranted: String(pool.granted - pool.withheld - pool.expired),
    poolLeft: String(max0(pool.posted - pool.held)),
    ...(requestedCredits !== undefined && { poolRequested: String(requestedCredits) }),
    poolRenewsAt: iso(plan.renewsAtMs),
    ...(plan.isOnDemandOff && { onDemand: 'off' }),
  }
}

function invoiceDetails(overdue: OverdueInvoice | null): Details {
  if (overdue === null) return {}
  const { amountMicros, dueAtMs, id } = overdue
  return { invoiceId: id, invoiceAmountMicros: String(amountMicros), invoiceDueAt: iso(dueAtMs) }
}

function iso(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

function text(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}

function max0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}
