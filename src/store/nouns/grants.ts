import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import type { Grants } from '#domain/store-interface.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { GrantRow } from '#store/sql/schema.ts'
import { first, newestFirst } from './read-rows-and-pages.ts'

export function grants(query: Query): Grants {
  // The table also contains top-ups, adjustments and reversals.
  const every = query.selectFrom('grants').selectAll().where('kind', '=', 'grant')
  return {
    byId: (applicationId, id) =>
      first(every.where('application_id', '=', applicationId).where('id', '=', id), grantOf),
    byIdempotencyKey: (applicationId, mode, key) =>
      first(
        every
          .where('application_id', '=', applicationId)
          .where('mode', '=', mode)
          .where('idempotency_key', '=', key),
        (row) => ({ grant: grantOf(row), requestHash: row.request_hash }),
      ),
    list: (applicationId, mode, page) =>
      newestFirst(
        every.where('application_id', '=', applicationId).where('mode', '=', mode),
        page,
        'id',
        grantOf,
      ),
  }
}

function grantOf(found: GrantRow): Grant {
  const {
    kind: _kind,
    payment_reference: _reference,
    pending,
    request_hash: _requestHash,
    reverses: _reverses,
    ...row
  } = found
  return { ...fieldsOf(row), done: pending === null ? row.end_users : (row.done ?? 0) }
}
