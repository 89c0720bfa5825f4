/**
 * A disk fault at any step of a call must not lose money or move money twice. If an operation fails with an error that
 * promises that nothing was written, the store must be unchanged. Each scenario is repeated with the fault at step 1,
 * then at step 2, and so on, until a run meets no fault.
 */
import { LedgerStopped } from '#store/ledger/ledger-queue-options.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { StoreUnavailable, type FailedAttempt } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { attemptsFromText } from '#store/rows/failed-attempts-column.ts'
import {
  faultyEngines,
  type FaultyOptions,
  type Opened,
  openTemporary,
} from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { isLong, sampleOfCases } from '../support/reduced-suite.ts'

type Faults = FaultyOptions['faults']
type Plan = (point: string, step: number) => ReturnType<Faults>

const healthy: Plan = () => null

/** Each token costs half a micro. */
const half: Quote = {
  id: 'quote_half',
  cost: { input: 500_000n, output: 500_000n },
  sell: { input: 500_000n, output: 500_000n },
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
}
const other = { accountId: 'pa_other', provider: 'simulator', model: 'sim-2' }

/** The attempt used ten input tokens and three output tokens, which no client received. */
function attemptOf(quote: Quote): FailedAttempt {
  return {
    target: { accountId: 'pa_1', provider: 'simulator', model: 'sim-1' },
    status: 200,
    failure: 'reset',
    code: 'upstream_truncated',
    atMs: 1,
    durationMs: 2,
    firstByteMs: 1,
    usage: { ...zeroUsage, input: 10, output: 3 },
    quote,
  }
}

