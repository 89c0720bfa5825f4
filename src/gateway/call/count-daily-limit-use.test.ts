import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DailyLimit, DayUse } from '#domain/daily-limits.ts'
import { Failure } from '#domain/errors.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { DailyUse, type DayShare } from './count-daily-limit-use.ts'

const midnight = Date.UTC(2026, 10, 20)

/** The test sets the sums that this fake store returns, and decides when a read completes. */
class World {
  nowMs = midnight + dayMs / 2
  monotonicMs = 0
  calls = 0
  spentMicros = 0n
  readonly held = new Map<string, bigint>()
  reads = 0
  /** The start of the day of each read. */
  readonly daysRead: number[] = []
  /** Reads of the store wait for this promise. */
  gate: Promise<void> | null = null
  /** Reads of the store wait for this promise before they read the calls in flight. */
  gateBefore: Promise<void> | null = null
  fault: Error | null = null
  readonly warnings: string[] = []
  readonly use: DailyUse

  constructor(isShared: boolean) {
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: object, text: string) => void this.warnings.push(text),
    }
    this.use = new DailyUse({
      directory: {
        config: async () => null,
        configVersion: async () => null,
        key: async () => null,
        keysAmong: async () => new Set(),
        overdueInvoice: async () => null,
        means: async () => ({ isFrozen: false, micros: null, hasCredits: false }),
        applications: async () => [],
        dayUse: (_, startsAtMs) => this.#read(startsAtMs),
      },
      clock: { nowMs: () => this.nowMs, monotonicMs: () => this.monotonicMs },
      log,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other limit is read
      limits: { dailyUse: { isShared, refreshMs: 1_000 } } as never,
    })
  }

  async #read(startsAtMs: number): Promise<DayUse> {
    this.reads++
    this.daysRead.push(startsAtMs)
    await this.gateBefore
    const inFlight = [...this.held].map(([callId, worstMicros]) => ({ callId, worstMicros }))
    await this.gate
    if (this.fault) throw this.fault
    return { calls: this.calls, spentMicros: this.spentMicros, inFlight }
  }

  async admit(limit: Partial<DailyLimit>, callId: string, worstMicros = 10n): Promise<DayShare | Failure> {
    const whole = { applicationId: null, callsMax: null, spendMaxMicros: null, setAtMs: 1, ...limit }
    const share = await this.use.admit([whole], { callId, organizationId: 'org_1', worstMicros })
    if (!(share instanceof Failure)) {
      this.held.set(callId, worstMicros)
      share.holds(worstMicros)
    }
    return share
  }

  settle(callId: string, share: DayShare | Failure, costMicros: bigint): void {
    if (share instanceof Failure) throw share
    this.held.delete(callId)
    this.calls++
    this.spentMicros += costMicros
    share.settled(costMicros, this.nowMs)
  }

  /** @param costMicros the provider cost of failed attempts */
  release(callId: string, share: DayShare | Failure, costMicros = 0n): void {
    if (share instanceof Failure) throw share
    this.held.delete(callId)
    this.spentMicros += costMicros
    share.failed(costMicros, this.nowMs)
  }
}

const isRefused = (share: DayShare | Failure): boolean => share instanceof Failure

