import { messageOf, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'

/** Messages for errors of provider accounts that only the application's team can fix. */
const faults: { readonly [code in ErrorCode]?: string } = {
  upstream_unauthorized: 'rejected the API key of the account. Replace the key.',
  upstream_unpaid: 'has no credit or quota left for the account. Add credit or quota there.',
}

/** End users get the message of `messageOf` (errors.ts) instead. */
export function messageForTeam(code: ErrorCode, details: ErrorDetails): string {
  const fault = faults[code]
  return fault === undefined
    ? messageOf(code, details)
    : `The ${String(details['provider'] ?? 'model provider')} ${fault}`
}

/**
 * Returns the message of a failed probe of an account. @param reason what the provider did, such as `it returned 500`
 */
export function probeMessage(code: ErrorCode, { label, reason }: ProbeFacts): string {
  return `The provider of ${label} ${faults[code] ?? `failed the probe: ${reason}.`}`
}

interface ProbeFacts {
  readonly label: string
  readonly reason: string
}
