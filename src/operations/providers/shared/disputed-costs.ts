import * as z from 'zod'
import { accountPrice } from '#domain/prices/price-of-account.ts'
import type { ComparedCall } from '#domain/health/doctor-facts-interface.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import {
  areCostsDisputed,
  callsCompared,
  sumOf,
  type StatedCost,
} from '#domain/accounts/disputes-of-provider-stated-costs.ts'
import { costOf } from '#money/cost.ts'
import { accountUsage } from '#money/usage-counts.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { Count, Label, Micros } from '#operations/kernel/value-and-page-schemas.ts'

export const callsSearched = 1_000

export const DisputedCostView = z
  .object({
    provider: Label.meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: "The provider's model ID." }),
    calls: Count.meta({
      description: 'Number of compared requests: the newest requests for which the provider stated a cost.',
    }),
    statedMicros: Micros.meta({
      description: 'Sum of the costs that the provider states for the compared requests, in micros.',
    }),
    costMicros: Micros.meta({
      description:
        'Sum of the costs that the gateway computes for the compared requests at the current price of the account, in micros.',
    }),
  })
  .meta({
    id: 'DisputedCost',
    description:
      'A model of a provider account. The costs that the provider states for the model differ by more than 3 % from the costs that the gateway computes.',
  })

export interface DisputedCost {
  readonly account: Provider
  readonly model: string
  readonly statedMicros: bigint
  readonly costMicros: bigint
}

/**
 * Computed from the stored requests, so every process returns the same result. Uses the current price, so that a
 * corrected price removes the difference.
 */
export async function disputedCosts(context: ApplicationContext): Promise<readonly DisputedCost[]> {
  const { application, mode, organization, store } = context
  const stored = await store.diagnosis.comparedCalls(application.id, mode, callsSearched)
  const groups = Map.groupBy(
    stored.filter(({ usage }) => usage.statedCostNanos !== undefined),
    ({ accountId, model }) => `${accountId}\n${model}`,
  )
  const newest = [...groups.values()].map((calls) => calls.slice(0, callsCompared))
  const compared = newest.filter((calls) => calls.length === callsCompared)
  if (compared.length === 0) return []
  const accounts = new Map((await store.providers.all(organization.id)).map((one) => [one.id, one]))
  const disputed: DisputedCost[] = []
  for (const calls of compared) {
    const [call] = calls
    const account = call && accounts.get(call.accountId)
    if (call === undefined || account === undefined) continue
    const { model } = call
    // oxlint-disable-next-line no-await-in-loop -- few accounts state a cost
    const own = (await store.providers.prices(account.id)).find((price) => price.model === model)
    const price = accountPrice(account, model, own?.price ?? null, modeTime(context))
    const costs = calls.map((one) => costAt(one, price))
    if (!areCostsDisputed(costs)) continue
    const { costMicros, statedNanos } = sumOf(costs)
    disputed.push({ account, model, costMicros, statedMicros: (statedNanos + 999n) / 1_000n })
  }
  return disputed
}

/** Without a current price, the recorded cost is used. */
function costAt({ costMicros, usage }: ComparedCall, price: ReturnType<typeof accountPrice>): StatedCost {
  return {
    statedNanos: usage.statedCostNanos ?? 0,
    costMicros: price === null ? costMicros : costOf(accountUsage(usage), price).amount,
  }
}
