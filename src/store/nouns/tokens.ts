import { isRoleAtLeast, roles } from '#domain/people/role.ts'
import type { Token } from '#domain/records.ts'
import type { Tokens } from '#domain/store.ts'
import { columnsOf, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import type { TokenRow } from '#store/sql/schema.ts'
import { first, newestFirst } from './paging.ts'

export function tokens(query: Query): Tokens {
  const every = query.selectFrom('tokens').selectAll()
  return {
    async insert(token, hash) {
      await query
        .insertInto('tokens')
        .values({ ...columnsOf(token), hash })
        .execute()
    },
    byHash: (hash) => first(every.where('hash', '=', hash), tokenOf),
    byId: (organizationId, id) =>
      first(every.where('id', '=', id).where('organization_id', '=', organizationId), tokenOf),
    list: (organizationId, page) =>
      newestFirst(every.where('organization_id', '=', organizationId), page, 'id', tokenOf),
    async revoke(id, atMs) {
      await query
        .updateTable('tokens')
        .set({ revoked_at_ms: atMs })
        .where('id', '=', id)
        .where('revoked_at_ms', 'is', null)
        .execute()
    },
    async revokeOfMember(memberId, above, atMs) {
      const kept = roles.filter((role) => above !== null && isRoleAtLeast(above, role))
      await query
        .updateTable('tokens')
        .set({ revoked_at_ms: atMs })
        .where('member_id', '=', memberId)
        .where('revoked_at_ms', 'is', null)
        .$if(kept.length > 0, (all) => all.where('role', 'not in', kept))
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

function tokenOf({ hash: _hash, role, ...row }: TokenRow): Token {
  return { ...fieldsOf(row), role: role ?? 'owner' }
}
