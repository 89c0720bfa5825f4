import { afterEach, expect, test, vi } from 'vitest'
import type { EmitterNews } from '#domain/emitters/emitter-records-and-ports.ts'
import type { SettleRequest } from '#domain/ledger-interface.ts'
import { enabledWebhook } from '#tests/fixtures/enabled-webhook.ts'
import { usageEvent } from '#tests/fixtures/usage-event.ts'
import { Emitters, type EmittersPorts } from './send-settled-calls-to-emitters.ts'

const nowMs = 1_700_000_000_000
const event = usageEvent({ atMs: nowMs, settledAtMs: nowMs })

const soon = { interval: 1, timeout: 60_000 }

afterEach(() => void vi.restoreAllMocks())

/** `settle` ends a call and resolves when its event is delivered. `tick` runs the work of each second. */
async function started(count: number) {
  const enabled = Array.from({ length: count }, (_, n) => enabledWebhook(`emt_${n}`, nowMs))
  const saved: (readonly EmitterNews[])[] = []
  const store = { isAway: false, isLedgerAway: false, posts: 0, tries: 0, onSave: (): void => {} }
  let tick = (): void => {}
  vi.spyOn(globalThis, 'setInterval').mockImplementation((work) => {
    tick = work as () => void
    return setTimeout(() => {}, 0)
  })
  // Each reading is a second later, so that no batch waits for the one before.
  let readings = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (readings += 1_000))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that are used here
  const ports = {
    progress: {
      version: async () => 1,
      enabled: async () => enabled,
      byId: async (id: string) => enabled.find((one) => one.id === id) ?? null,
      events: async () => [event],
      settledCalls: async () => [],
      marksOf: async (epoch: number) =>
        enabled.map(({ id }) => ({ emitterId: id, epoch, through: '', pending: [] })),
      claim: async () => [],
      claimReplays: async () => [],
      async save(news: readonly EmitterNews[]) {
        store.tries += 1
        if (store.isAway) throw new Error('the store is away')
        saved.push(news)
        store.onSave()
      },
    },
    newPoster: () => ({
      send: async () => {
        store.posts += 1
        return { kind: 'answered', status: 200, text: '' }
      },
      close() {},
    }),
    openSecret: (sealed: string) => sealed,
    openCallIds: () => [],
    isLedgerAway: () => store.isLedgerAway,
    epoch: 7,
    isShared: false,
    newId: () => 'batch',
    nowMs: () => nowMs,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  } as unknown as EmittersPorts
  const emitters = new Emitters(ports)
  await emitters.start()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only fields that emitters read
  const call = { record: { applicationId: 'app_1', mode: 'live', callId: event.callId } } as SettleRequest
  return {
    emitters,
    saved,
    store,
    settle: async (): Promise<void> => {
      const posts = store.posts + count
      emitters.settled(call)
      await vi.waitFor(
        () => expect(emitters.figures().every(({ waiting }) => waiting === 0)).toBe(true),
        soon,
      )
      expect(store.posts).toBe(posts)
    },
    tick: async (): Promise<void> => {
      tick()
      // Each tick tries to save at least once.
      const tries = store.tries
      await vi.waitFor(() => expect(store.tries).toBeGreaterThan(tries), soon)
      await new Promise(setImmediate)
    },
  }
}

test('the progress of many emitters is saved in several short transactions, so that other transactions can run', async () => {
  const { emitters, saved, settle, tick } = await started(120)
  await settle()
  await tick()
  await emitters.close()
  const emitterIds = saved.flatMap((news) => news.map(({ emitterId }) => emitterId))
  expect(new Set(emitterIds).size).toBe(120)
  expect(Math.max(...saved.map((news) => news.length))).toBeLessThanOrEqual(50)
})

test('while no progress can be saved, the memory for unsaved progress does not grow with each second', async () => {
  const { emitters, saved, settle, store, tick } = await started(1)
  store.isAway = true
  for (let n = 0; n < 30; n++) {
    // oxlint-disable-next-line no-await-in-loop -- one second after the other
    await settle()
    // oxlint-disable-next-line no-await-in-loop -- see above
    await tick()
  }
  store.isAway = false
  await tick()
  await emitters.close()
  const news = saved.flat()
  expect(news.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(30)
  expect(news.flatMap(({ deliveries }) => deliveries)).toHaveLength(30)
  // The news of the first second, and one entry with the news since then.
  expect(news.length).toBeLessThan(5)
})

test('if a settle fails while earlier progress is saved, no mark is taken, because the mark would miss the call', async () => {
  const { emitters, saved, settle, store, tick } = await started(1)
  store.isAway = true
  await settle()
  await tick()
  await settle()
  store.isAway = false
  store.onSave = () => {
    store.isLedgerAway = true
  }
  await tick()
  expect(saved).toHaveLength(1)
  store.isLedgerAway = false
  store.onSave = () => {}
  await tick()
  expect(saved.flat().map(({ delivered }) => delivered)).toEqual([1, 1])
  await emitters.close()
})
