import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { isRoleAtLeast, type Role, roles } from '#domain/people/team-roles.ts'
import type { Token } from '#domain/people/token-record.ts'
import type { Tokens } from '#domain/store-interface.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { TokenRow } from '#store/sql/schema.ts'
import { every as everyRow, first, newestFirst } from '#store/nouns/read-rows-and-pages.ts'

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
      await query
        .updateTable('tokens')
        .set({ revoked_at_ms: atMs })
        .where('member_id', '=', memberId)
        .where('revoked_at_ms', 'is', null)
        .$if(above !== null, (all) => all.where('role', 'not in', rolesUpTo(above)))
        .execute()
    },
    createdBy: (memberId, above, nowMs, limit) =>
      everyRow(
        every
          .where('created_by_member_id', '=', memberId)
          .where('member_id', 'is', null)
          .$if(above !== null, (all) => all.where('role', 'not in', rolesUpTo(above)))
          .where(isValid(nowMs))
          .orderBy('created_at_ms', 'desc')
          .orderBy('id', 'desc')
          .limit(limit),
        tokenOf,
      ),
    async revokeCreatedBy(memberId, above, atMs) {
      await query
        .updateTable('tokens')
        .set({ revoked_at_ms: atMs })
        .where('created_by_member_id', '=', memberId)
        .where('member_id', 'is', null)
        .where('revoked_at_ms', 'is', null)
        .$if(above !== null, (all) => all.where('role', 'not in', rolesUpTo(above)))
        .execute()
    },
    outranking: (organizationId, nowMs, limit) =>
      everyRow(
        query
          .selectFrom('tokens')
          .innerJoin('members', 'members.id', 'tokens.created_by_member_id')
          .selectAll('tokens')
          .select(['members.email', 'members.role as member_role', 'members.removed_at_ms'])
          .where('tokens.organization_id', '=', organizationId)
          .where(isValid(nowMs))
          .where((eb) =>
            eb.or([
              eb('members.removed_at_ms', 'is not', null),
              ...roles
                .filter((role) => role !== 'owner')
                .map((role) =>
                  eb.and([eb('members.role', '=', role), eb('tokens.role', 'not in', rolesUpTo(role))]),
                ),
            ]),
          )
          .orderBy('tokens.created_at_ms', 'desc')
          .orderBy('tokens.id', 'desc')
          .limit(limit),
        ({ email, member_role: memberRole, removed_at_ms: removedAtMs, ...row }) => ({
          token: tokenOf(row),
          email,
          memberRole: removedAtMs === null ? memberRole : null,
        }),
      ),
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

/**
 * @param role null means all roles
 * @returns the list is never empty, because PostgreSQL does not accept an empty list
 */
function rolesUpTo(role: Role | null): Role[] {
  return roles.filter((one) => role === null || isRoleAtLeast(role, one))
}

export function isValid(nowMs: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(tokens.revoked_at_ms is null and (tokens.expires_at_ms is null or tokens.expires_at_ms > ${nowMs}))`
}

function tokenOf({ hash: _hash, role, ...row }: TokenRow): Token {
  return { ...fieldsOf(row), role: role ?? 'owner' }
}
