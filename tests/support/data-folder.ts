import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const memory = '/dev/shm'
/** What the stores of a whole run take, and as much again. */
const bytesWanted = 2 * 1024 ** 3

const parent = hasRoom() ? memory : tmpdir()

/**
 * A folder of its own for a store, in memory where there is room for it. A commit waits for the disk, a few
 * milliseconds for each of a test's hundreds; what a process that is killed had written is there in memory as well.
 */
export function newDataFolder(name: string): string {
  return mkdtempSync(join(parent, `tollgate-${name}-`))
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= bytesWanted
  } catch {
    return false
  }
}
