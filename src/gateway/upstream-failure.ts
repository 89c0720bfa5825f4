import { Failure } from '#domain/errors.ts'
import type { Deadlines, UpstreamFailure } from '#domain/upstream.ts'
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
  const waitSeconds = retryAfterSeconds ?? retryDelaySeconds(body) ?? waitSecondsDefault
  if (status === 429) {
    // The account's own quota: waiting does not mend it, and whoever calls cannot.
    if (body.includes('insufficient_quota'))
      return new Failure('upstream_error', { reason: 'the quota of its account is used up' })
    return new Failure('upstream_rate_limited', { retryAfterSeconds: waitSeconds })
  }
  if (status === 503 || status === 529)
    return new Failure('upstream_overloaded', { retryAfterSeconds: waitSeconds })
  if (status === 401 || status === 403) return new Failure('upstream_unauthorized')
  if (status === 400 || status === 404 || status === 413 || status === 422) {
    return new Failure('upstream_rejected', { reason: reason || `status ${status}`, upstreamStatus: status })
  }
  if (status >= 300 && status < 400)
    return new Failure('upstream_error', { reason: 'it answered with a redirect, which is not followed' })
  return new Failure('upstream_error', { reason: `it answered ${status}`, upstreamStatus: status })
}

/** An error that a provider has sent in its stream, by the word that it calls it. */
export function failureOfWord(word: string | null): Failure {
  if (word !== null && /overloaded|unavailable|^5(?:03|29)$/i.test(word))
    return new Failure('upstream_overloaded', { retryAfterSeconds: waitSecondsDefault })
  if (word !== null && /rate_limit|resource_exhausted|^429$/i.test(word))
    return new Failure('upstream_rate_limited', { retryAfterSeconds: waitSecondsDefault })
  return new Failure('upstream_error', { reason: 'it reported an error' })
}

/** Where a provider that wants us to wait does not say how long. */
const waitSecondsDefault = 5

/** Google says it in the body: `"retryDelay": "34.4s"` (wire.md 3.4). */
function retryDelaySeconds(body: ByteText): number | null {
  const { seconds } = /"retryDelay"\s*:\s*"(?<seconds>\d{1,6}(?:\.\d{1,9})?)s"/.exec(body)?.groups ?? {}
  return seconds === undefined ? null : Math.ceil(Number(seconds))
}

/** A connection that failed, as one of ours; the cause is for the log and never shown. */
export function failureOfConnection(failure: UpstreamFailure, timeoutMs: number): Failure {
  if (failure.isTimeout) {
    return new Failure('upstream_timeout', { phase: failure.phase, timeoutMs }, { cause: failure.cause })
  }
  const reason = failure.phase === 'connect' ? 'it could not be reached' : 'the connection was lost'
  return new Failure('upstream_error', { reason }, { cause: failure.cause })
}

/** How long was waited in the phase that a connection failed in. */
export function deadlineMs(deadlines: Deadlines, phase: UpstreamFailure['phase']): number {
  if (phase === 'connect') return deadlines.connectMs
  if (phase === 'first_byte') return deadlines.firstByteMs
  return phase === 'idle' ? deadlines.idleMs : deadlines.totalMs
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
  return (
    text
      .slice(0, reasonLengthMax)
      // It becomes part of a sentence that has its own full stop.
      .replace(/\.+$/, '')
      .replaceAll(plan.target.model, plan.alias.name)
      .replaceAll(/https?:\/\/\S+/gi, '[address]')
      .replaceAll(/\b(?:sk|ak|pk|rk|org|proj|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]{6,}/g, '[removed]')
  )
}
