import * as z from 'zod'
import { isAllowed, matchesAny } from '#money/model-name-pattern.ts'
import type { Price } from '#money/price.ts'
import { servingOf } from '#domain/sources-serving-model-name.ts'
import type { EndUserContext } from '#operations/kernel/operation-context.ts'
import { modelReader } from '#operations/models/shared/model-view.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { routerReader } from '#operations/routers/shared/problems-of-router-targets.ts'
import { descriptions, PriceSchema } from '#operations/kernel/value-and-page-schemas.ts'
import { planOf } from '#operations/billing/shared/current-plan-and-pools.ts'

interface OpenName {
  readonly requestedModel: string
  readonly price: Price | null
}

export default operation({
  id: 'portal.models',
  method: 'GET',
  path: '/v1/portal/models',
  scope: 'end_user',
  isExtension: true,
  summary: "List the end user's model names",
  description:
    "Returns the gateway's address and the model names that the end user's plan allows, with the price charged for each. Providers are never returned.",
  output: z.object({
    gateway: z.string().meta({ description: 'Address of the gateway.' }),
    localGateway: z.exactOptional(z.string()).meta({
      description: descriptions.localUrl,
    }),
    models: z
      .array(
        z.object({
          requestedModel: z.string().meta({ description: 'Model name to send in requests.' }),
          price: PriceSchema.nullable().meta({
            description:
              'Price of requests that are paid with money instead of credits of the plan. Null if the price depends on the model that the router chooses.',
          }),
        }),
      )
      .meta({ description: 'Model names, sorted by name. Empty if the end user has no plan.' }),
  }),
  async run(_, context) {
    const { application, ports } = context
    const { gateway, localGateway } = ports.urls(application)
    return {
      gateway,
      ...(localGateway !== undefined && { localGateway }),
      models: (await openNames(context)).toSorted((one, other) =>
        one.requestedModel < other.requestedModel ? -1 : 1,
      ),
    }
  },
})

/** The gateway decides by the same rules (domain/sources-serving-model-name.ts). */
async function openNames(context: EndUserContext): Promise<OpenName[]> {
  const { application, endUser, mode, store } = context
  const bundle = await planOf(endUser, context)
  if (bundle === null) return []
  const rules = await store.gatewaySettings.of(application.id)
  const isOpen = (name: string): boolean =>
    isAllowed(name, bundle.allow, bundle.deny) && matchesAny(rules?.models ?? ['*'], name)
  const own = new Map((await store.bundles.prices(bundle.id)).map(({ alias, price }) => [alias, price]))
  const { sources } = modelReader(context)
  const names: OpenName[] = []
  for (const alias of await store.aliases.all(application.id)) {
    if (!isOpen(alias.name)) continue
    // oxlint-disable-next-line no-await-in-loop -- accounts and prices are read once for all
    const priced = (await sources(alias)).map(({ model, price, provider }) => ({
      account: provider,
      model,
      price,
    }))
    const serving = servingOf(
      { isDisabled: alias.isDisabled, sources: priced },
      own.get(alias.name) ?? null,
      mode,
    )
    if (serving.kind !== 'served') continue
    const price = bundle.debitBasis === 'sell_price' ? serving.sell : serving.cost
    names.push({ requestedModel: alias.name, price })
  }
  const stateOf = routerReader(context)
  for (const router of await store.routers.all(application.id)) {
    if (!isOpen(router.name)) continue
    const sold = own.get(router.name) ?? null
    // oxlint-disable-next-line no-await-in-loop -- all needed rows are read already
    if (!(await stateOf(router, sold !== null)).isServing) continue
    names.push({ requestedModel: router.name, price: bundle.debitBasis === 'sell_price' ? sold : null })
  }
  return names
}
