import type { AuditEntries, AuditEntry } from '#domain/audit-log.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { AuditRow } from '#store/sql/schema.ts'
import { every, newestFirst } from './read-rows-and-pages.ts'

export function audit(query: Query): AuditEntries {
  return {
    async insert(entry) {
      await query.insertInto('audit_entries').values(columnsOf(entry)).execute()
    },
    list(organizationId, { actorId, applicationId, fromMs, operationId, toMs }, page) {
      let rows = query.selectFrom('audit_entries').selectAll().where('organization_id', '=', organizationId)
      if (applicationId !== null) rows = rows.where('application_id', '=', applicationId)
      if (actorId !== null) rows = rows.where('actor_id', '=', actorId)
      if (operationId !== null) rows = rows.where('operation_id', '=', operationId)
      if (fromMs !== null) rows = rows.where('created_at_ms', '>=', fromMs)
      if (toMs !== null) rows = rows.where('created_at_ms', '<', toMs)
      return newestFirst(rows, page, 'id', entryOf)
    },
    naming: (applicationId, externalId) =>
      every(
        query
          .selectFrom('audit_entries')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('external_id', '=', externalId),
        entryOf,
      ),
    async recount({ address, after, id }) {
      await query.updateTable('audit_entries').set({ address, after }).where('id', '=', id).execute()
    },
    async rewrite({ after, before, externalId, id, resource }) {
      const fields = { resource, before, after, external_id: externalId }
      await query.updateTable('audit_entries').set(fields).where('id', '=', id).execute()
    },
  }
}

function entryOf(row: AuditRow): AuditEntry {
  return fieldsOf(row)
}
