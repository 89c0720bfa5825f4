import type { Member, Members } from '#domain/people/member-records.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { MemberRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from '#store/nouns/read-rows-and-pages.ts'

export function members(query: Query): Members {
  const present = query.selectFrom('members').selectAll().where('removed_at_ms', 'is', null)
  const set = (id: string, columns: Partial<MemberRow>) =>
    query.updateTable('members').set(columns).where('id', '=', id).execute()
  return {
    async insert(member, inviteHash) {
      await query
        .insertInto('members')
        .values({ ...columnsOf(member), invite_hash: inviteHash })
        .execute()
    },
    async update({ createdAtMs: _createdAtMs, id, organizationId: _organizationId, ...member }, inviteHash) {
      await set(id, { ...columnsOf(member), invite_hash: inviteHash })
    },
    async setRole(id, role) {
      await set(id, { role })
    },
    async setPassword(id, passwordHash) {
      await set(id, { password_hash: passwordHash })
    },
    byId: (organizationId, id) =>
      first(present.where('id', '=', id).where('organization_id', '=', organizationId), memberOf),
    byEmail: (organizationId, email) =>
      first(present.where('organization_id', '=', organizationId).where('email', '=', email), memberOf),
    joinedByEmail: (email) =>
      first(present.where('email', '=', email).where('joined_at_ms', 'is not', null), memberOf),
    invitedByEmail: (email) =>
      every(present.where('email', '=', email).where('joined_at_ms', 'is', null), memberOf),
    bySubject: (issuer, subject) =>
      first(present.where('oidc_issuer', '=', issuer).where('oidc_subject', '=', subject), memberOf),
    byInvite: (hash) => first(present.where('invite_hash', '=', hash), memberOf),
    list: (organizationId, page) =>
      newestFirst(present.where('organization_id', '=', organizationId), page, 'id', memberOf),
    async joinedCount(organizationId, role) {
      const row = await query
        .selectFrom('members')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('organization_id', '=', organizationId)
        .$if(role !== undefined, (all) => all.where('role', '=', role ?? 'owner'))
        .where('joined_at_ms', 'is not', null)
        .where('removed_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      return row.count
    },
    async isAnyoneJoined() {
      const joined = query
        .selectFrom('members')
        .select('id')
        .where('joined_at_ms', 'is not', null)
        .where('removed_at_ms', 'is', null)
        .limit(1)
      return (await joined.execute()).length > 0
    },
    async putSetupLink(link) {
      const { expires_at_ms, hash, organization_id } = columnsOf(link)
      await query
        .insertInto('setup_links')
        .values({ organization_id, hash, expires_at_ms })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ hash, expires_at_ms }))
        .execute()
    },
    setupLink: (hash) =>
      first(query.selectFrom('setup_links').selectAll().where('hash', '=', hash), (row) => fieldsOf(row)),
    async removeSetupLink(organizationId) {
      await query.deleteFrom('setup_links').where('organization_id', '=', organizationId).execute()
    },
  }
}

function memberOf({ invite_hash: _hash, ...row }: MemberRow): Member {
  return fieldsOf(row)
}
