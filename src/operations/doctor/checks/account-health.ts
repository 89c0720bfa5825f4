import { dayMs } from '#money/period.ts'
import type { Check, Finding } from '#operations/doctor/finding.ts'
import { accountHealth } from '#operations/health/health-states.ts'
import { knownNow } from '#operations/health/health.ts'

/** Accounts whose requests fail, by the same rule as `health` (domain/health/health-state.ts). */
export const failingAccounts: Check = {
  name: 'account_health',
  looksAt: 'Attempts of the requests of the last 24 hours, by provider account.',
  async run(context) {
    const { application, mode, nowMs, store } = context
    // In test mode only the simulator serves requests, and it fails only if a request orders it.
    if (mode === 'test') return []
    const [day] = await store.reports.health(application.id, mode, nowMs, [dayMs])
    const accounts = await accountHealth(context, await knownNow(context, day))
    return accounts.flatMap(({ calls, failed, failureRate, provider, state }): Finding | [] => {
      if (state !== 'failing') return []
      const share = Math.round(failureRate * 1000) / 10
      return {
        code: 'account_failing',
        severity: 'warning',
        resource: { type: 'provider', id: provider },
        message: `${failed} of ${calls} attempts at ${provider} failed in the last 24 hours (${share} %). Requests use another target if one is available, and fail otherwise.`,
        fix: {
          say: 'Probe the account to see the error of its provider, and check the status page of the provider.',
          call: {
            operation: 'providers.probe',
            method: 'POST',
            path: `/v1/providers/${provider}/probe`,
            body: {},
          },
        },
      }
    })
  },
}
