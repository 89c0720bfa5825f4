import { Failure, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { WireError } from '#wire/wire-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  cleanedError,
  errorInBody,
  statusOfError,
  unnamedError,
  unreadableCall,
  wordOf,
} from '#wire/provider-error.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import type { Plan } from '#gateway/call/served-name.ts'
import type { GatewayPorts } from '#gateway/call/ports.ts'

/**
 * A failure with the provider's own code, field and message, all cleaned. The client gets them instead of the
 * gateway's. Records and explain use the gateway's code.
 */
export class ProviderFailure extends Failure {
  readonly said: ProviderError
  readonly #upstreamStatus: number

  constructor(code: ErrorCode, heard: Heard, retryAfterSeconds: number | null = null) {
    const { provider, reason, said, status } = heard
    const details = { reason, ...(retryAfterSeconds !== null && { retryAfterSeconds }) }
    super(code, details, { provider, operatorDetails: wordsOf(heard) })
    this.said = said
    this.#upstreamStatus = status ?? 500
  }

  override get status(): number {
    return this.code === 'upstream_rejected' ? this.#upstreamStatus : super.status
  }

  /** The error with the provider's message. It has the provider's own format if the provider uses the client's wire. */
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

/** A provider's error, cleaned. */
interface Heard {
  /** Null for an error under status 200 that does not say which status it represents. */
  readonly status: number | null
  /** The message to use if the provider sends no message. */
  readonly reason: string
  readonly said: ProviderError
  /** How long the provider asks to wait. Null if it does not state a time. */
  readonly waitSeconds: number | null
  readonly provider: 'simulator' | null
}

/** Returns only codes. A message may quote text written by end users, which is never stored. */
function wordsOf({ said: { code, type }, status, waitSeconds }: Heard): ErrorDetails {
  return {
    upstreamStatus: status,
    upstreamCode: wordOf(code),
    upstreamType: wordOf(type),
    ...(waitSeconds !== null && { upstreamRetryAfterSeconds: waitSeconds }),
  }
}

/** The context for cleaning a provider's error, and the plan that the error is about. */
export interface Hearing {
  readonly ports: GatewayPorts
  readonly plan: Plan
  /** Whether the provider uses the client's wire, so that its error can be shown in its own format. */
  readonly isSameWire: boolean
}

/**
 * Returns a provider's error status as a failure of the table. A fault of the caller keeps its 4xx status and the
 * provider's message. A fault between gateway and provider is a 502, because the caller cannot fix it.
 */
export function failureOfStatus(
  status: number,
  retryAfterSeconds: number | null,
  body: ByteText,
  hearing: Hearing,
): Failure {
  if (status >= 300 && status < 400)
    return upstreamError('it returned a redirect, and redirects are not followed', hearing.plan)
  const error = errorInBody(body) ?? unnamedError
  const waitSeconds = retryAfterSeconds ?? retryDelaySeconds(body)
  return failureOf(status, `it returned ${status}`, cleaned(error, hearing), waitSeconds, hearing.plan)
}

/** Returns the failure for a response that cannot be read. */
export function upstreamError(reason: string, plan: Plan, cause?: unknown): Failure {
  return new Failure('upstream_error', { reason }, { cause, provider: providerOf(plan) })
}

/** Returns the provider to name in a failure. Only the simulator is named, in test mode. */
export function providerOf({ account }: Plan): 'simulator' | null {
  return kindFacts(account.kind).place === 'built_in' ? 'simulator' : null
}

/** Returns the failure for an error that a provider sent under status 200, as its response or in its stream. */
export function failureOfError(error: ProviderError | null, hearing: Hearing): Failure {
  if (error === unreadableCall)
    return upstreamError('its model called a tool in a way that cannot be read', hearing.plan)
  const said = cleaned(error ?? unnamedError, hearing)
  return failureOf(statusOfError(said), 'it reported an error', said, null, hearing.plan)
}

function cleaned(error: ProviderError, { isSameWire, plan, ports }: Hearing): ProviderError {
  const clean = ports.upstream.cleaner(plan.account)
  const said = cleanedError(error, (text) => clean(text, plan.target.model, plan.name))
  return isSameWire ? said : { ...said, own: null }
}

function failureOf(
  status: number | null,
  reason: string,
  said: ProviderError,
  waitSeconds: number | null,
  plan: Plan,
): Failure {
  const provider = providerOf(plan)
  const heard: Heard = { status, reason, said, waitSeconds, provider }
  const options = { provider, operatorDetails: wordsOf(heard) }
  // A fault of the account is for the operator to fix, and is not shown to callers.
  if (status === 402 || isUsedUp(status, said)) return new Failure('upstream_unpaid', {}, options)
  if (status === 401 || status === 403 || isKeyRefused(status, said))
    return new Failure('upstream_unauthorized', {}, options)
  const wait = waitSeconds ?? waitSecondsDefault
  if (status === 429) return new ProviderFailure('upstream_rate_limited', heard, wait)
  if (status === 503 || status === 529) return new ProviderFailure('upstream_overloaded', heard, wait)
  const isRejected = status !== null && status >= 400 && status < 500 && !mayPass.has(status)
  return new ProviderFailure(isRejected ? 'upstream_rejected' : 'upstream_error', heard)
}

/**
 * Anthropic reports it as a 400 that is recognizable only by its message (docs/reference/wires.md "Errors of
 * messages").
 */
function isUsedUp(status: number | null, { code, message, type }: ProviderError): boolean {
  if (status === 429) return /insufficient_(?:quota|balance|credit)|billing/i.test(`${code} ${type}`)
  return status === 400 && /credit balance is too low/i.test(message)
}

/** Google reports it as a 400 (docs/reference/wires.md "Errors of generate"). */
function isKeyRefused(status: number | null, { code }: ProviderError): boolean {
  return status === 400 && /^(?:api_key_\w+|invalid_api_key)$/i.test(code ?? '')
}

/** Statuses below 500 that may resolve with time. */
const mayPass: ReadonlySet<number> = new Set([408, 409, 425])

/** The wait that clients receive if the provider states no wait. */
const waitSecondsDefault = 5

/** Google puts the delay in the body: `"retryDelay": "34.4s"` (docs/reference/wires.md "Errors of generate"). */
function retryDelaySeconds(body: ByteText): number | null {
  const { seconds } = /"retryDelay"\s*:\s*"(?<seconds>\d{1,6}(?:\.\d{1,9})?)s"/.exec(body)?.groups ?? {}
  return seconds === undefined ? null : Math.ceil(Number(seconds))
}
