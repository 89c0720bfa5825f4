import { dayMs } from '#money/periods-and-windows.ts'
import type { Check, CheckContext, Finding } from './finding-types.ts'
import { accountHealth } from '#operations/health/shared/account-and-model-health.ts'
import { knownNow } from '#operations/health/health.ts'
import type { OperationCall } from '#operations/kernel/suggested-call.ts'
import { failedProbeMessage } from '#operations/providers/shared/provider-view.ts'

const callsMax = 500

/** `health` uses the same rule for failing requests (domain/health/health-state.ts). */
export const failingAccounts: Check = {
  name: 'account_health',
  looksAt: 'For each provider account: all attempts of the last 24 hours, and the newest probe.',
  async run(context) {
    const { application, mode, nowMs, store } = context
    // In test mode, only the simulator serves requests. It fails only if the prompt contains a directive to fail.
    if (mode === 'test') return []
    const [day] = await store.reports.health(application.id, mode, nowMs, [dayMs])
    const accounts = await accountHealth(context, await knownNow(context, day))
    const failing = accounts.flatMap((account): Finding | [] => {
      const { provider, state } = account
      if (state !== 'failing' && state !== 'unavailable') return []
      return {
        code: 'account_failing',
        severity: 'warning',
        resource: { type: 'provider', id: provider },
        message: `${problemOf(account)} Requests use another target if one is available, and fail otherwise.`,
        fix: {
          say: 'Probe the account to see the error of its provider, and check the status page of the provider.',
          call: probeCall(provider),
        },
      }
    })
    const told = new Set(failing.map(({ resource }) => resource.id))
    return [...failing, ...(await failedProbes(context, told))]
  },
}

function problemOf({
  calls,
  failed,
  failureRate,
  provider,
  state,
  why,
}: Awaited<ReturnType<typeof accountHealth>>[number]): string {
  if (state === 'unavailable') return `The account ${provider} is unavailable. ${why ?? ''}`.trimEnd()
  const share = Math.round(failureRate * 1000) / 10
  return `${failed} of ${calls} attempts at ${provider} failed in the last 24 hours (${share} %).`
}

/**
 * The check `credentials` reports rejected keys.
 * @param told accounts that other findings already report
 */
async function failedProbes(
  { application, organization, store }: CheckContext,
  told: ReadonlySet<string>,
): Promise<Finding[]> {
  const accounts = new Map((await store.providers.all(organization.id)).map((one) => [one.id, one]))
  const failed = (await store.probes.newest(organization.id)).filter(
    ({ errorCode }) => errorCode !== null && errorCode !== 'upstream_unauthorized',
  )
  const findings: Finding[] = []
  for (const probe of failed) {
    const label = accounts.get(probe.accountId)?.label
    if (label === undefined || told.has(label)) continue
    const sinceMs = probe.createdAtMs
    // oxlint-disable-next-line no-await-in-loop -- few accounts fail
    const answers = await store.diagnosis.accountAnswers(application.id, 'live', sinceMs, callsMax)
    const hasAnswered = answers.some(
      ({ accountId, errorCode }) => accountId === probe.accountId && errorCode === null,
    )
    if (hasAnswered) continue
    findings.push({
      code: 'probe_failed',
      severity: 'warning',
      resource: { type: 'provider', id: label },
      message: `${failedProbeMessage(label, probe)} The probe was sent at ${new Date(sinceMs).toISOString()}, and no request has succeeded since.`,
      fix: {
        say: 'Check the address and the key of the account and the status page of the provider, then probe the account again.',
        call: probeCall(label),
      },
    })
  }
  return findings
}

function probeCall(label: string): OperationCall {
  return {
    operation: 'providers.probe',
    method: 'POST',
    path: `/v1/providers/${label}/probe`,
    body: {},
  }
}
