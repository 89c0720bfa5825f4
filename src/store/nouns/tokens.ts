import type { Token, Tokens } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { TokenRow } from '#store/sql/schema.ts'
import { isAfter, pageOfRows } from './paging.ts'

export function tokens(query: Query): Tokens {
  return {
    async insert(token, hash) {
      await query
        .insertInto('tokens')
        .values({
          id: token.id,
          organization_id: token.organizationId,
          label: token.label,
          hash,
          prefix: token.prefix,
          last_four: token.lastFour,
          active_application_id: token.activeApplicationId,
          created_at_ms: token.createdAtMs,
          last_used_at_ms: token.lastUsedAtMs,
          revoked_at_ms: token.revokedAtMs,
        })
        .execute()
    },
    async byHash(hash) {
      const row = await query.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row ? tokenOf(row) : null
    },
    async byId(organizationId, id) {
      const row = await query
        .selectFrom('tokens')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return row ? tokenOf(row) : null
    },
    async list(organizationId, page) {
      const rows = await query
        .selectFrom('tokens')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), tokenOf)
    },
    async revoke(id, atMs) {
      await query
        .updateTable('tokens')
        .set({ revoked_at_ms: atMs })
        .where('id', '=', id)
        .where('revoked_at_ms', 'is', null)
        .execute()
    },
    async touch(id, atMs) {
      await query.updateTable('tokens').set({ last_used_at_ms: atMs }).where('id', '=', id).execute()
    },
    async setActiveApplication(id, applicationId) {
      await query
        .updateTable('tokens')
        .set({ active_application_id: applicationId })
        .where('id', '=', id)
        .execute()
    },
  }
}

function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    organizationId: row.organization_id,
    label: row.label,
    prefix: row.prefix,
    lastFour: row.last_four,
    activeApplicationId: row.active_application_id,
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    revokedAtMs: row.revoked_at_ms,
  }
}
