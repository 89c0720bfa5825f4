import { beforeEach, expect, test } from 'vitest'
import { type CreditRequest, type RequestRecord, StoreUnavailable } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import type { BatchAnswer, LedgerEngine, Operation } from './operations-and-results.ts'
import { LedgerQueue } from './ledger-queue.ts'
import { backoffMs } from './ledger-queue-options.ts'

class HeldEngine implements LedgerEngine {
  readonly batches: (readonly Operation[])[] = []
  #answers: ((answer: BatchAnswer) => void)[] = []
  #arrivals: (() => void)[] = []

  run(operations: readonly Operation[]): Promise<BatchAnswer> {
    this.batches.push([...operations])
    for (const arrival of this.#arrivals.splice(0)) arrival()
    return new Promise((resolve) => {
      this.#answers.push(resolve)
    })
  }

  resolve(): Promise<BatchAnswer> {
    // The queue keeps calling the engine if a test ends while an operation is in doubt.
    return new Promise(() => {})
  }

  async batch(count: number): Promise<void> {
    while (this.batches.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- one arrival at a time
      await new Promise<void>((resolve) => {
        this.#arrivals.push(resolve)
      })
    }
  }

  answer(answer: BatchAnswer): void {
    this.#answers.shift()?.(answer)
  }

  done(): void {
    const operations = this.batches[this.batches.length - this.#answers.length] ?? []
    this.#answers.shift()?.({
      kind: 'results',
      results: operations.map(() => ({ kind: 'done', value: null })),
    })
  }
}

let engine: HeldEngine
let queue: LedgerQueue

beforeEach(() => {
  engine = new HeldEngine()
  queue = new LedgerQueue(engine)
})

const record: RequestRecord = {
  callId: 'call',
  applicationId: 'app',
  mode: 'live',
  endUserId: null,
  keyId: null,
  alias: null,
  tags: null,
  target: null,
  wire: 'chat',
  streamed: false,
  status: 'released',
  httpStatus: 502,
  errorCode: null,
  atMs: 1,
  latencyMs: 1,
  firstByteMs: null,
  trace: '{}',
}
const grant: CreditRequest = {
  grantId: 'gr_1',
  applicationId: 'app',
  mode: 'live',
  nowMs: 1,
  kind: 'grant',
  amountMicros: 1n,
  endUserIds: ['eu_1'],
  reason: 'test',
  idempotencyKey: null,
  requestHash: 'hash',
}

const release = (callId: string): Promise<void> => queue.release({ callId, nowMs: 1, record })
const calls = (batch: number): string[] =>
  (engine.batches[batch] ?? []).map((operation) =>
    operation.kind === 'release' || operation.kind === 'checkpoint'
      ? operation.request.callId
      : operation.kind,
  )

test('operations queued in one turn of the event loop form one batch, and later operations form the next batch', async () => {
  const first = [release('a'), release('b')]
  await engine.batch(1)
  const second = [release('c'), release('d'), release('e')]
  engine.done()
  await Promise.all(first)
  await engine.batch(2)
  engine.done()
  await Promise.all(second)
  expect([calls(0), calls(1)]).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
})

test('a batch has at most 512 operations, in the order of their requests', async () => {
  const all = Promise.all(Array.from({ length: 1_100 }, (_, i) => release(String(i))))
  for (const count of [1, 2, 3]) {
    // oxlint-disable-next-line no-await-in-loop -- the test sends one batch after the other
    await engine.batch(count)
    engine.done()
  }
  await all
  expect(engine.batches.map((batch) => batch.length)).toEqual([512, 512, 76])
  expect([...calls(0), ...calls(1), ...calls(2)]).toEqual(Array.from({ length: 1_100 }, (_, i) => String(i)))
})

test('the ledger is busy for an application while 256 or more of its operations wait, not counting records of rejected calls', async () => {
  const first = release('first')
  await engine.batch(1)
  const waiting = Array.from({ length: 255 }, (_, i) => release(String(i)))
  const records = Array.from({ length: 300 }, () => queue.record(record))
  expect(queue.isBusyFor('app')).toBe(false)
  const last = release('last')
  expect(queue.isBusyFor('app')).toBe(true)
  expect(queue.isBusyFor('app_2')).toBe(false)
  engine.done()
  await first
  await engine.batch(2)
  expect(queue.isBusyFor('app')).toBe(false)
  for (const count of [3, 4]) {
    engine.done()
    // oxlint-disable-next-line no-await-in-loop -- the test sends one batch after the other
    await engine.batch(count)
  }
  engine.done()
  await Promise.all([...waiting, last, ...records])
})

