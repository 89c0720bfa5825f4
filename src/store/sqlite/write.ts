/** The rows that a batch writes. Prepared once, bound by position, one statement per row. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RequestRecord } from '#domain/ledger.ts'
import type { Quote } from '#money/hold.ts'
import type {
  GrantTerms,
  HoldSlot,
  NewEntry,
  NewUsageRecord,
  Person,
  RunCell,
  SourceCell,
} from '#store/ledger/book.ts'
import type { DaySum } from '#store/ledger/day-sums.ts'
import {
  columnsOf,
  dayRow,
  entryRow,
  grantRow,
  type NewRow,
  quoteRow,
  requestRow,
  runRow,
  sourceRow,
  usageRow,
} from '#store/ledger/new-rows.ts'
import { openHoldsToText } from './hold-slots.ts'

/** Called before each statement, by what it writes: tests make it throw (lane.ts). */
export type Step = (point: WritePoint) => void
export type WritePoint =
  | 'quote'
  | 'hold'
  | 'ledger'
  | 'usage'
  | 'request'
  | 'grant'
  | 'source'
  | 'day'
  | 'run'
  | 'key'
  | 'state'

export class SqliteWrite {
  readonly #step: Step
  readonly #quote: StatementSync
  readonly #holdSlot: StatementSync
  readonly #entry: StatementSync
  readonly #usage: StatementSync
  readonly #request: StatementSync
  readonly #addSource: StatementSync
  readonly #changeSource: StatementSync
  readonly #changePool: StatementSync
  readonly #day: StatementSync
  readonly #unfold: StatementSync
  readonly #addRun: StatementSync
  readonly #changeRun: StatementSync
  readonly #key: StatementSync
  readonly #addGrant: StatementSync
  readonly #finishGrant: StatementSync
  readonly #state: StatementSync

  constructor(connection: DatabaseSync, step: Step) {
    this.#step = step
    const insert = ({ table, columns, onConflict = '' }: NewRow<never>): StatementSync => {
      const names = columnsOf(columns).map(({ name }) => name)
      const places = names.map(() => '?')
      return connection.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')}) ${onConflict}`,
      )
    }
    this.#quote = insert(quoteRow)
    this.#holdSlot = connection.prepare('INSERT OR REPLACE INTO hold_slots (slot, calls) VALUES (?, ?)')
    this.#entry = insert(entryRow)
    this.#usage = insert(usageRow)
    this.#request = insert(requestRow)
    this.#addSource = insert(sourceRow)
    this.#changeSource = connection.prepare(
      'UPDATE sources SET posted = ?, held = ?, last_entry = ? WHERE end_user_id = ? AND mode = ? AND id = ?',
    )
    this.#changePool = connection.prepare(
      `UPDATE sources SET posted = ?, held = ?, last_entry = ?, withheld = ?, expired = ?
       WHERE end_user_id = ? AND mode = ? AND id = ?`,
    )
    this.#day = insert(dayRow)
    this.#unfold = connection.prepare(
      'UPDATE usage_fold SET through_day = ?1 - 1 WHERE id = 1 AND through_day >= ?1',
    )
    this.#addRun = insert(runRow)
    this.#changeRun = connection.prepare(
      `UPDATE outcome_runs SET status = ?, capped_at_micros = ?, spent_micros = ?, calls = ?, last_call_at_ms = ?
       WHERE end_user_id = ? AND mode = ? AND outcome_slug = ? AND run_id = ?`,
    )
    this.#key = connection.prepare('UPDATE keys SET last_used_at_ms = ? WHERE id = ?')
    this.#addGrant = insert(grantRow)
    this.#finishGrant = connection.prepare(
      'UPDATE grants SET pending = NULL WHERE application_id = ? AND id = ?',
    )
    this.#state = connection.prepare('UPDATE writer_state SET batch = ?, ledger_sequence = ? WHERE id = 1')
  }

  quote(quote: Quote): void {
    this.#step('quote')
    this.#quote.run(...quoteRow.values(quote))
  }

  holdSlot({ id, calls }: HoldSlot): void {
    this.#step('hold')
    this.#holdSlot.run(id, openHoldsToText(calls))
  }

  entry(sequence: number, entry: NewEntry): void {
    this.#step('ledger')
    this.#entry.run(...entryRow.values(sequence, entry))
  }

  usage(record: NewUsageRecord): void {
    this.#step('usage')
    this.#usage.run(...usageRow.values(record))
  }

  request(record: RequestRecord): void {
    this.#step('request')
    this.#request.run(...requestRow.values(record))
  }

  source(person: Person, cell: SourceCell): void {
    this.#step('source')
    const { source, lastEntry } = cell
    const { id, posted, held } = source
    const { endUserId, mode } = person
    if (cell.isNew) {
      this.#addSource.run(...sourceRow.values(person, cell))
    } else if (source.kind === 'pool') {
      const { withheld, expired } = source
      this.#changePool.run(posted, held, lastEntry, withheld, expired, endUserId, mode, id)
    } else {
      this.#changeSource.run(posted, held, lastEntry, endUserId, mode, id)
    }
  }

  day(sum: DaySum): void {
    this.#step('day')
    this.#day.run(...dayRow.values(sum))
  }

  /** The sums of everyone are not made any more from this day on (usage-fold.ts). */
  unfold(day: number): void {
    this.#step('day')
    this.#unfold.run(day)
  }

  run(person: Person, run: RunCell): void {
    this.#step('run')
    if (run.isNew) {
      this.#addRun.run(...runRow.values(person, run))
    } else {
      const { status, cappedAtMicros, spentMicros, calls, lastCallAtMs, slug, runId } = run
      this.#changeRun.run(
        status,
        cappedAtMicros,
        spentMicros,
        calls,
        lastCallAtMs,
        person.endUserId,
        person.mode,
        slug,
        runId,
      )
    }
  }

  keyUsed(keyId: string, atMs: number): void {
    this.#step('key')
    this.#key.run(atMs, keyId)
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.#step('grant')
    this.#addGrant.run(...grantRow.values(terms, endUsers, pending))
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.#step('grant')
    this.#finishGrant.run(applicationId, grantId)
  }

  state(batch: number, ledgerSequence: number): void {
    this.#step('state')
    this.#state.run(batch, ledgerSequence)
  }
}
