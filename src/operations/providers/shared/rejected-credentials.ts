import * as z from 'zod'
import type { AccountAnswer } from '#domain/health/doctor-facts-interface.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { type OperationCall, OperationCallView } from '#operations/kernel/suggested-call.ts'
import { Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

const answersMax = 500
const applicationsMax = 20

export interface CredentialState {
  readonly refusedSinceMs: number
  readonly refusals: number
  readonly lastRefusedAtMs: number
}

export const CredentialRefusedView = z
  .object({
    since: Timestamp.meta({ description: 'Time of the first rejection after the last successful request.' }),
    refusals: Count.meta({
      description: 'Number of requests that the provider has rejected since the time in `since`.',
    }),
    mend: OperationCallView.meta({ description: 'Operation that fixes the problem.' }),
  })
  .meta({
    id: 'CredentialRefused',
    description:
      "Summary of the recent requests for which the provider rejected the account's API key with 401 or 403.",
  })

export function credentialRefusedView(
  { label }: Pick<Provider, 'label'>,
  { refusals, refusedSinceMs }: CredentialState,
): z.output<typeof CredentialRefusedView> {
  return {
    since: refusedSinceMs,
    refusals,
    mend: { ...rotateCall(label), body: { ...rotateCall(label).body } },
  }
}

export function rotateCall(label: string): OperationCall {
  return {
    operation: 'providers.rotate',
    method: 'POST',
    path: `/v1/providers/${label}/rotate`,
    body: { apiKey: 'the-new-key-of-the-provider' },
  }
}

/**
 * Evaluates the newest probe of each account, and the newest live requests of the last 24 hours in all serving
 * applications, which share the organization's accounts.
 */
export async function refusedCredentials({
  nowMs,
  organization,
  store,
}: Pick<Context, 'nowMs' | 'organization' | 'store'>): Promise<ReadonlyMap<string, CredentialState>> {
  const applications = await store.applications.serving(organization.id, applicationsMax)
  const answers: AccountAnswer[] = []
  for (const { id } of applications)
    // oxlint-disable-next-line no-await-in-loop -- one after the other: most have one
    answers.push(...(await store.diagnosis.accountAnswers(id, 'live', nowMs - dayMs, answersMax)))
  const probes = await store.probes.newest(organization.id)
  for (const { accountId, createdAtMs, errorCode } of probes)
    answers.push({ accountId, atMs: createdAtMs, errorCode })
  const newestFirst = answers.toSorted((one, other) => other.atMs - one.atMs)
  const states = new Map<string, CredentialState>()
  for (const provider of await store.providers.all(organization.id)) {
    const state = credentialState(provider, newestFirst)
    if (state !== null) states.set(provider.id, state)
  }
  return states
}

/**
 * Null if no rejection of the key is known. Ignores responses to an earlier key, which do not show whether the current
 * key works.
 * @param answers the provider's responses to requests, newest first
 */
function credentialState(
  { credentialSetAtMs, id }: Provider,
  answers: readonly AccountAnswer[],
): CredentialState | null {
  const own = answers.filter(
    ({ accountId, atMs }) => accountId === id && (credentialSetAtMs === null || atMs >= credentialSetAtMs),
  )
  const answeredAt = own.findIndex(({ errorCode }) => errorCode === null)
  const since = answeredAt < 0 ? own : own.slice(0, answeredAt)
  const refused = since.filter(({ errorCode }) => errorCode === 'upstream_unauthorized')
  const [last] = refused
  const first = refused.at(-1)
  if (last === undefined || first === undefined) return null
  return { refusedSinceMs: first.atMs, refusals: refused.length, lastRefusedAtMs: last.atMs }
}
