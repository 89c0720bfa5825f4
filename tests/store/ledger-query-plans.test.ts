/** No read of the ledger may read all entries of the store, with or without the statistics of ANALYZE. */
import { expect, test } from 'vitest'
import { balances } from '#store/nouns/balances.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs } from '../store-conformance/add-rows-that-calls-need.ts'

/** The statistics of a million entries of 10,000 end users. */
const figures = `ANALYZE; DELETE FROM sqlite_stat1;
  INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('ledger', 'ledger_idempotency', '10000 1 1 1'),
    ('sources', 'sources', '10000 1 1 1')`

test.each([['without'], ['with']])(
  'a page of entries looks up each entry by its number, %s statistics',
  async (which) => {
    const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
    if (which === 'with') {
      const writing = openConnection(sqlitePath(opened.folder), 'write')
      writing.exec(figures)
      writing.close()
    }
    const connection = openConnection(sqlitePath(opened.folder), 'read')
    const rows = new SqliteRows(connection)
    const lines: string[] = []
    const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
    const reader: RowReader = {
      async query(text, parameters) {
        const plan = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
        lines.push(...plan.map((step) => String(Reflect.get(step as object, 'detail'))))
        return { ...rows.run(text, parameters), costMs: 0 }
      },
    }
    const database = new SqliteDatabase(
      { lookUps: reader, reports: reader },
      { writeSlots: async () => {}, begin: never, query: never, commit: never, rollback: never },
    )
    for (const source of ['wallet', 'all'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- two
      await balances(database.read).ledger('eu_1', 'live', source, { limit: 50, after: { at: 9, id: '' } })
    }
    connection.close()
    await opened.close()
    expect(
      lines.filter((line) => line.startsWith('SEARCH l USING INTEGER PRIMARY KEY')).length,
    ).toBeGreaterThan(0)
    expect(lines.filter((line) => /^SCAN (?:l|ledger|s|sources)\b|BLOOM/.test(line))).toEqual([])
  },
)
