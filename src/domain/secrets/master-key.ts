/**
 * The master key comes from the environment, or from a file that is created once next to the data. The data folder
 * contains a value that is encrypted with the key. Each stored credential contains the ID of its master key. The server
 * therefore does not start with a different key.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  keyRing,
  newMasterKey,
  decrypt,
  encrypt,
  encryptionKeyId,
  type KeyRing,
} from './encrypt-stored-secrets.ts'

export const masterKeyFile = 'master-key'
export const masterKeyCheckFile = 'master-key.check'

const checkOwner = { organizationId: 'tollgate', id: 'master-key-check' }
const checkText = 'the key that sealed this opens what is stored here'

export interface MasterKeyOptions {
  /** IDs of the keys that encrypted the stored credentials. */
  readonly needed?: readonly string[]
  /** Whether the operator has stated that the key is permanently lost. */
  readonly isLost?: boolean
}

export interface OpenedMasterKey {
  readonly ring: KeyRing
  /** Sentences that are reported to the operator. */
  readonly notes: readonly string[]
}

const lostHint =
  'If the key is permanently lost, start with TOLLGATE_MASTER_KEY_LOST=true and enter the credentials of the providers again.'

/**
 * Creates the key file (mode 0600) on the first start, unless the environment provides a key.
 * @param folder the data folder; must exist
 * @param fromEnvironment the value of TOLLGATE_MASTER_KEY, or null
 * @throws Error with a sentence for the operator if the key is malformed, lost, readable by others, or not the key that
 * encrypted this data. In this case, nothing is created.
 */
export function openMasterKey(
  folder: string,
  fromEnvironment: string | null,
  { needed = [], isLost = false }: MasterKeyOptions = {},
): OpenedMasterKey {
  const notes: string[] = []
  const path = join(folder, masterKeyFile)
  const checkPath = join(folder, masterKeyCheckFile)
  const isThere = fromEnvironment !== null || existsSync(path)
  const wasChecked = existsSync(checkPath)
  if (!isThere && (wasChecked || needed.length > 0) && !isLost) {
    throw new Error(
      `The master key ${path} is missing, but the data was encrypted with a master key. Restore the file, or set the key in TOLLGATE_MASTER_KEY. ${lostHint}`,
    )
  }
  if (fromEnvironment === null && isThere) notes.push(...makePrivate(path))
  if (!isThere) createFile(folder, path, `${newMasterKey()}\n`)
  const ring = ringFrom(path, fromEnvironment)
  const unknown = needed.filter((id) => !ring.keys.has(id))
  const isOther = unknown.length > 0 || (wasChecked && !opensCheck(ring, checkPath))
  if (isOther && !isLost) {
    throw new Error(
      `The data was encrypted with another master key${unknown.length > 0 ? ` (stored credentials need ${unknown.join(', ')}, and this key is ${ring.currentId})` : ''}. Set the right key in TOLLGATE_MASTER_KEY or in ${path}. ${lostHint}`,
    )
  }
  // After a change of the key, the check is written with the new key, so that the old key can be removed later.
  const isOutdated = wasChecked && (isOther || encryptionKeyId(textOf(checkPath)) !== ring.currentId)
  if (isOutdated) unlinkSync(checkPath)
  if (!wasChecked || isOutdated) createFile(folder, checkPath, `${encrypt(ring, checkText, checkOwner)}\n`)
  if (isOther) {
    notes.push(
      `the master key has changed; stored credentials encrypted with ${unknown.join(', ') || 'the old key'} cannot be decrypted, so enter them again`,
    )
  } else if (isThere && !wasChecked) {
    notes.push(`${checkPath} was missing; it was created for the current master key, ${ring.currentId}`)
  }
  return { ring, notes }
}

/**
 * Returns the master key of a data folder, for commands that run without the server. Creates no key.
 * @returns null if no master key exists
 * @throws Error with a sentence if the key is malformed, or is not the key that encrypted this data
 */
export function findMasterKey(folder: string, fromEnvironment: string | null): KeyRing | null {
  const path = join(folder, masterKeyFile)
  if (fromEnvironment === null && !existsSync(path)) return null
  const ring = ringFrom(path, fromEnvironment)
  const checkPath = join(folder, masterKeyCheckFile)
  if (existsSync(checkPath) && !opensCheck(ring, checkPath)) {
    throw new Error(
      `The data in ${folder} was encrypted with another master key. Set the right key in TOLLGATE_MASTER_KEY or in ${path}`,
    )
  }
  return ring
}

/** @throws Error with a sentence that names the file, if the file contains no valid key */
function ringFrom(path: string, fromEnvironment: string | null): KeyRing {
  if (fromEnvironment !== null) return keyRing(fromEnvironment)
  const text = readFileSync(path, 'utf8')
  try {
    return keyRing(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The file ${path} contains no valid master key. ${reason}`, { cause })
  }
}

function opensCheck(ring: KeyRing, checkPath: string): boolean {
  return decrypt(ring, textOf(checkPath), checkOwner) === checkText
}

function textOf(checkPath: string): string {
  return readFileSync(checkPath, 'utf8').trim()
}

/**
 * Makes the file readable only by its owner, and returns a note if other users could read the file. @throws if the mode
 * of the file cannot be changed
 */
function makePrivate(path: string): string[] {
  const mode = statSync(path).mode & 0o777
  if ((mode & 0o077) === 0) return []
  const shown = mode.toString(8).padStart(4, '0')
  try {
    chmodSync(path, 0o600)
  } catch (cause) {
    throw new Error(
      `Other users can read the master key ${path} (mode ${shown}), and this process cannot change the mode. Make the server the owner of the file and set the mode 0600, or set the key in TOLLGATE_MASTER_KEY`,
      { cause },
    )
  }
  return [
    `other users could read the master key ${path} (mode ${shown}); the mode is now 0600. If a user of this machine may have read the key, replace the credentials of the providers`,
  ]
}

/**
 * Writes a file completely and durably, or not at all. Data that was encrypted with a partly written key could never be
 * decrypted.
 */
function createFile(folder: string, path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    // Use a link instead of a rename. A link never overwrites a key that another process created in the meantime.
    linkSync(temporary, path)
  } catch (cause) {
    if (!existsSync(path)) throw new Error(`create ${path}`, { cause })
  } finally {
    unlinkSync(temporary)
  }
  const directory = openSync(folder, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
