import { challengesMax, type Passkey, type Passkeys } from '#domain/people/passkeys.ts'
import { columnsOf, fieldsOf, flag } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { first, newestFirst } from '#store/nouns/read-rows-and-pages.ts'

export function passkeys(query: Query): Passkeys {
  const all = query.selectFrom('passkeys').selectAll()
  /** Deletes the oldest challenges beyond the newest `max`. @param network null means all networks */
  const forgetBeyond = async (max: number, network: string | null): Promise<void> => {
    const surplus = await query
      .selectFrom('passkey_challenges')
      .select('hash')
      .$if(network !== null, (some) => some.where('network', '=', network ?? ''))
      .orderBy('expires_at_ms', 'desc')
      .orderBy('hash')
      .limit(100)
      .offset(max)
      .execute()
    if (surplus.length === 0) return
    const hashes = surplus.map(({ hash }) => hash)
    await query.deleteFrom('passkey_challenges').where('hash', 'in', hashes).execute()
  }
  return {
    async insert(passkey) {
      const inserted = await query
        .insertInto('passkeys')
        .values(columnsOf(passkey))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning('id')
        .executeTakeFirst()
      return inserted !== undefined
    },
    byId: (organizationId, id) =>
      first(all.where('id', '=', id).where('organization_id', '=', organizationId), fieldsOf),
    byCredential: (credentialId) => first(all.where('credential_id', '=', credentialId), fieldsOf),
    async countOf(memberId) {
      const row = await query
        .selectFrom('passkeys')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('member_id', '=', memberId)
        .executeTakeFirstOrThrow()
      return row.count
    },
    list: (memberId, page) =>
      newestFirst(all.where('member_id', '=', memberId), page, 'id', (row): Passkey => fieldsOf(row)),
    async rename(id, name) {
      await query.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
    },
    async remove(id) {
      await query.deleteFrom('passkeys').where('id', '=', id).execute()
    },
    async removeOfMember(memberId) {
      await query.deleteFrom('passkeys').where('member_id', '=', memberId).execute()
    },
    async use(id, { atMs, from, to }) {
      const used = await query
        .updateTable('passkeys')
        .set({ counter: to, last_used_at_ms: atMs })
        .where('id', '=', id)
        .where('counter', '=', from)
        .returning('id')
        .executeTakeFirst()
      return used !== undefined
    },
    async putChallenge(challenge, nowMs) {
      await query.deleteFrom('passkey_challenges').where('expires_at_ms', '<=', nowMs).execute()
      await query.insertInto('passkey_challenges').values(columnsOf(challenge)).execute()
      await forgetBeyond(challengesMax.network, challenge.network)
      await forgetBeyond(challengesMax.all, null)
    },
    challenge: (hash) =>
      first(query.selectFrom('passkey_challenges').selectAll().where('hash', '=', hash), fieldsOf),
    async takeChallenge(hash) {
      const taken = await query
        .deleteFrom('passkey_challenges')
        .where('hash', '=', hash)
        .returning('hash')
        .executeTakeFirst()
      return taken !== undefined
    },
    async isRequired(organizationId) {
      const policy = await query
        .selectFrom('passkey_policies')
        .select('is_required')
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return policy?.is_required === 1
    },
    async setRequired(organizationId, isRequired) {
      const is_required = flag(isRequired)
      await query
        .insertInto('passkey_policies')
        .values({ organization_id: organizationId, is_required })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ is_required }))
        .execute()
    },
  }
}
