import type { DatabaseSync } from 'node:sqlite'
import { sumsMax } from '#store/rows/sums-of-one-hour.ts'
import { sumsOfHoursSince } from '#store/rows/sums-of-hours-since.ts'
import { kyselyOver } from '#store/sql/run-kysely-on-engine.ts'
import type { HourPart } from '#store/sql/hour-sums-interface.ts'
import { parametersOf, sqlite } from './kysely-language.ts'
import { SqliteRows } from './run-prepared-statements.ts'

/** Reading this many calls takes about ten seconds, during which SQLite cannot shorten the write-ahead log. */
const callsMax = 1_000_000

/** The calls that were stored before this process wrote its first row. */
export interface SnapshotOfStart {
  /** @returns the sums of the calls that ended since the beginning of an hour; null if there are too many calls or sums */
  sumsSince(hour: number): Promise<readonly HourPart[] | null>
  close(): Promise<void>
}

export class SqliteSnapshot implements SnapshotOfStart {
  readonly #connection: DatabaseSync

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    // The first read of a transaction determines what all later reads of the transaction find.
    connection.exec('BEGIN; SELECT through_hour FROM call_fold')
  }

  sumsSince(hour: number): Promise<readonly HourPart[] | null> {
    const rows = new SqliteRows(this.#connection)
    const run = async (query: Parameters<typeof parametersOf>[0]) => rows.run(query.sql, parametersOf(query))
    return sumsOfHoursSince(kyselyOver({ run }, sqlite), hour, { callsMax, sumsMax })
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close()
  }
}
