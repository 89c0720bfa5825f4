import { Failure, type ErrorDetails } from '#domain/errors.ts'
import type { OverdueInvoice } from '#domain/directory.ts'
import { formatDollars } from '#money/amount.ts'
import type { Refusal } from '#money/refusal.ts'

/** A refusal with its numbers, as decimal strings, and the portal where the end user can act on it. */
export function failureOfRefusal(
  refusal: Refusal & { readonly runId?: string | null; readonly at?: number | null },
  portalUrl: string,
  overdue: OverdueInvoice | null = null,
): Failure {
  const { limit, used, held, requested, resetsAtMs, runId = null, at = null } = refusal
  const details: Record<string, string | null> = {
    limitSource: refusal.limitSource,
    limit: text(limit),
    // The `limit` of a balance is what is left after spending.
    used: text(limit === null ? used : (used ?? 0n)),
    held: text(held),
    requested: text(requested),
    available: limit === null ? null : String(max0(limit - (used ?? 0n) - (held ?? 0n))),
    resetsAt: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
    portalUrl,
  }
  if (refusal.limitSource === 'unpaid_invoice') Object.assign(details, unpaidDetails(overdue))
  if (runId !== null) details.run = runId
  if (at !== null) details.at = new Date(at).toISOString()
  // Held money comes back as soon as a call ends.
  const shown: ErrorDetails = refusal.code === 'balance_held' ? { ...details, retryAfterSeconds: 1 } : details
  return new Failure(refusal.code, shown)
}

/** @param overdue null: the invoice is due, and its issue has not run yet */
function unpaidDetails(overdue: OverdueInvoice | null): Record<string, string> {
  if (overdue === null) return { remedy: 'on-demand usage is blocked until the past-due invoice is paid' }
  const { amountMicros, dueAtMs, id } = overdue
  const dueAt = new Date(dueAtMs).toISOString()
  return {
    remedy: `on-demand usage is blocked until invoice ${id} ($${formatDollars(amountMicros).replace(/0{1,4}$/, '')}, due ${dueAt.slice(0, 10)}) is paid`,
    invoiceId: id,
    invoiceAmountMicros: String(amountMicros),
    invoiceDueAt: dueAt,
  }
}

function text(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}

function max0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}
