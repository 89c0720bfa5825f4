/**
 * Where the master key comes from: the environment, or a file made once beside the data. A value
 * sealed under it is kept with the data, so that a start with another key is refused at once instead
 * of failing on the first credential that someone needs.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { keyRing, newMasterKey, open, seal, type KeyRing } from './seal.ts'

export const masterKeyFile = 'master-key'
export const masterKeyCheckFile = 'master-key.check'

const checkOwner = { organizationId: 'tollgate', id: 'master-key-check' }
const checkText = 'the key that sealed this opens what is stored here'

/**
 * The key ring for a data folder. Makes the key file (mode 0600) on the first start, unless the
 * environment gives a key.
 * @param folder the data folder; must exist
 * @param fromEnvironment the text of TOLLGATE_MASTER_KEY, or null
 * @throws Error with a sentence for the operator when the key is malformed, lost or another one
 */
export function openMasterKey(folder: string, fromEnvironment: string | null): KeyRing {
  const ring = keyRing(fromEnvironment ?? keyFromFile(folder))
  const checkPath = join(folder, masterKeyCheckFile)
  if (!existsSync(checkPath)) createFile(folder, checkPath, `${seal(ring, checkText, checkOwner)}\n`)
  if (open(ring, readFileSync(checkPath, 'utf8').trim(), checkOwner) !== checkText) {
    throw new Error(
      `The master key is not the one that this data was sealed with. Give the right one in TOLLGATE_MASTER_KEY or in ${join(folder, masterKeyFile)}; without it every stored provider credential is lost and must be entered again (then remove ${checkPath}).`,
    )
  }
  return ring
}

function keyFromFile(folder: string): string {
  const path = join(folder, masterKeyFile)
  if (!existsSync(path)) {
    if (existsSync(join(folder, masterKeyCheckFile))) {
      throw new Error(
        `The master key ${path} is missing, and this data was sealed with one. Put it back, or give it in TOLLGATE_MASTER_KEY.`,
      )
    }
    createFile(folder, path, `${newMasterKey()}\n`)
  }
  return readFileSync(path, 'utf8')
}

/** Whole and durable or not at all: a half-written key would lock out what is sealed later. */
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
    // A link, not a rename: it never replaces a key that another process made in the meantime.
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
