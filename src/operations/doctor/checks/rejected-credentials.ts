import type { AccountAnswer } from '#domain/health/doctor-facts-interface.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { counted } from './pluralize.ts'
import type { Check, Finding } from './finding-types.ts'
import {
  type CredentialState,
  refusedCredentials,
  rotateCall,
} from '#operations/providers/shared/rejected-credentials.ts'

const callsMax = 500

/** A rejected API key causes the status 401 or 403, and an account without money 402. */
export const credentials: Check = {
  name: 'credentials',
  looksAt: `Newest ${callsMax} charged and ${callsMax} failed requests of the last day with their attempts, and the newest probe, by provider account.`,
  async run(context) {
    const { application, mode, nowMs, organization, store } = context
    const answers = await store.diagnosis.accountAnswers(application.id, mode, nowMs - dayMs, callsMax)
    const providers = await store.providers.all(organization.id)
    // All applications share the accounts, so a rejected key is reported even if the failed requests belong to another
    // application.
    const refused = mode === 'live' ? await refusedCredentials(context) : new Map<string, CredentialState>()
    return providers.flatMap(
      (provider) => failing(provider, answers) ?? refusedElsewhere(provider, refused) ?? [],
    )
  },
}

function refusedElsewhere(
  { id, label }: Provider,
  refused: ReadonlyMap<string, CredentialState>,
): Finding | null {
  const state = refused.get(id)
  return state === undefined ? null : refusedFinding(label, state.refusals, state.lastRefusedAtMs)
}

function refusedFinding(label: string, refusals: number, lastAtMs: number): Finding {
  return {
    code: 'credential_refused',
    severity: 'error',
    resource: { type: 'provider', id: label },
    message: `The provider of ${label} rejected the API key of the account in the last ${refusals === 1 ? 'request' : `${refusals} requests`}, most recently at ${new Date(lastAtMs).toISOString()}. Every request through the account fails.`,
    fix: {
      say: 'Create a new key at the provider, and replace the old key of the account with the new key.',
      call: rotateCall(label),
    },
  }
}

function failing(
  { credentialSetAtMs, id, label }: Provider,
  answers: readonly AccountAnswer[],
): Finding | null {
  // Responses to an earlier key do not show whether the current key works.
  const own = answers.filter(
    ({ accountId, atMs }) => accountId === id && (credentialSetAtMs === null || atMs >= credentialSetAtMs),
  )
  const answeredAtMs = own.find(({ errorCode }) => errorCode === null)?.atMs ?? -Infinity
  const failedSince = (code: string): readonly AccountAnswer[] =>
    own.filter(({ atMs, errorCode }) => errorCode === code && atMs > answeredAtMs)
  const [unauthorized, ...more] = failedSince('upstream_unauthorized')
  const resource = { type: 'provider', id: label }
  if (unauthorized) return refusedFinding(label, 1 + more.length, unauthorized.atMs)
  const unpaid = failedSince('upstream_unpaid')
  if (unpaid.length === 0) return null
  return {
    code: 'account_used_up',
    severity: 'error',
    resource,
    message: `The account ${label} has no credit left at its provider. Since the last successful request, ${counted(unpaid.length, 'request was', 'requests were')} rejected for this reason.`,
    fix: { say: 'Add credit or quota to the account at the provider.', call: null },
  }
}
