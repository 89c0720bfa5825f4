import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the number of pages in the write-ahead log of a data folder: `mxFrame` of the log's index
 * (sqlite.org/walformat.html "The WAL-Index File Format"). The first write after a checkpoint restarts the log.
 */
export function pagesInLog(folder: string): number {
  return readFileSync(join(folder, 'tollgate.db-shm')).readUInt32LE(16)
}
