import type { AccountAnswer } from '#domain/diagnosis.ts'
import type { Provider } from '#domain/records.ts'
import { dayMs } from '#money/period.ts'
import type { Check, Finding } from '#operations/doctor/finding.ts'

const callsMax = 500

/** Accounts whose last calls their providers refused for the key (401, 403) or for an empty account (402). */
export const credentials: Check = {
  name: 'credentials',
  looksAt: `The newest ${callsMax} charged and ${callsMax} failed calls of the last day, by provider account.`,
  async run({ application, mode, nowMs, organization, store }) {
    const answers = await store.diagnosis.accountAnswers(application.id, mode, nowMs - dayMs, callsMax)
    const providers = await store.providers.all(organization.id)
    return providers.flatMap((provider) => failing(provider, answers) ?? [])
  },
}

function failing(
  { credentialSetAtMs, id, label }: Provider,
  answers: readonly AccountAnswer[],
): Finding | null {
  // What an earlier key was answered says nothing about this one.
  const own = answers.filter(
    ({ accountId, atMs }) => accountId === id && (credentialSetAtMs === null || atMs >= credentialSetAtMs),
  )
  const answeredAtMs = own.find(({ errorCode }) => errorCode === null)?.atMs ?? -Infinity
  const failedSince = (code: string): readonly AccountAnswer[] =>
    own.filter(({ atMs, errorCode }) => errorCode === code && atMs > answeredAtMs)
  const [unauthorized, ...more] = failedSince('upstream_unauthorized')
  const resource = { type: 'provider', id: label }
  if (unauthorized) {
    return {
      code: 'credential_refused',
      severity: 'error',
      resource,
      message: `The provider of ${label} refused its API key in the last ${1 + more.length} calls, the last at ${new Date(unauthorized.atMs).toISOString()}; every call through the account fails.`,
      fix: {
        say: 'Make a new key at the provider and put it in the place of the old one.',
        call: {
          operation: 'providers.rotate',
          method: 'POST',
          path: `/v1/providers/${label}/rotate`,
          body: { apiKey: 'the-new-key-of-the-provider' },
        },
      },
    }
  }
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
