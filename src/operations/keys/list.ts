import * as z from 'zod'
import { keySorts } from '#domain/list-sorting-and-filters.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerOf, ExternalId, listOf, pageQuery, text } from '#operations/kernel/value-and-page-schemas.ts'
import { sortedPageOf, sortQuery } from '#operations/kernel/sorted-list-parameters.ts'
import { KeyView, keyViews } from '#operations/keys/shared/key-view.ts'

export default operation({
  id: 'keys.list',
  method: 'GET',
  path: '/v1/keys',
  scope: 'application',
  summary: 'List keys',
  description:
    "Returns the application's keys in the mode of the request, newest first unless `sort` is set. Revoked keys are included.",
  query: {
    ...pageQuery,
    ...sortQuery(
      keySorts,
      'Sort order. `spent` sorts by `spentMicros`, which covers the current `capPeriod` of each key. `last_used` sorts by `lastUsedAt`, with null first in ascending order. Defaults to `created`.',
    ),
    endUserId: ExternalId.optional().meta({
      description: 'External ID of an end user. Returns only keys of that end user.',
    }),
    search: text(128).optional().meta({
      description:
        'Text to search for. Omit to return all keys. The text matches a part of the name (ignoring case), the whole ID, or the beginning or the last four characters of the secret.',
    }),
    state: z
      .enum(['active', 'revoked', 'expired'])
      .optional()
      .meta({ description: 'Returns only keys in this state. A revoked key never counts as expired.' }),
  },
  output: listOf(KeyView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUser, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const page = sortedPageOf(query)
    if (page instanceof Refused) return page
    const { search = null, state = null } = query
    const filter = { mode, endUserId: endUser?.id ?? null, search, state }
    const { next, rows } = await store.keys.list(application.id, filter, page, modeTime(context))
    return answerOf({ rows: await keyViews(rows, context), next }, (view) => view)
  },
})
