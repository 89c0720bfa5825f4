import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { masterKeyCheckFile, masterKeyFile, openMasterKey } from './master-key.ts'
import { newMasterKey, open, seal } from './seal.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const owner = { organizationId: 'org_1', id: 'pa_1' }

describe('the master key', () => {
  it('is made once, readable by its owner only, and found again', () => {
    const sealed = seal(openMasterKey(folder, null), 'secret', owner)
    expect(open(openMasterKey(folder, null), sealed, owner)).toBe('secret')
    expect(statSync(join(folder, masterKeyFile)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual([masterKeyFile, masterKeyCheckFile])
  })

  it('comes from the environment without a file', () => {
    const key = newMasterKey()
    openMasterKey(folder, key)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
    openMasterKey(folder, key)
  })

  it('that is another one than sealed the data is refused', () => {
    openMasterKey(folder, newMasterKey())
    expect(() => openMasterKey(folder, newMasterKey())).toThrow(/not the one that this data was sealed with/)
  })

  it('that was lost is refused, not replaced', () => {
    openMasterKey(folder, null)
    unlinkSync(join(folder, masterKeyFile))
    expect(() => openMasterKey(folder, null)).toThrow(/is missing/)
    expect(readdirSync(folder)).toEqual([masterKeyCheckFile])
  })

  it('that is malformed is refused', () => {
    writeFileSync(join(folder, masterKeyFile), 'half a k')
    expect(() => openMasterKey(folder, null)).toThrow(/base64 of 32 bytes/)
  })
})
