import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { RetryBudget } from './retry-budget.ts'

function granted(budget: RetryBudget, asked: number, nowMs: number): number {
  return Array.from({ length: asked }, () => budget.tryRetry('app', nowMs)).filter(Boolean).length
}
function calls(budget: RetryBudget, count: number, nowMs: number): void {
  for (let call = 0; call < count; call++) budget.callBegan('app', nowMs)
}

it('an application with few calls has ten retries per minute', () => {
  const budget = new RetryBudget()
  expect(granted(budget, 20, 0)).toBe(10)
  expect(granted(budget, 20, 59_999)).toBe(0)
  expect(granted(budget, 20, 60_000)).toBe(10)
})

it('if the clock is set back by an hour, the retries of earlier minutes no longer count', () => {
  const hourMs = 3_600_000
  const budget = new RetryBudget()
  expect(granted(budget, 20, hourMs)).toBe(10)
  expect(granted(budget, 20, hourMs - 20_000)).toBe(0)
  expect(granted(budget, 20, 0)).toBe(10)
  expect(granted(budget, 20, 60_000)).toBe(10)
})

it('an application with many calls has one retry per five calls of the last minute', () => {
  const budget = new RetryBudget()
  calls(budget, 54, 0)
  expect(granted(budget, 30, 0)).toBe(10)
  calls(budget, 1, 1)
  expect(granted(budget, 30, 1)).toBe(1)
  calls(budget, 945, 2)
  expect(granted(budget, 1_000, 2)).toBe(189)
})

it('applications have separate budgets', () => {
  const budget = new RetryBudget()
  expect(granted(budget, 20, 0)).toBe(10)
  expect(budget.tryRetry('other', 0)).toBe(true)
})

it('the number of remembered applications is limited, and the application that has been idle longest is removed', () => {
  const budget = new RetryBudget(2)
  granted(budget, 20, 0)
  budget.callBegan('second', 10_000)
  budget.callBegan('app', 20_000)
  budget.callBegan('third', 20_000)
  expect(budget.tryRetry('app', 20_000)).toBe(false)
  budget.callBegan('fourth', 90_000)
  budget.callBegan('fifth', 90_000)
  expect(budget.tryRetry('app', 90_000)).toBe(true)
})

it('retries never exceed the budget, and are rejected only if they would exceed it: 10,000 runs', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          passesMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 90_000 })),
          calls: fc.integer({ min: 0, max: 60 }),
          retries: fc.integer({ min: 0, max: 30 }),
        }),
        { maxLength: 25 },
      ),
      (steps) => {
        const budget = new RetryBudget()
        const callsOf = new Map<number, number>()
        const retriesOf = new Map<number, number>()
        let nowMs = 5_000_000
        for (const step of steps) {
          nowMs += step.passesMs
          const slot = Math.floor(nowMs / 10_000)
          calls(budget, step.calls, nowMs)
          callsOf.set(slot, (callsOf.get(slot) ?? 0) + step.calls)
          let mayBe = 0
          while (
            mayBe < step.retries &&
            inMinute(retriesOf, slot) + mayBe + 1 <= Math.max(10, inMinute(callsOf, slot) * 0.2)
          )
            mayBe++
          expect(granted(budget, step.retries, nowMs)).toBe(mayBe)
          retriesOf.set(slot, (retriesOf.get(slot) ?? 0) + mayBe)
        }
      },
    ),
    propertyRuns(10_000),
  )
})

function inMinute(counts: ReadonlyMap<number, number>, slot: number): number {
  let sum = 0
  for (let back = 0; back < 6; back++) sum += counts.get(slot - back) ?? 0
  return sum
}
