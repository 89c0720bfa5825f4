import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder in which Linux keeps files in memory. */
const memory = '/dev/shm'
/** Twice the space that the stores of a whole test run need. */
const bytesWanted = 2 * 1024 ** 3

/** Whether enough memory is free for the files of a run. */
export const hasMemoryForFiles = hasRoom()

/** The folder for temporary files of tests, in memory if enough memory is free. */
export const temporaryFolder = hasMemoryForFiles ? memory : tmpdir()

/**
 * Creates a separate folder for a store. On a disk, each commit waits for a few milliseconds, and a test makes hundreds
 * of commits. Data that a killed process has written to files in memory also remains readable.
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
