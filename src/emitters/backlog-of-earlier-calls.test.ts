import { expect, test } from 'vitest'
import type { EmitterProgress } from '#domain/emitters/emitter-records-and-ports.ts'
import { leftCalls } from './backlog-of-earlier-calls.ts'

const enabledAtMs = 1_700_000_000_000

/** By the clock of the process that settled the calls. */
const settledAtMs: ReadonlyMap<string, number> = new Map([
  ['call_1', enabledAtMs - 3_600_000],
  ['call_2', enabledAtMs - 45_000],
  ['call_3', enabledAtMs + 1],
])

test('calls that a process with a slow clock settled after the emitter was enabled are delivered', async () => {
  const progress: Pick<EmitterProgress, 'settledCalls'> = {
    settledCalls: async ({ after, settledSinceMs }) =>
      [...settledAtMs].filter(([id, atMs]) => id > after && atMs >= settledSinceMs).map(([id]) => id),
  }
  const emitter = { applicationId: 'app_1', mode: 'live', sinceMs: enabledAtMs } as const
  const mark = { emitterId: 'emt_1', epoch: 7, through: '', pending: [] }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only member that is used here
  const left = leftCalls(progress as EmitterProgress, emitter, mark, {
    reason: 'taken_over',
    over: async () => {},
  })
  expect(await left.take(100)).toEqual(['call_2', 'call_3'])
  expect(await left.take(100)).toEqual([])
})
