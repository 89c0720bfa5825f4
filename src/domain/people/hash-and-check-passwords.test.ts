import { describe, expect, it } from 'vitest'
import type { Failure } from '#domain/errors.ts'
import { type PasswordCaller, Passwords, scryptCost, type ScryptCost } from './hash-and-check-passwords.ts'

const quick: ScryptCost = { logN: 4, r: 8, p: 1 }

const stranger: PasswordCaller = { address: '203.0.113.7', proof: null }

function opened(cost: ScryptCost = quick) {
  const clock = { nowMs: 0 }
  const pauses: number[] = []
  const own = new Passwords({
    cost,
    monotonicMs: () => clock.nowMs,
    pause: async (ms) => void pauses.push(ms),
    isFamiliar: (address) => address.startsWith('198.51.100.'),
  })
  const passwords = {
    hash: (password: string) => own.hash(password, stranger),
    isRight: (account: string, password: string, stored: string | null, caller = stranger) =>
      own.isRight(account, password, stored, caller),
  }
  return { passwords, clock, pauses }
}

describe('a password', () => {
  it('a stored password matches only its own text, whatever hashing cost is stored with it', async () => {
    const { passwords } = opened()
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^scrypt\$4\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(await passwords.isRight('ada', 'correct horsf', stored)).toBe(false)
    const dearer = opened({ logN: 5, r: 8, p: 1 }).passwords
    expect(await dearer.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(await passwords.hash('correct horse')).not.toBe(stored)
  })

  it('a stored password matches in every Unicode spelling of a letter with diacritics', async () => {
    const { passwords } = opened()
    expect(await passwords.isRight('ada', 'caf\u0065\u0301', await passwords.hash('caf\u00e9'))).toBe(true)
  })

  it('a password is stored at a cost that makes guessing impractical', async () => {
    expect(2 ** scryptCost.logN).toBeGreaterThanOrEqual(2 ** 17)
    const { passwords } = opened(scryptCost)
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^scrypt\$17\$8\$1\$/)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
  })

  it('no password matches for an unknown user, not even an empty one', async () => {
    const { passwords } = opened()
    for (const password of ['', 'correct horse'])
      expect(await passwords.isRight('x', password, null)).toBe(false)
  })
})

describe('guessing passwords', () => {
  it('guessing is slowed down per account, even for unknown accounts, while a correct password is still accepted', async () => {
    const { passwords, pauses } = opened()
    const stored = await passwords.hash('correct horse')
    for (let guess = 0; guess < 12; guess++) await passwords.isRight('ada', `guess ${guess}`, stored)
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
    expect(await passwords.isRight('bob', 'guess', null)).toBe(false)
    expect(pauses).toHaveLength(7)
    expect(await passwords.isRight('ada', 'correct horse', stored)).toBe(true)
    expect(pauses).toHaveLength(8)
    // The correct password has reset the delay.
    await passwords.isRight('ada', 'guess', stored)
    expect(pauses).toHaveLength(8)
    for (let guess = 0; guess < 12; guess++) await passwords.isRight('nobody', 'guess', null)
    expect(pauses.slice(8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
  })

  it('each of several concurrent attempts is counted', async () => {
    const { passwords, pauses } = opened()
    await Promise.all(Array.from({ length: 10 }, (_, i) => passwords.isRight('ada', `guess ${i}`, null)))
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000])
  })

  it('after a quarter of an hour without attempts, an account is no longer slowed down', async () => {
    const { clock, passwords, pauses } = opened()
    for (let guess = 0; guess < 6; guess++) await passwords.isRight('ada', 'guess', null)
    expect(pauses).toEqual([250])
    clock.nowMs = 900_000
    await passwords.isRight('ada', 'guess', null)
    expect(pauses).toEqual([250])
  })

  it('only a few attempts run at a time, and if too many wait, further attempts are rejected', async () => {
    const { passwords } = opened()
    const tries = Array.from({ length: 200 }, (_, i) => passwords.isRight(`account ${i}`, 'guess', null))
    const results = await Promise.allSettled(tries)
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(100)
    for (const { reason } of refused) expect((reason as Failure).code).toBe('rate_limited')
    expect(await passwords.isRight('ada', 'guess', null)).toBe(false)
  })
})

