import { describe, expect, test } from 'vitest'
import { MoneyBroken } from '#money/amount.ts'
import type { BatchAnswer, Operation } from './operations-and-results.ts'
import { type BatchEngine, BatchLadder, type Decided, type Failure } from './handle-failed-batches.ts'

const operation = (callId: string): Operation => ({ kind: 'recover', callId, nowMs: 1 })
const three = ['a', 'b', 'c'].map(operation)

/** How an attempt ends: committed, failed before the commit, or failed after the commit was sent. */
type Step = 'committed' | Failure | { readonly commit: Failure; readonly isStored: boolean }

/** How a storage engine returns results: in promises, as PostgreSQL does, or directly, as SQLite does. */
type Answering = 'later' | 'immediately'

class ScriptedEngine implements BatchEngine<Decided> {
  readonly tried: number[] = []
  canReread = true
  #steps: Step[]
  #stored = 0
  #failing: Failure = 'refused'
  readonly #answering: Answering

  constructor(steps: Step[], answering: Answering = 'later') {
    this.#steps = steps
    this.#answering = answering
  }

  decide(operations: readonly Operation[]): Decided | Promise<Decided> {
    const decide = (): Decided => this.#decide(operations)
    return this.#answering === 'immediately' ? decide() : Promise.try(decide)
  }

  commit(): void | Promise<void> {
    const commit = (): void => this.#commit()
    return this.#answering === 'immediately' ? commit() : Promise.try(commit)
  }

  #decide(operations: readonly Operation[]): Decided {
    this.tried.push(operations.length)
    const step = this.#steps[0] ?? 'committed'
    if (typeof step === 'string' && step !== 'committed') {
      this.#steps.shift()
      this.#failing = step
      throw new Error(step)
    }
    return { batch: this.#stored + 1, results: operations.map(() => ({ kind: 'done', value: null })) }
  }

  #commit(): void {
    const step = this.#steps.shift() ?? 'committed'
    if (typeof step === 'string') {
      this.#stored += 1
      return
    }
    if (step.isStored) this.#stored += 1
    this.#failing = step.commit
    throw new Error(step.commit)
  }

  undo(): Failure {
    return this.#failing
  }

  async storedBatch(): Promise<number> {
    if (!this.canReread) throw new Error('cannot be read')
    return this.#stored
  }
}

const kinds = (answer: BatchAnswer): unknown =>
  answer.kind === 'results' ? answer.results.map(({ kind }) => kind) : answer.kind

const answering = ['later', 'immediately'] as const

describe.each(answering)('a batch fails before its commit, and the engine returns results %s', (when) => {
  test.each<[steps: Step[], tried: number[], told: unknown]>([
    [['refused'], [3, 1, 1, 1], ['done', 'done', 'done']],
    [
      ['refused', 'committed', 'refused'],
      [3, 1, 1, 1],
      ['done', 'fault', 'done'],
    ],
    [['collided'], [3, 3], ['done', 'done', 'done']],
    [
      ['outrun', 'outrun', 'outrun'],
      [3, 3, 1, 1, 1],
      ['unavailable', 'done', 'done'],
    ],
    [
      ['away', 'committed', 'away'],
      [3, 1, 1],
      ['done', 'unavailable', 'unavailable'],
    ],
    [['unreachable'], [3], ['unavailable', 'unavailable', 'unavailable']],
    [
      ['collided', 'unreachable'],
      [3, 3],
      ['unavailable', 'unavailable', 'unavailable'],
    ],
    [['broken'], [3], 'stopped'],
  ])(
    'if the attempts end with %j, the batch or its operations are tried again as the failure requires',
    async (steps, tried, told) => {
      const engine = new ScriptedEngine(steps, when)
      expect(kinds(await new BatchLadder(engine, { reason: null }).run(three))).toEqual(told)
      expect(engine.tried).toEqual(tried)
    },
  )
})

const grant: Operation = {
  kind: 'continue_grant',
  terms: {
    grantId: 'gr_1',
    applicationId: 'app',
    mode: 'live',
    nowMs: 1,
    kind: 'grant',
    amountMicros: 1n,
    reason: 'test',
    idempotencyKey: null,
    requestHash: 'hash',
  },
  endUserIds: ['eu_1'],
  done: null,
}

test.each<[failure: Failure, tried: number[], told: unknown]>([
  ['away', [4, 1, 1, 1], ['done', 'unavailable', 'unavailable', 'done']],
  ['unreachable', [4, 1, 1], ['done', 'unavailable', 'unavailable', 'unavailable']],
])(
  'if the first grant of a failed batch fails again when it runs alone, no further grant is tried (failure: %s)',
  async (failure, tried, told) => {
    const engine = new ScriptedEngine(['away', 'committed', failure])
    const batch = [operation('a'), grant, grant, operation('b')]
    expect(kinds(await new BatchLadder(engine, { reason: null }).run(batch))).toEqual(told)
    expect(engine.tried).toEqual(tried)
  },
)

describe.each(answering)('the commit of a batch fails, and the engine returns results %s', (when) => {
  test.each([true, false])(
    'the stored batch number shows whether the batch was committed, and no operation runs twice (committed: %s)',
    async (isStored) => {
      const engine = new ScriptedEngine([{ commit: 'unreachable', isStored }], when)
      const told = isStored ? 'done' : 'unavailable'
      expect(kinds(await new BatchLadder(engine, { reason: null }).run(three))).toEqual([told, told, told])
      expect(engine.tried).toEqual([3])
    },
  )

  test.each([true, false])(
    'if a commit fails, its batch is in doubt until the stored batch number can be read (stored: %s)',
    async (isStored) => {
      // The second of three operations is in doubt. The first operation is committed, and the third operation was never
      // tried.
      const engine = new ScriptedEngine(['refused', 'committed', { commit: 'away', isStored }], when)
      engine.canReread = false
      const ladder = new BatchLadder(engine, { reason: null })
      expect(kinds(await ladder.run(three))).toBe('in_doubt')
      expect(kinds(await ladder.run([operation('d')]))).toEqual(['unavailable'])
      expect(kinds(await ladder.resolve())).toBe('in_doubt')
      engine.canReread = true
      expect(kinds(await ladder.resolve())).toEqual([
        'done',
        isStored ? 'done' : 'unavailable',
        'unavailable',
      ])
      expect(engine.tried).toEqual([3, 1, 1])
      expect(kinds(await ladder.run([operation('d')]))).toEqual(['done'])
    },
  )
})

test('a batch that succeeds returns a promise only if the engine returns a promise', () => {
  const answer = new BatchLadder(new ScriptedEngine([], 'immediately'), { reason: null }).run(three)
  expect(answer).toMatchObject({ kind: 'results' })
})

test('if the money of one ledger queue does not add up, all queues stop', async () => {
  const engine = new ScriptedEngine([])
  engine.decide = () => Promise.reject(new MoneyBroken('the legs do not add up'))
  const halt = { reason: null }
  expect(await new BatchLadder(engine, halt).run(three)).toMatchObject({ kind: 'stopped' })
  const other = new BatchLadder(new ScriptedEngine([]), halt)
  expect(await other.run(three)).toEqual({
    kind: 'stopped',
    reason: 'the ledger has stopped: the legs do not add up',
  })
})
