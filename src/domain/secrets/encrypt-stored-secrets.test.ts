import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keyRing, newMasterKey, decrypt, encrypt } from './encrypt-stored-secrets.ts'

const ring = keyRing(newMasterKey())
const owner = { organizationId: 'org_1', id: 'pa_1' }

describe('threat 110: an encrypted text', () => {
  it('an encrypted text is decrypted for its owner, and never contains the plain text', () => {
    const sealed = encrypt(ring, 'sk-provider-secret ü', owner)
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/)
    expect(Buffer.from(sealed, 'utf8').includes('sk-provider')).toBe(false)
    expect(decrypt(ring, sealed, owner)).toBe('sk-provider-secret ü')
  })

  it('an encrypted text is different each time, even for the same plain text', () => {
    expect(encrypt(ring, 'same', owner)).not.toBe(encrypt(ring, 'same', owner))
  })

  it('an encrypted text is not decrypted for another account or another organization', () => {
    const sealed = encrypt(ring, 'secret', owner)
    expect(decrypt(ring, sealed, { ...owner, id: 'pa_2' })).toBeNull()
    expect(decrypt(ring, sealed, { ...owner, organizationId: 'org_2' })).toBeNull()
    expect(decrypt(ring, sealed, { organizationId: 'org_1","pa', id: '_1' })).toBeNull()
  })

  it('an encrypted text is not decrypted if any part was changed, removed or added', () => {
    const sealed = encrypt(ring, 'secret', owner)
    const parts = sealed.split('.')
    for (let i = 0; i < parts.length; i++) {
      const changed = parts.with(i, flip(parts[i] ?? ''))
      expect(decrypt(ring, changed.join('.'), owner)).toBeNull()
      expect(decrypt(ring, parts.toSpliced(i, 1).join('.'), owner)).toBeNull()
    }
    const tag = Buffer.from(parts[4] ?? '', 'base64url')
    expect(
      decrypt(ring, [...parts.slice(0, 4), tag.subarray(0, 4).toString('base64url')].join('.'), owner),
    ).toBeNull()
    expect(decrypt(ring, `${sealed}.more`, owner)).toBeNull()
    expect(decrypt(ring, '', owner)).toBeNull()
  })

  it('an encrypted text is not decrypted with another master key', () => {
    expect(decrypt(keyRing(newMasterKey()), encrypt(ring, 'secret', owner), owner)).toBeNull()
  })
})

describe('a key ring', () => {
  it('a key ring encrypts with its first key and decrypts with every key', () => {
    const old = newMasterKey()
    const sealed = encrypt(keyRing(old), 'secret', owner)
    const both = keyRing(`${newMasterKey()},${old}`)
    expect(decrypt(both, sealed, owner)).toBe('secret')
    expect(decrypt(keyRing(old), encrypt(both, 'new', owner), owner)).toBeNull()
  })

  it('a key that is not 32 bytes and an empty key ring are rejected, and the error does not contain the key', () => {
    expect(() => keyRing('c2hvcnQ=')).toThrow(/base64 of 32 bytes/)
    expect(() => keyRing('c2hvcnQ=')).not.toThrow(/c2hvcnQ/)
    expect(() => keyRing(' \n')).toThrow(/empty/)
  })

  it('the commands of the guide and the compose file create a valid key', () => {
    for (const path of ['docs/guides/install.md', 'deploy/compose.yaml']) {
      const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
      const commands = text.match(/(?<=TOLLGATE_MASTER_KEY\b.*)openssl rand [^)}\n]+/g) ?? []
      expect(commands.length, path).toBeGreaterThan(0)
      for (const command of commands) {
        const [, encoding = '', bytes = ''] = /^openssl rand -(hex|base64) (\d+)$/.exec(command) ?? []
        const key = randomBytes(Number(bytes)).toString(encoding === 'hex' ? 'hex' : 'base64')
        expect(() => keyRing(key), `${path}: ${command}`).not.toThrow()
      }
    }
  })
})

function flip(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
}