describe('a daily limit of calls', () => {
  it('concurrent calls are admitted up to the daily limit, with a single read of the store', async () => {
    const world = new World(false)
    world.calls = 3
    const crowd = await Promise.all(
      Array.from({ length: 100 }, (_, i) => world.admit({ callsMax: 10 }, `call-${i}`)),
    )
    expect(crowd.filter((share) => !isRefused(share))).toHaveLength(7)
    expect(world.reads).toBe(1)
  })

  it('a failed call no longer counts toward the daily limit, and a charged call counts until midnight', async () => {
    const world = new World(false)
    const first = await world.admit({ callsMax: 1 }, 'a')
    expect(isRefused(await world.admit({ callsMax: 1 }, 'b'))).toBe(true)
    world.release('a', first)
    const second = await world.admit({ callsMax: 1 }, 'b')
    world.settle('b', second, 5n)
    expect(await world.admit({ callsMax: 1 }, 'c')).toMatchObject({
      code: 'organization_limit_reached',
      details: { limitSource: 'calls_per_day', resetsAt: '2026-11-21T00:00:00.000Z' },
      operatorDetails: { scope: 'organization', limit: '1', used: '1' },
    })
    world.nowMs = midnight + dayMs - 1
    expect(isRefused(await world.admit({ callsMax: 1 }, 'c'))).toBe(true)
    world.nowMs = midnight + dayMs
    world.calls = 0
    world.spentMicros = 0n
    expect(isRefused(await world.admit({ callsMax: 1 }, 'c'))).toBe(false)
  })

  it('a call that is in flight at midnight counts on the day of its charge', async () => {
    const world = new World(false)
    const over = await world.admit({ callsMax: 1 }, 'a')
    world.nowMs = midnight + dayMs + 1
    expect(isRefused(await world.admit({ callsMax: 1 }, 'b'))).toBe(true)
    world.settle('a', over, 5n)
    expect(isRefused(await world.admit({ callsMax: 1 }, 'b'))).toBe(true)
  })

  /** Admits a call before midnight, and another after midnight, while the reads of both wait for their gates. */
  const admitAcrossMidnight = <T>(world: World, admit: (callId: string) => Promise<T>) => {
    const [before, after] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    world.gateBefore = before.promise
    const early = admit('early')
    world.nowMs = midnight + dayMs
    world.gateBefore = after.promise
    const late = admit('late')
    return { early, late, openEarly: before.resolve, openLate: after.resolve }
  }

  it('a call that waits for a read at midnight is admitted by the use of the new day', async () => {
    const world = new World(false)
    world.calls = 1
    const { early, late, openEarly, openLate } = admitAcrossMidnight(world, (callId) =>
      world.admit({ callsMax: 1 }, callId),
    )
    openEarly()
    await new Promise(setImmediate)
    openLate()
    for (const refused of await Promise.all([early, late]))
      expect(refused).toMatchObject({ details: { resetsAt: '2026-11-22T00:00:00.000Z' } })
  })

  it('a call that waits for a read at midnight sets no tally back to the previous day', async () => {
    const world = new World(false)
    const limit = { callsMax: 9, spendMaxMicros: null, setAtMs: 1 }
    const limits = [
      { ...limit, applicationId: null },
      { ...limit, applicationId: 'app_1' },
    ]
    const { early, late, openEarly, openLate } = admitAcrossMidnight(world, (callId) =>
      world.use.admit(limits, { callId, organizationId: 'org_1', worstMicros: 1n }),
    )
    openLate()
    await late
    openEarly()
    await early
    expect(world.daysRead).toEqual(world.daysRead.toSorted((a, b) => a - b))
    expect(new Set(world.daysRead)).toEqual(new Set([midnight, midnight + dayMs]))
  })

  it('a daily limit of 0 rejects every call', async () => {
    expect(isRefused(await new World(false).admit({ callsMax: 0 }, 'a'))).toBe(true)
  })
})

describe('a daily spend limit', () => {
  it('a daily spend limit counts the worst-case cost of calls in flight, and the actual cost of ended calls', async () => {
    const world = new World(false)
    const limit = { spendMaxMicros: 100n }
    const first = await world.admit(limit, 'a', 60n)
    expect(await world.admit(limit, 'b', 41n)).toMatchObject({
      details: { limitSource: 'spend_per_day' },
      operatorDetails: { limit: '100', used: '60', requested: '41' },
    })
    const second = await world.admit(limit, 'b', 40n)
    world.settle('a', first, 10n)
    const third = await world.admit(limit, 'c', 50n)
    expect(isRefused(third)).toBe(false)
    world.settle('b', second, 40n)
    world.settle('c', third, 50n)
    expect(isRefused(await world.admit(limit, 'd', 1n))).toBe(true)
    expect(isRefused(await world.admit(limit, 'd', 0n))).toBe(false)
  })

  it('the amount that a call counts toward a daily limit grows with its hold', async () => {
    const world = new World(false)
    const limit = { spendMaxMicros: 100n }
    const share = await world.admit(limit, 'a', 10n)
    if (!(share instanceof Failure)) share.holds(95n)
    expect(isRefused(await world.admit(limit, 'b', 6n))).toBe(true)
    expect(isRefused(await world.admit(limit, 'b', 5n))).toBe(false)
  })
})

