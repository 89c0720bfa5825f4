import * as z from 'zod'
import { endUserSorts } from '#domain/list-sorting-and-filters.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownBundle } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import {
  answerOf,
  Count,
  listOf,
  pageQuery,
  Switch,
  text,
} from '#operations/kernel/value-and-page-schemas.ts'
import { sortedPageOf, sortQuery } from '#operations/kernel/sorted-list-parameters.ts'
import { EndUserView, endUserViews } from '#operations/users/shared/end-user-view.ts'

export default operation({
  id: 'users.list',
  method: 'GET',
  path: '/v1/end-users',
  scope: 'application',
  summary: 'List end users',
  description:
    'Returns the end users of the application with balance and usage in the mode of the request, newest first unless `sort` is set. For any other sort order than `created`, the server reads all matching end users for each page.',
  query: {
    ...pageQuery,
    ...sortQuery(
      endUserSorts,
      'Sort order: `created`, `name` (the external ID), `balance` (`balance.balanceUnits`), `spent` (`usage.billedMicros`), or `last_seen` (`lastSeenAt`; null comes first in ascending order). Defaults to `created`.',
    ),
    bundle: text(64)
      .optional()
      .meta({ description: 'Slug of a bundle. Returns only end users on this bundle.' }),
    search: text(128).optional().meta({
      description:
        'Returns only end users whose external ID or email address contains this text, or whose ID is this text. Case is ignored.',
    }),
    state: z.enum(['active', 'frozen']).optional().meta({
      description: 'Returns only end users in this state. `active` returns end users who are not frozen.',
    }),
    total: Switch.optional().meta({
      description: 'Whether to return the number of all matching end users. Defaults to false.',
    }),
  },
  output: listOf(EndUserView).extend({
    total: Count.optional().meta({
      description: 'Number of matching end users on all pages. Omitted unless `total` is requested.',
    }),
  }),
  errors: ['not_found'],
  async run({ query }, context) {
    const bundle = await findIfNamed(ownBundle, query.bundle, context, 'bundle')
    if (bundle instanceof Refused) return bundle
    const page = sortedPageOf(query)
    if (page instanceof Refused) return page
    const { application, mode, store } = context
    const at = { mode, nowMs: modeTime(context) }
    const filter = { bundleId: bundle?.id ?? null, search: query.search ?? null, state: query.state ?? null }
    const { next, rows } = await store.endUsers.list(application.id, filter, page, at)
    const listed = await answerOf({ rows: await endUserViews(rows, context), next }, (view) => view)
    if (query.total !== true) return listed
    return { ...listed, total: await store.endUsers.count(application.id, filter, at) }
  },
})
