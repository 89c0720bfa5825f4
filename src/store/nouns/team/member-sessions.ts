import { expiryLimits, type MemberSession, type MemberSessions } from '#domain/people/member-sessions.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { MemberSessionRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from '#store/nouns/read-rows-and-pages.ts'

export function memberSessions(query: Query): MemberSessions {
  const all = query.selectFrom('member_sessions').selectAll()
  const set = (id: string, columns: Partial<MemberSessionRow>) =>
    query.updateTable('member_sessions').set(columns).where('id', '=', id).execute()
  return {
    async insert(session, hash) {
      await query
        .insertInto('member_sessions')
        .values({ ...columnsOf(session), hash })
        .execute()
    },
    byHash: (hash) => first(all.where('hash', '=', hash), sessionOf),
    byId: (organizationId, id) =>
      first(all.where('id', '=', id).where('organization_id', '=', organizationId), sessionOf),
    list(organizationId, memberId, nowMs, page) {
      const { createdAtMs, lastUsedAtMs } = expiryLimits(nowMs)
      let live = all
        .where('organization_id', '=', organizationId)
        .where('created_at_ms', '>', createdAtMs)
        .where('last_used_at_ms', '>', lastUsedAtMs)
      if (memberId !== null) live = live.where('member_id', '=', memberId)
      return newestFirst(live, page, 'id', sessionOf)
    },
    async remove(id) {
      await query.deleteFrom('member_sessions').where('id', '=', id).execute()
    },
    async removeByHash(hash) {
      await query.deleteFrom('member_sessions').where('hash', '=', hash).execute()
    },
    async removeOfMember(memberId, exceptId = '') {
      await query
        .deleteFrom('member_sessions')
        .where('member_id', '=', memberId)
        .where('id', '!=', exceptId)
        .execute()
    },
    async touch(id, atMs) {
      await set(id, { last_used_at_ms: atMs })
    },
    async setActiveApplication(id, applicationId) {
      await set(id, { active_application_id: applicationId })
    },
    addresses: (limit) =>
      every(
        query
          .selectFrom('member_sessions')
          .select(['address', 'organization_id'])
          .orderBy('id', 'desc')
          .limit(limit),
        (row) => fieldsOf(row),
      ),
    async prune(nowMs) {
      const { createdAtMs, lastUsedAtMs } = expiryLimits(nowMs)
      await query
        .deleteFrom('member_sessions')
        .where((eb) =>
          eb.or([eb('created_at_ms', '<=', createdAtMs), eb('last_used_at_ms', '<=', lastUsedAtMs)]),
        )
        .execute()
    },
  }
}

function sessionOf({ hash: _hash, ...row }: MemberSessionRow): MemberSession {
  return fieldsOf(row)
}
