import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operation } from './operations-and-results.ts'
import { fairBatch, isShareUsed } from './choose-operations-of-batch.ts'

const refundOf = (applicationId: string, at: number): { operation: Operation; at: number } => ({
  at,
  operation: {
    kind: 'refund',
    request: {
      applicationId,
      endUserId: 'eu',
      mode: 'live',
      correctionId: 'c',
      callId: 'call',
      nowMs: 1,
      amountMicros: null,
      reason: '',
      actor: null,
      idempotencyKey: null,
      requestHash: '',
    },
  },
})

function countsOf(batch: readonly { operation: Operation }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { operation } of batch) {
    if (operation.kind !== 'refund') continue
    const { applicationId } = operation.request
    counts[applicationId] = (counts[applicationId] ?? 0) + 1
  }
  return counts
}

const queueOf = (applications: readonly string[]) => applications.map(refundOf)
const many = (application: string, count: number): string[] =>
  Array.from({ length: count }, () => application)

test('if an application queues many operations, the shares of other applications are not used', () => {
  expect(isShareUsed(queueOf(many('a', 9)), 'a', 10)).toBe(false)
  expect(isShareUsed(queueOf(many('a', 10)), 'a', 10)).toBe(true)
  // Two applications have shares of five operations.
  const both = queueOf([...many('a', 1_000), ...many('b', 4)])
  expect(['a', 'b', 'c'].map((name) => isShareUsed(both, name, 10))).toEqual([true, false, false])
  expect(isShareUsed(queueOf([...many('a', 1_000), ...many('b', 5)]), 'b', 10)).toBe(true)
})

test('an application with 5,000 queued operations cannot fill the next batch, which also contains operations of all other applications', () => {
  const { batch, rest } = fairBatch(queueOf([...many('flood', 5_000), ...many('quiet', 3), 'other']), 512)
  expect(countsOf(batch)).toEqual({ flood: 508, quiet: 3, other: 1 })
  expect(countsOf(rest)).toEqual({ flood: 4_492 })
})

test('if two applications both queue more operations than a batch has room for, each application gets half of the batch', () => {
  const { batch } = fairBatch(queueOf([...many('one', 900), ...many('two', 900)]), 512)
  expect(countsOf(batch)).toEqual({ one: 256, two: 256 })
})

test('all operations without an application ID take turns as if they belonged to one application', () => {
  const recovered = Array.from({ length: 900 }, (_, at) => ({
    at,
    operation: { kind: 'recover', callId: String(at), nowMs: 1 } as const,
  }))
  const { batch } = fairBatch([...recovered, ...queueOf(many('app', 900))], 512)
  expect(countsOf(batch)).toEqual({ app: 256 })
})

test('a full batch keeps the order of arrival, and applications with waiting operations differ by at most one operation', () => {
  const anyQueue = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 9, maxLength: 200 })
  fc.assert(
    fc.property(anyQueue, fc.integer({ min: 1, max: 8 }), (applications, max) => {
      const queue = queueOf(applications)
      const { batch, rest } = fairBatch(queue, max)
      expect(batch).toHaveLength(max)
      expect([...batch, ...rest].toSorted((one, other) => one.at - other.at)).toEqual(queue)
      for (const part of [batch, rest]) {
        expect(part).toEqual(part.toSorted((one, other) => one.at - other.at))
      }
      const taken = countsOf(batch)
      const waiting = Object.keys(countsOf(rest))
      for (const application of waiting) {
        const own = taken[application] ?? 0
        expect(Math.max(...Object.values(taken)) - own).toBeLessThanOrEqual(1)
        const firstLeft = rest.find(({ operation }) => countsOf([{ operation }])[application])
        const lastTaken = batch.findLast(({ operation }) => countsOf([{ operation }])[application])
        if (firstLeft && lastTaken) expect(lastTaken.at).toBeLessThan(firstLeft.at)
      }
    }),
  )
})
