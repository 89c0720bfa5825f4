import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { makeSecret, parseSecret } from './key-and-token-format.ts'

const randomByte = (): number => randomBytes(1)[0] ?? 0

describe('the creation of secrets', () => {
  it('a secret has the documented format', () => {
    const live = makeSecret({ kind: 'ak', code: 'k3x9', isTest: false }, randomByte)
    expect(live.secret).toMatch(/^ak_k3x9_[0-9A-Za-z]{36}$/)
    expect(live.prefix).toBe(live.secret.slice(0, 'ak_k3x9_'.length + 6))
    expect(live.lastFour).toBe(live.secret.slice(-4))
    expect(makeSecret({ kind: 'ak', code: 'k3x9', isTest: true }, randomByte).prefix).toMatch(
      /^ak_k3x9_test_[0-9A-Za-z]{6}$/,
    )
    expect(makeSecret({ kind: 'sk', code: 'org1', isTest: false }, randomByte).secret).toMatch(
      /^sk_org1_[0-9A-Za-z]{36}$/,
    )
  })

  it('every letter of a secret is equally likely', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 2000; i++) {
      const { secret } = makeSecret({ kind: 'ak', code: 'k3x9', isTest: false }, randomByte)
      for (const letter of secret.slice(8, 38)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    expect(counts.size).toBe(62)
    const expected = (2000 * 30) / 62
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.3)
  })
})

describe('the parser of secrets', () => {
  it('every secret that makeSecret returns can be read', () => {
    for (const isTest of [true, false]) {
      const { secret } = makeSecret({ kind: 'ak', code: 'k3x9', isTest }, randomByte)
      expect(parseSecret(secret)).toEqual({ kind: 'ak', code: 'k3x9', isTest })
    }
  })

  it('a typo, a missing and an extra character in a secret are detected before any look-up', () => {
    const { secret } = makeSecret({ kind: 'ak', code: 'k3x9', isTest: false }, randomByte)
    const position = fc.nat(secret.length - 1)
    const letter = fc.constantFrom(
      ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.split(''),
    )
    fc.assert(
      fc.property(position, letter, (at, other) => {
        const typo = secret.slice(0, at) + other + secret.slice(at + 1)
        if (typo !== secret) expect(parseSecret(typo)).toBeNull()
        expect(parseSecret(secret.slice(0, at) + secret.slice(at + 1))).toBeNull()
        expect(parseSecret(secret.slice(0, at) + other + secret.slice(at))).toBeNull()
      }),
      sampledRuns(2000),
    )
  })

  it('the reader of secrets never throws, whatever the input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.string().map((text) => `ak_${text}`),
        ),
        (text) => {
          expect(parseSecret(text)).toBeNull()
        },
      ),
      sampledRuns(2000),
    )
  })
})
