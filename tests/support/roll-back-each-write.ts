/** Runs many writes on one control plane. Each write is executed, answered, and rolled back. */
import { sql } from 'kysely'
import type { Store } from '#domain/store-interface.ts'
import type { Control } from './control-plane-without-socket.ts'

/**
 * Pass the wrapper to `ControlOptions.seenStore`. Only the transaction of the operation itself is rolled back.
 * Transactions of the ledger and of pending work are not rolled back.
 */
export class Rehearsal {
  /** Whether the next transaction is rolled back. Set `undoesNext` before each request. */
  undoesNext = false

  seenStore = (store: Store): Store => ({
    ...store,
    transaction: (work) => {
      const isUndone = this.undoesNext
      this.undoesNext = false
      return isUndone ? undone(store, work) : store.transaction(work)
    },
  })
}

async function undone<T>(store: Store, work: Parameters<typeof store.transaction<T>>[0]): Promise<T> {
  const over = new Error('the rehearsal is over')
  let answer: { readonly of: T } | null = null
  try {
    await store.transaction(async (nouns) => {
      answer = { of: await work(nouns) }
      throw over
    })
  } catch (error) {
    if (error !== over) throw error
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `over` is thrown after it is set
  return (answer as unknown as { readonly of: T }).of
}

/**
 * Returns a number that changes with every commit. `commitsOf` supports only SQLite.
 * @see https://sqlite.org/pragma.html#pragma_data_version
 */
export async function commitsOf({ database }: Pick<Control, 'database'>): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(database.read)
  return rows[0]?.data_version ?? 0
}
