/**
 * Simulates the event loop, and checks the goals for an overload (bench/README.md, `overload`) with the default limits.
 * Nothing depends on real time, so a machine of any speed gives the same result.
 */
import { describe, expect, test } from 'vitest'
import { reachableGoodput, simulateOverload } from '#tests/support/simulated-overload.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'

const limits = { ...gatewayLimits.admission, waitMsEnd: 750 }
const seconds = 6

function p99(ms: readonly number[]): number {
  return ms.toSorted((one, other) => one - other)[Math.floor(ms.length * 0.99)] ?? Infinity
}

describe.each([1, 2])('overload of a machine on which requests take %i times the usual time', (slowness) => {
  const at = (multiple: number) => simulateOverload({ multiple, slowness, seconds, limits })

  test('at five times the capacity, the gateway responds fast to admitted requests, rejected requests and /health', () => {
    const { admittedMs, goodput, healthMs, neighborRejected, rejectedMs } = at(5)
    expect(goodput).toBeGreaterThan(0.9 * reachableGoodput(5))
    expect(p99(admittedMs)).toBeLessThan(1_000)
    expect(p99(rejectedMs)).toBeLessThan(100)
    expect(p99(healthMs)).toBeLessThan(100)
    expect(neighborRejected).toBe(0)
  })

  test('at five times the capacity, connections of rejected clients rest, so that nearly all time is left for calls', () => {
    const times = simulateOverload({ multiple: 5, slowness, seconds, limits, connections: 1_600 })
    const { admittedMs, goodput, healthMs, neighborRejected } = times
    expect(goodput).toBeGreaterThan(0.9)
    expect(p99(admittedMs)).toBeLessThan(1_000)
    expect(p99(healthMs)).toBeLessThan(100)
    expect(neighborRejected).toBe(0)
  })

  test('if the database is slower than the event loop, admitted requests take less than a second', () => {
    const database = { batchMs: 3, commitMs: 0.17 }
    const times = simulateOverload({
      multiple: 5,
      slowness,
      seconds,
      limits,
      connections: 3_000,
      stagesMs: 0.12,
      database,
    })
    expect(times.goodput).toBeGreaterThan(0.8)
    expect(p99(times.admittedMs)).toBeLessThan(1_000)
    expect(p99(times.neighborMs)).toBeLessThan(300)
    expect(times.neighborRejected).toBe(0)
  })

  test('if 8,000 connections send their first requests together, the requests of a second application hardly wait for the rejections', () => {
    const times = simulateOverload({
      multiple: 10,
      slowness,
      seconds,
      limits,
      connections: 8_000,
      stagesMs: 0.12,
    })
    expect(p99(times.neighborMs)).toBeLessThan(125 * slowness)
    expect(p99(times.healthMs)).toBeLessThan(100)
    expect(times.neighborRejected).toBe(0)
  })

  test('if one application sends ten times the capacity, the requests of a second application take at most twice as long as at exactly the capacity', () => {
    const { goodput, healthMs, neighborMs, neighborRejected } = at(10)
    expect(p99(neighborMs)).toBeLessThan(2 * p99(at(1).neighborMs))
    expect(goodput).toBeGreaterThan(0.9 * reachableGoodput(10))
    expect(p99(healthMs)).toBeLessThan(100)
    expect(neighborRejected).toBe(0)
  })
})
