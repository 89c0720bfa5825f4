import type { IdempotencyScope, IdempotencyAnswers } from '#domain/stored-idempotent-responses.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'

const scopeColumns = ['organization_id', 'application_id', 'mode', 'operation_id', 'idempotency_key'] as const

export function idempotency(query: Query): IdempotencyAnswers {
  return {
    async find(scope) {
      const { application_id, idempotency_key, mode, operation_id, organization_id } = columnsOf(scope)
      const row = await query
        .selectFrom('idempotency_keys')
        .select(['request_hash', 'status', 'response', 'external_id', 'created_at_ms'])
        .where('organization_id', '=', organization_id)
        .where('application_id', '=', application_id)
        .where('mode', '=', mode)
        .where('operation_id', '=', operation_id)
        .where('idempotency_key', '=', idempotency_key)
        .executeTakeFirst()
      if (!row) return null
      return {
        ...scope,
        requestHash: row.request_hash,
        status: row.status,
        response: row.response,
        externalId: row.external_id,
        createdAtMs: row.created_at_ms,
      }
    },
    async put(answer, expiredMs) {
      const fields = {
        request_hash: answer.requestHash,
        status: answer.status,
        response: answer.response,
        external_id: answer.externalId,
        created_at_ms: answer.createdAtMs,
      }
      // If two processes run the same request, the second waits here for the commit of the first, and then finds the
      // row.
      const kept = await query
        .insertInto('idempotency_keys')
        .values({ ...columnsOf(answer), ...fields })
        .onConflict((conflict) =>
          conflict
            .columns(scopeColumns)
            .doUpdateSet(fields)
            .where('idempotency_keys.created_at_ms', '<=', expiredMs),
        )
        .returning('created_at_ms')
        .executeTakeFirst()
      return kept !== undefined
    },
    async naming(applicationId, externalId) {
      const rows = await query
        .selectFrom('idempotency_keys')
        .selectAll()
        .where((eb) =>
          eb.or([
            eb('application_id', '=', applicationId).and('external_id', 'in', [externalId, applicationId]),
            // An external ID in a response without an application may be of any application.
            eb('application_id', '=', '').and('external_id', '=', applicationId),
          ]),
        )
        .execute()
      return rows.map(({ idempotency_key: key, ...row }) => ({ ...fieldsOf(row), key }))
    },
    async rewrite({ externalId, response, ...scope }) {
      const { application_id, idempotency_key, mode, operation_id, organization_id } = columnsOf(scope)
      await query
        .updateTable('idempotency_keys')
        .set({ response, external_id: externalId })
        .where('organization_id', '=', organization_id)
        .where('application_id', '=', application_id)
        .where('mode', '=', mode)
        .where('operation_id', '=', operation_id)
        .where('idempotency_key', '=', idempotency_key)
        .execute()
    },
    async prune(beforeMs) {
      await query.deleteFrom('idempotency_keys').where('created_at_ms', '<', beforeMs).execute()
    },
  }
}

function columnsOf({ applicationId, key, mode, operationId, organizationId }: IdempotencyScope) {
  return {
    organization_id: organizationId,
    application_id: applicationId ?? '',
    mode,
    operation_id: operationId,
    idempotency_key: key,
  }
}
