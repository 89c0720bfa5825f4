import { describe, expect, it } from 'vitest'
import type { Failure } from '#domain/errors.ts'
import { Passwords, scryptCost, type ScryptCost } from './passwords.ts'

const quick: ScryptCost = { logN: 4, r: 8, p: 1 }

function opened(cost: ScryptCost = quick) {
  const clock = { nowMs: 0 }
  const pauses: number[] = []
  const passwords = new Passwords({
    cost,
    monotonicMs: () => clock.nowMs,
    pause: async (ms) => void pauses.push(ms),
  })
  return { passwords, clock, pauses }
}

describe('a password', () => {
  it('is right against its own text alone, with the cost that the text says', async () => {
    const { passwords } = opened()
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^scrypt\$4\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(await passwords.isRight('ada', 'correct horsf', stored)).toBe(false)
    const dearer = opened({ logN: 5, r: 8, p: 1 }).passwords
    expect(await dearer.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(await passwords.hash('correct horse')).not.toBe(stored)
  })

  it('is the same in either spelling of a letter with marks', async () => {
    const { passwords } = opened()
    expect(await passwords.isRight('ada', 'caf\u0065\u0301', await passwords.hash('caf\u00e9'))).toBe(true)
  })

  it('is stored at a cost that guessing does not pay', async () => {
    expect(2 ** scryptCost.logN).toBeGreaterThanOrEqual(2 ** 17)
    const { passwords } = opened(scryptCost)
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^scrypt\$17\$8\$1\$/)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
  })

  it('of nobody is never right, the empty one either', async () => {
    const { passwords } = opened()
    for (const password of ['', 'correct horse'])
      expect(await passwords.isRight('x', password, null)).toBe(false)
  })
})

describe('guessing', () => {
  it('is slowed down account by account, also where there is none, and a right password is taken all the same', async () => {
    const { passwords, pauses } = opened()
    const stored = await passwords.hash('correct horse')
    for (let guess = 0; guess < 12; guess++) await passwords.isRight('ada', `guess ${guess}`, stored)
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
    expect(await passwords.isRight('bob', 'guess', null)).toBe(false)
    expect(pauses).toHaveLength(7)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(pauses).toHaveLength(8)
    // Forgotten with the right one.
    await passwords.isRight('ada', 'guess', stored)
    expect(pauses).toHaveLength(8)
    for (let guess = 0; guess < 12; guess++) await passwords.isRight('nobody', 'guess', null)
    expect(pauses.slice(8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
  })

  it('many at once counts each of them', async () => {
    const { passwords, pauses } = opened()
    await Promise.all(Array.from({ length: 10 }, (_, i) => passwords.isRight('ada', `guess ${i}`, null)))
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000])
  })

  it('is forgotten after a quarter of an hour', async () => {
    const { clock, passwords, pauses } = opened()
    for (let guess = 0; guess < 6; guess++) await passwords.isRight('ada', 'guess', null)
    expect(pauses).toEqual([250])
    clock.nowMs = 900_000
    await passwords.isRight('ada', 'guess', null)
    expect(pauses).toEqual([250])
  })

  it('a few at a time, and those that wait are bounded', async () => {
    const { passwords } = opened()
    const tries = Array.from({ length: 200 }, (_, i) => passwords.isRight(`account ${i}`, 'guess', null))
    const results = await Promise.allSettled(tries)
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(100)
    for (const { reason } of refused) expect((reason as Failure).code).toBe('rate_limited')
    // The next finds room again.
    expect(await passwords.isRight('ada', 'guess', null)).toBe(false)
  })
})
