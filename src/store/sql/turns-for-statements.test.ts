import { expect, test } from 'vitest'
import { Failure } from '#domain/errors.ts'
import type { Reader } from '#domain/store-interface.ts'
import { type TurnLimits, readLimits, Turns, type OwnTurns } from './turns-for-statements.ts'

/** Fake statements, each of which runs until the test ends it. */
class Statements {
  readonly begun: string[] = []
  readonly refused: string[] = []
  nowMs = 0
  readonly shares: Turns
  readonly #ends = new Map<string, () => void>()

  constructor(limits: Partial<TurnLimits> = {}) {
    this.shares = new Turns({ ...readLimits, atOnce: 3, ...limits }, () => this.nowMs)
  }

  read(name: string, organizationId: string, more: Partial<Reader> = {}): OwnTurns {
    const turns = this.shares.of({
      organizationId,
      callerId: `${organizationId} token`,
      isEndUser: false,
      onCost: () => {},
      ...more,
    })
    this.again(name, turns)
    return turns
  }

  again(name: string, turns: OwnTurns): void {
    const reading = turns.run(async () => {
      this.begun.push(name)
      await new Promise<void>((resolve) => this.#ends.set(name, resolve))
    })
    reading.catch((error: unknown) => {
      this.refused.push(
        `${name} ${error instanceof Failure ? `${error.status} ${error.code}` : String(error)}`,
      )
    })
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      const resolve = this.#ends.get(name)
      if (resolve === undefined) throw new Error(`${name} has not begun`)
      this.#ends.delete(name)
      resolve()
    }
    await new Promise(setImmediate)
  }

  async endAll(): Promise<void> {
    while (this.#ends.size > 0) await this.end(...this.#ends.keys())
  }
}

test('an organization runs at most two SQL statements at a time, while another organization runs its own statements', async () => {
  const all = new Statements()
  for (let i = 0; i < 5; i++) all.read(`a${i}`, 'a')
  all.read('b0', 'b')
  expect(all.begun).toEqual(['a0', 'a1', 'b0'])
  await all.end('b0')
  expect(all.begun).toEqual(['a0', 'a1', 'b0'])
  await all.end('a0')
  expect(all.begun).toEqual(['a0', 'a1', 'b0', 'a2'])
  await all.endAll()
  expect(all.shares.organizationsReading).toBe(0)
})

test('organizations take turns, regardless of how many statements wait', async () => {
  const all = new Statements({ atOnce: 1 })
  for (let i = 0; i < 4; i++) all.read(`a${i}`, 'a')
  for (let i = 0; i < 2; i++) all.read(`b${i}`, 'b')
  all.read('c0', 'c')
  await all.endAll()
  expect(all.begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3'])
})

test('callers of one organization take turns', async () => {
  const all = new Statements({ atOnce: 1 })
  for (let i = 0; i < 3; i++) all.read(`x${i}`, 'a', { callerId: 'x' })
  all.read('y0', 'a', { callerId: 'y' })
  await all.endAll()
  expect(all.begun).toEqual(['x0', 'x1', 'y0', 'x2'])
})

test('an end user runs at most one SQL statement at a time', async () => {
  const all = new Statements()
  for (let i = 0; i < 2; i++) all.read(`x${i}`, 'a', { callerId: 'x', isEndUser: true })
  all.read('y0', 'a', { callerId: 'y', isEndUser: true })
  expect(all.begun).toEqual(['x0', 'y0'])
  await all.endAll()
  expect(all.begun).toEqual(['x0', 'y0', 'x1'])
})

test('requests are rejected beyond the limit on waiting requests of a caller, an organization or the process', async () => {
  const all = new Statements({
    atOnce: 1,
    waitingOfCaller: 2,
    waitingOfEndUser: 1,
    waitingOfEndUsers: 2,
    waitingOfOrganization: 4,
    waitingOfAll: 5,
  })
  const person = (name: string): Partial<Reader> => ({ callerId: name, isEndUser: true })
  for (let i = 0; i < 4; i++) all.read(`a${i}`, 'a')
  for (const name of ['x', 'x', 'y', 'z']) all.read(name, 'a', person(name))
  all.read('w', 'a', { callerId: 'w' })
  all.read('b0', 'b')
  all.read('b1', 'b')
  await new Promise(setImmediate)
  expect(all.refused).toEqual([
    'a3 429 too_many_reads',
    'x 429 too_many_reads',
    'z 429 too_many_reads',
    'w 429 too_many_reads',
    'b1 503 overloaded',
  ])
  await all.endAll()
  expect(all.begun).toHaveLength(6)
  expect(all.shares.organizationsReading).toBe(0)
})

test('a request that has already read something is not rejected if too many statements wait', async () => {
  const all = new Statements({ atOnce: 1, waitingOfCaller: 1 })
  const first = all.read('a0', 'a')
  all.read('a1', 'a')
  all.again('a0 again', first)
  all.again('a0 and again', first)
  await all.endAll()
  expect(all.refused).toEqual([])
  expect(all.begun).toEqual(['a0', 'a1', 'a0 again', 'a0 and again'])
})

test('a statement that has waited too long is rejected when its turn comes, and the next statement runs', async () => {
  const all = new Statements({ atOnce: 1, waitMsMax: 100 })
  all.read('a0', 'a')
  all.read('a1', 'a')
  all.nowMs = 50
  all.read('a2', 'a')
  all.nowMs = 101
  await all.end('a0')
  expect(all.refused).toEqual(['a1 429 too_many_reads'])
  expect(all.begun).toEqual(['a0', 'a2'])
  await all.endAll()
  expect(all.shares.organizationsReading).toBe(0)
})

test('a statement that fails lets the next statement run', async () => {
  const all = new Statements({ atOnce: 1 })
  const broken = all.shares.of({ organizationId: 'a', callerId: 'a', isEndUser: false, onCost: () => {} })
  await expect(broken.run(() => Promise.reject(new Error('the disk')))).rejects.toThrow('the disk')
  all.read('a1', 'a')
  expect(all.begun).toEqual(['a1'])
  await all.endAll()
})
