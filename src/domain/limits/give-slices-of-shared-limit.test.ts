import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountOf, countingSlots, slotAt } from '#money/rate-limit.ts'
import { rateWindows, type RateSlot, type RateWindow } from '#money/decision-types.ts'
import { exchangeSlice } from './give-slices-of-shared-limit.ts'

const slot = (slotStartsAtMs: number, window: RateWindow = 'month') => ({ slotStartsAtMs, window })
const need = (whole: bigint, least = whole) => ({ whole, least })
const wanting = (whole: bigint, most = 100n) => ({ most, needs: [need(whole)], returned: [] })

describe('a slice of a shared limit', () => {
  it('a slice is the needed amount plus a share of the remaining limit; the share shrinks to nothing as the limit is used up', () => {
    expect(exchangeSlice([], wanting(1n, 3_201n), slot(0))).toEqual({
      granted: 101n,
      isWhole: true,
      taken: [{ startsAtMs: 0, amount: 101n }],
    })
    expect(exchangeSlice([], wanting(1n, 33n), slot(0)).granted).toBe(2n)
    expect(exchangeSlice([], wanting(1n, 32n), slot(0)).granted).toBe(1n)
    expect(exchangeSlice([], wanting(1n, 1n), slot(0)).granted).toBe(1n)
  })

  it('a slice of a limit that never resets covers at most 16 further requests, because the slice is lost if its process dies', () => {
    const granted = (whole: bigint, most: bigint) =>
      exchangeSlice([], wanting(whole, most), slot(0, 'total')).granted
    expect([granted(1n, 1n + 32n * 15n), granted(1n, 1n + 32n * 16n), granted(1n, 1_000_000n)]).toEqual([
      16n,
      17n,
      17n,
    ])
    expect(granted(50n, 1_000_000n)).toBe(17n * 50n)
  })

  it('a slice covers whole requests, without a remainder that is too small for a request', () => {
    const taken = [{ startsAtMs: 0, amount: 90n }]
    const needs = [need(4n), need(7n), need(5n), need(1n)]
    expect(exchangeSlice(taken, { most: 100n, needs, returned: [] }, slot(0))).toEqual({
      granted: 10n,
      isWhole: false,
      taken: [{ startsAtMs: 0, amount: 100n }],
    })
    expect(
      exchangeSlice(taken, { most: 98n, needs: needs.slice(1, 3), returned: [] }, slot(0)),
    ).toMatchObject({
      granted: 7n,
      isWhole: false,
    })
    expect(exchangeSlice(taken, { most: 96n, needs: [need(7n)], returned: [] }, slot(0))).toMatchObject({
      granted: 0n,
      taken,
    })
  })

  it('if the remainder of a limit is enough for a request to start, the slice is the whole remainder', () => {
    const needs = [need(90n, 20n), need(40n, 30n), need(5n)]
    expect(exchangeSlice([], { most: 129n, needs, returned: [] }, slot(0))).toMatchObject({
      granted: 129n,
      isWhole: false,
    })
  })

  it('a slice is empty if the limit is used up', () => {
    const taken = [{ startsAtMs: 0, amount: 97n }]
    for (const most of [97n, 50n])
      expect(exchangeSlice(taken, wanting(1n, most), slot(0))).toEqual({ granted: 0n, isWhole: false, taken })
  })

  it('a slice counts in the time slot in which it is taken, and a returned amount is subtracted from that slot', () => {
    const taken = [
      { startsAtMs: 0, amount: 60n },
      { startsAtMs: 300_000, amount: 40n },
    ]
    const returned = [
      { startsAtMs: 0, amount: 60n },
      { startsAtMs: 300_000, amount: 10n },
    ]
    expect(exchangeSlice(taken, { most: 100n, needs: [need(70n)], returned }, slot(600_000))).toEqual({
      granted: 70n,
      isWhole: true,
      taken: [
        { startsAtMs: 300_000, amount: 30n },
        { startsAtMs: 600_000, amount: 70n },
      ],
    })
  })

  it('all spending is counted, even beyond the slice and the limit', () => {
    const returned = [{ startsAtMs: 0, amount: -30n }]
    const taken = [{ startsAtMs: 0, amount: 90n }]
    expect(exchangeSlice(taken, { most: 100n, needs: [need(1n)], returned }, slot(0))).toEqual({
      granted: 0n,
      isWhole: false,
      taken: [{ startsAtMs: 0, amount: 120n }],
    })
  })

  it('if an unspent amount was taken in a time slot that has left the window, returning the amount changes nothing', () => {
    const returned = [{ startsAtMs: 0, amount: 30n }]
    const taken = [{ startsAtMs: 300_000, amount: 90n }]
    expect(exchangeSlice(taken, { most: 100n, needs: [], returned }, slot(300_000))).toEqual({
      granted: 0n,
      isWhole: true,
      taken,
    })
  })
})

