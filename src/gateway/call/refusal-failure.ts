import type { ApplicationConfig } from '#domain/application-config.ts'
import { Failure, type ErrorDetails } from '#domain/errors.ts'
import type { OverdueInvoice } from '#domain/directory.ts'
import type { RefusedPlan } from '#domain/ledger.ts'
import type { Refusal } from '#money/refusal.ts'

type Details = Record<string, string | null>

interface Facts {
  /** URL of the application's portal. */
  readonly portalUrl: string
  readonly config: Pick<ApplicationConfig, 'payUrl' | 'topUpUrl'>
  /** The invoice that prevents on-demand from paying. Null if it has not been issued yet. */
  readonly overdue?: OverdueInvoice | null
}

/**
 * Returns the failure for a rejection with its details. The details are the numbers as decimal strings in micros, the
 * sentence about the plan (domain/refusal-sentence.ts), and the page where the end user can resolve it.
 */
export function failureOfRefusal(
  refusal: Refusal & {
    readonly runId?: string | null
    readonly at?: number | null
    readonly plan?: RefusedPlan | null
  },
  { config, overdue = null, portalUrl }: Facts,
): Failure {
  const { code, limit, limitSource, used, held, requested, resetsAtMs, runId = null, at = null } = refusal
  const { payUrl, topUpUrl } = config
  const isUnpaid = limitSource === 'unpaid_invoice'
  const free = limit === null ? null : limit - (used ?? 0n) - (held ?? 0n)
  const details: Details = {
    limitSource,
    limit: text(limit),
    // For a balance, `limit` is the amount that remains after spending.
    used: text(limit === null ? used : (used ?? 0n)),
    held: text(held),
    requested: text(requested),
    available: free === null ? null : String(max0(refusal.available ?? free)),
    resetsAt: iso(resetsAtMs),
    portalUrl: (isUnpaid ? payUrl : null) ?? topUpUrl ?? portalUrl,
    ...(topUpUrl !== null && { topUpUrl }),
    ...planDetails(refusal),
    ...(isUnpaid && { ...invoiceDetails(overdue), ...(payUrl !== null && { payUrl }) }),
    ...(runId !== null && { run: runId }),
    ...(at !== null && { at: iso(at) }),
  }
  // Held money is released when a call ends, so a retry soon may succeed.
  const shown: ErrorDetails = code === 'balance_held' ? { ...details, retryAfterSeconds: 1 } : details
  return new Failure(code, shown)
}

/** Amounts of a pool are in its own unit: micros, or millionths of a credit. */
function planDetails({
  plan = null,
  pool,
}: Pick<Refusal, 'pool'> & { readonly plan?: RefusedPlan | null }): Details {
  if (pool === undefined || plan === null) return {}
  return {
    poolName: plan.poolName,
    poolUnit: pool.currency ?? 'micros',
    poolGranted: String(pool.granted - pool.withheld - pool.expired),
    poolLeft: String(max0(pool.posted - pool.held)),
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