describe('sign-ins during an attack', () => {
  /** Begins a sign-in from each of 90 sites, before the other sign-ins of the test. */
  async function crowded() {
    const { passwords } = opened()
    const stored = await passwords.hash('correct horse')
    // The first attempt on an unknown account creates the hash with which later attempts are compared.
    await passwords.isRight('nobody', 'guess', null)
    const order: string[] = []
    const tries = Array.from({ length: 90 }, async (_, i) => {
      const caller = { address: `203.0.${i}.7`, proof: null }
      await passwords.isRight(`account ${i}`, 'guess', null, caller).finally(() => order.push('stranger'))
    })
    const late = async (name: string, caller: PasswordCaller): Promise<boolean> => {
      try {
        return await passwords.isRight('ada', 'correct horse', stored, caller)
      } finally {
        order.push(name)
      }
    }
    return { late, order, crowd: Promise.allSettled(tries) }
  }

  it('during attempts from 90 sites, sign-ins from a known browser or a familiar site wait for only a few other attempts', async () => {
    const { crowd, late, order } = await crowded()
    const honest = await Promise.all([
      late('browser', { address: '203.0.1.7', proof: 'its cookie' }),
      late('site', { address: '198.51.100.9', proof: null }),
    ])
    expect(honest).toEqual([true, true])
    const results = await crowd
    const refusals = results.filter(({ status }) => status === 'rejected').length
    // Two attempts are running and 64 wait. All other attempts were rejected immediately.
    expect(refusals).toBe(24)
    for (const name of ['browser', 'site']) expect(order.indexOf(name) - refusals).toBeLessThanOrEqual(8)
  })

  it('attempts from many addresses of one IPv6 site take turns with other sites as if all attempts came from one address', async () => {
    const { passwords } = opened()
    const stored = await passwords.hash('correct horse')
    await passwords.isRight('nobody', 'guess', null)
    let served = 0
    const crowd = Array.from({ length: 90 }, (_, i) =>
      passwords
        .isRight(`account ${i}`, 'guess', null, { address: `2001:db8:1:${i.toString(16)}::1`, proof: null })
        .then(() => (served += 1)),
    )
    const settled = Promise.allSettled(crowd)
    const honest = Array.from({ length: 5 }, (_, i) =>
      passwords.isRight(`owner ${i}`, 'correct horse', stored, { address: `192.0.${i}.2`, proof: null }),
    )
    expect(await Promise.all(honest)).toEqual([true, true, true, true, true])
    // Sites take turns. Between two attempts from honest sites, about one of the attacking site's 64 waiting attempts
    // was therefore served.
    expect(served).toBeLessThanOrEqual(12)
    await settled
  })
})

describe('a known browser', () => {
  const known: PasswordCaller = { address: '203.0.113.9', proof: 'its cookie' }

  it("a known browser does not wait because of strangers' guesses, and its sign-in does not speed up the strangers", async () => {
    const { passwords, pauses } = opened()
    const stored = await passwords.hash('correct horse')
    for (let guess = 0; guess < 8; guess++) await passwords.isRight('ada', 'guess', stored)
    expect(pauses).toEqual([250, 500, 1000])
    expect(await passwords.isRight('ada', 'correct horse', stored, known)).toBe(true)
    expect(pauses).toHaveLength(3)
    await passwords.isRight('ada', 'guess', stored)
    expect(pauses).toEqual([250, 500, 1000, 2000])
  })

  it('a known browser has ten attempts, which are slowed down like all attempts, and then counts as a stranger', async () => {
    const { passwords, pauses } = opened()
    const stored = await passwords.hash('correct horse')
    for (let guess = 0; guess < 10; guess++) await passwords.isRight('ada', 'guess', stored, known)
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000])
    for (let guess = 0; guess < 6; guess++) await passwords.isRight('ada', 'guess', stored, known)
    expect(pauses.slice(5)).toEqual([250])
    // After the correct password, the browser counts as known again.
    expect(await passwords.isRight('ada', 'correct horse', stored, known)).toBe(true)
    await passwords.isRight('ada', 'guess', stored, known)
    expect(pauses).toHaveLength(7)
  })
})
