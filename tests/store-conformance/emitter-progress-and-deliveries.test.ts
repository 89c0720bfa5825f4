import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  Delivery,
  Emitter,
  EmitterNews,
  EmitterProgress,
} from '#domain/emitters/emitter-records-and-ports.ts'
import { epochTag, suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Store } from '#domain/store-interface.ts'
import { Emitters } from '#emitters/send-settled-calls-to-emitters.ts'
import type { Poster } from '#emitters/deliver-batch.ts'
import { emitterProgress } from '#store/nouns/emitter-progress.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, startMs, World } from './add-rows-that-calls-need.ts'

const anyEpoch = 4_242

describe.each(engines)('emitters on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  let progress: EmitterProgress
  let person: Caller
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    store = sqlStore(opened.store.database)
    progress = emitterProgress(opened.store.database)
    person = await world.person(1_000_000_000n)
  })
  afterEach(() => opened.close())

  async function added(fields: Partial<Emitter> = {}): Promise<Emitter> {
    const emitter: Emitter = {
      id: `emt_${world.newId()}`,
      applicationId: world.applicationId,
      mode: 'live',
      kind: 'webhook',
      name: 'Billing',
      destination: 'https://hooks.example.com/',
      eventName: null,
      customerId: 'end_user_id',
      amount: 'all',
      isEnabled: true,
      sealedSecret: 'sealed',
      lastFour: 'cdef',
      formerSealedSecret: null,
      formerSecretEndsAtMs: null,
      sinceMs: clock.nowMs,
      createdAtMs: clock.nowMs,
      ...fields,
    }
    await store.transaction((nouns) => nouns.emitters.insert(emitter))
    return emitter
  }

  /** @returns the ID of the call, which contains the epoch */
  async function settled(epoch: number): Promise<string> {
    const id = world.newId()
    const callId = id.slice(0, 10) + epochTag(epoch) + id.slice(13)
    const request = world.request(person, { input: 10, output: 10 }, { callId })
    await world.reserve(request)
    await world.settle(request, { input: 10, output: 5 })
    return callId
  }

  const own = (): number => opened.store.epoch
  const update = (emitter: Emitter) => store.transaction((nouns) => nouns.emitters.update(emitter))
  const marks = (epoch: number) => progress.marksOf(epoch, [])
  const endEpoch = (epoch: number) =>
    opened.store.database.transaction((tx) =>
      tx.insertInto('epochs').values({ epoch, started_at_ms: 0, ended_at_ms: 1 }).execute(),
    )

  const news = (emitterId: string, more: Partial<EmitterNews> = {}): EmitterNews => ({
    mark: null,
    emitterId,
    delivered: 0,
    rejected: 0,
    dropped: 0,
    deliveries: [],
    missedFrom: null,
    missedTo: null,
    ...more,
  })

  const delivery = (id: string, more: Partial<Delivery> = {}): Delivery => ({
    id,
    reason: 'settled',
    createdAtMs: clock.nowMs,
    callIds: ['call'],
    isDelivered: true,
    attempts: 1,
    httpStatus: 200,
    failure: null,
    latencyMs: 5,
    requestBody: null,
    responseBody: null,
    ...more,
  })

  test('a new emitter has a progress mark for every live process, before the oldest call in flight', async () => {
    const asked = world.request(person, { input: 10, output: 10 })
    await world.reserve(asked)
    clock.nowMs += 600_000
    const emitter = await added()
    const [mark, ...others] = await marks(own())
    expect(others).toEqual([])
    expect(mark).toMatchObject({ emitterId: emitter.id, epoch: own(), pending: [] })
    expect(mark && mark.through < asked.callId).toBe(true)
    expect(await progress.version()).toBe(1)
    expect(await progress.enabled()).toEqual([{ ...emitter, organizationId: world.organizationId }])
  })

  test('a disabled emitter receives no calls, and receives new calls again when it is enabled', async () => {
    const emitter = await added({ isEnabled: false })
    expect(await marks(own())).toEqual([])
    expect(await progress.enabled()).toEqual([])
    clock.nowMs += 3_600_000
    await update({ ...emitter, isEnabled: true, sinceMs: clock.nowMs })
    const [mark] = await marks(own())
    expect(mark && mark.through > suffixFloor(startMs)).toBe(true)
    await update({ ...emitter, isEnabled: false })
    expect(await marks(own())).toEqual([])
  })

  test('the calls of an ended process are claimed by one process, and only after the process and its calls have ended', async () => {
    const emitter = await added()
    await progress.marksOf(anyEpoch, [
      { emitterId: emitter.id, epoch: anyEpoch, through: 'a', pending: ['b', 'c'] },
    ])
    await opened.store.database.transaction((tx) =>
      tx.insertInto('epochs').values({ epoch: anyEpoch, started_at_ms: 0, ended_at_ms: null }).execute(),
    )
    expect(await progress.claim(own(), [emitter.id])).toEqual([])
    await opened.store.database.transaction((tx) =>
      tx.updateTable('epochs').set({ ended_at_ms: 1 }).where('epoch', '=', anyEpoch).execute(),
    )
    expect(await progress.claim(own(), ['emt_other'])).toEqual([])
    const left = { emitterId: emitter.id, epoch: anyEpoch, through: 'a', pending: ['b', 'c'] }
    expect(await progress.claim(own(), [emitter.id])).toEqual([left])
    // The process did not learn of its claim if the commit was not confirmed.
    expect(await progress.claim(own(), [emitter.id])).toEqual([left])
    await opened.store.database.transaction((tx) =>
      tx
        .insertInto('epochs')
        .values({ epoch: anyEpoch + 1, started_at_ms: 0, ended_at_ms: null })
        .execute(),
    )
    expect(await progress.claim(anyEpoch + 1, [emitter.id])).toEqual([])
    await progress.dropMark(left)
    expect(await marks(anyEpoch)).toEqual([])
    expect(await progress.claim(own(), [emitter.id])).toEqual([])
  })

  test('settled calls are found by time range, by process, and by the time of their settlement', async () => {
    const mine = [await settled(7), await settled(7)]
    clock.nowMs += 1_000
    const late = await settled(7)
    const other = await settled(8)
    const span = {
      applicationId: world.applicationId,
      mode: 'live',
      after: '',
      before: '~',
      limit: 10,
    } as const
    const found = (more: object) => progress.settledCalls({ ...span, epoch: 7, settledSinceMs: 0, ...more })
    expect(await found({})).toEqual([...mine, late].toSorted())
    expect(await found({ epoch: null })).toEqual([...mine, late, other].toSorted())
    expect(await found({ settledSinceMs: startMs + 1 })).toEqual([late])
    expect(await found({ limit: 1 })).toEqual(mine.toSorted().slice(0, 1))
    expect(await found({ after: late })).toEqual([])
    expect(await found({ mode: 'test' })).toEqual([])
    const [event] = await progress.events(world.applicationId, 'live', [late, 'nothing'])
    expect(event).toMatchObject({
      callId: late,
      endUserId: person.endUserId,
      keyId: person.keyId,
      inputTokens: 10,
      settledAtMs: clock.nowMs,
      streamed: false,
      tokenSource: 'provider_reported',
    })
  })

  test('an emitter has sums, its last 200 deliveries, and the number of missed calls until a replay', async () => {
    const emitter = await added()
    const many = Array.from({ length: 150 }, (_, i) => delivery(`a${String(i).padStart(3, '0')}`))
    await progress.save([news(emitter.id, { delivered: 150, deliveries: many })])
    const refused = delivery('b000', { isDelivered: false, failure: 'it answered 400', httpStatus: 400 })
    const from = suffixFloor(startMs)
    const missed = { missedFrom: `${from}0000000000000000`, missedTo: `${from}zzzzzzzzzzzzzzzz` }
    const more = [...many.map((one) => ({ ...one, id: `b${one.id}` })), { ...refused, id: 'c000' }]
    await progress.save([news(emitter.id, { delivered: 150, rejected: 1, deliveries: more, ...missed })])
    await progress.save([news(emitter.id, { dropped: 3, missedFrom: `${from}1`, missedTo: `${from}2` })])
    expect(await store.read.emitters.counts(emitter.id)).toMatchObject({
      delivered: 300,
      rejected: 1,
      dropped: 3,
      lastFailure: 'it answered 400',
      failingSinceMs: clock.nowMs,
      ...missed,
    })
    const page = { limit: 1_000, after: null }
    const kept = await store.read.emitters.deliveries(emitter.id, null, page)
    expect(kept.rows.length).toBe(200)
    expect(kept.rows[0]).toMatchObject({ id: 'c000', isDelivered: false, callIds: ['call'] })
    expect((await store.read.emitters.deliveries(emitter.id, false, page)).rows.length).toBe(1)

    const replay = {
      emitterId: emitter.id,
      fromMs: startMs,
      toMs: startMs + 1,
      through: suffixFloor(startMs),
      sent: 0,
      state: 'running',
      failure: null,
      epoch: own(),
      startedAtMs: clock.nowMs,
      updatedAtMs: clock.nowMs,
    } as const
    await store.transaction((nouns) => nouns.emitters.putReplay(replay))
    expect(await progress.claimReplays(own(), [emitter.id])).toEqual([replay])
    await progress.saveReplay({ ...replay, state: 'done', sent: 4 })
    expect(await store.read.emitters.replay(emitter.id)).toMatchObject({ state: 'done', sent: 4 })
    expect(await progress.claimReplays(own(), [emitter.id])).toEqual([])
    expect(await store.read.emitters.counts(emitter.id)).toMatchObject({ missedFrom: null, missedTo: null })
  })

  test('deliveries whose commit was not confirmed can be saved again, and count once', async () => {
    const emitter = await added()
    await progress.marksOf(own(), [{ emitterId: emitter.id, epoch: own(), through: 'a', pending: [] }])
    const mark = { emitterId: emitter.id, epoch: own(), through: 'b', pending: [] }
    const failed = delivery('d-2', { isDelivered: false, failure: 'it returned 500' })
    const unconfirmed = news(emitter.id, {
      mark,
      delivered: 1,
      rejected: 1,
      deliveries: [delivery('d-1'), failed],
    })
    await progress.save([unconfirmed])
    await progress.save([unconfirmed, news(emitter.id, { delivered: 1, deliveries: [delivery('d-3')] })])
    expect(await marks(own())).toEqual([mark])
    expect(await store.read.emitters.counts(emitter.id)).toMatchObject({ delivered: 2, rejected: 1 })
    const { rows } = await store.read.emitters.deliveries(emitter.id, null, { limit: 10, after: null })
    expect(rows.map(({ id }) => id)).toEqual(['d-3', 'd-2', 'd-1'])
  })

  test('the replay of an ended process is taken over once', async () => {
    const emitter = await added()
    await endEpoch(anyEpoch)
    const replay = {
      emitterId: emitter.id,
      fromMs: startMs,
      toMs: startMs + 1,
      through: suffixFloor(startMs),
      sent: 2,
      state: 'running',
      failure: null,
      epoch: anyEpoch,
      startedAtMs: 1,
      updatedAtMs: 1,
    } as const
    await store.transaction((nouns) => nouns.emitters.putReplay(replay))
    expect(await progress.claimReplays(own(), [emitter.id])).toEqual([{ ...replay, epoch: own() }])
    // The former process has lost the replay.
    await progress.saveReplay({ ...replay, sent: 9 })
    expect((await store.read.emitters.replay(emitter.id))?.sent).toBe(2)
  })

  test('disabling an emitter ends its replay, even if the emitter is enabled again', async () => {
    const emitter = await added()
    const replay = {
      emitterId: emitter.id,
      fromMs: startMs,
      toMs: startMs + 1,
      through: suffixFloor(startMs),
      sent: 2,
      state: 'running',
      failure: null,
      epoch: own(),
      startedAtMs: 1,
      updatedAtMs: 1,
    } as const
    await store.transaction((nouns) => nouns.emitters.putReplay(replay))
    await update({ ...emitter, isEnabled: false })
    await update({ ...emitter, isEnabled: true, sinceMs: startMs + 5 })
    // A batch of the replay was still being delivered when the emitter was disabled.
    await progress.saveReplay({ ...replay, sent: 3 })
    expect(await progress.claimReplays(own(), [emitter.id])).toEqual([])
    expect(await store.read.emitters.replay(emitter.id)).toMatchObject({
      state: 'stopped',
      failure: 'the emitter is disabled',
      sent: 2,
    })
  })

  test('writes of a removed emitter are ignored', async () => {
    const emitter = await added()
    const mark = { emitterId: emitter.id, epoch: own(), through: 'z', pending: [] }
    await store.transaction((nouns) => nouns.emitters.remove(emitter.id))
    await progress.save([news(emitter.id, { mark, delivered: 1, deliveries: [delivery('a')] })])
    expect(await marks(own())).toEqual([])
    expect(await store.read.emitters.byId(world.applicationId, emitter.id)).toBeNull()
    expect(await progress.byId(emitter.id)).toBeNull()
  })

  test('if a destination never responds, at most 10,000 events wait, and further events are only counted', async () => {
    const emitter = await added()
    const hanging: Poster = {
      send: ({ signal }) =>
        new Promise((resolve) => {
          const ended = { kind: 'failed', reason: 'ended' } as const
          signal.addEventListener('abort', () => resolve(ended), { once: true })
        }),
      close() {},
    }
    const emitters = new Emitters({
      progress,
      newPoster: () => hanging,
      openSecret: () => 'whsec_x',
      derivedSecret: () => 'x',
      openCallIds: () => [],
      isLedgerAway: () => false,
      epoch: own(),
      isShared: false,
      newId: world.newId,
      nowMs: () => clock.nowMs,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    })
    await emitters.start()
    const request = world.request(person, { input: 10, output: 10 })
    await world.reserve(request)
    const settle = world.settlement(request, { input: 10, output: 5 })
    await world.store.ledger.settle(settle)
    // The queue receives the calls of a day as IDs. Only one call is recorded.
    for (let i = 0; i < 30_000; i++) emitters.settled(settle)
    const [figures] = emitters.figures()
    expect(figures?.waiting).toBeLessThanOrEqual(10_100)
    expect(figures?.undelivered).toBeGreaterThanOrEqual(19_900)
    clock.nowMs += 1_000
    await emitters.close()
    const counts = await store.read.emitters.counts(emitter.id)
    expect(counts.dropped).toBeGreaterThanOrEqual(19_900)
    expect(counts.missedFrom).toBe(settle.callId)
    const [mark] = await marks(own())
    expect(mark?.pending).toEqual([settle.callId])
  })
})
