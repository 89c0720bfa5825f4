import { Failure, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  cleanedError,
  errorInBody,
  statusOfError,
  unnamedError,
  unreadableCall,
  wordOf,
} from '#wire/read-provider-error.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import { upstreamCodeOf } from '#wire/upstream-code-of-provider-error.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'

/**
 * A failure with the provider's own error code, field and message, but without secrets. Clients get these values, while
 * records and `requests.explain` use the gateway's error code.
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

  /** If the provider uses the client's wire, the body is the provider's original error. */
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

/** An error of a provider from which secrets are removed. */
interface Heard {
  /** Null for an error that arrived with status 200 and contains no status. */
  readonly status: number | null
  /** The message to show if the provider sends no message. */
  readonly reason: string
  readonly said: ProviderError
  readonly waitSeconds: number | null
  readonly provider: 'simulator' | null
}

/** Contains only codes, because the provider's message may quote an end user's text, which is never stored. */
function wordsOf({ said: { code, type }, status, waitSeconds }: Heard): ErrorDetails {
  return {
    upstreamStatus: status,
    upstreamCode: wordOf(code),
    upstreamType: wordOf(type),
    ...(waitSeconds !== null && { upstreamRetryAfterSeconds: waitSeconds }),
  }
}

/** The facts that are needed to remove secrets from a provider's error. */
export interface Hearing {
  readonly ports: GatewayPorts
  readonly plan: Plan
  /** Whether the provider uses the client's wire, so that its error can be shown in the original format. */
  readonly isSameWire: boolean
  /** Absent if the failed request was not a model call. */
  readonly request?: WireRequest
}

/**
 * An error that the caller can fix keeps its 4xx status and the provider's message. An error that the caller cannot
 * fix, such as a rejected provider credential, becomes a 502.
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
  return failureOf(status, `it returned ${status}`, cleaned(error, hearing), waitSeconds, hearing)
}

export function upstreamError(reason: string, plan: Plan, cause?: unknown): Failure {
  return new Failure('upstream_error', { reason }, { cause, provider: providerOf(plan) })
}

/** Clients may learn only the name of the simulator of test mode. */
export function providerOf({ account }: Plan): 'simulator' | null {
  return kindFacts(account.kind).place === 'built_in' ? 'simulator' : null
}

/** A provider may send an error with status 200, as a response or within a stream. */
export function failureOfError(error: ProviderError | null, hearing: Hearing): Failure {
  if (error === unreadableCall)
    return upstreamError('its model called a tool in a form that cannot be read', hearing.plan)
  const said = cleaned(error ?? unnamedError, hearing)
  return failureOf(statusOfError(said), 'it reported an error', said, null, hearing)
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
  { plan, request }: Hearing,
): Failure {
  const provider = providerOf(plan)
  const heard: Heard = { status, reason, said, waitSeconds, provider }
  const options = { provider, operatorDetails: wordsOf(heard) }
  const code = upstreamCodeOf(status, said)
  // Only the operator can fix a problem with the provider account, so callers do not get its details.
  if (code === 'upstream_unpaid') return new Failure(code, {}, options)
  const reference = referenceIn(request)
  if ((status === 403 || status === 404) && reference !== '')
    return new Failure(
      'upstream_rejected',
      { reason: `${reason}, probably because it cannot use ${reference} in the request` },
      options,
    )
  if (code === 'upstream_unauthorized') return new Failure(code, {}, options)
  const isTemporary = code === 'upstream_rate_limited' || code === 'upstream_overloaded'
  return new ProviderFailure(code, heard, isTemporary ? (waitSeconds ?? waitSecondsDefault) : null)
}

/**
 * Returns the kinds of files, containers and addresses in the request, in words. Empty if the request has no files,
 * containers or addresses. Providers return 403 or 404 if a file or container was deleted, or if an address is private.
 * Providers return the same statuses for a rejected credential or an unknown model (docs/reference/wires.md "Errors on
 * the generate wire").
 */
function referenceIn(request: WireRequest | undefined): string {
  const { cache, caching, containers, fetched, files, hasImageAddress } = request ?? {}
  return [
    ...(files ? ['a file'] : []),
    ...(containers ? ['a container'] : []),
    ...(fetched || hasImageAddress ? ['an address'] : []),
    ...((cache ?? caching?.opened?.stored) ? ['cached content'] : []),
  ].join(' or ')
}

const waitSecondsDefault = 5

/**
 * Google states the delay in the body: `"retryDelay": "34.4s"` (docs/reference/wires.md "Errors on the generate wire").
 */
function retryDelaySeconds(body: ByteText): number | null {
  const { seconds } = /"retryDelay"\s*:\s*"(?<seconds>\d{1,6}(?:\.\d{1,9})?)s"/.exec(body)?.groups ?? {}
  return seconds === undefined ? null : Math.ceil(Number(seconds))
}
