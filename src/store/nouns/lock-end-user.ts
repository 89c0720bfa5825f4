import type { Query } from '#store/sql/database-interface.ts'

/**
 * Locks the end user until the end of the transaction. Until then, no batch of the ledger reads or changes the end
 * user's rows. An UPDATE that changes nothing takes a row lock on every engine. On SQLite, the transaction alone would
 * be enough.
 */
export async function lockPerson(query: Query, endUserId: string): Promise<void> {
  await query
    .updateTable('end_users')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('id', '=', endUserId)
    .execute()
}
