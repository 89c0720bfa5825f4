import { hasOwnModelNames, isAnotherModel } from '#domain/accounts/is-other-model-than-requested.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import type { FailedAttempt } from '#domain/ledger-interface.ts'
import { hasUnpricedTier, hasUnpricedUse } from '#money/cost.ts'
import { worstUsage } from '#money/worst-case.ts'
import type { Usage } from '#money/usage-counts.ts'
import { deliveredUsage } from '#gateway/relay/estimate-usage-of-background-call.ts'
import { usedAsTold, type Used } from '#gateway/relay/end-of-call-at-provider.ts'
import type { BackgroundReport } from '#wire/responses/non-streaming-response.ts'

export type BackgroundEnd =
  | { readonly kind: 'reported'; readonly report: BackgroundReport }
  /** The provider no longer has the response, so no client can read it. */
  | { readonly kind: 'lost' }
  /** The deadline of the hold has passed, and the provider reports no end. */
  | { readonly kind: 'expired' }
  /** The provider may have billed the request, but neither the gateway nor a client can read its result. */
  | { readonly kind: 'unreadable' }
  /** The provider did not run the request, or the batch with its result is no longer known. */
  | { readonly kind: 'not_run'; readonly errorCode: string }

export interface EndedResponse {
  /** Null if nothing is charged. */
  readonly used: Pick<Used, 'tokenSource' | 'usage'> | null
  /** The failed attempt, whose cost the application pays. Null if the end user is charged. */
  readonly attempt: FailedAttempt | null
  readonly errorCode: string | null
  readonly traceEnd: 'background' | 'batch' | 'canceled' | 'failed'
  readonly isDisputed: boolean
}

/** @param account null if the account was deleted */
export function endedResponse(
  call: BackgroundCall,
  end: BackgroundEnd,
  account: ProviderAccount | null,
): EndedResponse {
  const failed = { attempt: null, traceEnd: 'failed', isDisputed: false } as const
  switch (end.kind) {
    case 'expired': {
      // Charge the whole hold, because the client may still get the response from the provider.
      const usage = worstUsage(call.bound)
      return { ...failed, used: { usage, tokenSource: 'estimated' }, errorCode: 'upstream_timeout' }
    }
    case 'not_run':
      return { ...failed, used: null, errorCode: end.errorCode }
    case 'lost':
      return { ...failed, used: estimated(call, 0), errorCode: 'response_not_found' }
    case 'unreadable':
      return { ...failed, used: estimated(call, 0), errorCode: 'upstream_error' }
    case 'reported':
      return reportedEnd(call, end.report, account)
    default:
      return end satisfies never
  }
}

function reportedEnd(
  call: BackgroundCall,
  report: BackgroundReport,
  account: ProviderAccount | null,
): EndedResponse {
  const { answeredBy, end, outputTokens } = report
  const told = withHeldSessions(report.usage, call)
  const own = (): Pick<Used, 'tokenSource' | 'usage'> => estimated(call, outputTokens)
  const used = told === null ? own() : usedAsTold(told, call.quote, () => own().usage)
  const isOther =
    answeredBy !== null &&
    account !== null &&
    !hasOwnModelNames(account) &&
    isAnotherModel(call.target.model, answeredBy)
  const { cost } = call.quote
  const isDisputed = isOther || hasUnpricedUse(used.usage, cost) || hasUnpricedTier(used.usage, cost)
  if (end !== 'failed') {
    const isCanceled = end === 'canceled'
    return {
      used,
      attempt: null,
      errorCode: isCanceled ? 'response_canceled' : null,
      traceEnd: isCanceled ? 'canceled' : 'background',
      isDisputed,
    }
  }
  const hasDelivered = outputTokens > 0 || (call.checkpoint?.output ?? 0) > 0
  return {
    used: hasDelivered ? used : null,
    attempt: hasDelivered ? null : failedAttempt(call, told),
    errorCode: 'upstream_error',
    traceEnd: 'failed',
    isDisputed: hasDelivered && isDisputed,
  }
}

/**
 * Charges all code sessions that the hold covers. The provider does not report whether the request started a container
 * or continued one.
 */
function withHeldSessions(usage: Usage | null, { bound }: BackgroundCall): Usage | null {
  if (usage === null || usage.codeSessions === 0) return usage
  return { ...usage, codeSessions: bound.uses?.codeSessions ?? 0 }
}

/** The gateway's own count, for a provider that reports no usage. Includes everything that a stream has delivered. */
function estimated(call: BackgroundCall, outputTokens: number): Pick<Used, 'tokenSource' | 'usage'> {
  const { checkpoint } = call
  const counted = deliveredUsage(call, outputTokens)
  const usage = checkpoint !== null && checkpoint.output > counted.output ? checkpoint : counted
  return { usage, tokenSource: 'estimated' }
}

function failedAttempt({ quote, target }: BackgroundCall, usage: Usage | null): FailedAttempt {
  const times = { atMs: 0, durationMs: 0, firstByteMs: null }
  return { target, status: 200, failure: null, code: 'upstream_error', ...times, usage, quote }
}
