/**
 * Writes and checks the last line of a backup, which shows whether the file was changed:
 *
 *   tollgate-backup v1 <key id> <HMAC-SHA-256 of everything before it, in hex>
 *
 * The HMAC key is derived from the master key, which is in no backup, so no one else can forge a backup. SQLite reads
 * only as many pages as the file header states, so any SQLite tool opens the backup and ignores this line.
 */
import assert from 'node:assert/strict'
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import type { KeyRing } from '#domain/secrets/encrypt-stored-secrets.ts'

const line = /^\ntollgate-backup v1 (?<keyId>[0-9a-f]{8}) (?<mac>[0-9a-f]{64})\n$/
const lineBytes = '\ntollgate-backup v1 12345678 \n'.length + 64

export function sealBackup(path: string, ring: KeyRing): void {
  const key = ring.keys.get(ring.currentId)
  assert(key, `the key ring lacks its current key ${ring.currentId}`)
  const { size } = statSync(path)
  appendFileSync(path, `\ntollgate-backup v1 ${ring.currentId} ${macOf(path, size, key)}\n`)
}

export interface UnsealOptions {
  /** Null if there is no master key. */
  readonly ring: KeyRing | null
  /** Whether the operator trusts the file, so that its seal is not checked. */
  readonly isTrusted: boolean
  readonly shown: string
}

/** Removes the line after the check. @throws Error with a message for the operator */
export function unsealBackup(path: string, { isTrusted, ring, shown }: UnsealOptions): void {
  const { size } = statSync(path)
  const found = size < lineBytes ? undefined : line.exec(lastBytes(path, size))?.groups
  const sealedSize = size - lineBytes
  if (!isTrusted) {
    const unchecked = 'If you are sure that only you could write the file, add --unauthenticated.'
    if (found === undefined) {
      throw new Error(
        `${shown} has no seal of tollgate backup: the file is empty, incomplete or from another program. ${unchecked}`,
      )
    }
    const keyId = found.keyId ?? ''
    if (ring === null) {
      throw new Error(
        `The seal of ${shown} cannot be checked without the master key. Set the key with the ID ${keyId} in TOLLGATE_MASTER_KEY, or copy it to the data folder as master-key. ${unchecked}`,
      )
    }
    const key = ring.keys.get(keyId)
    if (key === undefined) {
      throw new Error(
        `${shown} was sealed with another master key (ID ${keyId}; here: ${[...ring.keys.keys()].join(', ')}). Set that key in TOLLGATE_MASTER_KEY. ${unchecked}`,
      )
    }
    const mac = Buffer.from(macOf(path, sealedSize, key), 'hex')
    if (!timingSafeEqual(mac, Buffer.from(found.mac ?? '', 'hex'))) {
      throw new Error(`${shown} was changed after the backup: its bytes do not match its seal. ${unchecked}`)
    }
  }
  if (found !== undefined) truncateSync(path, sealedSize)
}

function macOf(path: string, size: number, masterKey: Buffer): string {
  const mac = createHmac('sha256', Buffer.from(hkdfSync('sha256', masterKey, '', 'tollgate backup v1', 32)))
  const file = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(1024 * 1024)
    for (let at = 0; at < size;) {
      const read = readSync(file, piece, 0, Math.min(piece.length, size - at), at)
      if (read === 0) throw new Error(`${path} was shortened while it was read`)
      mac.update(piece.subarray(0, read))
      at += read
    }
    return mac.digest('hex')
  } finally {
    closeSync(file)
  }
}

function lastBytes(path: string, size: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(lineBytes)
    readSync(file, bytes, 0, lineBytes, size - lineBytes)
    return bytes.toString('latin1')
  } finally {
    closeSync(file)
  }
}
