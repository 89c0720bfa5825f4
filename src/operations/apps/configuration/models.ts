import * as z from 'zod'
import type { NameTargets } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import { accountsOf, labelledSources } from '#operations/models/shared/sources-with-account-labels.ts'
import { unpricedFault } from '#operations/models/enable.ts'
import { Ceilings, modelReader, Source } from '#operations/models/shared/model-view.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, lasting, optional, putBody } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { AliasName } from '#operations/kernel/value-and-page-schemas.ts'
import { type ApplyCode, type Part, type Step, stepsOf } from './steps-to-apply-changes.ts'

const Sources = z.array(Source)

export const ModelItem = z
  .strictObject({
    name: AliasName.meta({ description: 'Name of the model, as end users request it.' }),
    sources: Sources.meta({
      description: 'Provider accounts and their models, in the order in which they are tried.',
    }),
    ceilings: Ceilings.meta({ description: 'Limits for requests that do not set their own limits.' }),
    enabled: z
      .boolean()
      .meta({ description: 'Whether the model is enabled. `models.disable` disables a model.' }),
  })
  .meta({ id: 'ConfigurationModel', description: 'A model name with its sources.' })

export const modelItemPut = {
  name: always(ModelItem.shape.name),
  sources: lasting(
    Sources.min(1)
      .max(16)
      .meta({ description: 'Provider accounts and their models, in the order in which they are tried.' }),
  ),
  ceilings: optional(ModelItem.shape.ceilings, {}),
  enabled: optional(ModelItem.shape.enabled, true),
}

export const WantedModel = putBody(modelItemPut).meta({
  id: 'WantedModel',
  description: 'A model name with its sources.',
})

export type Model = z.output<typeof ModelItem>

export async function readModels({ application, organization, store }: ApplicationContext): Promise<Model[]> {
  const accounts = await store.providers.all(organization.id)
  const aliases = await store.aliases.all(application.id)
  return aliases.map(({ ceilings, isDisabled, name, sources }) => ({
    name,
    sources: labelledSources(sources, accounts),
    ceilings,
    enabled: !isDisabled,
  }))
}

export function namesAfter({ current, prune, wanted }: Part<Model>): readonly string[] {
  const kept = wanted === undefined || !prune ? current : []
  return [...new Set([...kept, ...(wanted ?? [])].map(({ name }) => name))].toSorted()
}

export function sourceCountsAfter({ current, prune, wanted }: Part<Model>): ReadonlyMap<string, number> {
  const kept = wanted === undefined || !prune ? current : []
  return new Map([...kept, ...(wanted ?? [])].map(({ name, sources }) => [name, sources.length]))
}

/** Null if no model will have this name. */
export function modelTargets(name: string, { current, prune, wanted }: Part<Model>): NameTargets | null {
  const kept = wanted === undefined || !prune ? current : []
  const found = [...(wanted ?? []), ...kept].find((one) => one.name === name)
  return found === undefined ? null : { models: found.sources.map(({ model }) => model), names: [] }
}

export interface ModelWorld {
  readonly pricedIn: (name: string) => readonly string[]
  /** The refusal if a router of the new configuration routes to this model. */
  readonly ledTo: (name: string) => Refused<'in_use'> | null
}

export async function modelSteps(
  part: Part<Model>,
  { ledTo, pricedIn }: ModelWorld,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const { application, nowMs, store } = context
  const before = new Map(part.current.map((model) => [model.name, model]))
  const reader = modelReader(context, async (name) => pricedIn(name))

  const accounts = await store.providers.all(context.organization.id)
  const aliasOf = (model: Model, at: string): AliasRecord | Refused<'not_found'> => {
    const sources = accountsOf(model.sources, accounts, `${at}.sources`)
    if (sources instanceof Refused) return sources
    return {
      applicationId: application.id,
      name: model.name,
      sources,
      ceilings: model.ceilings,
      isDisabled: !model.enabled,
      createdAtMs: nowMs,
    }
  }
  return stepsOf(
    {
      resource: 'model',
      field: 'models',
      schema: ModelItem,
      nameOf: ({ name }) => name,
      async prepare(model, at) {
        const alias = aliasOf(model, at)
        if (alias instanceof Refused) return alias
        const isEnabledNow = model.enabled && before.get(model.name)?.enabled === false
        return (isEnabledNow ? await unpricedFault(alias, reader, `${at}.enabled`) : null) ?? model
      },
      removalFault: async ({ name }) => ledTo(name),
      async put(model, old) {
        const alias = aliasOf(model, '')
        if (alias instanceof Refused) throw alias.failure
        await store.aliases.put(alias)
        // `put` does not change whether an existing model is disabled.
        if (old) await store.aliases.setDisabled(application.id, model.name, alias.isDisabled)
      },
      remove: ({ name }) => store.aliases.remove(application.id, name),
    },
    part,
  )
}
