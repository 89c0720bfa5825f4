import type { ComparedCall } from '#domain/health/doctor-facts-interface.ts'
import { accountPrice } from '#domain/prices/price-of-account.ts'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import { callsCompared } from '#domain/accounts/disputes-of-provider-stated-costs.ts'
import { hasUnpricedTier, hasUnpricedUse } from '#money/cost.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { priceToJson, type Price } from '#money/price.ts'
import { counted } from './pluralize.ts'
import type { CheckContext, Check, Finding } from './finding-types.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import {
  callsSearched,
  disputedCosts,
  type DisputedCost,
} from '#operations/providers/shared/disputed-costs.ts'

export const costs: Check = {
  name: 'costs',
  looksAt: `Newest ${callsSearched} charged requests. Compares stated costs with recorded costs over ${callsCompared} requests of a model. Finds output beyond the maximum in the last day, reported web searches without a rate, and service tiers without a factor.`,
  async run(context) {
    const { application, mode, organization, store } = context
    const findings: Finding[] = []
    // oxlint-disable-next-line no-await-in-loop -- few accounts state a cost
    for (const one of await disputedCosts(context)) findings.push(await disputedFinding(context, one))
    const calls = await store.diagnosis.comparedCalls(application.id, mode, callsSearched)
    if (calls.length === 0) return findings
    const accounts = new Map((await store.providers.all(organization.id)).map((one) => [one.id, one]))
    return [
      ...findings,
      ...maximumFindings(context, calls, accounts),
      ...(await unpricedUseFindings(context, calls, accounts)),
      ...(await unpricedTierFindings(context, calls, accounts)),
    ]
  },
}

type Accounts = ReadonlyMap<string, Provider>

async function priceOf(context: CheckContext, account: Provider, model: string): Promise<Price | null> {
  const own = (await context.store.providers.prices(account.id)).find((price) => price.model === model)
  return accountPrice(account, model, own?.price ?? null, modeTime(context))
}

async function disputedFinding(
  context: CheckContext,
  { account, costMicros, model, statedMicros }: DisputedCost,
): Promise<Finding> {
  const price = await priceOf(context, account, model)
  return {
    code: 'cost_disputed',
    severity: 'error',
    resource: { type: 'provider', id: account.label },
    message: `${account.label} states ${statedMicros} micros for the last ${callsCompared} requests of ${model} that state a cost. At the price of the account, these requests cost ${costMicros} micros.`,
    fix: {
      say: `Compare the price of ${model} with the price that ${account.label} charges. Compare the usage of a request with the usage that ${account.label} reports.`,
      call: {
        operation: 'providers.price',
        method: 'POST',
        path: `/v1/providers/${account.label}/price`,
        body: { model, price: priceToJson(price ?? {}) },
      },
    },
  }
}

function maximumFindings(
  { nowMs }: CheckContext,
  calls: readonly ComparedCall[],
  accounts: Accounts,
): Finding[] {
  const since = suffixFloor(nowMs - dayMs)
  const passed = calls.filter(({ callId, usage }) => usage.outputBeyond !== undefined && callId >= since)
  return groupsOf(passed).flatMap((group): Finding[] => {
    const [first] = group
    const label = first && accounts.get(first.accountId)?.label
    if (first === undefined || label === undefined) return []
    const tokens = group.reduce((sum, { usage }) => sum + (usage.outputBeyond ?? 0), 0)
    return [
      {
        code: 'maximum_ignored',
        severity: 'warning',
        resource: { type: 'provider', id: label },
        message: `In the last day, ${label} sent about ${tokens} tokens of ${first.model} beyond the requested maximum, in ${counted(group.length, 'request')}. End users do not pay for these tokens, but the account probably does.`,
        fix: {
          say: `Ask the operator of ${label} why the maximum is ignored, or send requests for ${first.model} to another account.`,
          call: null,
        },
      },
    ]
  })
}

/** Finds web searches that cost 0, because the price has no rate for web searches. */
async function unpricedUseFindings(
  context: CheckContext,
  calls: readonly ComparedCall[],
  accounts: Accounts,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const group of groupsOf(calls.filter(({ usage }) => usage.webSearches > 0))) {
    const [first] = group
    const account = first && accounts.get(first.accountId)
    if (first === undefined || account === undefined) continue
    const { model } = first
    // oxlint-disable-next-line no-await-in-loop -- few accounts search the web
    const price = await priceOf(context, account, model)
    const unpriced = price === null ? [] : group.filter(({ usage }) => hasUnpricedUse(usage, price))
    if (price === null || unpriced.length === 0) continue
    const searches = unpriced.reduce((sum, { usage }) => sum + usage.webSearches, 0)
    findings.push({
      code: 'tool_use_unpriced',
      severity: 'error',
      resource: { type: 'provider', id: account.label },
      message: `${account.label} reported ${counted(searches, 'web search', 'web searches')} of ${model} in ${counted(unpriced.length, 'request')}. The price of the account has no rate for web searches, so their computed cost is 0.`,
      fix: {
        say: `Add the rate for web searches to the price of ${model}. Replace the example rate of ${exampleSearchRate} micros per search with the rate of ${account.label}, or with 0 if searches are free.`,
        call: {
          operation: 'providers.price',
          method: 'POST',
          path: `/v1/providers/${account.label}/price`,
          body: { model, price: { ...priceToJson(price), webSearch: exampleSearchRate } },
        },
      },
    })
  }
  return findings
}

/** Finds service tiers and regions that are charged at the listed price, because the price has no factor for them. */
async function unpricedTierFindings(
  context: CheckContext,
  calls: readonly ComparedCall[],
  accounts: Accounts,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const group of groupsOf(calls.filter(({ usage }) => hasUnpricedTier(usage, {})))) {
    const [first] = group
    const account = first && accounts.get(first.accountId)
    if (first === undefined || account === undefined) continue
    const { model } = first
    // oxlint-disable-next-line no-await-in-loop -- few accounts serve requests in such a tier
    const price = await priceOf(context, account, model)
    const unpriced = price === null ? [] : group.filter(({ usage }) => hasUnpricedTier(usage, price))
    const tier = unpriced[0]?.usage.serviceTier ?? null
    if (price === null || tier === null) continue
    const served = unpriced.filter(({ usage }) => usage.serviceTier === tier)
    const json = priceToJson(price)
    findings.push({
      code: 'service_tier_unpriced',
      severity: 'error',
      resource: { type: 'provider', id: account.label },
      message: `${account.label} served ${counted(served.length, 'request')} of ${model} in the service tier ${tier}. The price of the account has no factor for this tier, so these requests were charged at the listed price.`,
      fix: {
        say: `Add the factor of ${tier} to the price of ${model}. Replace the example factor of ${exampleFactor} thousandths with the factor of ${account.label}, or with 1000 if the tier costs the listed price.`,
        call: {
          operation: 'providers.price',
          method: 'POST',
          path: `/v1/providers/${account.label}/price`,
          body: { model, price: { ...json, serviceTiers: { ...json.serviceTiers, [tier]: exampleFactor } } },
        },
      },
    })
  }
  return findings
}

/** Example value for an unknown factor, in thousandths. */
const exampleFactor = '2000'

/** Example value for an unknown rate, in micros per search. */
const exampleSearchRate = '10000'

function groupsOf(calls: readonly ComparedCall[]): (readonly ComparedCall[])[] {
  return [...Map.groupBy(calls, ({ accountId, model }) => `${accountId}\n${model}`).values()]
}
