import type { AuditEntries, AuditEntry } from '#domain/audit.ts'
import { columnsOf, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import type { AuditRow } from '#store/sql/schema.ts'
import { holds } from './holds.ts'
import { every, newestFirst } from './paging.ts'

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
    holding: (organizationId, applicationId, texts) =>
      every(
        query
          .selectFrom('audit_entries')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .where('application_id', '=', applicationId)
          .where((eb) =>
            eb.or(
              (['resource', 'before', 'after'] as const).flatMap((column) =>
                texts.map((text) => holds(query, column, text)),
              ),
            ),
          ),
        entryOf,
      ),
    async rewrite({ after, before, id, resource }) {
      await query.updateTable('audit_entries').set({ resource, before, after }).where('id', '=', id).execute()
    },
  }
}

function entryOf(row: AuditRow): AuditEntry {
  return fieldsOf(row)
}
