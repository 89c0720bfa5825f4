import * as z from 'zod'
import { lasting, optional, putBody, putValues } from '#operations/kernel/put-fields.ts'
import { excessiveSources } from '#routing/excessive-sources.ts'
import { routerFaultSentence } from '#routing/router-fault-sentence.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { AliasName } from '#operations/kernel/value-and-page-schemas.ts'
import { accountsOf, labelledSources } from '#operations/models/shared/sources-with-account-labels.ts'
import { Ceilings, modelReader, ModelView, Source } from '#operations/models/shared/model-view.ts'
import { modelWithEtag } from '#operations/models/shared/model-with-etag.ts'

const modelPut = {
  sources: lasting(
    z
      .array(Source)
      .min(1)
      .max(16)
      .meta({ description: 'Provider accounts and models, in the order in which they are tried.' }),
  ),
  ceilings: optional(Ceilings.meta({ description: 'Output limits for requests that set no limit.' }), {}),
}

export default operation({
  id: 'models.add',
  method: 'PUT',
  path: '/v1/models/{name}',
  scope: 'application',
  summary: 'Create a model name',
  description:
    'Creates the model name, or changes the existing one. Sources are tried in order. If no source has a price, the status is `unpriced`, and the model name is served once a source has a price. A disabled model name stays disabled. Sources with which a router would resolve to more than 64 accounts with a model are rejected.',
  parameters: {
    name: AliasName.meta({
      description: 'The model name, as end users request it. `/` may be percent-encoded as `%2F`.',
    }),
  },
  body: putBody(modelPut),
  output: ModelView,
  errors: ['name_taken', 'not_found'],
  configures: 'application',
  async run({ body, path }, context) {
    const { application, nowMs, organization, store } = context
    if (await store.routers.byName(application.id, path.name))
      return refused('name_taken', { name: path.name, kind: 'router', path: '/v1/routers' }, 'name')
    const existing = await store.aliases.byName(application.id, path.name)
    const accounts = await store.providers.all(organization.id)
    const fields = putValues(
      modelPut,
      body,
      existing && { ...existing, sources: labelledSources(existing.sources, accounts) },
    )
    if (fields instanceof Refused) return fields
    const sources =
      existing && body.sources === undefined
        ? existing.sources
        : accountsOf(fields.sources, accounts, 'sources')
    if (sources instanceof Refused) return sources
    const aliases = await store.aliases.all(application.id)
    const before = new Map(aliases.map((one) => [one.name, one.sources.length]))
    const after = new Map(before).set(path.name, sources.length)
    const excess = excessiveSources(await store.routers.all(application.id), { before, after })
    if (excess) return refused('invalid_request', { reason: routerFaultSentence(excess) }, 'sources')
    const alias = {
      applicationId: application.id,
      name: path.name,
      sources,
      ceilings: fields.ceilings,
      isDisabled: existing?.isDisabled ?? false,
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    await store.aliases.put(alias)
    return modelReader(context).view(alias)
  },
  revision: ({ path }, context) => modelWithEtag.revision(path.name, context),
})
