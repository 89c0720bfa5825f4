import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { Batches, BatchRecord } from '#domain/accounts/batches-at-providers.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { Schema } from '#store/sql/schema.ts'
import { lockPerson } from './lock-end-user.ts'
import { every, first } from './read-rows-and-pages.ts'

export function batches(query: Query): Batches {
  const present = (owner: Account) => ofOwner(query.selectFrom('batches'), owner)
  return {
    async add(batch) {
      // Lock the end user, because another transaction may delete the end user at the same time.
      await lockPerson(query, batch.endUserId)
      const owner = await query
        .selectFrom('end_users')
        .select('removed_at_ms')
        .where('id', '=', batch.endUserId)
        .executeTakeFirst()
      const isOwned = owner?.removed_at_ms === null
      const row = isOwned ? batch : { ...batch, removedAtMs: batch.createdAtMs }
      await query.insertInto('batches').values(columnsOf(row)).execute()
    },
    byId: (owner, id) => first(present(owner).selectAll().where('id', '=', id), batchOf),
    async of(owner, format, { after, before, limit }) {
      // If only `before` is set, the page contains the batches that directly precede the batch `before` in the list.
      const isBackward = before !== null && after === null
      const order = isBackward ? 'asc' : 'desc'
      let page = present(owner).selectAll().where('format', '=', format)
      if (after !== null) page = page.where(isOlder(after))
      if (before !== null) page = page.where((eb) => eb.not(isOlder(before)(eb))).where('id', '!=', before.id)
      const rows = await every(
        page
          .orderBy('created_at_ms', order)
          .orderBy('id', order)
          .limit(limit + 1),
        batchOf,
      )
      const shown = rows.slice(0, limit)
      return { batches: isBackward ? shown.toReversed() : shown, hasMore: rows.length > limit }
    },
    async addFiles({ id, ...owner }, files) {
      // Lock the end user, so that only one of two concurrent requests adds the result files.
      await lockPerson(query, owner.endUserId)
      const batch = await first(present(owner).selectAll().where('id', '=', id), batchOf)
      if (batch === null) return
      const added = new Set(batch.addedFiles)
      const missing = files.filter(({ providerId }) => !added.has(providerId))
      if (missing.length === 0) return
      await query
        .insertInto('files')
        .values(missing.map(columnsOf))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
      for (const { providerId } of missing) added.add(providerId)
      await query
        .updateTable('batches')
        .set({ added_files: JSON.stringify([...added]) })
        .where('id', '=', id)
        .execute()
    },
    removed: (limit) =>
      every(
        query
          .selectFrom('batches')
          .selectAll()
          .where('removed_at_ms', 'is not', null)
          .orderBy('removed_at_ms')
          .limit(limit),
        batchOf,
      ),
    async postpone(id, nowMs) {
      await query
        .updateTable('batches')
        .set({ removed_at_ms: nowMs })
        .where('id', '=', id)
        .where('removed_at_ms', 'is not', null)
        .execute()
    },
    async forget(id) {
      await query.deleteFrom('batches').where('id', '=', id).execute()
    },
  }
}

type Rows<Output> = SelectQueryBuilder<Schema, 'batches', Output>

function ofOwner<Output>(rows: Rows<Output>, { applicationId, endUserId, mode }: Account): Rows<Output> {
  return rows
    .where('end_user_id', '=', endUserId)
    .where('mode', '=', mode)
    .where('application_id', '=', applicationId)
    .where('removed_at_ms', 'is', null)
}

function isOlder({ createdAtMs, id }: BatchRecord) {
  return (eb: ExpressionBuilder<Schema, 'batches'>) =>
    eb.or([
      eb('created_at_ms', '<', createdAtMs),
      eb.and([eb('created_at_ms', '=', createdAtMs), eb('id', '<', id)]),
    ])
}

function batchOf(row: Schema['batches']): BatchRecord {
  return {
    ...fieldsOf(row),
    models: stringsFromText(row.models),
    addedFiles: stringsFromText(row.added_files),
  }
}
