import { describe, expect, test } from 'vitest'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import { endedCalls } from '#store/nouns/ended-calls-for-tail.ts'
import { engines } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('places of ended calls on $name', ({ open }) => {
  test.each([
    ['failed', 5],
    ['failed', 64],
    ['failed', 66],
    ['failed', 300],
    ['charged', 9],
    ['charged', 11],
    ['charged', 300],
  ] as const)(
    'a %s call that took %i minutes is sent once to a reader that reconnects',
    async (end, minutes) => {
      const clock = { nowMs: startMs }
      const opened = await open(() => clock.nowMs)
      const world = new World(opened.store, clock)
      await world.found()
      const caller = await world.person(1_000n)
      const request = world.request(caller, { input: 10, output: 10 })
      await world.reserve(request)
      const latencyMs = minutes * 60_000
      // A reader was connected until the middle of the call, or until a second before its end.
      const lefts = [clock.nowMs + latencyMs / 2, clock.nowMs + latencyMs - 1_000]
      clock.nowMs += latencyMs
      const record = { ...world.record(request, 'released'), atMs: request.nowMs, latencyMs }
      if (end === 'failed') {
        await world.store.ledger.release({ callId: request.callId, nowMs: clock.nowMs, record, attempts: [] })
      } else {
        const settlement = world.settlement(request, { input: 10 })
        await world.store.ledger.settle({ ...settlement, record: { ...settlement.record, latencyMs } })
      }
      const place = { endedAtMs: (suffixMs(request.callId) ?? 0) + latencyMs, callId: request.callId }
      const calls = endedCalls(opened.store.database.read)
      for (const leftAtMs of lefts) {
        const after = { endedAtMs: leftAtMs, callId: '' }
        // oxlint-disable-next-line no-await-in-loop -- two reads
        const places = await calls.placesBehind(world.applicationId, 'live', after, 10)
        expect(places).toEqual([place])
      }
      expect(await calls.placesBehind(world.applicationId, 'live', place, 10)).toEqual([])
      await opened.closeSound()
    },
  )

  test.each(['failed', 'charged'] as const)(
    'if many %s calls took long, their places are read a few rows at a time',
    async (end) => {
      const clock = { nowMs: startMs }
      const opened = await open(() => clock.nowMs)
      const world = new World(opened.store, clock)
      await world.found()
      const latencyMs = 90 * 60_000
      const requests = []
      for (let i = 0; i < 7; i++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const request = world.request(await world.person(1_000n), { input: 10, output: 10 })
        // oxlint-disable-next-line no-await-in-loop -- see above
        await world.reserve(request)
        requests.push(request)
      }
      clock.nowMs += latencyMs
      for (const request of requests) {
        const record = { ...world.record(request, 'released'), atMs: request.nowMs, latencyMs }
        const settlement = world.settlement(request, { input: 10 })
        // oxlint-disable-next-line no-await-in-loop -- see above
        await (end === 'failed'
          ? world.store.ledger.release({ callId: request.callId, nowMs: clock.nowMs, record, attempts: [] })
          : world.store.ledger.settle({ ...settlement, record: { ...settlement.record, latencyMs } }))
      }
      const { read } = opened.store.database
      let most = 0
      const counted = read.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          most = Math.max(most, result.rows.length)
          return result
        },
      })
      const after = { endedAtMs: clock.nowMs - 1_000, callId: '' }
      const places = await endedCalls(counted, 2).placesBehind(world.applicationId, 'live', after, 10)
      expect(places?.map(({ callId }) => callId)).toEqual(requests.map(({ callId }) => callId).toSorted())
      expect(most).toBe(2)
      expect(await endedCalls(read, 2).placesBehind(world.applicationId, 'live', after, 6)).toBeNull()
      await opened.closeSound()
    },
  )
})
