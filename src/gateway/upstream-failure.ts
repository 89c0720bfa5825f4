import { Failure } from '#domain/errors.ts'
import type { UpstreamFailure } from '#domain/upstream.ts'
import { textOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import type { Plan } from './configuration.ts'

/** What a provider's refusal may say at most; more of it is of no use to a person. */
const reasonLengthMax = 500

/**
 * A provider's error status as one of ours. What the caller did wrong stays a 4xx with the provider's
 * reason; what is wrong between us and the provider is a 502, since the caller cannot mend it.
 */
export function failureOfStatus(
  status: number,
  retryAfterSeconds: number | null,
  body: ByteText,
  plan: Plan,
): Failure {
  const reason = scrubbed(reasonOf(body), plan)
  if (status === 429) {
    return new Failure('upstream_rate_limited', { retryAfterSeconds: retryAfterSeconds ?? 5 })
  }
  if (status === 401 || status === 403) return new Failure('upstream_unauthorized')
  if (status === 400 || status === 404 || status === 413 || status === 422) {
    return new Failure('upstream_rejected', { reason: reason || `status ${status}`, upstreamStatus: status })
  }
  if (status >= 300 && status < 400)
    return new Failure('upstream_error', { reason: 'it answered with a redirect, which is not followed' })
  return new Failure('upstream_error', { reason: `it answered ${status}`, upstreamStatus: status })
}

/** A connection that failed, as one of ours; the cause is for the log and never shown. */
export function failureOfConnection(failure: UpstreamFailure, timeoutMs: number): Failure {
  if (failure.isTimeout) {
    return new Failure('upstream_timeout', { phase: failure.phase, timeoutMs }, { cause: failure.cause })
  }
  const reason = failure.phase === 'connect' ? 'it could not be reached' : 'the connection was lost'
  return new Failure('upstream_error', { reason }, { cause: failure.cause })
}

/** `error.message` of the body, whatever the rest of it is. */
function reasonOf(body: ByteText): string {
  try {
    const parsed: unknown = JSON.parse(textOf(body))
    const error = field(parsed, 'error')
    const message = typeof error === 'string' ? error : (field(error, 'message') ?? field(parsed, 'message'))
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/**
 * A provider's sentence without what an end user must not learn (threats.md 54): the model's id, keys,
 * organizations, addresses.
 */
function scrubbed(text: string, plan: Plan): string {
  return text
    .slice(0, reasonLengthMax)
    .replaceAll(plan.target.model, plan.alias.name)
    .replaceAll(/https?:\/\/\S+/gi, '[address]')
    .replaceAll(/\b(?:sk|ak|pk|rk|org|proj|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]{6,}/g, '[removed]')
}
