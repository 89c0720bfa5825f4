import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import type { AnyContext } from '#operations/kernel/operation-context.ts'
import issue from './issue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The ledger's `credit` is pending until the test resolves `credited`. */
function issuing(begun: () => Grant | null): {
  answer: Promise<unknown>
  credited: PromiseWithResolvers<object>
} {
  const credited = Promise.withResolvers<object>()
  const call = issue.decode({ path: {}, query: {}, body: { everyone: true, amountUnits: '5', reason: 'x' } })
  if (call.kind === 'fault') throw new Error('the request must be valid')
  const context = {
    application: { id: 'app_1', testClockOffsetMs: 0 },
    mode: 'live',
    nowMs: 0,
    idempotencyKey: null,
    ports: { newId: () => '1', ledger: { credit: () => credited.promise } },
    store: {
      endUsers: { ids: async () => ['eu_1', 'eu_2', 'eu_3'] },
      grants: { byId: async () => begun() },
      corrections: { reversals: async () => [] },
    },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a context that this operation reads
  return { answer: call.run(context as unknown as AnyContext, undefined), credited }
}

const grant: Grant = {
  id: 'gr_1',
  applicationId: 'app_1',
  mode: 'live',
  amountMicros: 5n,
  reason: 'x',
  idempotencyKey: null,
  endUsers: 3,
  done: 1,
  startsAtMs: null,
  expiresAtMs: null,
  createdAtMs: 0,
}

test('after ten seconds, the operation returns the progress of the grant, and the grant continues', async () => {
  const { answer, credited } = issuing(() => grant)
  let isAnswered = false
  void answer.then(() => (isAnswered = true))
  await vi.advanceTimersByTimeAsync(9_999)
  expect(isAnswered).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await answer).toMatchObject({ json: { endUsers: 3, done: 1, status: 'running' } })
  // The response was already returned, so a later failure of the grant must not stop the process.
  credited.reject(new Error('the server stops'))
})

test('if the ledger has not begun the grant after ten seconds, the operation waits for the result of the grant', async () => {
  let begun: Grant | null = null
  const { answer, credited } = issuing(() => begun)
  await vi.advanceTimersByTimeAsync(60_000)
  begun = { ...grant, done: 3 }
  credited.resolve({ kind: 'credited', grantId: 'gr_1', isReplay: false, endUsers: 3 })
  expect(await answer).toMatchObject({ json: { done: 3, status: 'done' } })
})
