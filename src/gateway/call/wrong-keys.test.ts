import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger.ts'
import { isLong } from '#tests/support/suite.ts'
import { WrongKeys } from './wrong-keys.ts'

const limits = { perSecond: 5, burst: 60, pauseMs: 0 }

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
    keys.admit(place, hash).then(
      () => 'read',
      (error: { code: string }) => error.code,
    )
  return { clock, keys, queries, outcomeOf }
}

test('a network may send a burst of wrong keys, and then as many as its rate allows', async () => {
  const { clock, keys, outcomeOf, queries } = wrongKeys()
  for (let n = 0; n < limits.burst; n++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await outcomeOf('one', 'wrong')).toBe('read')
    keys.note('one')
  }
  expect(queries).toEqual([])
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  await expect(keys.admit('one', 'wrong')).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } })
  clock.nowMs += 1000 / limits.perSecond
  expect(await outcomeOf('one', 'wrong')).toBe('read')
  keys.note('one')
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  expect(await outcomeOf('other', 'wrong')).toBe('read')
  clock.nowMs += 60_000
  for (let n = 0; n < 2 * limits.burst; n++) keys.note('one')
  expect(await outcomeOf('one', 'wrong')).toBe('rate_limited')
  clock.nowMs += 1000 / limits.perSecond
  expect(await outcomeOf('one', 'wrong')).toBe('read')
})

test('a valid key of a flooding network is always served, and one query at a time looks up all keys that wait', async () => {
  const { keys, outcomeOf, queries } = wrongKeys(['valid'], { ...limits, pauseMs: 1 })
  for (let n = 0; n < limits.burst; n++) keys.note('one')
  const flood = Array.from({ length: 250 }, (_, n) => outcomeOf('one', `wrong-${n}`))
  expect(await outcomeOf('one', 'valid')).toBe('read')
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['rate_limited']))
  expect(queries.map(({ length }) => length)).toEqual([100, 100, 51])
})

test('the store is asked again after it failed, and the key does not count as wrong', async () => {
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
  for (let n = 0; n < limits.burst; n++) keys.note('one')
  await expect(keys.admit('one', 'valid')).rejects.toBeInstanceOf(StoreUnavailable)
  isAway = false
  await expect(keys.admit('one', 'valid')).resolves.toBeUndefined()
})

/** `npm run test:long` counts wrong keys of a million addresses. */
const networks = isLong ? 1_000_000 : 50_000

test(`wrong keys from ${networks} addresses use less than 32 MB`, () => {
  const before = memory()
  const { keys } = wrongKeys()
  for (let n = 0; n < networks; n++) keys.note(`${n & 255}.${(n >> 8) & 255}.${(n >> 16) & 255}.7 app_1`)
  const grown = memory() - before
  process.stdout.write(`wrong keys of ${networks} addresses: ${(grown / 1e6).toFixed(1)} MB\n`)
  expect(grown).toBeLessThan(32e6)
})

/** Memory of the process that is in use after a collection. */
function memory(): number {
  globalThis.gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
