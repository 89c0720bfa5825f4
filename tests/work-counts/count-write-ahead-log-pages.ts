import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Reads the number of pages in the write-ahead log: `mxFrame` of the log's index (sqlite.org/walformat.html "The
 * WAL-Index File Format"). The number decreases when the first write after a checkpoint restarts the log.
 */
export function pagesInLog(folder: string): number {
  return readFileSync(join(folder, 'tollgate.db-shm')).readUInt32LE(16)
}

const logHeaderBytes = 32
const frameHeaderBytes = 24
const pageBytes = 4096

/** The key in `byTable` of pages that belong to no table, such as the first page of the file. */
export const outsideTables = 'outside tables'

/** Collects the numbers of the pages that commits add to the log. Call `see` after each commit. */
export class LoggedPages {
  readonly #folder: string
  #seen: number
  #times = new Map<number, number>()

  constructor(folder: string) {
    this.#folder = folder
    this.#seen = pagesInLog(folder)
  }

  get count(): number {
    return this.#times.values().reduce((sum, times) => sum + times, 0)
  }

  begin(): void {
    this.#times = new Map()
  }

  see(): void {
    const inLog = pagesInLog(this.#folder)
    const log = openSync(join(this.#folder, 'tollgate.db-wal'), 'r')
    const header = Buffer.alloc(4)
    for (let at = inLog >= this.#seen ? this.#seen : 0; at < inLog; at += 1) {
      // The header of each frame begins with the number of its page (sqlite.org/fileformat2.html "WAL File Format").
      readSync(log, header, 0, 4, logHeaderBytes + at * (frameHeaderBytes + pageBytes))
      const page = header.readUInt32BE()
      this.#times.set(page, (this.#times.get(page) ?? 0) + 1)
    }
    closeSync(log)
    this.#seen = inLog
  }

  /** By table (sqlite.org/dbstat.html). Other pages have the key `outsideTables`. */
  byTable(connection: DatabaseSync): Map<string, number> {
    const rows = connection
      .prepare('SELECT s.pageno, m.tbl_name FROM dbstat s JOIN sqlite_schema m ON m.name = s.name')
      .all()
    const tableOf = new Map(rows.map(({ pageno, tbl_name: table }) => [Number(pageno), String(table)]))
    const byTable = new Map<string, number>()
    for (const [page, times] of this.#times) {
      const table = tableOf.get(page) ?? outsideTables
      byTable.set(table, (byTable.get(table) ?? 0) + times)
    }
    return byTable
  }
}
