import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keyRing, newMasterKey } from '#domain/secrets/encrypt-stored-secrets.ts'
import { sealBackup, unsealBackup } from './backup-seal.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-seal-'))
  file = join(folder, 'a.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const old = newMasterKey()
const ring = keyRing(old)
const unseal = (with_ = ring, isTrusted = false): void =>
  unsealBackup(file, { ring: with_, isTrusted, shown: file })

test('after the seal is checked and removed, a sealed file equals the original', () => {
  for (const size of [0, 1, 4096, 1024 * 1024 + 1]) {
    const bytes = Buffer.alloc(size, 7)
    writeFileSync(file, bytes)
    sealBackup(file, ring)
    unseal()
    expect(readFileSync(file).equals(bytes)).toBe(true)
  }
})

test('any changed, added or removed byte is detected', () => {
  writeFileSync(file, Buffer.alloc(5_000, 7))
  sealBackup(file, ring)
  const sealed = readFileSync(file)
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(2), (at, by, how) => {
      const bytes = Buffer.from(sealed)
      bytes[at] = (bytes[at] ?? 0) ^ by
      const cut = [
        bytes,
        Buffer.concat([sealed.subarray(0, at), sealed.subarray(at + 1)]),
        Buffer.concat([sealed, bytes.subarray(at)]),
      ][how]
      writeFileSync(file, cut ?? bytes)
      expect(() => unseal()).toThrow(/was changed|has no seal|another master key/)
    }),
    { numRuns: 300 },
  )
})

test('a wrong master key and a changed file cause different errors, and an old key of the key ring still opens the file', () => {
  writeFileSync(file, 'rows')
  sealBackup(file, ring)
  expect(() => unseal(keyRing(newMasterKey()))).toThrow(`with another master key (ID ${ring.currentId}`)
  unseal(keyRing(`${newMasterKey()} ${old}`))
  expect(readFileSync(file, 'utf8')).toBe('rows')
})

test('a file that the operator trusts is accepted without a seal', () => {
  writeFileSync(file, 'rows')
  expect(() => unseal()).toThrow(/has no seal of tollgate backup/)
  unsealBackup(file, { ring: null, isTrusted: true, shown: file })
  sealBackup(file, keyRing(newMasterKey()))
  expect(() => unsealBackup(file, { ring: null, isTrusted: false, shown: file })).toThrow(
    /without the master key/,
  )
  unseal(ring, true)
  expect(readFileSync(file, 'utf8')).toBe('rows')
})
