import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { masterKeyFile } from '#domain/secrets/master-key.ts'

const ours = new Set(['tollgate.db', 'server.lock', masterKeyFile])

/**
 * Creates the data folder for its owner only, or removes write access of other users. A user who can replace the store
 * or the master key controls everything. Other users may list the folder, because only the owner can read its files.
 * @param options.hasStore whether the embedded store is used. With PostgreSQL, the folder may be read-only
 * @param options.assertAccess throws if the process may not use a file as stated; replaced in tests, which may run as root
 * @returns a sentence about the change, for the log; null if no change was needed
 * @throws Error with a message for the operator
 */
export function openDataFolder(
  folder: string,
  { assertAccess = accessSync, hasStore = true } = {},
): string | null {
  const names = namesIn(folder)
  // For example, root has restored a backup for the user of a service.
  for (const name of hasStore ? ['.', ...names.filter((one) => ours.has(one))] : []) {
    const path = join(folder, name)
    // The server never changes the master key, so its owner may have removed the right to write.
    const isReadOnly = name === masterKeyFile
    try {
      assertAccess(path, isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK)
    } catch (cause) {
      throw new Error(
        `The server has no right to ${isReadOnly ? 'read' : 'read and write'} ${path}. Make the server the owner of the data folder ${folder} and all files in it`,
        { cause },
      )
    }
  }
  const { mode, uid } = statSync(folder)
  if ((mode & 0o022) === 0) return null
  const shown = (mode & 0o7777).toString(8).padStart(4, '0')
  // Do not change the mode of a folder that contains other files, such as /tmp or a home folder.
  const isDataFolder = names.length === 0 || names.some((name) => ours.has(name))
  if (!isOwn(uid) || !isDataFolder || (mode & 0o1000) !== 0) {
    throw new Error(
      `Other users can write to the data folder ${folder} (mode ${shown}). Make the server the owner of the folder and set the mode 0700, or choose a new folder inside it, which the server creates with mode 0700.`,
    )
  }
  chmodSync(folder, 0o700)
  return `other users could write to the data folder ${folder} (mode ${shown}); the mode is now 0700`
}

/** Creates the folder if it does not exist. */
function namesIn(folder: string): string[] {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return readdirSync(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `The data folder ${folder} cannot be created or read (${reason}). Set another folder with --data or in TOLLGATE_DATA, or give the server the right to use this folder`,
      { cause },
    )
  }
}

export async function diskSpace(
  folder: string,
): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

function isOwn(uid: number): boolean {
  const me = process.getuid?.()
  return me === undefined || me === 0 || me === uid
}
