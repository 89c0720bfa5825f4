import type { Selectable } from 'kysely'
import type { KeyListed, Keys } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { KeyRow } from '#store/sql/schema.ts'
import { isAfter, pageOfRows } from './paging.ts'

export function keys(query: Query): Keys {
  const listed = query
    .selectFrom('keys')
    .innerJoin('end_users', 'end_users.id', 'keys.end_user_id')
    .selectAll('keys')
    .select('end_users.external_id')
  return {
    async insert(key, hash) {
      await query
        .insertInto('keys')
        .values({
          id: key.id,
          application_id: key.applicationId,
          end_user_id: key.endUserId,
          mode: key.mode,
          name: key.name,
          hash,
          prefix: key.prefix,
          last_four: key.lastFour,
          cap_micros: key.capMicros,
          cap_period: key.capPeriod,
          actor_type: key.actorType,
          actor_label: key.actorLabel,
          created_at_ms: key.createdAtMs,
          last_used_at_ms: key.lastUsedAtMs,
          revoked_at_ms: key.revokedAtMs,
          expires_at_ms: key.expiresAtMs,
        })
        .execute()
    },
    async byId(applicationId, id) {
      const row = await listed
        .where('keys.id', '=', id)
        .where('keys.application_id', '=', applicationId)
        .executeTakeFirst()
      return row ? keyOf(row) : null
    },
    async byPrefix(applicationId, prefix) {
      // The application's keys first: there is no index on prefixes, and no one reads keys by them often.
      const rows = await listed
        .where('keys.application_id', '=', applicationId)
        .where('keys.prefix', '=', prefix)
        .limit(2)
        .execute()
      return rows.map(keyOf)
    },
    async held(endUserId, mode) {
      const rows = await listed
        .where('keys.end_user_id', '=', endUserId)
        .where('keys.mode', '=', mode)
        .where('keys.revoked_at_ms', 'is', null)
        .execute()
      return rows.map(keyOf)
    },
    async list(applicationId, mode, endUserId, page) {
      const rows = await listed
        .where('keys.application_id', '=', applicationId)
        .where('keys.mode', '=', mode)
        .$if(endUserId !== null, (all) => all.where('keys.end_user_id', '=', endUserId ?? ''))
        .where(isAfter(page, 'keys.created_at_ms', 'keys.id'))
        .orderBy('keys.created_at_ms', 'desc')
        .orderBy('keys.id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), keyOf)
    },
    async setCap(id, capMicros, capPeriod) {
      await query
        .updateTable('keys')
        .set({ cap_micros: capMicros, cap_period: capPeriod })
        .where('id', '=', id)
        .execute()
    },
    async revoke(id, atMs) {
      await query
        .updateTable('keys')
        .set({ revoked_at_ms: atMs })
        .where('id', '=', id)
        .where('revoked_at_ms', 'is', null)
        .execute()
    },
  }
}

function keyOf(row: Selectable<KeyRow> & { external_id: string }): KeyListed {
  return {
    id: row.id,
    applicationId: row.application_id,
    endUserId: row.end_user_id,
    externalId: row.external_id,
    mode: row.mode,
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    capMicros: row.cap_micros,
    capPeriod: row.cap_period,
    actorType: row.actor_type,
    actorLabel: row.actor_label,
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    revokedAtMs: row.revoked_at_ms,
    expiresAtMs: row.expires_at_ms,
  }
}
