import type { Query } from '#store/sql/database.ts'

/**
 * Until the transaction is over, no batch of the ledger reads or changes rows of this person. An update that
 * changes nothing is a row lock on every engine; on SQLite the transaction alone would do.
 */
export async function lockPerson(query: Query, endUserId: string): Promise<void> {
  await query
    .updateTable('end_users')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('id', '=', endUserId)
    .execute()
}
