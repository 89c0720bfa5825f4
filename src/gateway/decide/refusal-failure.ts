import { Failure, type ErrorDetails } from '#domain/errors.ts'
import type { Refusal } from '#money/refusal.ts'

/** A refusal with its numbers, as decimal strings, and the portal where the end user can act on it. */
export function failureOfRefusal(
  refusal: Refusal & { readonly runId?: string | null; readonly at?: number | null },
  portalUrl: string,
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
  if (runId !== null) details.run = runId
  if (at !== null) details.at = new Date(at).toISOString()
  // Held money comes back as soon as a call ends.
  const shown: ErrorDetails = refusal.code === 'balance_held' ? { ...details, retryAfterSeconds: 1 } : details
  return new Failure(refusal.code, shown)
}

function text(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}

function max0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}
