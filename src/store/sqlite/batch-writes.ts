/** The rows that a batch writes, each with a prepared statement whose values are bound by position. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WritePoint } from '#store/ledger/faults-injected-by-tests.ts'
import type { NewRow, RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import type { DaySlot } from './buffered-day-sums.ts'
import { nextCycle, type SourceSlot, writeWaiting } from './buffered-balances.ts'
import { type Change, namesOf, type WriteKind, writes } from '#store/ledger/writes-of-batch.ts'

export interface WriterState {
  readonly batch: number
  readonly ledgerSequence: number
  /** Number of the last batch whose sums are in `usage_days`. */
  readonly daysThrough: number
}

/** Called before each statement. Tests make this function throw. */
export type Step = (point: WritePoint) => void

export class SqliteWrite {
  readonly #step: Step
  readonly #statements: ReadonlyMap<
    WriteKind,
    { readonly point: WritePoint; readonly statement: StatementSync }
  >
  readonly #holdSlot: StatementSync
  readonly #sourceSlot: StatementSync
  readonly #waiting: readonly StatementSync[]
  readonly #nextCycle: StatementSync
  readonly #state: StatementSync

  constructor(connection: DatabaseSync, step: Step) {
    this.#step = step
    this.#statements = new Map(
      (Object.keys(writes) as WriteKind[]).map((kind) => {
        const { point } = writes[kind]
        return [kind, { point, statement: connection.prepare(textOf(kind)) }]
      }),
    )
    this.#holdSlot = connection.prepare('INSERT OR REPLACE INTO hold_slots (slot, calls) VALUES (?, ?)')
    this.#sourceSlot = connection.prepare(
      'INSERT OR REPLACE INTO source_slots (slot, cycle, figures) VALUES (?, ?, ?)',
    )
    this.#waiting = writeWaiting.map((sql) => connection.prepare(sql))
    this.#nextCycle = connection.prepare(nextCycle)
    this.#state = connection.prepare(
      'INSERT OR REPLACE INTO writer_slots (slot, batch, ledger_sequence, days_through, days) VALUES (?, ?, ?, ?, ?)',
    )
  }

  write(kind: WriteKind, values: readonly RowValue[]): void {
    const known = this.#statements.get(kind)
    if (known === undefined) throw new Error(`nothing writes ${kind}`)
    this.#step(known.point)
    known.statement.run(...values)
  }

  /** @param calls the calls in flight that share the row, as JSON */
  holdSlot(slot: number, calls: string): void {
    this.#step('hold')
    this.#holdSlot.run(slot, calls)
  }

  sourceSlot({ cycle, id, text }: SourceSlot): void {
    this.#step('source')
    this.#sourceSlot.run(id, cycle, text)
  }

  /** Writes the slots in the file to the tables. Call `nextSourceCycle` afterwards. */
  waitingSources(): void {
    for (const statement of this.#waiting) {
      this.#step('source')
      statement.run()
    }
  }

  /** The contents of all slots must already be in the tables. */
  nextSourceCycle(): void {
    this.#step('source')
    this.#nextCycle.run()
  }

  state({ batch, daysThrough, ledgerSequence }: WriterState, { id, text }: DaySlot): void {
    this.#step('state')
    this.#state.run(id, batch, ledgerSequence, daysThrough, text)
  }
}

function textOf(kind: WriteKind): string {
  const write = writes[kind]
  if ('adds' in write) return inserting(write.adds)
  if ('sets' in write) return changing(write.sets)
  return 'UPDATE usage_fold SET through_day = ?1 - 1 WHERE id = 1 AND through_day >= ?1'
}

/** Omits the column list after ON CONFLICT, because only one key of each table can conflict. */
function inserting({ table, columns, onConflict = '' }: NewRow<never>): string {
  const names = namesOf(columns)
  const marks = names.map(() => '?')
  const conflict = onConflict.replace(/^ON CONFLICT \([^)]+\)/, 'ON CONFLICT')
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')}) ${conflict}`
}

function changing({ by, set, table }: Change): string {
  const equals = (columns: string): string[] => namesOf(columns).map((name) => `${name} = ?`)
  return `UPDATE ${table} SET ${equals(set).join(', ')} WHERE ${equals(by).join(' AND ')}`
}
