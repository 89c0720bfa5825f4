import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { numberIn } from '#store/rows/sql-row.ts'
import { sourceFigures, sourceKey, waitingValues } from './source-slots.ts'

/**
 * Shows a connection that only reads the sources as they would be with the figures of all slots (source-slots.ts). In
 * its SQL, `sources` names a temporary view. For each source, the view looks in a temporary table with the figures of
 * the slots. `refresh` adds only the slots that were written since the previous read.
 */
export class WaitingSources {
  readonly #version: StatementSync
  readonly #cycle: StatementSync
  readonly #clear: StatementSync
  readonly #take: StatementSync
  #seenVersion: unknown
  /** The newest slot that the temporary table contains. */
  #seen = { cycle: -1, slot: 0 }

  constructor(connection: DatabaseSync) {
    const key = sourceKey.join(', ')
    const isSame = sourceKey.map((name) => `w.${name} = s.${name}`).join(' AND ')
    const figures = new Set<unknown>(sourceFigures)
    const columns = connection.prepare('PRAGMA main.table_info(sources)').all()
    const values = columns.map(({ name }) => {
      const column = String(name)
      if (!figures.has(name)) return `s.${column}`
      return `coalesce((SELECT w.${column} FROM waiting_sources w WHERE ${isSame}), s.${column}) AS ${column}`
    })
    // Keep the journal of temporary tables in memory. Otherwise, SQLite would write a large journal to a file, although
    // the disk may be full.
    connection.exec(`
      PRAGMA temp.journal_mode = MEMORY;
      CREATE TEMP TABLE waiting_sources (${key}, ${sourceFigures.join(', ')}, PRIMARY KEY (${key})) WITHOUT ROWID;
      CREATE TEMP VIEW sources AS SELECT ${values.join(', ')} FROM main.sources s`)
    this.#version = connection.prepare('PRAGMA data_version')
    this.#cycle = connection.prepare('SELECT cycle FROM source_slots WHERE slot = 0')
    this.#clear = connection.prepare('DELETE FROM waiting_sources')
    this.#take = connection.prepare(`INSERT OR REPLACE INTO waiting_sources
      SELECT ${waitingValues} FROM source_slots s, json_each(s.figures) f
      WHERE s.slot = ? AND s.cycle = ?`)
  }

  /** Call within the transaction of a read, before its SQL. */
  refresh(): void {
    const version = this.#version.get()?.data_version
    if (version === this.#seenVersion) return
    const cycle = numberIn(this.#cycle.get() ?? {}, 'cycle')
    const isSameCycle = cycle === this.#seen.cycle
    if (!isSameCycle) this.#clear.run()
    // Read the newest known slot again, because a batch may have added figures to it. The first slot without figures of
    // this cycle ends the read.
    let slot = isSameCycle ? this.#seen.slot : 0
    while (Number(this.#take.run(slot, cycle).changes) > 0) slot += 1
    this.#seen = { cycle, slot: Math.max(0, slot - 1) }
    this.#seenVersion = version
  }
}

/** Returns whether an SQL statement uses `sources`. */
export function needsSources(sql: string): boolean {
  return sql.includes('sources')
}