describe('several processes with a shared limit', () => {
  it('processes with a shared limit never spend more than the limit in a window, even if some processes die and the clock moves', () => {
    const windows = fc.constantFrom(...rateWindows)
    const steps = fc.array(
      fc.record({
        process: fc.nat(3),
        forwardMs: fc.oneof(fc.constant(0), fc.nat(20_000), fc.nat(20 * 60_000), fc.nat(20 * 86_400_000)),
        needs: fc.array(
          fc.bigInt(0n, 40n).chain((whole) => fc.bigInt(0n, whole).map((least) => ({ whole, least }))),
          { maxLength: 4 },
        ),
        spent: fc.bigInt(0n, 60n),
        dies: fc.nat(20).map((chance) => chance === 0),
      }),
      { maxLength: 40 },
    )
    const most = fc.bigInt(0n, 300n)
    const startMs = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) })
    const check = fc.property(windows, startMs, most, steps, (window, start, limit, all) => {
      let nowMs = start
      let taken: readonly RateSlot[] = []
      const unspent = Array.from({ length: 4 }, () => new Map<number, bigint>())
      const uses: { readonly atMs: number; readonly amount: bigint }[] = []
      for (const { dies, forwardMs, needs, process, spent } of all) {
        nowMs += forwardMs
        const slotStartsAtMs = slotAt(window, nowMs).startsAtMs
        const own = unspent[process] ?? new Map<number, bigint>()
        const returned = [...own].map(([startsAtMs, amount]) => ({ startsAtMs, amount }))
        const grant = exchangeSlice(
          countingSlots(window, taken, nowMs),
          { most: limit, needs, returned: countingSlots(window, returned, nowMs) },
          { slotStartsAtMs, window },
        )
        taken = grant.taken
        own.clear()
        const used = spent < grant.granted ? spent : grant.granted
        if (grant.granted > used && !dies) own.set(slotStartsAtMs, grant.granted - used)
        if (used > 0n) uses.push({ atMs: nowMs, amount: used })
        // The naive model adds up all usage within the window, as a single process would.
        const counted = uses.map(({ amount, atMs }) => ({
          startsAtMs: slotAt(window, atMs).startsAtMs,
          amount,
        }))
        expect(amountOf(countingSlots(window, counted, nowMs))).toBeLessThanOrEqual(limit)
        const wanted = needs.reduce((sum, { whole }) => sum + whole, 0n)
        if (grant.isWhole) expect(grant.granted).toBeGreaterThanOrEqual(wanted)
        // If the grant does not cover all needs, the remaining amount was less than the largest need.
        else expect(limit - amountOf(grant.taken)).toBeLessThan(needs.reduce(mostOf, 0n))
      }
    })
    assertAll(check)
  })

  it('no response is shortened if all requests need the same amount and the shared limit is a multiple of this amount', () => {
    const size = fc.bigInt(1n, 40n)
    const steps = fc.array(fc.record({ process: fc.nat(3), requests: fc.integer({ min: 1, max: 20 }) }), {
      maxLength: 60,
    })
    const check = fc.property(size, fc.bigInt(0n, 300n), steps, (whole, requestsMax, all) => {
      let taken: readonly RateSlot[] = []
      let served = 0n
      const unspent = [0n, 0n, 0n, 0n]
      for (const { process, requests } of all) {
        let own = unspent[process] ?? 0n
        let waiting = BigInt(requests)
        const serve = (): void => {
          const fitting = own / whole < waiting ? own / whole : waiting
          own -= fitting * whole
          waiting -= fitting
          served += fitting
        }
        serve()
        if (waiting > 0n) {
          const needs = Array.from({ length: Number(waiting) }, () => need(whole, 1n))
          const returned = [{ startsAtMs: 0, amount: own }]
          const grant = exchangeSlice(taken, { most: requestsMax * whole, needs, returned }, slot(0))
          taken = grant.taken
          own = grant.granted
          serve()
          // If requests still wait, the process must have kept no part of its slice. Otherwise, a waiting request would
          // start with too small an amount, and its response would be shortened.
          if (waiting > 0n) expect(own).toBe(0n)
        }
        unspent[process] = own
      }
      expect(served).toBeLessThanOrEqual(requestsMax)
    })
    assertAll(check)
  })
})

function assertAll(property: fc.IRawProperty<unknown, false>): void {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`slices of limits: FC_SEED=${seed}\n`)
  fc.assert(property, { numRuns: Number(process.env['FC_RUNS'] ?? 500), seed })
}

function mostOf(most: bigint, { whole }: { readonly whole: bigint }): bigint {
  return whole > most ? whole : most
}
