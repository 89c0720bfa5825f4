import type { DeviceSignIn, DeviceSignIns } from '#domain/people/device-sign-ins.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { DeviceSignInRow } from '#store/sql/schema.ts'
import { first } from '#store/nouns/read-rows-and-pages.ts'

export function deviceSignIns(query: Query): DeviceSignIns {
  const all = query.selectFrom('device_sign_ins').selectAll()
  return {
    async insert(signIn, { device, user }) {
      await query
        .insertInto('device_sign_ins')
        .values({ ...columnsOf(signIn), device_hash: device, user_hash: user })
        .execute()
    },
    byDevice: (hash) => first(all.where('device_hash', '=', hash), signInOf),
    byUserCode: (hash) => first(all.where('user_hash', '=', hash), signInOf),
    async liveCount(nowMs) {
      const row = await query
        .selectFrom('device_sign_ins')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirstOrThrow()
      return row.count
    },
    async decide(id, decision) {
      const changed = await query
        .updateTable('device_sign_ins')
        .set(columnsOf(decision))
        .where('id', '=', id)
        .where('decision', 'is', null)
        .returning('id')
        .executeTakeFirst()
      return changed !== undefined
    },
    async redeem(id) {
      const redeemed = await query
        .deleteFrom('device_sign_ins')
        .where('id', '=', id)
        .where('decision', '=', 'approved')
        .returning('id')
        .executeTakeFirst()
      return redeemed !== undefined
    },
    async prune(nowMs) {
      await query.deleteFrom('device_sign_ins').where('expires_at_ms', '<=', nowMs).execute()
    },
  }
}

function signInOf({ device_hash: _device, user_hash: _user, ...row }: DeviceSignInRow): DeviceSignIn {
  return fieldsOf(row)
}
