import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownBundle } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { answerOf, listOf, pageOf, pageQuery, text } from '#operations/schemas.ts'
import { EndUserView, endUserViews } from './end-user-view.ts'

export default operation({
  id: 'users.list',
  method: 'GET',
  path: '/v1/end-users',
  scope: 'application',
  summary: 'List end users',
  description:
    "The application's end users, newest first, with balance and usage in the mode of the request.",
  query: {
    ...pageQuery,
    bundle: text(64).optional().meta({ description: 'Slug: only people on that bundle.' }),
    search: text(128).optional().meta({
      description:
        'Part of the external id or of the email address, in upper or lower case: only people who have it.',
    }),
  },
  output: listOf(EndUserView),
  errors: ['not_found'],
  async run({ query }, context) {
    const bundle = await findIfNamed(ownBundle, query.bundle, context, 'bundle')
    if (bundle instanceof Refused) return bundle
    const at = { mode: context.mode, nowMs: modeTime(context) }
    const { search = null } = query
    const filter = { bundleId: bundle?.id ?? null, search, ...(bundle !== null && { at }) }
    const { next, rows } = await context.store.endUsers.list(context.application.id, filter, pageOf(query))
    return answerOf({ rows: await endUserViews(rows, context), next }, (view) => view)
  },
})