describe('reads of the tally of a daily limit', () => {
  it('a tally includes the calls of other processes after at most a second, and no call waits for them', async () => {
    const world = new World(true)
    const limit = { callsMax: 10 }
    expect(isRefused(await world.admit(limit, 'a'))).toBe(false)
    world.calls = 20
    world.monotonicMs = 999
    expect(isRefused(await world.admit(limit, 'b'))).toBe(false)
    world.monotonicMs = 1_000
    const gate = Promise.withResolvers<void>()
    world.gate = gate.promise
    expect(isRefused(await world.admit(limit, 'c'))).toBe(false)
    gate.resolve()
    await new Promise(setImmediate)
    expect(isRefused(await world.admit(limit, 'd'))).toBe(true)
  })

  it('a call waits for a new read of the tally if the last read is too old', async () => {
    const world = new World(true)
    await world.admit({ callsMax: 10 }, 'a')
    world.calls = 20
    world.monotonicMs = 60_000
    expect(isRefused(await world.admit({ callsMax: 10 }, 'b'))).toBe(true)
  })

  it('a tally that takes long to read is read less often: reads take at most 5 % of the time', async () => {
    const world = new World(true)
    const gate = Promise.withResolvers<void>()
    world.gate = gate.promise
    const first = world.admit({ callsMax: 10 }, 'a')
    world.monotonicMs = 500
    gate.resolve()
    await first
    for (const monotonicMs of [1_000, 5_000, 9_999]) {
      world.monotonicMs = monotonicMs
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.admit({ callsMax: 10 }, `b${monotonicMs}`)
    }
    expect(world.reads).toBe(1)
    world.monotonicMs = 10_000
    await world.admit({ callsMax: 10 }, 'c')
    expect(world.reads).toBe(2)
  })

  it('a process that runs alone reads the tally repeatedly until all calls of earlier processes have ended', async () => {
    const world = new World(false)
    world.held.set('before', 50n)
    const limit = { spendMaxMicros: 100n }
    expect(isRefused(await world.admit(limit, 'a', 51n))).toBe(true)
    world.held.delete('before')
    world.calls = 1
    world.spentMicros = 3n
    world.monotonicMs = 1_000
    await world.admit(limit, 'b', 51n)
    await new Promise(setImmediate)
    expect(isRefused(await world.admit(limit, 'c', 46n))).toBe(false)
    expect(world.reads).toBe(2)
    world.monotonicMs = 100_000
    await world.admit(limit, 'd')
    expect(world.reads, 'nobody else is left').toBe(2)
  })

  it('the tally is read again after a limit was removed and set again', async () => {
    const world = new World(false)
    await world.admit({ callsMax: 1 }, 'a')
    world.held.clear()
    world.calls = 5
    expect(isRefused(await world.admit({ callsMax: 6, setAtMs: 2 }, 'b'))).toBe(false)
    expect(isRefused(await world.admit({ callsMax: 6, setAtMs: 2 }, 'c'))).toBe(true)
  })

  it('calls are rejected until the first read of the tally succeeds, and a later failed read changes nothing', async () => {
    const world = new World(true)
    world.fault = new Error('the store is away')
    await expect(world.admit({ callsMax: 1 }, 'a')).rejects.toBe(world.fault)
    world.fault = null
    expect(isRefused(await world.admit({ callsMax: 1 }, 'a'))).toBe(false)
    world.fault = new Error('the store is away')
    world.monotonicMs = 1_500
    expect(isRefused(await world.admit({ callsMax: 1 }, 'b'))).toBe(true)
    await new Promise(setImmediate)
    expect(world.warnings).toHaveLength(2)
  })

  const beginRead = async (world: World, limit: Partial<DailyLimit>, gate: 'gate' | 'gateBefore') => {
    const { promise, resolve } = Promise.withResolvers<void>()
    world[gate] = promise
    world.monotonicMs += 1_000
    const callId = `during read ${world.reads}`
    const share = await world.admit(limit, callId)
    return {
      callId,
      share,
      async end() {
        world[gate] = null
        resolve()
        await new Promise(setImmediate)
      },
    }
  }

  it.each(['gate', 'gateBefore'] as const)(
    'a call that is charged during a read counts once (the read waits at the %s)',
    async (gate) => {
      const world = new World(true)
      const limit = { callsMax: 3 }
      const first = await world.admit(limit, 'a')
      const read = await beginRead(world, limit, gate)
      world.settle('a', first, 5n)
      await read.end()
      expect(isRefused(await world.admit(limit, 'b'))).toBe(false)
      expect(isRefused(await world.admit(limit, 'c'))).toBe(true)
    },
  )

  it.each(['gate', 'gateBefore'] as const)(
    'a call that is released during a read does not count (the read waits at the %s)',
    async (gate) => {
      const world = new World(true)
      const limit = { spendMaxMicros: 100n }
      const first = await world.admit(limit, 'a', 80n)
      const read = await beginRead(world, limit, gate)
      world.release('a', first)
      await read.end()
      expect(isRefused(await world.admit(limit, 'b', 90n))).toBe(false)
    },
  )

  it('a call that begins and ends during a read counts once', async () => {
    const world = new World(true)
    const limit = { callsMax: 3 }
    await world.admit(limit, 'a')
    const read = await beginRead(world, limit, 'gateBefore')
    world.settle(read.callId, read.share, 5n)
    await read.end()
    expect(isRefused(await world.admit(limit, 'b'))).toBe(false)
    expect(isRefused(await world.admit(limit, 'c'))).toBe(true)
  })

  it('if a read fails, each call that ended during the read is counted exactly once', async () => {
    const world = new World(true)
    const limit = { callsMax: 3 }
    const first = await world.admit(limit, 'a')
    const read = await beginRead(world, limit, 'gate')
    world.settle('a', first, 5n)
    world.fault = new Error('the store is away')
    await read.end()
    expect(isRefused(await world.admit(limit, 'b'))).toBe(false)
    expect(isRefused(await world.admit(limit, 'c'))).toBe(true)
  })

  it('if several processes serve calls, a call is admitted exactly if the limits allow the call, even during a read of the tally', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('admit' as const), micros: fc.bigInt({ min: 0n, max: 40n }) }),
      fc.record({
        kind: fc.constantFrom('settle' as const, 'release' as const),
        at: fc.nat(),
        micros: fc.bigInt({ min: 0n, max: 40n }),
      }),
      fc.constantFrom({ kind: 'begin' as const }, { kind: 'middle' as const }, { kind: 'end' as const }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.bigInt({ min: 10n, max: 200n }),
        async (steps, callsMax, spendMaxMicros) => {
          const world = new World(true)
          const open: { callId: string; share: DayShare | Failure }[] = []
          const gates: (() => void)[] = []
          const openGates = (): void => {
            world.gateBefore = null
            world.gate = null
            for (const resolve of gates.splice(0)) resolve()
          }
          for (const [i, one] of steps.entries()) {
            if (one.kind === 'admit') {
              const sum = [...world.held.values()].reduce(
                (total, micros) => total + micros,
                world.spentMicros,
              )
              const fits = world.calls + world.held.size < callsMax && sum + one.micros <= spendMaxMicros
              const admitting = world.admit({ callsMax, spendMaxMicros }, `call-${i}`, one.micros)
              // Open the gates after `admit` has begun, because the call may wait for a read that a gate blocks.
              setImmediate(openGates)
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              const share = await admitting
              expect(isRefused(share)).toBe(!fits)
              if (fits) open.push({ callId: `call-${i}`, share })
            } else if (one.kind === 'begin') {
              const [before, between] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
              openGates()
              gates.push(before.resolve, between.resolve)
              world.gateBefore = before.promise
              world.gate = between.promise
              world.monotonicMs += 1_000
            } else if (one.kind === 'middle') {
              gates.shift()?.()
            } else if (one.kind === 'end') {
              openGates()
            } else {
              const [call] = open.length === 0 ? [] : open.splice(one.at % open.length, 1)
              if (call === undefined) continue
              if (one.kind === 'settle') world.settle(call.callId, call.share, one.micros)
              else world.release(call.callId, call.share, one.micros)
            }
            // oxlint-disable-next-line no-await-in-loop -- reads continue between the steps
            await Promise.resolve()
          }
          openGates()
        },
      ),
      { numRuns: 500 },
    )
  })

  it('with one process, the tally equals the sum in the store after any sequence of operations', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('admit' as const), micros: fc.bigInt({ min: 0n, max: 40n }) }),
      fc.record({
        kind: fc.constantFrom('settle' as const, 'release' as const),
        at: fc.nat(),
        micros: fc.bigInt({ min: 0n, max: 40n }),
      }),
      fc.record({ kind: fc.constant('midnight' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.nat(12),
        fc.bigInt({ min: 0n, max: 200n }),
        async (steps, callsMax, spendMaxMicros) => {
          const world = new World(false)
          const open: { callId: string; share: DayShare | Failure }[] = []
          for (const [i, one] of steps.entries()) {
            const sum = [...world.held.values()].reduce((total, micros) => total + micros, world.spentMicros)
            const count = world.calls + world.held.size
            if (one.kind === 'admit') {
              const callId = `call-${i}`
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              const share = await world.admit({ callsMax, spendMaxMicros }, callId, one.micros)
              const fits = count < callsMax && sum + one.micros <= spendMaxMicros
              expect(isRefused(share)).toBe(!fits)
              if (fits) open.push({ callId, share })
            } else if (one.kind === 'midnight') {
              world.nowMs += dayMs
              world.calls = 0
              world.spentMicros = 0n
            } else {
              const [call] = open.length === 0 ? [] : open.splice(one.at % open.length, 1)
              if (call === undefined) continue
              if (one.kind === 'settle') world.settle(call.callId, call.share, one.micros)
              else world.release(call.callId, call.share, one.micros)
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
