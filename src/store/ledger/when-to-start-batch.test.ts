/**
 * Simulates callers and commits in virtual time. An operation may wait for a running commit, and then at most
 * `gatherMs` until its own batch starts.
 */
import { expect, test } from 'vitest'
import type { ReserveRequest, ReserveResult, SettleRequest, SettleResult } from '#domain/ledger-interface.ts'
import type { BatchAnswer, LedgerEngine } from './operations-and-results.ts'
import type { QueueClock } from './when-to-start-batch.ts'
import { LedgerQueue } from './ledger-queue.ts'

const gatherMs = 2

class VirtualTime implements QueueClock {
  #nowMs = 0
  #timers: { readonly atMs: number; readonly ring: () => void }[] = []
  readonly nowMs = (): number => this.#nowMs

  readonly after = (ms: number, ring: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, ring }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  async runUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    // oxlint-disable-next-line no-unmodified-loop-condition -- the end of the work modifies it
    while (!isDone) {
      // Let the event loop turn a few times, because a batch starts only after some turns.
      for (let turn = 0; turn < 8; turn += 1) {
        // oxlint-disable-next-line no-await-in-loop -- turns follow each other
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
      }
      const [next] = this.#timers.toSorted((one, other) => one.atMs - other.atMs)
      if (next === undefined) continue
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#nowMs = next.atMs
      next.ring()
    }
  }
}

interface Named {
  readonly kind: string
  readonly request: { readonly callId: string }
}

interface Ran {
  readonly commits: number
  /**
   * The longest wait of an operation, from its arrival to its start. If a commit runs at the arrival, the wait begins
   * at the end of the commit.
   */
  readonly longestMs: number
  readonly waits: number
}

interface Load {
  readonly callers: number
  readonly callsOfEach: number
  readonly providerMs: (call: number) => number
  readonly gatherMs: number
}

async function run({ callers, callsOfEach, gatherMs: waitMs, providerMs }: Load): Promise<Ran> {
  const time = new VirtualTime()
  const arrivals = new Map<string, number>()
  let commits = 0
  let longestMs = 0
  let waits = 0
  let committedMs = 0
  const engine: LedgerEngine = {
    async run(operations): Promise<BatchAnswer> {
      commits += 1
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers below send nothing else
      for (const { kind, request } of operations as readonly Named[])
        longestMs = Math.max(
          longestMs,
          time.nowMs() - Math.max(arrivals.get(`${kind} ${request.callId}`) ?? 0, committedMs),
        )
      await time.sleep(commitMs)
      committedMs = time.nowMs()
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the queue reads only the kind
      const value = { kind: 'reserved' } as ReserveResult & SettleResult
      return { kind: 'results', results: operations.map(() => ({ kind: 'done', value })) }
    },
    resolve: () => Promise.reject(new Error('no commit is in doubt')),
  }
  const after: QueueClock['after'] = (ms, then) => {
    waits += 1
    return time.after(ms, then)
  }
  const queue = new LedgerQueue(engine, { gatherMs: waitMs, clock: { nowMs: time.nowMs, after } })
  let calls = 0
  const caller = async (): Promise<void> => {
    for (let n = 0; n < callsOfEach; n += 1) {
      const call = (calls += 1)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine reads no other field
      const request = { callId: `call ${call}` } as ReserveRequest & SettleRequest
      arrivals.set(`reserve ${request.callId}`, time.nowMs())
      // oxlint-disable no-await-in-loop -- the steps of a call follow each other
      await queue.reserve(request)
      await time.sleep(providerMs(call))
      arrivals.set(`settle ${request.callId}`, time.nowMs())
      await queue.settle(request)
      // oxlint-enable no-await-in-loop
    }
  }
  await time.runUntil(Promise.all(Array.from({ length: callers }, caller)))
  return { commits, longestMs, waits }
}

const commitMs = 0.4
/** Pseudorandom delay between 1 and 5 ms, the same in every test run. */
const spread = (call: number): number => 1 + ((call * 2_654_435_761) % 65_536) / 16_384

test('while 32 calls are in flight, batches wait for more operations, which reduces the number of commits', async () => {
  const load = { callers: 32, callsOfEach: 30, providerMs: spread }
  const before = await run({ ...load, gatherMs: 0 })
  const after = await run({ ...load, gatherMs })
  expect([before.commits, after.commits]).toEqual([312, 108])
})

test('no operation waits longer than the configured time for other operations', async () => {
  for (const callers of [8, 9, 20, 40, 100]) {
    // oxlint-disable-next-line no-await-in-loop -- one load after another
    const { longestMs, waits } = await run({ callers, callsOfEach: 10, providerMs: spread, gatherMs })
    expect(waits).toBeGreaterThan(0)
    expect(longestMs).toBeLessThanOrEqual(gatherMs + 1e-9)
  }
})

test.each([1, 2, 7])(
  'no batch waits while fewer than eight calls are in flight (calls: %i)',
  async (callers) => {
    const load = { callers, callsOfEach: 20, providerMs: spread }
    expect(await run({ ...load, gatherMs })).toEqual(await run({ ...load, gatherMs: 0 }))
  },
)

test('the operation of the only call in flight is committed in the next turn of the event loop', async () => {
  const turns: number[] = []
  let turn = 0
  const engine: LedgerEngine = {
    run(operations): BatchAnswer {
      turns.push(turn)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the queue reads only the kind
      const value = { kind: 'reserved' } as ReserveResult & SettleResult
      return { kind: 'results', results: operations.map(() => ({ kind: 'done', value })) }
    },
    resolve: () => Promise.reject(new Error('no commit is in doubt')),
  }
  const queue = new LedgerQueue(engine, { gatherMs })
  const count = (): void => {
    turn += 1
    if (turn < 20) setImmediate(count)
  }
  setImmediate(count)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine reads no other field
  const requestOf = (callId: string) => ({ callId }) as ReserveRequest & SettleRequest
  await queue.reserve(requestOf('alone'))
  const reservedIn = turn
  await queue.settle(requestOf('alone'))
  expect(turns).toEqual([1, reservedIn + 1])
  // With two calls in flight, the batch waits for operations that may arrive in the next turn.
  const both = [queue.reserve(requestOf('a')), queue.reserve(requestOf('b'))]
  const arrivedIn = turn
  await Promise.all(both)
  expect(turns.at(-1)).toBeGreaterThan(arrivedIn + 1)
})

test('no batch waits if many calls are in flight but few of them end', async () => {
  const load = { callers: 50, callsOfEach: 4, providerMs: (call: number) => 1_000 + call * 7 }
  const { longestMs, waits } = await run({ ...load, gatherMs })
  expect({ longestMs, waits }).toEqual({ longestMs: 0, waits: 0 })
})
