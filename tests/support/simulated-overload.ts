/**
 * Simulates a server process to which requests arrive at a fixed rate, whether or not earlier requests have ended. The
 * product's admission decides which requests start, wait or are rejected. The event loop is also simulated, with a
 * fixed time for each piece of work, so the results do not depend on the machine.
 *
 * A turn of the simulated event loop has the same phases as in libuv. The timers run first, then all due work
 * (arrivals, `/health`, provider responses), and then the callbacks of `setImmediate`.
 */
import { vi } from 'vitest'
import { Admission, type AdmissionLimits } from '#gateway/overload/admit-or-queue-requests.ts'
import { waitingOfBusyLedger } from '#store/ledger/when-to-start-batch.ts'
import type { OnEarly, RestingConnection } from '#gateway/overload/resting-connections.ts'
import { randomFrom } from './seeded-random.ts'

/** Milliseconds on a fast machine (docs/decisions/2026-11-29-requests-under-overload.md). */
const workMs = {
  /** Reading a request before its admission takes as long as writing a rejection. */
  read: 0.016,
  reject: 0.016,
  /** Until the request is sent, for the response, and for the settlement. */
  stages: [0.25, 0.2, 0.15],
  health: 0.15,
  /** Time of each turn of the event loop, in addition to the work for requests. */
  turn: 0.05,
} as const

const stagesMsDefault = workMs.stages.reduce((sum, ms) => sum + ms, 0)
const rejectionMs = workMs.read + workMs.reject

const providerMs = 2
const commitMs = 0.5
const healthEveryMs = 20
const endUsers = 1_000
const requestBytes = 1_000
const neighborEndUsers = 20
const neighborShare = 0.02

export interface SimulatedOverload {
  /** A multiple of the rate that the process can serve. */
  readonly multiple: number
  readonly slowness: number
  readonly seconds: number
  readonly limits: AdmissionLimits
  /**
   * Number of connections of the overloading clients. Each connection sends one request at a time, and ignores
   * `retry-after`. If all connections are busy, a due request is not sent. If omitted, each request has its own
   * connection.
   */
  readonly connections?: number
  /**
   * A database that writes one batch of commits after the other, on another core. If omitted, each commit takes the
   * same time.
   */
  readonly database?: SimulatedDatabase
  /** Time of all stages of a call together, without the time for reading it. Defaults to 0.6. */
  readonly stagesMs?: number
}

interface SimulatedDatabase {
  /** Time of a batch, in addition to the time for its commits. */
  readonly batchMs: number
  readonly commitMs: number
}

export interface SimulatedTimes {
  /** The number of served requests divided by the number that the process could serve in the same time. */
  readonly goodput: number
  readonly admittedMs: readonly number[]
  readonly rejectedMs: readonly number[]
  readonly healthMs: readonly number[]
  /** The times of the second application's served requests, in milliseconds. */
  readonly neighborMs: readonly number[]
  readonly neighborRejected: number
}

/** Each rejection uses time of the same thread, so only the remaining time is available for calls. */
export function reachableGoodput(multiple: number): number {
  const cost = rejectionMs / (workMs.read + stagesMsDefault)
  return Math.min(1, Math.max(0, (1 - multiple * cost) / (1 - cost)))
}

