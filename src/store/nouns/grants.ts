import type { Grant, Grants } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { GrantRow } from '#store/sql/schema.ts'
import { isAfter, pageOfRows } from './paging.ts'

export function grants(query: Query): Grants {
  return {
    async byId(applicationId, id) {
      const row = await query
        .selectFrom('grants')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row ? grantOf(row) : null
    },
    async list(applicationId, mode, page) {
      const rows = await query
        .selectFrom('grants')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), grantOf)
    },
  }
}

function grantOf(row: GrantRow): Grant {
  return {
    id: row.id,
    applicationId: row.application_id,
    mode: row.mode,
    amountMicros: row.amount_micros,
    reason: row.reason,
    idempotencyKey: row.idempotency_key,
    endUsers: row.end_users,
    createdAtMs: row.created_at_ms,
  }
}
