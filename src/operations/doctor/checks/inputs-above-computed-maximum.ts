import { idOf, suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { OversizedCall } from '#domain/health/doctor-facts-interface.ts'
import type { Check, Finding } from './finding-types.ts'
import { dayMs } from '#money/periods-and-windows.ts'

const searchedMax = 1_000

/** If a provider counts more input than the gateway's computed maximum, the hold was too small. */
export const inputBounds: Check = {
  name: 'input_bounds',
  looksAt: `Newest ${searchedMax} charged requests of the last day. Compares the reported input with the maximum that the hold covers.`,
  async run({ application, mode, nowMs, organization, store }) {
    const found = await store.diagnosis.oversizedCalls(application.id, mode, searchedMax)
    const since = suffixFloor(nowMs - dayMs)
    const recent = found.filter(({ callId }) => callId >= since)
    if (recent.length === 0) return []
    const labels = new Map((await store.providers.all(organization.id)).map(({ id, label }) => [id, label]))
    const models = Map.groupBy(recent, ({ accountId, model }) => `${accountId}\n${model}`)
    return [...models.values()].flatMap((calls) => {
      const label = labels.get(calls[0]?.accountId ?? '')
      return label === undefined ? [] : [findingOf(label, calls)]
    })
  },
}

function findingOf(label: string, calls: readonly OversizedCall[]): Finding {
  const worst = calls.reduce((one, other) => (excessOf(other) > excessOf(one) ? other : one))
  const { callId, inputTokens, inputTokensMax, model } = worst
  const requests = calls.length === 1 ? '1 request' : `${calls.length} requests`
  return {
    code: 'input_beyond_bound',
    severity: 'warning',
    resource: { type: 'provider', id: label },
    message: `In the last day, ${label} reported more input for ${requests} to ${model} than the hold could cover. Request ${idOf('req', callId)} had ${inputTokens} input tokens, but its hold covered at most ${inputTokensMax}.`,
    fix: {
      say: `Find out whether ${label} adds text or searches to requests for ${model}. If so, turn off these additions at ${label}, or use another model. Until then, end users on bundles with the policy hard_token are charged at most the hold, and your account pays the rest.`,
      call: null,
    },
  }
}

function excessOf({ inputTokens, inputTokensMax }: OversizedCall): number {
  return inputTokens - inputTokensMax
}