test('an operation of another application is in the next batch, regardless of how many operations wait before it', async () => {
  const flood = Array.from({ length: 5_000 }, (_, i) => release(String(i)))
  const other = queue.release({ callId: 'other', nowMs: 1, record: { ...record, applicationId: 'app_2' } })
  const later = release('later')
  await engine.batch(1)
  expect(calls(0)).toHaveLength(512)
  expect(calls(0).at(-1)).toBe('other')
  engine.done()
  await other
  for (let count = 2; count <= 10; count++) {
    // oxlint-disable-next-line no-await-in-loop -- the test sends one batch after the other
    await engine.batch(count)
    engine.done()
  }
  await Promise.all([...flood, later])
  expect(calls(9).at(-1)).toBe('later')
})

test('only the newest waiting checkpoint of a call is stored, and no checkpoint is queued after the call has ended', async () => {
  queue.checkpoint({ callId: 'a', usage: { ...zeroUsage, output: 1 } })
  queue.checkpoint({ callId: 'a', usage: { ...zeroUsage, output: 2 } })
  queue.checkpoint({ callId: 'b', usage: zeroUsage })
  const released = release('b')
  await engine.batch(1)
  engine.done()
  await released
  expect(engine.batches[0]).toMatchObject([
    { kind: 'release', request: { callId: 'b' } },
    { kind: 'checkpoint', request: { callId: 'a', usage: { output: 2 } } },
  ])
})

test('if 10,000 records wait, the next record is dropped, but a release is kept', async () => {
  const first = release('first')
  await engine.batch(1)
  for (let i = 0; i < 10_001; i++) void queue.record(record)
  const last = release('last')
  expect(queue.recordsDropped).toBe(1)
  engine.done()
  await first
  await engine.batch(2)
  expect(calls(1)[0]).toBe('last')
  engine.done()
  await last
})

test.each<[when: string, fail: () => Promise<never>]>([
  ['later', () => Promise.reject(new Error('the thread is gone'))],
  [
    'immediately',
    () => {
      throw new Error('the thread is gone')
    },
  ],
])('an engine that fails %s stops the ledger', async (_, fail) => {
  const failing: LedgerEngine = { run: fail, resolve: fail }
  queue = new LedgerQueue(failing)
  await expect(release('a')).rejects.toThrow('the thread is gone')
  await expect(release('b')).rejects.toThrow(StoreUnavailable)
})

test('each operation runs once in an engine that returns results without promises', async () => {
  const batches: number[] = []
  const immediate: LedgerEngine = {
    run(operations) {
      batches.push(operations.length)
      return { kind: 'results', results: operations.map(() => ({ kind: 'done', value: null })) }
    },
    resolve: () => Promise.reject(new Error('no commit is in doubt')),
  }
  queue = new LedgerQueue(immediate)
  expect(await Promise.all([release('a'), release('b')])).toEqual([null, null])
  const last = release('c')
  await queue.close()
  expect(await last).toBeNull()
  expect(batches).toEqual([2, 1])
})

test('after the queue is closed, it accepts no operation', async () => {
  const before = release('a')
  const closing = queue.close()
  await engine.batch(1)
  engine.done()
  await before
  await closing
  await expect(release('b')).rejects.toThrow('the store is closed')
})

test('the end users of a large grant are sent in parts, each end user once', async () => {
  const people = Array.from({ length: 600 }, (_, i) => `eu_${i}`)
  const parts: (readonly string[])[] = []
  const granting: LedgerEngine = {
    async run(operations) {
      return {
        kind: 'results',
        results: operations.map((operation) => {
          if (operation.kind === 'continue_grant') parts.push(operation.endUserIds)
          if (operation.kind !== 'begin_grant') return { kind: 'done', value: null }
          const { endUserIds, terms } = operation
          const { grantId, nowMs: createdAtMs } = terms
          const value = { kind: 'unfinished', grantId, endUserIds, done: 0, createdAtMs } as const
          return { kind: 'done', value }
        }),
      }
    },
    resolve: () => Promise.reject(new Error('nothing is in doubt')),
  }
  queue = new LedgerQueue(granting)
  expect(await queue.credit({ ...grant, endUserIds: [...people, ...people] })).toEqual({
    kind: 'credited',
    grantId: 'gr_1',
    isReplay: false,
    endUsers: 600,
  })
  expect(parts.flat()).toEqual(people)
  expect(parts.map(({ length }) => length)).toEqual([256, 256, 88])
})

