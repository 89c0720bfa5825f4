import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hourMs } from '#money/periods-and-windows.ts'
import { runHourly } from './run-hourly.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the work runs immediately and then every hour, even after a failed run', async () => {
  const faults: unknown[] = []
  let runs = 0
  const end = runHourly(
    async () => {
      runs++
      if (runs === 2) throw new Error('the store is away')
    },
    (error) => faults.push(error),
  )
  await vi.advanceTimersByTimeAsync(0)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(hourMs)
  await vi.advanceTimersByTimeAsync(hourMs)
  expect([runs, String(faults[0])]).toEqual([3, 'Error: the store is away'])
  await end()
  await vi.advanceTimersByTimeAsync(3 * hourMs)
  expect(runs).toBe(3)
})

test('with a given minute of the hour, the work runs immediately and then every hour at that minute', async () => {
  vi.setSystemTime(Date.UTC(2026, 10, 28, 12, 50))
  const runs: string[] = []
  const end = runHourly(
    () => Promise.resolve(runs.push(new Date().toISOString().slice(11, 16))),
    () => {},
    6 * 60_000,
  )
  await vi.advanceTimersByTimeAsync(0)
  // A change of the clock delays only one run.
  await vi.advanceTimersByTimeAsync(hourMs)
  vi.setSystemTime(Date.UTC(2026, 10, 28, 13, 20))
  await vi.advanceTimersByTimeAsync(3 * hourMs)
  await end()
  expect(runs).toEqual(['12:50', '13:06', '13:36', '14:06', '15:06', '16:06'])
})

test('a run that is due during a longer run does not begin after a stop', async () => {
  let runs = 0
  const work = Promise.withResolvers<void>()
  const end = runHourly(
    () => {
      runs += 1
      return work.promise
    },
    () => {},
  )
  await vi.advanceTimersByTimeAsync(hourMs)
  const ended = end()
  work.resolve()
  await ended
  expect(runs).toBe(1)
})

test('a stop signals the running work to end, and waits until the work has ended', async () => {
  const told: string[] = []
  const end = runHourly(
    (ending) =>
      new Promise<void>((resolve) => {
        ending.addEventListener('abort', () => {
          told.push('ending')
          resolve()
        })
      }),
    () => {},
  )
  await vi.advanceTimersByTimeAsync(0)
  await end()
  expect(told).toEqual(['ending'])
})