export function simulateOverload({
  connections,
  database,
  limits,
  multiple,
  seconds,
  slowness,
  stagesMs = stagesMsDefault,
}: SimulatedOverload): SimulatedTimes {
  const stages = workMs.stages.map((ms) => (ms * stagesMs) / stagesMsDefault)
  const callMs = workMs.read + stagesMs
  const capacityPerSecond = 1_000 / (Math.max(callMs, database?.commitMs ?? 0) * slowness)
  const random = randomFrom(7)
  const admittedMs: number[] = []
  const rejectedMs: number[] = []
  const healthMs: number[] = []
  const neighborMs: number[] = []
  let neighborRejected = 0
  let nowMs = 0
  let turn = 0
  let due: Work[] = []
  let immediates: (() => void)[] = []
  const timers: Timer[] = []
  const work = (ms: number): void => void (nowMs += ms * slowness)
  const at = (atMs: number, run: () => void): void => void due.push({ atMs, run })

  vi.stubGlobal('setImmediate', (run: () => void) => void immediates.push(run))
  vi.stubGlobal('setInterval', (run: () => void, everyMs: number) => {
    timers.push({ run, everyMs, dueMs: nowMs + everyMs })
    const handle = { unref: () => handle }
    return handle
  })
  const admission = new Admission(limits, {
    monotonicMs: () => nowMs,
    turn: () => turn,
    memoryShare: () => 0.2,
    isStoreBusy: (application) => batch.length >= waitingOfBusyLedger && application !== 'neighbor',
    onRefused: () => {},
  })

  let batch: (() => void)[] = []
  let isWriting = false
  const commit = (onDurable: () => void): void => {
    if (database === undefined) return at(nowMs + commitMs, onDurable)
    batch.push(onDurable)
    if (!isWriting) writeTo(database)
  }
  const writeTo = (store: SimulatedDatabase): void => {
    const written = batch
    batch = []
    isWriting = written.length > 0
    if (!isWriting) return
    const tookMs = (store.batchMs + written.length * store.commitMs) * slowness
    at(nowMs + tookMs, () => {
      writeTo(store)
      for (const onDurable of written) onDurable()
    })
  }

  const free: Connection[] = Array.from({ length: connections ?? 0 }, () => ({ onEarly: null, early: null }))
  const arrive = (arrivedMs: number, isNeighbor: boolean): void => {
    if (isNeighbor || connections === undefined) {
      work(workMs.read)
      serve(arrivedMs, isNeighbor, null, false)
      return
    }
    const connection = free.shift()
    if (connection === undefined) return
    work(workMs.read)
    if (connection.onEarly === null) {
      serve(arrivedMs, isNeighbor, connection, false)
      return
    }
    connection.early = (isEarly) => serve(arrivedMs, isNeighbor, connection, isEarly)
    connection.onEarly(requestBytes)
  }
  const rest = (connection: Connection, onEarly: OnEarly): RestingConnection => {
    connection.onEarly = onEarly
    return {
      resume(reason) {
        const { early } = connection
        connection.onEarly = null
        connection.early = null
        early?.(reason === 'time')
      },
    }
  }
  const serve = (
    arrivedMs: number,
    isNeighbor: boolean,
    connection: Connection | null,
    isEarly: boolean,
  ): void => {
    const stage = (n: number): void => {
      work(stages[n] ?? 0)
      if (n + 1 < stages.length) {
        if (n === 0) at(nowMs + providerMs, () => stage(n + 1))
        else commit(() => stage(n + 1))
        return
      }
      admission.ended()
      if (connection !== null) free.push(connection)
      ;(isNeighbor ? neighborMs : admittedMs).push(nowMs - arrivedMs)
    }
    const start = (): void => stage(0)
    const application = isNeighbor ? 'neighbor' : 'application'
    if (admission.startsNow(application, isEarly)) return start()
    const endUser = random.whole(1, isNeighbor ? neighborEndUsers : endUsers)
    admission.wait(['organization', application, String(endUser)], Infinity, {
      isGone: () => false,
      start,
      isEarly,
      refuse() {
        work(workMs.reject)
        if (isNeighbor) neighborRejected += 1
        else rejectedMs.push(nowMs - arrivedMs)
        if (connection === null) return null
        free.push(connection)
        return (onEarly) => rest(connection, onEarly)
      },
    })
  }
  const arriveEvery = (everyMs: number, atMs: number, isNeighbor: boolean): void =>
    at(atMs, () => {
      arriveEvery(everyMs, atMs + everyMs, isNeighbor)
      arrive(atMs, isNeighbor)
    })
  const watchHealth = (atMs: number): void =>
    at(atMs, () => {
      work(workMs.health)
      healthMs.push(nowMs - atMs)
      watchHealth(nowMs + healthEveryMs)
    })
  /** Each arrival adds the next arrival, so read the queue until no work is due. */
  const poll = (): void => {
    const untilMs = nowMs
    for (let ready = takeDue(untilMs); ready.length > 0; ready = takeDue(untilMs))
      for (const { run } of ready) run()
  }
  const takeDue = (untilMs: number): Work[] => {
    const ready = due.filter(({ atMs }) => atMs <= untilMs)
    due = due.filter(({ atMs }) => atMs > untilMs)
    return ready.toSorted((one, other) => one.atMs - other.atMs)
  }

  arriveEvery(1_000 / (capacityPerSecond * multiple), 0, false)
  arriveEvery(1_000 / (capacityPerSecond * neighborShare), 0, true)
  watchHealth(0)
  while (nowMs < seconds * 1_000) {
    const startedMs = nowMs
    turn += 1
    for (const timer of timers) {
      if (nowMs < timer.dueMs) continue
      timer.run()
      timer.dueMs = nowMs + timer.everyMs
    }
    poll()
    const callbacks = immediates
    immediates = []
    for (const run of callbacks) run()
    if (nowMs > startedMs) work(workMs.turn)
    else if (immediates.length === 0)
      nowMs = Math.min(...due.map(({ atMs }) => atMs), ...timers.map(({ dueMs }) => dueMs))
  }
  vi.unstubAllGlobals()
  return {
    goodput: admittedMs.length / seconds / capacityPerSecond,
    admittedMs,
    rejectedMs,
    healthMs,
    neighborMs,
    neighborRejected,
  }
}

interface Connection {
  /** Null if the connection does not rest after a rejection (src/gateway/overload/resting-connections.ts). */
  onEarly: OnEarly | null
  early: ((isEarly: boolean) => void) | null
}

interface Timer {
  readonly run: () => void
  readonly everyMs: number
  dueMs: number
}

interface Work {
  readonly atMs: number
  readonly run: () => void
}
