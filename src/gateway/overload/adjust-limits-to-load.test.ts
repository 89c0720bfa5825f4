import { expect, test } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import {
  type Capacity,
  type CapacityBounds,
  initialCapacity,
  type Measured,
  nextCapacity,
} from './adjust-limits-to-load.ts'

const bounds: CapacityBounds = {
  inFlightMin: 64,
  inFlightMax: 10_000,
  waitingMin: 256,
  waitingMax: 1_024,
  loopDelayMsMax: 75,
  memoryShareMax: 0.9,
  waitMsEnd: 750,
}
const calm: Measured = {
  loopDelayMs: 1,
  rejectionMs: 0,
  memoryShare: 0.2,
  inFlight: 0,
  started: null,
  elapsedMs: 50,
}

test('if the event loop is slow, the ceiling falls below the number of requests in flight, but never below half of this number', () => {
  const at = (loopDelayMs: number) =>
    nextCapacity(initialCapacity(bounds), { ...calm, inFlight: 1_000, loopDelayMs }, bounds).inFlightMax
  expect([at(75), at(100), at(150), at(10_000)]).toEqual([10_000, 750, 500, 500])
})

test('a delay that rejections cause does not lower the ceiling of requests in flight', () => {
  const at = (rejectionMs: number) =>
    nextCapacity(initialCapacity(bounds), { ...calm, inFlight: 1_000, loopDelayMs: 200, rejectionMs }, bounds)
      .inFlightMax
  expect([at(0), at(100), at(125), at(400)]).toEqual([500, 750, 10_000, 10_000])
})

test('lasting pressure never lowers the ceiling below half of the requests in flight, and steps without pressure raise the ceiling again', () => {
  let capacity = initialCapacity(bounds)
  for (let step = 0; step < 10; step++)
    capacity = nextCapacity(capacity, { ...calm, inFlight: 2_000, loopDelayMs: 1_000 }, bounds)
  expect(capacity.inFlightMax).toBe(1_000)
  for (let step = 0; step < 4; step++) capacity = nextCapacity(capacity, { ...calm, inFlight: 2_000 }, bounds)
  expect(capacity.inFlightMax).toBeGreaterThan(2_000)
})

test('high memory usage lowers the ceiling of requests in flight, as a slow event loop does', () => {
  const measured = { ...calm, inFlight: 1_000, memoryShare: 0.99 }
  expect(nextCapacity(initialCapacity(bounds), measured, bounds).inFlightMax).toBe(909)
})

test('the queue has room for as many requests as can start within two thirds of the maximum wait', () => {
  const at = (started: number) =>
    nextCapacity(initialCapacity(bounds), { ...calm, started }, bounds).waitingMax
  expect(at(80)).toBe(800)
  expect(at(1)).toBe(bounds.waitingMin)
  expect(at(1_000)).toBe(bounds.waitingMax)
})

test('if no request has waited during the last second, the queue may reach its maximum length again', () => {
  let capacity: Capacity = { inFlightMax: 100, waitingMax: 256, startsPerSecond: 100 }
  const lengths = Array.from({ length: 20 }, () => {
    capacity = nextCapacity(capacity, calm, bounds)
    return capacity.waitingMax
  })
  expect(lengths).toEqual(lengths.toSorted((one, other) => one - other))
  expect(lengths[0]).toBe(bounds.waitingMin)
  expect(capacity).toMatchObject({ waitingMax: bounds.waitingMax, startsPerSecond: null })
  expect(nextCapacity(capacity, { ...calm, started: 40 }, bounds)).toMatchObject({
    waitingMax: 400,
    startsPerSecond: 800,
  })
})

test('for any measurements, the capacity stays within its limits, and without pressure, it recovers within 32 steps', () => {
  const seed = seedOfRun()
  const random = randomFrom(seed)
  const next = (): number => random.next()
  for (let round = 0; round < 40; round++) {
    let capacity = initialCapacity(bounds)
    for (let step = 0; step < 50; step++) {
      const measured: Measured = {
        loopDelayMs: next() * 500,
        rejectionMs: next() * 500,
        memoryShare: next(),
        inFlight: Math.floor(next() * 12_000),
        started: next() < 0.5 ? null : Math.floor(next() * 500),
        elapsedMs: next() < 0.1 ? 0 : 50 + next() * 500,
      }
      const after = nextCapacity(capacity, measured, bounds)
      expect(nextCapacity(capacity, measured, bounds), `SEED=${seed}`).toEqual(after)
      expect(after.inFlightMax, `SEED=${seed}`).toBeGreaterThanOrEqual(bounds.inFlightMin)
      expect(after.inFlightMax, `SEED=${seed}`).toBeLessThanOrEqual(bounds.inFlightMax)
      expect(after.waitingMax, `SEED=${seed}`).toBeGreaterThanOrEqual(bounds.waitingMin)
      expect(after.waitingMax, `SEED=${seed}`).toBeLessThanOrEqual(bounds.waitingMax)
      const slower = nextCapacity(capacity, { ...measured, loopDelayMs: measured.loopDelayMs + 100 }, bounds)
      expect(slower.inFlightMax, `SEED=${seed}`).toBeLessThanOrEqual(after.inFlightMax)
      capacity = after
    }
    for (let step = 0; step < 32; step++) capacity = nextCapacity(capacity, calm, bounds)
    expect(capacity.inFlightMax, `SEED=${seed}`).toBe(bounds.inFlightMax)
  }
})
