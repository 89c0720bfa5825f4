import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findMasterKey, masterKeyCheckFile, masterKeyFile, openMasterKey } from './master-key.ts'
import { newMasterKey, decrypt, encrypt, encryptionKeyId } from './encryption.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const owner = { organizationId: 'org_1', id: 'pa_1' }

describe('threats 20 and 111: the master key', () => {
  it('is created once, is readable only by its owner, and is found again at the next start', () => {
    const sealed = encrypt(openMasterKey(folder, null).ring, 'secret', owner)
    expect(decrypt(openMasterKey(folder, null).ring, sealed, owner)).toBe('secret')
    expect(statSync(join(folder, masterKeyFile)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual([masterKeyFile, masterKeyCheckFile])
  })

  it('is read from the environment, and no file is created', () => {
    const key = newMasterKey()
    openMasterKey(folder, key)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
    openMasterKey(folder, key)
  })

  it('is rejected if it is not the key that encrypted the data', () => {
    openMasterKey(folder, newMasterKey())
    expect(() => openMasterKey(folder, newMasterKey())).toThrow(/data was encrypted with another master key/)
  })

  it('is not replaced if its file is lost: the start fails', () => {
    openMasterKey(folder, null)
    unlinkSync(join(folder, masterKeyFile))
    expect(() => openMasterKey(folder, null)).toThrow(/is missing/)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
  })

  it('is rejected if it is malformed', () => {
    writeFileSync(join(folder, masterKeyFile), 'half a k')
    expect(() => openMasterKey(folder, null)).toThrow(/base64 of 32 bytes/)
  })

  it('is made private if other users can read its file, and the program reports this', () => {
    expect(openMasterKey(folder, null).notes).toEqual([])
    const path = join(folder, masterKeyFile)
    chmodSync(path, 0o644)
    expect(openMasterKey(folder, null).notes).toEqual([expect.stringContaining('mode 0644')])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(openMasterKey(folder, null).notes).toEqual([])
  })

  it('is rejected, even if the value for its check is missing, if stored credentials need another key', () => {
    const needed = [encryptionKeyId(encrypt(openMasterKey(folder, null).ring, 'secret', owner)) ?? '']
    for (const file of [masterKeyFile, masterKeyCheckFile]) unlinkSync(join(folder, file))
    expect(() => openMasterKey(folder, newMasterKey(), { needed })).toThrow(/stored credentials need/)
    expect(() => openMasterKey(folder, null, { needed })).toThrow(/is missing/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is reported as different or unchecked if the operator accepts it anyway', () => {
    const needed = [encryptionKeyId(encrypt(openMasterKey(folder, null).ring, 'secret', owner)) ?? '']
    unlinkSync(join(folder, masterKeyCheckFile))
    expect(openMasterKey(folder, null, { needed }).notes).toEqual([
      expect.stringContaining(' was missing; it was created'),
    ])
    unlinkSync(join(folder, masterKeyFile))
    const lost = openMasterKey(folder, null, { needed, isLost: true })
    expect(lost.notes).toEqual([expect.stringContaining(`encrypted with ${needed[0]} cannot be decrypted`)])
    // After the credentials are entered again, the program reports nothing.
    expect(openMasterKey(folder, null, { needed: [lost.ring.currentId] }).notes).toEqual([])
  })

  it('is found by tools, which never create a master key and accept no other key', () => {
    expect(findMasterKey(folder, null)).toBeNull()
    expect(existsSync(join(folder, masterKeyFile))).toBe(false)
    const { ring } = openMasterKey(folder, null)
    expect(findMasterKey(folder, null)?.currentId).toBe(ring.currentId)
    expect(() => findMasterKey(folder, newMasterKey())).toThrow(/encrypted with another master key/)
  })
})