describe.each(faultyEngines)('on $name', ({ name, openFaulty }) => {
  let opened: Opened
  let world: World
  let plan: Plan
  let step: number
  const told: Error[] = []
  const fatal: Error[] = []
  /** After this number of failed attempts, the store works again. */
  const attemptsUntilHealed = 3

  beforeEach(async () => {
    plan = healthy
    step = 0
    told.length = 0
    fatal.length = 0
    opened = await openFaulty({
      nowMs: () => startMs,
      onFatal: (error) => fatal.push(error),
      faults: (point) => {
        return plan(point, ++step)
      },
      queue: {
        onFault: (error) => told.push(error),
        settleWaitMs: 60_000,
        backoffMs: (attempts) => {
          if (attempts >= attemptsUntilHealed) plan = healthy
          return 0
        },
      },
    })
    world = new World(opened.store, { nowMs: startMs })
    await world.found()
  })
  afterEach(() => opened.close())

  /** The call uses every feature of the ledger. Returns whether the call was admitted. */
  async function call(caller: Caller): Promise<boolean> {
    const request = world.request(caller, { input: 100, output: 200 })
    const reserving = await attempt(world.reserve(request))
    if (reserving === null) return false
    expect(reserving.kind).toBe('reserved')
    const { ledger } = opened.store
    const { callId } = request
    ledger.checkpoint({ callId, usage: world.settlement(request, { input: 100, output: 7 }).usage })
    const extending = await attempt(ledger.extend({ callId, nowMs: startMs, moreOutputTokens: 50 }))
    if (extending !== null) expect(extending).toMatchObject({ kind: 'extended', worstMicros: 350n })
    const response = { id: 'resp_1', isStreamed: false, deadlineMs: startMs, firstByteMs: null, trace: '{}' }
    await ledger.background({ callId, response })
    expect(await world.settle(request, { input: 90, output: 30 })).toMatchObject({ chargeMicros: 120n })
    return true
  }

  /** Null if the error stated that nothing was written. */
  async function attempt<T>(operation: Promise<T>): Promise<T | null> {
    try {
      return await operation
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable)
      return null
    }
  }

  /**
   * The first target fails, and the second answers at half the price. If the store does not accept the second target,
   * that target is not called, and the call ends uncharged. The cost of the first target is recorded in both cases.
   */
  async function redirectedCall(caller: Caller): Promise<boolean> {
    const request = world.request(caller, { input: 100, output: 200 })
    const reserving = await attempt(world.reserve(request))
    if (reserving === null) return false
    const { ledger } = opened.store
    const { callId } = request
    const attempts = [attemptOf(request.quote)]
    ledger.checkpoint({ callId, usage: { ...zeroUsage, input: 100, output: 7 } })
    const redirecting = await attempt(
      ledger
        .redirect({ callId, nowMs: startMs, quote: half, target: other, outputTokens: 200, attempts })
        .then(() => true),
    )
    if (redirecting === null) {
      await ledger.release({ callId, nowMs: startMs, record: world.record(request, 'released'), attempts })
    } else {
      const settled = await world.settle(request, { input: 180, output: 60 }, { attempts })
      expect(settled).toMatchObject({ chargeMicros: 120n, costMicros: 120n + 13n })
    }
    expect(await recordedAttempts(callId)).toMatchObject([{ costMicros: 13n, quoteId: request.quote.id }])
    return redirecting !== null
  }

  /** Finds the attempts of a call, whether the call was charged or not. */
  async function recordedAttempts(callId: string): Promise<unknown> {
    const { read } = opened.store.database
    const [charged, uncharged] = await Promise.all([
      read.selectFrom('usage_records').select('attempts').where('call_id', '=', callId).execute(),
      read.selectFrom('requests').select('attempts').where('call_id', '=', callId).execute(),
    ])
    return [...charged, ...uncharged].flatMap(({ attempts }) => attemptsFromText(attempts))
  }

  /** Calls `faultAt(n)` with n = 1, 2, ... until no step is left. */
  async function atEveryStep(
    faultAt: (n: number) => Plan,
    made = call,
  ): Promise<{ admitted: number; refused: number }> {
    const ends = { admitted: 0, refused: 0 }
    for (let n = 1; ; n++) {
      const caller = await world.person(1_000n)
      step = 0
      let isMet = false
      const planned = faultAt(n)
      plan = (point, at) => {
        const fault = planned(point, at)
        if (fault !== null) isMet = true
        return fault
      }
      const isAdmitted = await made(caller)
      plan = healthy
      // The grant waits for every running operation.
      await world.credit([caller.endUserId], 1n)
      expect(await world.wallet(caller)).toEqual({ posted: isAdmitted ? 881n : 1_001n, held: 0n })
      if (!isMet) break
      if (isAdmitted) ends.admitted += 1
      else ends.refused += 1
    }
    await opened.closeSound()
    return ends
  }

  // In the short suite, each engine has one of these faults. Together, the engines cover all faults.
  const engineAt = faultyEngines.findIndex((engine) => engine.name === name)
  describe.each(sampleOfCases(['busy', 'full', 'io'] as const, 3, engineAt))('%s', (fault) => {
    test('if a single step fails once, every operation of the call still succeeds', async () => {
      const ends = await atEveryStep((n) => (_point, at) => (at === n ? fault : null))
      expect(ends.refused).toBe(0)
      expect(ends.admitted).toBeGreaterThan(20)
    })

    test('if the disk becomes unavailable at any step, no money is lost, and no rejected operation is written', async () => {
      const ends = await atEveryStep((n) => (_point, at) => (at >= n ? fault : null))
      expect(ends.refused).toBeGreaterThan(3)
      expect(ends.admitted).toBeGreaterThan(10)
    })
  })

  /**
   * Makes the commit of a call fail at the fault point `point`, the nth time that a commit reaches the point. If
   * `isRereadBroken` is true, the stored batch number cannot be read afterwards.
   */
  const nthCommit =
    (point: string, isRereadBroken: boolean) =>
    (n: number): Plan => {
      let commits = 0
      return (at) => {
        if (at === point && ++commits === n) return 'io'
        return isRereadBroken && at === 'reread' && commits >= n ? 'io' : null
      }
    }

  describe('a commit whose response is lost', () => {
    test('if the response to a successful commit is lost, the commit is found, and no operation is repeated', async () => {
      const ends = await atEveryStep(nthCommit('committed', false))
      expect(ends).toEqual({ admitted: 4, refused: 0 })
    })

    test('if a commit did not take place and its response is lost, each operation is repeated once', async () => {
      const ends = await atEveryStep(nthCommit('commit', false))
      expect(ends).toEqual({ admitted: 4, refused: 0 })
    })

    test('while reads fail, callers wait for a commit whose response is lost, and the commit is found if it was written', async () => {
      const ends = await atEveryStep(nthCommit('committed', true))
      expect(ends).toEqual({ admitted: 4, refused: 0 })
    })

    test('while reads fail, each settle is repeated once if its lost commit was not written', async () => {
      const ends = await atEveryStep(nthCommit('commit', true))
      // A reserve whose commit was lost is rejected. A settle is kept until it is completed.
      expect(ends).toEqual({ admitted: 3, refused: 1 })
    })
  })

  // The moving writer runs the same code as the writer on the main thread.
  const isCovered = isLong || name !== 'SQLite, writer that moves'
  describe.runIf(isCovered)('a call that is sent to another target after a failure', () => {
    test('a call that is sent to another target survives one failure at any step', async () => {
      const ends = await atEveryStep((n) => (_point, at) => (at === n ? 'io' : null), redirectedCall)
      expect(ends.refused).toBe(0)
      expect(ends.admitted).toBeGreaterThan(15)
    })

    test('if the store becomes unavailable at any step, a call ends without the other target', async () => {
      const ends = await atEveryStep((n) => (_point, at) => (at >= n ? 'full' : null), redirectedCall)
      // These calls end without a charge, because the store failed before the reserve or before the second target.
      expect(ends.refused).toBeGreaterThan(6)
      expect(ends.admitted).toBeGreaterThan(5)
    })

    test.each([
      { name: 'whose response is lost is found', point: 'committed', isRereadBroken: false, refused: 0 },
      {
        name: 'that was not committed is repeated once',
        point: 'commit',
        isRereadBroken: false,
        refused: 0,
      },
      {
        name: 'that was committed while reads fail for a while is found',
        point: 'committed',
        isRereadBroken: true,
        refused: 0,
      },
      {
        name: 'that was not committed while reads fail for a while leaves the call with its first target',
        point: 'commit',
        isRereadBroken: true,
        refused: 2,
      },
    ])('a commit that switches to another target and $name', async ({ isRereadBroken, point, refused }) => {
      const ends = await atEveryStep(nthCommit(point, isRereadBroken), redirectedCall)
      expect(ends).toEqual({ admitted: 3 - refused, refused })
    })
  })

  test('while a settle waits for the disk, no other operation begins', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const refused = Promise.withResolvers<unknown>()
    plan = (point) => {
      if (point !== 'begin') return null
      // Operations that arrive while the batch of the settle runs get their results after the batch has failed.
      if (step < 100) {
        step = 100
        setImmediate(() => {
          world.reserve(world.request(caller, { input: 1, output: 1 })).catch(refused.resolve)
        })
      }
      return 'full'
    }
    step = 0
    const settled = world.settle(request, { input: 90, output: 30 })
    expect(await refused.promise).toBeInstanceOf(StoreUnavailable)
    expect(await settled).toMatchObject({ chargeMicros: 120n })
    expect((await world.reserve(world.request(caller, { input: 1, output: 1 }))).kind).toBe('reserved')
  })

  test('a caller that waits too long for a settle receives an error, and the settle is still completed', async () => {
    await opened.close()
    let isFull = false
    let isSettling = false
    const taken = Promise.withResolvers<void>()
    opened = await openFaulty({
      nowMs: () => startMs,
      faults: (point) => {
        if (point === 'usage') isSettling = true
        // In the next turn of the event loop, the queue also contains the result of the commit.
        if (point === 'committed' && isSettling) setImmediate(taken.resolve)
        return isFull ? 'full' : null
      },
      queue: {
        settleWaitMs: 0,
        backoffMs: (attempts) => {
          if (attempts >= 3) isFull = false
          return 0
        },
      },
    })
    world = new World(opened.store, { nowMs: startMs })
    await world.found()
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    isFull = true
    await expect(world.settle(request, { input: 90, output: 30 })).rejects.toThrow(StoreUnavailable)
    await taken.promise
    await world.credit([caller.endUserId], 1n)
    expect(await world.wallet(caller)).toEqual({ posted: 881n, held: 0n })
    await opened.closeSound()
  })

  test('if money no longer adds up, the ledger stops and corrects no data', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    await opened.store.database.transaction((tx) => sql`UPDATE sources SET held = 0`.execute(tx))
    await expect(world.settle(request, { input: 1, output: 1 })).rejects.toThrow('the ledger has stopped')
    await expect(world.credit([caller.endUserId], 1n)).rejects.toThrow(LedgerStopped)
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
    expect(told.some((error) => error instanceof LedgerStopped)).toBe(true)
    await expect(opened.closeSound()).rejects.toThrow('held amounts equal the holds of requests in flight')
  })
})

test('after a failed fsync, no operation is acknowledged', async () => {
  let isBroken = false
  const fatal: Error[] = []
  const opened = await openTemporary({
    writer: 'inline',
    nowMs: () => startMs,
    onFatal: (error) => fatal.push(error),
    faults: (point) => (isBroken && point === 'commit' ? 'fsync' : null),
  })
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const caller = await world.person(1_000n)
  isBroken = true
  await expect(world.reserve(world.request(caller, { input: 1, output: 1 }))).rejects.toThrow(LedgerStopped)
  expect(fatal.map(({ message }) => message)).toEqual(['the disk lost a write of the store'])
  isBroken = false
  await expect(world.reserve(world.request(caller, { input: 1, output: 1 }))).rejects.toThrow(LedgerStopped)
  await opened.close()
})
