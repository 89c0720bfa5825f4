/**
 * If a batch has waited too long for the locks of its end users, finds the locked end users. The operations of the other
 * end users then continue. Such a lock belongs to a process that does not respond, or to an operator's own transaction.
 */
import type { Operation, OperationResult } from '#store/ledger/operations-and-results.ts'
import { textIn } from '#store/rows/read-row-strictly.ts'
import { type LaneConnection, sendOn } from './shard-tables.ts'

/** The statement runs outside a transaction, so it keeps no lock. */
const lockedText = `WITH free AS MATERIALIZED (
    SELECT id FROM end_users WHERE id = ANY($1::text[]) FOR NO KEY UPDATE SKIP LOCKED
  )
  SELECT id FROM end_users WHERE id = ANY($1::text[]) AND id NOT IN (SELECT id FROM free)`

export class LockedEndUsers {
  readonly #peopleOf: (operation: Operation) => readonly string[]
  /** The rows of these end users may be locked. A batch has waited too long for their locks. */
  readonly #suspects = new Set<string>()

  /** @param peopleOf returns the end users that an operation locks */
  constructor(peopleOf: (operation: Operation) => readonly string[]) {
    this.#peopleOf = peopleOf
  }

  suspect(operations: readonly Operation[]): void {
    for (const operation of operations) for (const id of this.#peopleOf(operation)) this.#suspects.add(id)
  }

  mayInclude(operations: readonly Operation[]): boolean {
    const { size } = this.#suspects
    return size > 0 && operations.some((operation) => this.#peopleOf(operation).some(this.#isSuspect))
  }

  /** Returns the operations whose end users are not locked. @throws PostgresError */
  async without(operations: readonly Operation[], connection: LaneConnection): Promise<readonly Operation[]> {
    const people = operations.map(this.#peopleOf)
    const asked = [...new Set(people.flat())].filter(this.#isSuspect)
    const [rows = []] = await sendOn(connection, [{ name: 'locked', text: lockedText, values: [asked] }])
    const locked = new Set(rows.map((row) => textIn(row, 'id')))
    for (const id of asked) if (!locked.has(id)) this.#suspects.delete(id)
    return operations.filter((_, i) => people[i]?.every((id) => !locked.has(id)))
  }

  readonly #isSuspect = (id: string): boolean => this.#suspects.has(id)
}

/** Returns the results of all operations. Operations that were not decided are locked. */
export function withLocked(
  operations: readonly Operation[],
  decided: readonly Operation[],
  results: readonly OperationResult[],
): readonly OperationResult[] {
  let next = 0
  return operations.map((operation) => {
    const result = operation === decided[next] ? results[next++] : undefined
    return result ?? { kind: 'locked' }
  })
}
