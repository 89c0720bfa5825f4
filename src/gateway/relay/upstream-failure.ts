import { Failure } from '#domain/errors.ts'
import type { ErrorCode, ErrorDetails } from '#domain/errors.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { Deadlines, UpstreamFailure } from '#domain/upstream.ts'
import { unreadableCall, wordOf } from '#wire/stream/answer-stream.ts'
import type { WireError } from '#wire/stream/answer-stream.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { parseValue } from '#wire/text/json-values.ts'
import { cleanedError, providerErrorOf, statusOfError, unnamedError } from '#wire/provider-error.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import type { Plan } from '#gateway/decide/configuration.ts'
import type { GatewayPorts } from '#gateway/ports.ts'

/**
 * A failure that the provider has words for: its code, its field, its sentence, all of them cleaned. Whoever
 * called is told those instead of ours; records and explain go by our code.
 */
export class ProviderFailure extends Failure {
  readonly said: ProviderError
  readonly #upstreamStatus: number

  constructor(code: ErrorCode, { status, reason, said }: Heard, retryAfterSeconds: number | null = null) {
    super(
      code,
      { reason, ...(retryAfterSeconds !== null && { retryAfterSeconds }) },
      { operatorDetails: wordsOf(status, said) },
    )
    this.said = said
    this.#upstreamStatus = status ?? 500
  }

  override get status(): number {
    return this.code === 'upstream_rejected' ? this.#upstreamStatus : super.status
  }

  /** In the provider's words, and where it speaks the client's wire in its own shape. */
  get wireError(): WireError {
    const { said } = this
    const { retryAfterSeconds } = this.details
    return {
      status: this.status,
      code: said.code ?? this.code,
      message: said.message === '' ? this.message : said.message,
      param: said.param,
      details: retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
      own: said.own,
    }
  }
}

/** What a provider has answered, cleaned. */
interface Heard {
  /** Null: an error under status 200 that does not say what status it would have had. */
  readonly status: number | null
  /** Where it has no words of its own. */
  readonly reason: string
  readonly said: ProviderError
}

/** Words alone: a sentence may quote what people wrote, and that is kept nowhere. */
function wordsOf(upstreamStatus: number | null, { code, type }: ProviderError): ErrorDetails {
  return { upstreamStatus, upstreamCode: wordOf(code), upstreamType: wordOf(type) }
}

/** What a provider's words are cleaned with, and for whom. */
export interface Hearing {
  readonly ports: GatewayPorts
  readonly plan: Plan
  /** The provider speaks the client's wire, so that its error can be shown in the shape that it has. */
  readonly isSameWire: boolean
}

/**
 * A provider's error status as one of ours. What the caller did wrong stays the 4xx that it is, in the
 * provider's words; what is wrong between us and the provider is a 502, since the caller cannot mend it.
 */
export function failureOfStatus(
  status: number,
  retryAfterSeconds: number | null,
  body: ByteText,
  hearing: Hearing,
): Failure {
  if (status >= 300 && status < 400)
    return new Failure('upstream_error', { reason: 'it answered with a redirect, which is not followed' })
  const error = errorIn(body) ?? unnamedError
  const waitSeconds = retryAfterSeconds ?? retryDelaySeconds(body) ?? waitSecondsDefault
  return failureOf({ status, reason: `it answered ${status}`, said: cleaned(error, hearing) }, waitSeconds)
}

/** An error that a provider has sent under status 200, as its answer or in its stream. */
export function failureOfError(error: ProviderError | null, hearing: Hearing): Failure {
  if (error === unreadableCall)
    return new Failure('upstream_error', { reason: 'its model called a tool in a way that cannot be read' })
  const said = cleaned(error ?? unnamedError, hearing)
  return failureOf({ status: statusOfError(said), reason: 'it reported an error', said }, waitSecondsDefault)
}

/** The error that a body is; null: it is none, or no JSON. */
export function errorIn(body: ByteText): ProviderError | null {
  try {
    return providerErrorOf(parseValue(textOf(body)))
  } catch {
    return null
  }
}

