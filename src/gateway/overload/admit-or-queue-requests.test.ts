import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Admission, type AdmissionLimits } from './admit-or-queue-requests.ts'

const limits: AdmissionLimits = {
  inFlightMin: 2,
  inFlightMax: 4,
  waitingMin: 3,
  waitingMax: 3,
  loopDelayMsMax: 1_000_000,
  memoryShareMax: 1,
  waitMsEnd: 1_000,
  startsPerTurn: 2,
  rejectionsPerTurn: 100,
}

const opened: Admission[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

function admission(changes: Partial<AdmissionLimits> = {}) {
  const clock = { nowMs: 0, turn: 0 }
  const store: { busyApplication: string | null } = { busyApplication: null }
  const seen: string[] = []
  const gone = new Set<string>()
  const own = new Admission(
    { ...limits, ...changes },
    {
      monotonicMs: () => clock.nowMs,
      turn: () => clock.turn,
      memoryShare: () => 0,
      isStoreBusy: (applicationId) => applicationId === store.busyApplication,
      onRefused: () => {},
    },
  )
  opened.push(own)
  const wait = (name: string, withinMs = 1_000, organization = 'org') =>
    own.wait([organization, 'app', 'user'], withinMs, {
      isGone: () => gone.has(name),
      start: () => void seen.push(`start ${name}`),
      isEarly: false,
      refuse: () => {
        seen.push(`refuse ${name}`)
        return null
      },
    })
  return { own, clock, store, seen, gone, wait }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('in one turn of the event loop, a limited number of requests start, and the other requests start in later turns', () => {
  const { clock, own } = admission()
  expect([own.startsNow('app'), own.startsNow('app'), own.startsNow('app')]).toEqual([true, true, false])
  clock.turn = 1
  expect([own.startsNow('app'), own.startsNow('app')]).toEqual([true, true])
})

test('no request starts beyond the limit of requests in flight', () => {
  const { clock, own } = admission()
  const started = Array.from({ length: 10 }, (_, turn) => {
    clock.turn = turn
    return own.startsNow('app')
  })
  expect(started.filter(Boolean)).toHaveLength(4)
  own.ended()
  clock.turn = 10
  expect([own.startsNow('app'), own.startsNow('app')]).toEqual([true, false])
})

test('two waiting requests start in each turn of the event loop, before any new request', async () => {
  const { own, seen, wait } = admission()
  for (const name of ['a', 'b', 'c']) wait(name)
  expect(own.startsNow('app')).toBe(false)
  expect(seen).toEqual([])
  await nextTurn()
  expect(seen).toEqual(['start a', 'start b'])
  expect(own.startsNow('app')).toBe(false)
  await nextTurn()
  expect(seen).toEqual(['start a', 'start b', 'start c'])
  expect(own.figures()).toEqual({ inFlight: 3, inFlightMax: 4, waiting: 0, refused: 0 })
})

test('a waiting request starts when a request in flight ends', async () => {
  const { clock, own, seen, wait } = admission()
  for (clock.turn = 0; own.startsNow('app');) clock.turn += 1
  wait('a')
  await nextTurn()
  expect(seen).toEqual([])
  own.ended()
  await nextTurn()
  expect(seen).toEqual(['start a'])
})

test('while the store is busy with requests of an application, only requests of other applications start', async () => {
  const { clock, own, seen, store, wait } = admission()
  expect(own.startsNow('app')).toBe(true)
  clock.turn = 1
  store.busyApplication = 'app'
  expect(own.startsNow('app')).toBe(false)
  wait('a')
  await nextTurn()
  expect(seen).toEqual([])
  own.wait(['org', 'other', 'user'], 1_000, {
    isGone: () => false,
    start: () => void seen.push('start other'),
    isEarly: false,
    refuse: () => expect.unreachable(),
  })
  await nextTurn()
  expect(seen).toEqual(['start other'])
  store.busyApplication = null
  own.ended()
  await nextTurn()
  expect(seen).toEqual(['start other', 'start a'])
})

test('a full queue rejects the newest request of the organization that has the most requests in the queue', () => {
  const { own, seen, wait } = admission({ inFlightMin: 0, inFlightMax: 0 })
  for (const name of ['a', 'b', 'c', 'd']) wait(name)
  expect(seen).toEqual(['refuse d'])
  wait('e', 1_000, 'other')
  expect(seen).toEqual(['refuse d', 'refuse c'])
  expect(own.figures()).toMatchObject({ waiting: 3, refused: 2 })
})

test('a request that waits too long is rejected, and a request whose client has disconnected is dropped', async () => {
  const { clock, gone, own, seen, wait } = admission()
  wait('late', 100)
  wait('gone')
  wait('in time')
  gone.add('gone')
  clock.nowMs = 101
  await nextTurn()
  expect(seen).toEqual(['refuse late', 'start in time'])
  expect(own.figures()).toMatchObject({ inFlight: 1, waiting: 0, refused: 1 })
})

test('a request that has waited for the whole rest of its connection is rejected, and a recent request is served', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { clock, own, seen } = admission({ inFlightMin: 1, inFlightMax: 1, waitingMin: 0, waitingMax: 0 })
  /** @returns sends the client's next request, while the connection rests */
  const client = (name: string): (() => void) => {
    let send = (): void => {}
    const serve = (isEarly: boolean): void => {
      if (own.startsNow('app', isEarly)) seen.push(`start ${name}`)
      else
        own.wait(['org', 'app', name], 1_000, {
          isGone: () => false,
          start: () => expect.unreachable(),
          isEarly,
          refuse: () => {
            seen.push(`refuse ${name}`)
            return (onEarly) => {
              send = () => onEarly(1)
              return { resume: (reason) => serve(reason === 'time') }
            }
          },
        })
    }
    serve(false)
    return () => send()
  }
  const measureAt = (nowMs: number): void => {
    clock.nowMs = nowMs
    clock.turn += 1
    vi.advanceTimersByTime(50)
  }
  expect(own.startsNow('app')).toBe(true)
  const [first, second] = [client('first'), client('second')]
  first()
  clock.nowMs = 999
  second()
  expect(seen.splice(0)).toEqual(['refuse first', 'refuse second'])
  own.ended()
  // The rest of both connections ends after 2 s. The second request has waited for 1,001 ms, and 1,000 ms are allowed.
  measureAt(2_000)
  expect(seen.splice(0)).toEqual(['refuse first', 'refuse second'])
  first()
  clock.nowMs = 3_000
  second()
  measureAt(4_000)
  expect(seen.splice(0)).toEqual(['start second', 'refuse first'])
  // When the server stops, all requests start, so that each request is rejected because the server stops.
  first()
  own.close()
  expect(seen).toEqual(['start first'])
})

test('if rejections take more than three times as long as all other work, more requests start in each turn, up to four times the usual number', async () => {
  const started = async (rejections: number): Promise<number> => {
    const { clock, own, seen } = admission({ inFlightMax: 100, waitingMin: 20, waitingMax: 20 })
    while (own.startsNow('app')) clock.turn = 0
    clock.nowMs += 2
    for (let n = 0; n < 20 + rejections; n++) {
      // Reading the rejected request takes another 0.3 ms.
      if (n >= 20) clock.nowMs += 0.3
      own.wait(['org', 'app', 'user'], 1_000, {
        isGone: () => false,
        start: () => void seen.push('start'),
        isEarly: false,
        refuse: () => {
          clock.nowMs += 0.3
          return null
        },
      })
    }
    await nextTurn()
    return seen.filter((each) => each === 'start').length
  }
  const counts = [await started(0), await started(9), await started(16), await started(21), await started(80)]
  expect(counts).toEqual([2, 2, 3, 4, 8])
})

test('a stopping server starts all waiting requests, so that each request is rejected because the server stops', () => {
  const { own, seen, wait } = admission({ inFlightMin: 0, inFlightMax: 0 })
  for (const name of ['a', 'b']) wait(name)
  own.close()
  expect(seen).toEqual(['start a', 'start b'])
  expect(own.startsNow('app')).toBe(true)
})

test('a stopping server rejects the requests whose rejection waits for a later turn', async () => {
  const none = { inFlightMin: 0, inFlightMax: 0, waitingMin: 0, waitingMax: 0 }
  const { own, seen, wait } = admission({ ...none, rejectionsPerTurn: 1 })
  for (const name of ['a', 'b', 'c']) wait(name)
  expect(seen).toEqual(['refuse a'])
  await nextTurn()
  expect(seen).toEqual(['refuse a', 'refuse b'])
  own.close()
  expect(seen).toEqual(['refuse a', 'refuse b', 'refuse c'])
  expect(own.figures()).toMatchObject({ refused: 3 })
})
