import type { AttemptRules } from '#domain/application-config.ts'
import type { ErrorCode, Failure } from '#domain/errors.ts'
import type { TargetFailure } from '#routing/circuit.ts'
import { contextFull } from '#wire/provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** What a failure says of the account and the model that were called; null: nothing, the request was wrong. */
export function targetFailureOf(failure: Failure): TargetFailure | null {
  if (failure.code === 'upstream_rejected') return failure.status === 404 ? 'model_not_found' : null
  const known = kinds[failure.code] ?? null
  if (failure.code !== 'upstream_error') return known
  if (failure.operatorDetails['phase'] !== undefined) return 'connection'
  const status = Number(failure.operatorDetails['upstreamStatus'] ?? 0)
  if (status === 408) return 'timeout'
  if (status === 425) return 'rate_limited'
  return status >= 400 ? 'server_error' : 'broken_answer'
}

const kinds: Partial<Record<ErrorCode, TargetFailure>> = {
  upstream_overloaded: 'server_error',
  upstream_rate_limited: 'rate_limited',
  upstream_timeout: 'timeout',
  upstream_truncated: 'broken_answer',
  upstream_unauthorized: 'credential_rejected',
  upstream_unpaid: 'credential_rejected',
}

/** Whether another target may do better: not where the request itself is what a provider refuses. */
export function mayMoveOn(
  failure: Failure,
  { alsoMovesOn, neverMovesOn }: Pick<AttemptRules, 'alsoMovesOn' | 'neverMovesOn'>,
): boolean {
  const status = upstreamStatusOf(failure)
  if (status !== null && neverMovesOn.includes(status)) return false
  return targetFailureOf(failure) !== null || (status !== null && alsoMovesOn.includes(status))
}

/**
 * Whether the same target may answer a moment later: after a 429 or a 5xx. Not after a deadline, which would be waited
 * for again, nor after an answer that broke off, which may have been paid for.
 */
export function mayRepeat(failure: Failure): boolean {
  const met = targetFailureOf(failure)
  const status = upstreamStatusOf(failure)
  return met === 'rate_limited' || (met === 'server_error' && (status === null || status >= 500))
}

/** Whether the provider found the request longer than its model reads. */
export function isContextFull({ code, operatorDetails }: Failure): boolean {
  return code === 'upstream_rejected' && operatorDetails['upstreamCode'] === contextFull
}

/** The status of the provider's answer; null: it had none of its own. */
function upstreamStatusOf(failure: Failure): number | null {
  const status = failure.operatorDetails['upstreamStatus']
  return typeof status === 'number' ? status : null
}

/** How long the provider asks to wait; null: it does not say. */
export function waitMsOf({ operatorDetails }: Failure): number | null {
  return millisecondsOf(operatorDetails['upstreamRetryAfterSeconds'])
}

function millisecondsOf(seconds: unknown): number | null {
  return typeof seconds === 'number' ? seconds * 1000 : null
}

/**
 * The model, or who watches it, declines: an answer without a word, and yet one, which no other target is asked to
 * improve on. Told by the finish that the provider gives it, on any wire (docs/reference/conversions.md "Finish reasons").
 */
export function declines(answer: ByteText): boolean {
  return refusals.test(answer)
}

const refusals =
  /"(?:finish_reason|stop_reason|reason|finishReason)"\s*:\s*"(?:content_filter|refusal|(?:IMAGE_)?SAFETY|(?:IMAGE_)?RECITATION|(?:IMAGE_)?PROHIBITED_CONTENT|BLOCKLIST|SPII)"|"blockReason"\s*:\s*"/

/**
 * Of several failures, the one that tells a client most: that waiting helps, and the shortest wait, before one that its
 * application has to mend.
 */
export function mostHelpful(failures: readonly Failure[]): Failure {
  const [first, ...others] = failures
  if (first === undefined) throw new Error('a call that failed has a failure')
  return others.reduce((best, one) => (rank(one) <= rank(best) ? one : best), first)
}

function rank(failure: Failure): number {
  const waitMs = millisecondsOf(failure.details['retryAfterSeconds'])
  if (waitMs !== null) return waitMs
  return failure.code === 'upstream_unauthorized' || failure.code === 'upstream_unpaid' ? 1e12 : 1e11
}