function cleaned(error: ProviderError, { isSameWire, plan, ports }: Hearing): ProviderError {
  const clean = ports.upstream.cleaner(plan.account)
  const said = cleanedError(error, (text) => clean(text, plan.target.model, plan.alias.name))
  return isSameWire ? said : { ...said, own: null }
}

function failureOf(heard: Heard, waitSeconds: number): Failure {
  const { said, status } = heard
  const operatorDetails = wordsOf(status, said)
  // What is wrong with the account is the operator's to mend, and nothing of it is told to those who call.
  const isUsedUp = /insufficient_(?:quota|balance|credit)|billing/i.test(`${said.code} ${said.type}`)
  if (status === 402 || (status === 429 && isUsedUp))
    return new Failure('upstream_unpaid', {}, { operatorDetails })
  if (status === 401 || status === 403) return new Failure('upstream_unauthorized', {}, { operatorDetails })
  if (status === 429) return new ProviderFailure('upstream_rate_limited', heard, waitSeconds)
  if (status === 503 || status === 529) return new ProviderFailure('upstream_overloaded', heard, waitSeconds)
  const isRejected = status !== null && status >= 400 && status < 500 && !mayPass.has(status)
  return new ProviderFailure(isRejected ? 'upstream_rejected' : 'upstream_error', heard)
}

/** Of the statuses below 500, those that are a matter of time. */
const mayPass: ReadonlySet<number> = new Set([408, 409, 425])

/** Where a provider that wants us to wait does not say how long. */
const waitSecondsDefault = 5

/** Google says it in the body: `"retryDelay": "34.4s"` (wire.md 3.4). */
function retryDelaySeconds(body: ByteText): number | null {
  const { seconds } = /"retryDelay"\s*:\s*"(?<seconds>\d{1,6}(?:\.\d{1,9})?)s"/.exec(body)?.groups ?? {}
  return seconds === undefined ? null : Math.ceil(Number(seconds))
}

/** A failure at an account, in the name of whoever has failed: in test mode there is no provider to look for. */
export function inNameOf({ kind }: ProviderAccount, failure: Failure): Failure {
  if (kindFacts(kind).place === 'built_in')
    failure.message = failure.message.replace(/(?<the>the) model provider/i, '$<the> simulator')
  return failure
}

/** A connection that failed, as one of ours; the cause is for the log and for explain, and never shown to who called. */
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

/** What is known of a lost connection, for requests.explain. */
export interface ConnectionFault {
  readonly host: string | null
  readonly cause: string
  /** What the system calls it (`ENOTFOUND`); null: nothing. */
  readonly systemCode: string | null
}

export function connectionFault(account: ProviderAccount, failure: UpstreamFailure): ConnectionFault {
  const baseUrl = account.baseUrl ?? kindFacts(account.kind).baseUrl
  const systemCode = systemCodeOf(failure.cause)
  const known = causes.find(([pattern]) => pattern.test(systemCode ?? ''))?.[1]
  const unknown = failure.phase === 'connect' ? 'the call could not be made' : 'connection lost'
  return {
    host: baseUrl === null ? null : new URL(baseUrl).host,
    cause: failure.isTimeout ? 'no answer in time' : (known ?? unknown),
    systemCode,
  }
}

const causes: readonly (readonly [RegExp, string])[] = [
  [/^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/, 'name not found'],
  [/^ECONNREFUSED/, 'connection refused'],
  [/^(?:ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)/, 'host not reachable'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/, 'TLS failed'],
  [/^ERR_OUTBOUND_REFUSED/, 'address not allowed'],
  [/^HPE_/, 'the answer is no HTTP'],
]

/** The innermost that has one: what the system said, rather than what was made of it on the way. */
function systemCodeOf(cause: unknown): string | null {
  let found: string | null = null
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; depth++) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') found = code
    // A name with several addresses fails with all their errors.
    at = at instanceof AggregateError ? at.errors.at(-1) : at.cause
  }
  return found
}
