import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { isLong } from '#tests/support/reduced-suite.ts'
import { WrongKeys } from './limit-wrong-keys.ts'

const network = { perSecond: 5, burst: 60 }
const limits = { network, all: { perSecond: 100, burst: 1_000 }, pauseMs: 0 }

function wrongKeys(valid: readonly string[] = [], own = limits) {
  const clock = { nowMs: 1_000 }
  const queries: (readonly string[])[] = []
  let running = 0
  const keys = new WrongKeys(own, {
    monotonicMs: () => clock.nowMs,
    directory: {
      async keysAmong(hashes) {
        expect(++running).toBe(1)
        queries.push(hashes)
        await turn()
        running -= 1
        return new Set(hashes.filter((each) => valid.includes(each)))
      },
    },
  })
  const outcomeOf = (place: string, hash: string): Promise<string> =>
    keys.isWrong(place, hash).then(
      (isWrong) => (isWrong ? 'wrong' : 'read'),
      (error: { code: string }) => error.code,
    )
  return { clock, keys, queries, outcomeOf }
}

test('a network may send a burst of wrong keys, and after the burst as many wrong keys as its rate allows', async () => {
  const { clock, keys, outcomeOf, queries } = wrongKeys()
  for (let n = 0; n < network.burst; n++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await outcomeOf('one', 'wrong')).toBe('read')
    keys.note('one')
  }
  expect(queries).toEqual([])
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  await expect(keys.isWrong('one', 'wrong')).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } })
  clock.nowMs += 1000 / network.perSecond
  expect(await outcomeOf('one', 'wrong')).toBe('read')
  keys.note('one')
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  expect(await outcomeOf('other', 'wrong')).toBe('read')
  clock.nowMs += 60_000
  for (let n = 0; n < 2 * network.burst; n++) keys.note('one')
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  clock.nowMs += 1000 / network.perSecond
  expect(await outcomeOf('one', 'wrong')).toBe('read')
})

test('a valid key from a flooding network is always accepted, and one query at a time looks up all waiting keys', async () => {
  const { keys, outcomeOf, queries } = wrongKeys(['valid'], { ...limits, pauseMs: 1 })
  for (let n = 0; n < network.burst; n++) keys.note('one')
  const flood = Array.from({ length: 250 }, (_, n) => outcomeOf('one', `wrong-${n}`))
  expect(await outcomeOf('one', 'valid')).toBe('read')
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['rate_limited']))
  expect(queries.map(({ length }) => length)).toEqual([100, 100, 51])
})

test('after too many wrong keys of all networks together, the unknown keys of every network are looked up in batches', async () => {
  const { clock, keys, outcomeOf, queries } = wrongKeys(['valid'])
  for (let n = 0; n < limits.all.burst; n++) keys.note(`network ${n}`)
  const asked = ['wrong', 'valid', 'wrong too'].map((hash, n) => outcomeOf(`fresh ${n}`, hash))
  expect(await Promise.all(asked)).toEqual(['wrong', 'read', 'wrong'])
  expect(queries.flat()).toEqual(['wrong', 'valid', 'wrong too'])
  clock.nowMs += 1000 / limits.all.perSecond
  expect(await outcomeOf('fresh', 'wrong')).toBe('read')
})

test('if the lookup of a key fails, the key does not count as wrong and is looked up again', async () => {
  let isAway = true
  const keys = new WrongKeys(limits, {
    monotonicMs: () => 0,
    directory: {
      async keysAmong(hashes) {
        if (isAway) throw new Error('the store is away')
        return new Set(hashes)
      },
    },
  })
  for (let n = 0; n < network.burst; n++) keys.note('one')
  await expect(keys.isWrong('one', 'valid')).rejects.toBeInstanceOf(StoreUnavailable)
  isAway = false
  await expect(keys.isWrong('one', 'valid')).resolves.toBe(false)
})

/** In `npm run test:long`, a million addresses send wrong keys. */
const networks = isLong ? 1_000_000 : 50_000

test(`wrong keys from ${networks} addresses use less than 32 MB`, () => {
  const before = memory()
  const { keys } = wrongKeys()
  for (let n = 0; n < networks; n++) keys.note(`${n & 255}.${(n >> 8) & 255}.${(n >> 16) & 255}.7 app_1`)
  const grown = memory() - before
  // This call keeps the table in memory until after the measurement.
  keys.note('last')
  process.stdout.write(`wrong keys of ${networks} addresses: ${(grown / 1e6).toFixed(1)} MB\n`)
  expect(grown).toBeLessThan(32e6)
})

/** Returns the memory in use after a garbage collection. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
