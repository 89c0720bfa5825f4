import { expect, test } from 'vitest'
import type { EnabledEmitter } from '#domain/emitters/emitter-records-and-ports.ts'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import { enabledWebhook } from '#tests/fixtures/enabled-webhook.ts'
import { usageEvent } from '#tests/fixtures/usage-event.ts'
import { EmitterWorker, type WorkerPorts } from './deliver-events-of-emitter.ts'

const nowMs = 1_700_000_000_000

test('after the clock was set back, the next mark ends before the IDs of new calls', async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that a worker without calls uses
  const ports = {
    progress: { settledCalls: async () => [] },
    nowMs: () => nowMs,
    epoch: 7,
  } as unknown as WorkerPorts
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all fields that a worker without calls uses
  const emitter = { id: 'emt_1', applicationId: 'app_1', mode: 'live', sinceMs: 0 } as EnabledEmitter
  const worker = new EmitterWorker(emitter, ports)
  worker.catchUp({ emitterId: 'emt_1', epoch: 7, through: suffixFloor(nowMs), pending: [] })
  await new Promise(setImmediate)
  worker.takeNews(suffixFloor(nowMs), [])
  expect(worker.takeNews(suffixFloor(nowMs + 1_000), [])).toBeNull()
  const back = suffixFloor(nowMs - 3_600_000)
  expect(worker.takeNews(back, [])?.mark).toEqual({
    emitterId: 'emt_1',
    epoch: 7,
    through: back,
    pending: [],
  })
  expect(worker.takeNews(back, [])).toBeNull()
})

test('the mark of an ended process is taken over once, even if it is claimed again', async () => {
  const dropped: number[] = []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that a worker without calls uses
  const ports = {
    progress: {
      settledCalls: async () => [],
      dropMark: async ({ epoch }: { readonly epoch: number }) => void dropped.push(epoch),
    },
    nowMs: () => nowMs,
    epoch: 7,
  } as unknown as WorkerPorts
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all fields that a worker without calls uses
  const emitter = { id: 'emt_1', applicationId: 'app_1', mode: 'live', sinceMs: 0 } as EnabledEmitter
  const worker = new EmitterWorker(emitter, ports)
  const mark = { emitterId: 'emt_1', epoch: 6, through: suffixFloor(nowMs), pending: [] }
  expect([worker.takeOver(mark), worker.takeOver(mark)]).toEqual([true, false])
  await new Promise(setImmediate)
  expect(worker.takeOver(mark)).toBe(false)
  expect(dropped).toEqual([6])
})

/** @param progress the members that the worker of the test uses */
function countedPosts(progress: object): { readonly ports: WorkerPorts; readonly posts: () => number } {
  let posts = 0
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that a worker with one call uses
  const ports = {
    progress,
    poster: {
      send: async () => {
        posts += 1
        return { kind: 'answered', status: 200, text: '' }
      },
    },
    openSecret: (sealed: string) => sealed,
    newId: () => 'batch',
    nowMs: () => nowMs,
    epoch: 7,
  } as unknown as WorkerPorts
  return { ports, posts: () => posts }
}

test('if the clock is set back after an emitter is enabled, the emitter still gets the calls that settle', async () => {
  // The clock was set back by an hour.
  const emitter = enabledWebhook('emt_1', nowMs + 3_600_000)
  const event = usageEvent({ atMs: nowMs, settledAtMs: nowMs })
  let stored = emitter
  const { ports, posts } = countedPosts({ byId: async () => stored, events: async () => [event] })
  const worker = new EmitterWorker(emitter, ports)
  worker.offer(event.callId)
  await worker.drain()
  expect(posts()).toBe(1)
  // The emitter was disabled and enabled again after the call had settled.
  stored = { ...emitter, sinceMs: emitter.sinceMs + 1 }
  worker.offer(event.callId)
  await worker.drain()
  expect(posts()).toBe(1)
})

test.each([
  ['takeOver', 1],
  ['catchUp', 0],
] as const)(
  'calls that settled shortly before the emitter was enabled: %s delivers %i',
  async (method, expected) => {
    const emitter = enabledWebhook('emt_1', nowMs)
    // The clock of an ended process may have been slow.
    const event = usageEvent({ atMs: nowMs - 50_000, settledAtMs: nowMs - 45_000 })
    const { promise: isAttempted, resolve } = Promise.withResolvers<null>()
    const { ports, posts } = countedPosts({
      byId: async () => emitter,
      events: async () => [event],
      settledCalls: async () => {
        resolve(null)
        return []
      },
      dropMark: async () => {},
    })
    const worker = new EmitterWorker(emitter, ports)
    worker[method]({ emitterId: 'emt_1', epoch: 6, through: '', pending: [event.callId] })
    // The worker reads further calls after it has attempted the pending call.
    await isAttempted
    expect(posts()).toBe(expected)
  },
)
