import { accountPrice } from '#domain/prices/account-price.ts'
import { suffixFloor } from '#domain/id.ts'
import { callsCompared } from '#domain/stated-costs.ts'
import { dayMs } from '#money/period.ts'
import { priceToJson } from '#money/price.ts'
import type { CheckContext, Check, Finding } from '#operations/doctor/finding.ts'
import { modeTime } from '#operations/kernel/mode-time.ts'
import { callsSearched, disputedCosts, type DisputedCost } from '#operations/providers/disputed-costs.ts'

/** Differences between costs reported by providers and recorded costs, and output that exceeded its maximum. */
export const costs: Check = {
  name: 'costs',
  looksAt: `Newest ${callsSearched} charged requests: whether stated costs match recorded costs over ${callsCompared} requests of a model, and whether a provider exceeded the maximum output in the last day.`,
  async run(context) {
    const disputed = await disputedCosts(context)
    const findings: Finding[] = []
    // oxlint-disable-next-line no-await-in-loop -- few accounts state a cost
    for (const one of disputed) findings.push(await disputedFinding(context, one))
    return [...findings, ...(await maximumFindings(context))]
  },
}

async function disputedFinding(
  context: CheckContext,
  { account, costMicros, model, statedMicros }: DisputedCost,
): Promise<Finding> {
  const own = (await context.store.providers.prices(account.id)).find((price) => price.model === model)
  const price = accountPrice(account, model, own?.price ?? null, modeTime(context))
  return {
    code: 'cost_disputed',
    severity: 'error',
    resource: { type: 'provider', id: account.label },
    message: `${account.label} states ${statedMicros} micros for the last ${callsCompared} requests of ${model} that state a cost. At the price of the account, they cost ${costMicros} micros.`,
    fix: {
      say: `Compare the price of ${model} with what ${account.label} charges, and the usage of a request with what it reports.`,
      call: {
        operation: 'providers.price',
        method: 'POST',
        path: `/v1/providers/${account.label}/price`,
        body: { model, price: priceToJson(price ?? {}) },
      },
    },
  }
}

async function maximumFindings(context: CheckContext): Promise<Finding[]> {
  const { application, mode, nowMs, organization, store } = context
  const since = suffixFloor(nowMs - dayMs)
  const calls = await store.diagnosis.comparedCalls(application.id, mode, callsSearched)
  const passed = calls.filter(({ callId, usage }) => usage.outputBeyond !== undefined && callId >= since)
  if (passed.length === 0) return []
  const labels = new Map((await store.providers.all(organization.id)).map(({ id, label }) => [id, label]))
  const groups = Map.groupBy(passed, ({ accountId, model }) => `${accountId}\n${model}`)
  return [...groups.values()].flatMap((group): Finding[] => {
    const [first] = group
    const label = first && labels.get(first.accountId)
    if (first === undefined || label === undefined) return []
    const tokens = group.reduce((sum, { usage }) => sum + (usage.outputBeyond ?? 0), 0)
    return [
      {
        code: 'maximum_ignored',
        severity: 'warning',
        resource: { type: 'provider', id: label },
        message: `In the last day, ${label} sent about ${tokens} tokens of ${first.model} beyond the requested maximum, in ${group.length} requests. End users do not pay for these tokens, but the account probably does.`,
        fix: {
          say: `Ask the operator of ${label} why the maximum is ignored, or send requests for ${first.model} to another account.`,
          call: null,
        },
      },
    ]
  })
}
