import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { numberIn } from '#store/rows/read-row-strictly.ts'
import { isWaitingSource, sourceFigures, sourceKey, waitingUses, waitingValues } from './buffered-balances.ts'

/** Newer usage in a slot replaces the row of the table. */
function usesView(table: string, key: readonly string[], isOwn: string): string {
  const columns = [...key, 'uses'].join(', ')
  const isSame = key.map((name) => `w.${name} = u.${name}`).join(' AND ')
  return `CREATE TEMP VIEW ${table} AS
    SELECT ${columns} FROM waiting_uses w WHERE ${isOwn}
    UNION ALL SELECT ${columns} FROM main.${table} u
      WHERE NOT EXISTS (SELECT 1 FROM waiting_uses w WHERE ${isSame} AND ${isOwn})`
}

/**
 * Shows a read-only connection the rows as if the contents of all slots were in the tables (buffered-balances.ts). In
 * its SQL, `sources`, `rate_uses` and `line_rate_uses` are temporary views of the tables and of temporary tables with
 * the slots. `refresh` adds only slots that were written since the previous read.
 */
export class WaitingSources {
  readonly #version: StatementSync
  readonly #cycle: StatementSync
  readonly #clear: readonly StatementSync[]
  readonly #take: readonly StatementSync[]
  #seenVersion: unknown
  /** The newest slot that the temporary tables contain. */
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
    // Keep the journal of temporary tables in memory, because the disk may be full.
    connection.exec(`
      PRAGMA temp.journal_mode = MEMORY;
      CREATE TEMP TABLE waiting_sources (${key}, ${sourceFigures.join(', ')}, PRIMARY KEY (${key})) WITHOUT ROWID;
      CREATE TEMP VIEW sources AS SELECT ${values.join(', ')} FROM main.sources s;
      CREATE TEMP TABLE waiting_uses (
        end_user_id, mode, line_id, uses, PRIMARY KEY (end_user_id, mode, line_id)) WITHOUT ROWID;
      ${usesView('rate_uses', ['end_user_id', 'mode'], "w.line_id = ''")};
      ${usesView('line_rate_uses', ['end_user_id', 'mode', 'line_id'], "w.line_id <> ''")}`)
    const prepareAll = (...sql: readonly string[]) => sql.map((text) => connection.prepare(text))
    const ofSlot = 'FROM source_slots s, json_each(s.figures) f WHERE s.slot = ? AND s.cycle = ?'
    this.#version = connection.prepare('PRAGMA data_version')
    this.#cycle = connection.prepare('SELECT cycle FROM source_slots WHERE slot = 0')
    this.#clear = prepareAll('DELETE FROM waiting_sources', 'DELETE FROM waiting_uses')
    this.#take = prepareAll(
      `INSERT OR REPLACE INTO waiting_sources SELECT ${waitingValues} ${ofSlot} AND ${isWaitingSource}`,
      `INSERT OR REPLACE INTO waiting_uses SELECT ${waitingUses} ${ofSlot} AND NOT ${isWaitingSource}`,
    )
  }

  /** Call this function at the start of each read transaction, before any other statement. */
  refresh(): void {
    const version = this.#version.get()?.data_version
    if (version === this.#seenVersion) return
    const cycle = numberIn(this.#cycle.get() ?? {}, 'cycle')
    const isSameCycle = cycle === this.#seen.cycle
    if (!isSameCycle) for (const statement of this.#clear) statement.run()
    // Read the newest known slot again, because a batch may have added figures to it. Stop at the first slot that has
    // no figures of the current cycle.
    let slot = isSameCycle ? this.#seen.slot : 0
    while (this.#takeSlot(slot, cycle) > 0) slot += 1
    this.#seen = { cycle, slot: Math.max(0, slot - 1) }
    this.#seenVersion = version
  }

  #takeSlot(slot: number, cycle: number): number {
    let entries = 0
    for (const statement of this.#take) entries += Number(statement.run(slot, cycle).changes)
    return entries
  }
}

/** Whether the newest figures of a table in the statement may be in slots. */
export function needsSources(sql: string): boolean {
  return sql.includes('sources') || sql.includes('rate_uses')
}
