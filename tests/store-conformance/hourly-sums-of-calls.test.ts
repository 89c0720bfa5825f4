/** SEED=<seed> repeats a run with the same random histories. */
import { describe, expect, test } from 'vitest'
import { hourMs } from '#money/periods-and-windows.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'
import { callsPerHour, type Engine, engines, Life } from './generate-call-histories.ts'

const histories = isLong ? 2 : 1
const steps = isLong ? 240 : 120

describe.each(engines)('sums by the hour on $name', ({ name, open }) => {
  test.each(Array.from({ length: histories }, (_, history) => ({ history })))(
    'after a random history, the hourly sums equal a recount of the rows (history $history)',
    ({ history }) => {
      const seed = (seedOfRun() + history) >>> 0
      return withSeed(seed - history, async () => {
        const random = randomFrom(seed)
        // The function that injects faults cannot be sent to a thread.
        const hasFaults = name !== 'SQLite, writer on a thread'
        const life = new Life(random, open, hasFaults)
        await life.begin()
        try {
          for (let step = 0; step < steps; step++) await life.step()
          await expectSums(life)
        } finally {
          await life.end()
        }
      })
    },
    isLong ? 600_000 : 120_000,
  )

  test('a process that continues to run computes its hourly sums without reading rows', async () => {
    const inMemory = await rowsPerCall(open, true)
    const fromRows = await rowsPerCall(open, false)
    console.info(`rows read per call on ${name}: ${fromRows} without sums in memory, ${inMemory} with them`)
    // The calls of an hour are read once if the writer has moved during the hour.
    if (name === 'SQLite, writer that moves') expect(inMemory).toBeLessThanOrEqual(1)
    else expect(inMemory).toBe(0)
    // The process reads each hour three times: for its own sum, and for the sums of the next two hours.
    expect(fromRows).toBeGreaterThan(3)
  })

  test('after a restart, a process reads rows only for earlier hours and for the first full hour', async () => {
    const life = new Life(randomFrom(7), open, false)
    await life.begin()
    try {
      await life.hoursOfCalls(6, true)
      await life.restart()
      await life.hoursOfCalls(1, true)
      const atRestart = life.rowsRead
      await life.hoursOfCalls(6, true)
      expect(atRestart).toBeGreaterThan(0)
      if (name !== 'SQLite, writer that moves')
        expect(life.rowsRead - atRestart).toBeLessThanOrEqual(callsPerHour)
      await expectSums(life)
    } finally {
      await life.end()
    }
  })

  test('after days in which no process ran, one transaction stores the sums of all hours without calls', async () => {
    const life = new Life(randomFrom(7), open, false)
    await life.begin()
    try {
      await life.hoursOfCalls(2, true)
      const began = life.transactions
      life.clock.nowMs += 3 * 24 * hourMs
      await life.restart()
      // All hours without calls together need one transaction. The last hours are computed again, and each needs one
      // more.
      expect(life.transactions - began).toBeLessThanOrEqual(4)
      await life.hoursOfCalls(1, true)
      life.clock.nowMs += 3 * hourMs
      await life.wholeCall()
      await expectSums(life)
    } finally {
      await life.end()
    }
  })

  test('if the server stops, the job stores no further hour, and the next run stores the others', async () => {
    const life = new Life(randomFrom(7), open, false)
    await life.begin()
    try {
      for (let hour = 0; hour < 5; hour++) {
        for (let call = 0; call < callsPerHour; call++) await life.wholeCall()
        life.clock.nowMs += hourMs
      }
      const [store] = life.stores
      const ending = new AbortController()
      const began = life.transactions
      await life.fold(store, true, { ending: ending.signal, onCommit: () => ending.abort() })
      expect(life.transactions - began).toBe(1)
      await life.fold(store, true, { ending: ending.signal })
      expect(life.transactions - began).toBe(1)
      await expectSums(life)
    } finally {
      await life.end()
    }
  })
})

async function rowsPerCall(open: Engine['open'], hasMemory: boolean): Promise<number> {
  const life = new Life(randomFrom(7), open, false)
  await life.begin()
  try {
    await life.hoursOfCalls(2, hasMemory)
    const before = { calls: life.calls, rows: life.rowsRead }
    await life.hoursOfCalls(8, hasMemory)
    const rows = life.rowsRead - before.rows
    const calls = life.calls - before.calls
    await expectSums(life)
    return rows / calls
  } finally {
    await life.end()
  }
}

async function expectSums(life: Life): Promise<void> {
  const { counted, hours, stored } = await life.sums()
  expect(hours).toBeGreaterThan(2)
  expect(stored).toEqual(counted)
}
