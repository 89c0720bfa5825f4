import type { AttemptRules } from '#domain/application-config.ts'
import type { ErrorCode, Failure } from '#domain/errors.ts'
import type { TargetFailure } from '#routing/circuit-breaker.ts'
import { contextFull } from '#wire/read-provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** Null if the request itself was invalid, so that the failure says nothing about the target. */
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

/**
 * The router's rules for statuses take precedence. Without a rule, another target is called unless the provider
 * rejected the request itself as invalid.
 */
export function mayMoveOn(
  failure: Failure,
  { alsoMovesOn, neverMovesOn }: Pick<AttemptRules, 'alsoMovesOn' | 'neverMovesOn'>,
): boolean {
  const status = upstreamStatusOf(failure)
  if (status !== null && neverMovesOn.includes(status)) return false
  return targetFailureOf(failure) !== null || (status !== null && alsoMovesOn.includes(status))
}

/**
 * True after a 429 or a 5xx, which may succeed a moment later. False after a timeout, which would probably happen
 * again. False after an interrupted response, which the provider may have charged.
 */
export function mayRepeat(failure: Failure): boolean {
  const met = targetFailureOf(failure)
  const status = upstreamStatusOf(failure)
  return met === 'rate_limited' || (met === 'server_error' && (status === null || status >= 500))
}

export function isContextFull({ code, operatorDetails }: Failure): boolean {
  return code === 'upstream_rejected' && operatorDetails['upstreamCode'] === contextFull
}

/** Null if the provider sent no response. */
function upstreamStatusOf(failure: Failure): number | null {
  const status = failure.operatorDetails['upstreamStatus']
  return typeof status === 'number' ? status : null
}

/** Null if the provider states no wait time. */
export function waitMsOf({ operatorDetails }: Failure): number | null {
  return millisecondsOf(operatorDetails['upstreamRetryAfterSeconds'])
}

function millisecondsOf(seconds: unknown): number | null {
  return typeof seconds === 'number' ? seconds * 1000 : null
}

/**
 * Returns whether the model or its moderation declined to respond. An empty response for this reason is a success, so
 * no other target is called. Each wire has finish reasons that show that the model declined
 * (docs/reference/conversions.md "Finish reasons").
 */
export function declines(answer: ByteText): boolean {
  return refusals.test(answer)
}

const refusals =
  /"(?:finish_reason|stop_reason|reason|finishReason)"\s*:\s*"(?:content_filter|refusal|(?:IMAGE_)?SAFETY|(?:IMAGE_)?RECITATION|(?:IMAGE_)?PROHIBITED_CONTENT|BLOCKLIST|SPII)"|"blockReason"\s*:\s*"/

/**
 * Failures after which the client only has to wait come first, the shortest wait before longer waits. Failures that the
 * application has to fix come last.
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
