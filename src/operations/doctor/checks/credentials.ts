import type { AccountAnswer } from '#domain/diagnosis.ts'
import type { Provider } from '#domain/records.ts'
import { dayMs } from '#money/period.ts'
import type { Check, Finding } from '#operations/doctor/finding.ts'
import {
  type CredentialState,
  refusedCredentials,
  rotateCall,
} from '#operations/providers/credential-state.ts'

const callsMax = 500

/** Accounts whose last requests their providers rejected because of the key (401, 403) or an empty account (402). */
export const credentials: Check = {
  name: 'credentials',
  looksAt: `The newest ${callsMax} charged and ${callsMax} failed calls of the last day with their attempts, and the newest probe, by provider account.`,
  async run(context) {
    const { application, mode, nowMs, organization, store } = context
    const answers = await store.diagnosis.accountAnswers(application.id, mode, nowMs - dayMs, callsMax)
    const providers = await store.providers.all(organization.id)
    // All applications share an account, so a rejected key is reported even if only another application's requests
    // failed.
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
    message: `The provider of ${label} refused its API key in the last ${refusals} calls, the last at ${new Date(lastAtMs).toISOString()}; every call through the account fails.`,
    fix: {
      say: 'Make a new key at the provider and put it in the place of the old one.',
      call: rotateCall(label),
    },
  }
}

function failing(
  { credentialSetAtMs, id, label }: Provider,
  answers: readonly AccountAnswer[],
): Finding | null {
  // Responses to an earlier key say nothing about this one.
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
    message: `The account ${label} is used up at its provider: ${unpaid.length} calls were refused for it since the last one that was answered.`,
    fix: { say: 'Add credit or quota to the account at the provider.', call: null },
  }
}
