import assert from 'node:assert/strict'
import type { IdempotencyAnswers } from '#domain/store.ts'
import type { Query } from '#store/database.ts'

export function idempotency(query: Query): IdempotencyAnswers {
  return {
    async find(organizationId, key) {
      const row = await query
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('idempotency_key', '=', key)
        .executeTakeFirst()
      if (!row) return null
      // Answers are written whole, in the transaction of the change they tell of.
      assert(row.status !== null && row.response !== null, 'a kept answer is complete')
      return {
        organizationId,
        key,
        operationId: row.operation_id,
        requestHash: row.request_hash,
        status: row.status,
        response: row.response,
        createdAtMs: row.created_at_ms,
      }
    },
    async put(answer) {
      const fields = {
        operation_id: answer.operationId,
        request_hash: answer.requestHash,
        status: answer.status,
        response: answer.response,
        created_at_ms: answer.createdAtMs,
      }
      await query
        .insertInto('idempotency_keys')
        .values({ organization_id: answer.organizationId, idempotency_key: answer.key, ...fields })
        .onConflict((conflict) =>
          conflict.columns(['organization_id', 'idempotency_key']).doUpdateSet(fields),
        )
        .execute()
    },
    async prune(beforeMs) {
      await query.deleteFrom('idempotency_keys').where('created_at_ms', '<', beforeMs).execute()
    },
  }
}
