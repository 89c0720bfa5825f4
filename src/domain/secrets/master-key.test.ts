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
import { newMasterKey, decrypt, encrypt, encryptionKeyId } from './encrypt-stored-secrets.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const owner = { organizationId: 'org_1', id: 'pa_1' }

describe('threats 20 and 111: the master key', () => {
  it('the master key is created once, is readable only by its owner, and is found again at the next start', () => {
    const sealed = encrypt(openMasterKey(folder, null).ring, 'secret', owner)
    expect(decrypt(openMasterKey(folder, null).ring, sealed, owner)).toBe('secret')
    expect(statSync(join(folder, masterKeyFile)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual([masterKeyFile, masterKeyCheckFile])
  })

  it('the master key is read from the environment, and no file is created', () => {
    const key = newMasterKey()
    openMasterKey(folder, key)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
    openMasterKey(folder, key)
  })

  it('a master key that did not encrypt the data is rejected', () => {
    openMasterKey(folder, newMasterKey())
    expect(() => openMasterKey(folder, newMasterKey())).toThrow(/data was encrypted with another master key/)
  })

  it('if the file of the master key is lost, the server does not start, and no new master key is created', () => {
    openMasterKey(folder, null)
    unlinkSync(join(folder, masterKeyFile))
    expect(() => openMasterKey(folder, null)).toThrow(/is missing/)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
  })

  it('a malformed master key is rejected', () => {
    const path = join(folder, masterKeyFile)
    writeFileSync(path, 'half a k')
    for (const open of [openMasterKey, findMasterKey]) {
      expect(() => open(folder, null)).toThrow(
        `The file ${path} contains no valid master key. A master key must be base64 of 32 bytes.`,
      )
    }
  })

  it('if other users can read the file of the master key, the file is made private and the operator is informed', () => {
    expect(openMasterKey(folder, null).notes).toEqual([])
    const path = join(folder, masterKeyFile)
    chmodSync(path, 0o644)
    expect(openMasterKey(folder, null).notes).toEqual([expect.stringContaining('mode 0644')])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(openMasterKey(folder, null).notes).toEqual([])
  })

  it('a master key is rejected if stored credentials need another key, even if the file for checking the key is missing', () => {
    const needed = [encryptionKeyId(encrypt(openMasterKey(folder, null).ring, 'secret', owner)) ?? '']
    for (const file of [masterKeyFile, masterKeyCheckFile]) unlinkSync(join(folder, file))
    expect(() => openMasterKey(folder, newMasterKey(), { needed })).toThrow(/stored credentials need/)
    expect(() => openMasterKey(folder, null, { needed })).toThrow(/is missing/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('if the operator accepts a master key that differs from the lost key, or that cannot be checked, the operator is informed', () => {
    const needed = [encryptionKeyId(encrypt(openMasterKey(folder, null).ring, 'secret', owner)) ?? '']
    unlinkSync(join(folder, masterKeyCheckFile))
    expect(openMasterKey(folder, null, { needed }).notes).toEqual([
      expect.stringContaining(' was missing; it was created'),
    ])
    unlinkSync(join(folder, masterKeyFile))
    const lost = openMasterKey(folder, null, { needed, isLost: true })
    expect(lost.notes).toEqual([expect.stringContaining(`encrypted with ${needed[0]} cannot be decrypted`)])
    // When the credentials have been entered again, the program reports nothing.
    expect(openMasterKey(folder, null, { needed: [lost.ring.currentId] }).notes).toEqual([])
  })

  it('after a start with a new key before the old key, the old key is needed only for credentials that it encrypted', () => {
    const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
    const sealed = encrypt(openMasterKey(folder, oldKey).ring, 'secret', owner)
    const needed = [encryptionKeyId(sealed) ?? '']
    const both = openMasterKey(folder, `${newKey},${oldKey}`, { needed })
    expect(both.notes).toEqual([])
    expect(decrypt(both.ring, sealed, owner)).toBe('secret')
    expect(() => openMasterKey(folder, newKey, { needed })).toThrow(/stored credentials need/)
    expect(openMasterKey(folder, newKey, { needed: [both.ring.currentId] }).notes).toEqual([])
    expect(() => openMasterKey(folder, oldKey)).toThrow(/encrypted with another master key/)
  })

  it('a command that runs without the server creates no master key, and rejects a key that did not encrypt the data', () => {
    expect(findMasterKey(folder, null)).toBeNull()
    expect(existsSync(join(folder, masterKeyFile))).toBe(false)
    const { ring } = openMasterKey(folder, null)
    expect(findMasterKey(folder, null)?.currentId).toBe(ring.currentId)
    expect(() => findMasterKey(folder, newMasterKey())).toThrow(/encrypted with another master key/)
  })
})
