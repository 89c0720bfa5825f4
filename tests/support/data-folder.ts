import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Twice the size of all stores of a test run. */
const bytesWanted = 2 * 1024 ** 3

export const hasMemoryForFiles = hasRoom()

export const temporaryFolder = hasMemoryForFiles ? memory : tmpdir()

/**
 * On a disk, each of the hundreds of commits of a test would take a few milliseconds. Files in memory also keep the
 * data of a killed process.
 */
export function newDataFolder(name: string): string {
  return mkdtempSync(join(temporaryFolder, `tollgate-${name}-`))
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
