import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { ownModel } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { AliasName } from '#operations/schemas.ts'
import { accountsOf } from './accounts-of.ts'
import { Ceilings, modelReader, ModelView, Source } from './model-view.ts'

export default operation({
  id: 'models.add',
  method: 'PUT',
  path: '/v1/models/{name}',
  scope: 'application',
  summary: 'Point a name at sources',
  description:
    'Makes the name or gives it new sources and ceilings. Sources are tried in order. A name whose sources have no price is added and answers `unpriced`; it starts to serve by itself once one has. A disabled name stays disabled.',
  parameters: {
    name: AliasName.meta({ description: 'What end users call it; `/` may stand as it is or as `%2F`.' }),
  },
  body: z.strictObject({
    sources: z
      .array(Source)
      .min(1)
      .max(16)
      .meta({ description: 'Accounts and models, in the order they are tried.' }),
    ceilings: Ceilings.optional().meta({ description: 'Bounds for requests that name none.' }),
  }),
  output: ModelView,
  errors: ['name_taken', 'not_found'],
  changes: 'application',
  async run({ body, path }, context) {
    const { application, nowMs, organization, store } = context
    const sources = accountsOf(body.sources, await store.providers.all(organization.id), 'sources')
    if (sources instanceof Refused) return sources
    if (await store.routers.byName(application.id, path.name))
      return refused('name_taken', { name: path.name, kind: 'router', path: '/v1/routers' }, 'name')
    const existing = await store.aliases.byName(application.id, path.name)
    const alias = {
      applicationId: application.id,
      name: path.name,
      sources,
      ceilings: body.ceilings ?? {},
      isDisabled: existing?.isDisabled ?? false,
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    await store.aliases.put(alias)
    return modelReader(context).view(alias)
  },
  revision: ({ path }, context) => ownModel.revision(path.name, context),
})
