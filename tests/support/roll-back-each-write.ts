/** Executes writes on one control plane, and rolls each one back after its response. */
import { sql } from 'kysely'
import type { Store } from '#domain/store-interface.ts'
import type { Control } from './control-plane-without-socket.ts'

/**
 * Pass `seenStore` of the rehearsal to `ControlOptions.seenStore`. Rolls back only the transaction of the operation
 * itself, not those of the ledger and of pending work.
 */
export class Rehearsal {
  /** Set `undoesNext` before each request. */
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
 * Changes with every commit. Only for SQLite.
 * @see https://sqlite.org/pragma.html#pragma_data_version
 */
export async function commitsOf({ database }: Pick<Control, 'database'>): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(database.read)
  return rows[0]?.data_version ?? 0
}