test('an interrupted large grant continues after the end users who are already credited, and reports its progress', async () => {
  const people = Array.from({ length: 600 }, (_, i) => `eu_${i}`)
  const steps: (number | null)[] = []
  const reached: string[] = []
  const granting: LedgerEngine = {
    async run(operations) {
      for (const operation of operations) {
        if (operation.kind !== 'continue_grant') continue
        steps.push(operation.done)
        reached.push(...operation.endUserIds)
      }
      return { kind: 'results', results: operations.map(() => ({ kind: 'done', value: null })) }
    },
    resolve: () => Promise.reject(new Error('nothing is in doubt')),
  }
  queue = new LedgerQueue(granting)
  await queue.continueGrant(grant, people, 256)
  expect([reached, steps]).toEqual([people.slice(256), [512, null]])
})

test('if only a grant is unavailable, the operations that wait behind the grant are tried', async () => {
  const reasons: (string | null)[] = []
  queue = new LedgerQueue(engine, { onAway: (reason) => reasons.push(reason) })
  const credit = queue.credit(grant)
  await engine.batch(1)
  const next = queue.complete({ endUserId: 'eu_1', mode: 'live', nowMs: 1 })
  engine.answer({ kind: 'results', results: [{ kind: 'unavailable', reason: 'away' }] })
  await expect(credit).rejects.toBeInstanceOf(StoreUnavailable)
  await engine.batch(2)
  engine.done()
  expect(await next).toBeNull()
  expect(reasons).toEqual([])
})

test('if the store is unavailable, a part of a grant with isKept = false is rejected and not retried', async () => {
  const part = queue.creditPart(grant, ['eu_1'], null, false)
  await engine.batch(1)
  engine.answer({ kind: 'results', results: [{ kind: 'unavailable', reason: 'away' }] })
  await expect(part).rejects.toBeInstanceOf(StoreUnavailable)
  expect([queue.keptCount, queue.isAway]).toEqual([0, false])
})

test.each<BatchAnswer>([
  { kind: 'in_doubt' },
  { kind: 'results', results: [{ kind: 'unavailable', reason: 'away' }] },
])(
  'if the store is unavailable for a batch, the operations that wait behind the batch are rejected immediately: %o',
  async (answer) => {
    const first = release('a')
    await engine.batch(1)
    const credit = queue.credit(grant)
    engine.answer(answer)
    await expect(credit).rejects.toBeInstanceOf(StoreUnavailable)
    expect(engine.batches.length).toBe(1)
    // The release stays queued, because an operation that ends a call is retried until the store accepts it.
    void first.catch(() => {})
  },
)

test('the pause between two attempts is at most one second, which is also the value of `retry-after`', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map(backoffMs)).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000])
})

test('an operation of a locked end user is repeated; a reserve fails after five seconds, and a release continues', async () => {
  let nowMs = 0
  let retry = (): void => {}
  const clock = {
    nowMs: () => nowMs,
    after: (_: number, then: () => void) => {
      retry = then
      return () => {}
    },
  }
  queue = new LedgerQueue(engine, { clock })
  const locked = (count: number): BatchAnswer => ({
    kind: 'results',
    results: Array.from({ length: count }, () => ({ kind: 'locked' })),
  })
  const granting = queue.credit(grant)
  const releasing = release('a')
  await engine.batch(1)
  engine.answer(locked(2))
  const other = release('b')
  await engine.batch(2)
  expect(calls(1)).toEqual(['b'])
  engine.done()
  await other
  expect([queue.keptCount, queue.isAway]).toEqual([1, false])

  nowMs = 5_000
  retry()
  await engine.batch(3)
  engine.answer(locked(2))
  await expect(granting).rejects.toThrow(StoreUnavailable)
  retry()
  await engine.batch(4)
  expect(calls(3)).toEqual(['a'])
  engine.done()
  await releasing
  expect(queue.keptCount).toBe(0)
})

test('operations of a locked end user are rejected when the ledger closes', async () => {
  const releasing = release('a')
  await engine.batch(1)
  engine.answer({ kind: 'results', results: [{ kind: 'locked' }] })
  const [released] = await Promise.allSettled([releasing, queue.close()])
  expect(released).toMatchObject({ status: 'rejected', reason: { message: 'the store is closed' } })
})
