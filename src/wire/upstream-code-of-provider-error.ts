import type { ProviderError } from './read-provider-error.ts'

type UpstreamCode =
  | 'upstream_unpaid'
  | 'upstream_unauthorized'
  | 'upstream_rate_limited'
  | 'upstream_overloaded'
  | 'upstream_rejected'
  | 'upstream_error'

/**
 * Returns the gateway's error code for a provider's error. Requests and probes get the same code for the same error.
 * @param status null for an error that arrived with status 200 and contains no status
 */
export function upstreamCodeOf(status: number | null, error: ProviderError): UpstreamCode {
  if (status === 402 || isUsedUp(status, error)) return 'upstream_unpaid'
  if (status === 401 || status === 403 || isKeyRefused(status, error)) return 'upstream_unauthorized'
  if (status === 429) return 'upstream_rate_limited'
  if (status === 503 || status === 529) return 'upstream_overloaded'
  const isRejected = status !== null && status >= 400 && status < 500 && !mayPass.has(status)
  return isRejected ? 'upstream_rejected' : 'upstream_error'
}

/**
 * Anthropic reports an account without credit as a 400, and only the message distinguishes this error from others
 * (docs/reference/wires.md "Errors on the messages wire").
 */
function isUsedUp(status: number | null, { code, message, type }: ProviderError): boolean {
  if (status === 429) return /insufficient_(?:quota|balance|credit)|billing/i.test(`${code} ${type}`)
  return status === 400 && /credit balance is too low/i.test(message)
}

/** Google reports a rejected key as a 400 (docs/reference/wires.md "Errors on the generate wire"). */
function isKeyRefused(status: number | null, { code }: ProviderError): boolean {
  return status === 400 && /^(?:api_key_\w+|invalid_api_key)$/i.test(code ?? '')
}

/** Statuses below 500 after which a later attempt may succeed. */
const mayPass: ReadonlySet<number> = new Set([408, 409, 425])
