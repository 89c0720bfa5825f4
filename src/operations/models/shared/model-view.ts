import assert from 'node:assert/strict'
import * as z from 'zod'
import type { Mode } from '#domain/billing/money-account-key.ts'
import { accountPrice } from '#domain/prices/price-of-account.ts'
import type { Provider, ProviderPrice } from '#domain/accounts/provider-account-record.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import type { Price } from '#money/price.ts'
import type { ApplicationContext, InApplication } from '#operations/kernel/operation-context.ts'
import { AliasName, Label, Timestamp, UpstreamModel } from '#operations/kernel/value-and-page-schemas.ts'
import { modelState, type ModelState, type PricedSource } from './model-status.ts'

export const Source = z
  .strictObject({
    provider: Label.meta({ description: 'Label of the provider account.' }),
    model: UpstreamModel,
  })
  .meta({ id: 'ModelSource', description: 'A provider account and one of its models.' })

export const Ceilings = z.strictObject({
  outputTokens: z.exactOptional(z.int().min(1).max(10_000_000)).meta({
    description:
      'Number of output tokens that the gateway holds money for if the request sets no maximum. Streams start with this hold and can extend it. Providers whose API requires a maximum receive this value.',
  }),
})

export const ModelView = z
  .object({
    name: AliasName.meta({ description: 'The model name, as end users request it.' }),
    sources: z
      .array(Source)
      .meta({ description: 'Provider accounts and models, in the order in which they are tried.' }),
    ceilings: Ceilings.meta({ description: 'Output limits for requests that set no limit.' }),
    enabled: z.boolean().meta({
      description:
        'Whether the model name is served in the mode of the request. True if `status` is `serving`.',
    }),
    status: z.enum(['serving', 'disabled', 'unpriced', 'test_only']).meta({
      description:
        'Status in the mode of the request. `serving`: requests are served. `disabled`: turned off by models.disable. `unpriced`: no source has a complete price. `test_only`: every source is a simulator, so live requests return 503 `no_live_source`.',
    }),
    problems: z.array(z.string()).meta({
      description:
        'Problems of the sources, such as missing prices. Each problem is one sentence. If the model name is served only in bundles that set a price for the model name, another sentence lists these bundles.',
    }),
    createdAt: Timestamp.meta({ description: 'When the model name was created.' }),
  })
  .meta({ id: 'Model', description: 'A model name and its sources.' })

/** @param pricedIn slugs of the bundles that have their own price for a model name; defaults to the stored bundles */
export function modelReader(
  { application, mode: requestMode, nowMs, organization, store }: InApplication,
  pricedIn: (name: string) => Promise<readonly string[]> = (name) =>
    store.aliases.pricedIn(application.id, name),
): {
  readonly sources: (alias: AliasRecord) => Promise<readonly PricedSource[]>
  readonly state: (alias: AliasRecord, mode?: Mode) => Promise<ModelState>
  readonly view: (alias: AliasRecord) => Promise<z.output<typeof ModelView>>
} {
  const prices = new Map<string, Promise<ReadonlyMap<string, Price>>>()
  let accounts: Promise<ReadonlyMap<string, Provider>> | null = null
  const sourcesOf = async (alias: AliasRecord): Promise<PricedSource[]> => {
    accounts ??= store.providers.all(organization.id).then((all) => new Map(all.map((one) => [one.id, one])))
    const all = await accounts
    const sources: PricedSource[] = []
    for (const { accountId, model } of alias.sources) {
      const provider = all.get(accountId)
      // Except in an archived application, an account cannot be deleted while a model uses it as a source.
      assert(
        provider || application.archivedAtMs !== null,
        `the account ${accountId} of ${alias.name} does not exist`,
      )
      if (!provider) continue
      const own = prices.get(accountId) ?? store.providers.prices(accountId).then(pricesByModel)
      prices.set(accountId, own)
      // oxlint-disable-next-line no-await-in-loop -- read once for all models
      const override = (await own).get(model) ?? null
      sources.push({ provider, model, price: accountPrice(provider, model, override, nowMs) })
    }
    return sources
  }
  const state = async (alias: AliasRecord, mode: Mode = requestMode): Promise<ModelState> => {
    const sources = await sourcesOf(alias)
    const alone = modelState(alias, sources, [], mode)
    // Thousands of bundles can set a price. Their prices matter only if no source has a complete price.
    if (alone.missing === null || !alone.isAssumable) return alone
    return modelState(alias, sources, await pricedIn(alias.name), mode)
  }
  return {
    sources: sourcesOf,
    state,
    async view(alias) {
      const { problems, status } = await state(alias)
      const sources = await sourcesOf(alias)
      return {
        name: alias.name,
        sources: sources.map(({ model, provider }) => ({ provider: provider.label, model })),
        ceilings: alias.ceilings,
        enabled: status === 'serving',
        status,
        problems: [...problems],
        createdAt: alias.createdAtMs,
      }
    },
  }
}

function pricesByModel(prices: readonly ProviderPrice[]): ReadonlyMap<string, Price> {
  return new Map(prices.map(({ model, price }) => [model, price]))
}

/** Takes effect with the next request. */
export async function setDisabled(
  alias: AliasRecord,
  isDisabled: boolean,
  context: ApplicationContext,
): Promise<z.output<typeof ModelView>> {
  await context.store.aliases.setDisabled(alias.applicationId, alias.name, isDisabled)
  return modelReader(context).view({ ...alias, isDisabled })
}
