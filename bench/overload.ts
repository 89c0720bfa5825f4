/**
 * Measures a gateway beyond its capacity, on each store: requests arrive in an open loop at multiples of the rate that
 * a closed loop reaches. Then an application at ten times the capacity is measured together with a second application.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hasPostgres } from '../tests/support/start-postgres.ts'
import { withDatabase } from './temporary-postgres.ts'
import { startTollgate, type Tollgate } from './gateway-under-test.ts'
import { measureWindow } from './measure-in-rounds.ts'
import { heldStream } from './memory-per-open-stream.ts'
import { measureNeighbors, type NeighborFigures } from './neighbor-of-overload.ts'
import { Arrivals, openStreams, sendAtRate } from './open-loop-load-driver.ts'
import type { Options } from './command-line-options.ts'
import type { OverloadPlan, Plan } from './full-and-quick-plans.ts'
import { watchOtherWork } from './load-of-other-processes.ts'
import { cpuMicros, residentBytes } from './process-cpu-and-memory.ts'
import { readHealth, ReadTimes } from './read-times.ts'
import { percentile, percentileOrNull, rounded } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'

/** Times are in milliseconds, and null if nothing was observed. */
export interface OverloadFigures {
  /** The rate, as a multiple of the measured capacity. */
  readonly multiple: number
  /** All of these requests were sent, except the number in `unsent`. */
  readonly arrivalsPerSecond: number
  readonly goodputPerSecond: number
  readonly admittedP99Ms: number | null
  readonly refused: number
  readonly refusedP99Ms: number | null
  readonly healthP99Ms: number | null
  readonly healthMaxMs: number
  /** Responses with other statuses, and connections that were closed before the end of a response. */
  readonly failed: number
  /** Requests that were not sent in time, because all connections of the load driver were busy. */
  readonly unsent: number
  /** Streams that were open before the first request and ended during the measurement. */
  readonly streamsCut: number
  /** Longest time in which one of these streams received no data. The provider sends a chunk every second. */
  readonly streamPauseMaxMs: number
  /**
   * Highest resident memory, minus the resident memory before the first rate. If the process grew at an earlier rate,
   * it reuses this memory.
   */
  readonly residentGrowthBytes: number
  /**
   * Time from the last arrival to the first of five successful requests in a row that each take at most twice the p99
   * before the load. Null if there were no five such requests within ten seconds.
   */
  readonly normalAfterMs: number | null
  /** Processors that the server, the load driver and all other processes used, on average. */
  readonly cores: { readonly server: number; readonly driver: number; readonly others: number }
  /**
   * CPU time of the server for one rejection, in microseconds. Each successful request counts with its CPU time in the
   * closed loop, which is subtracted. Null if no request was rejected.
   */
  readonly cpuMicrosPerRejection: number | null
}

export interface Overload {
  readonly engine: 'embedded' | 'postgres'
  /** The rate that a closed loop reaches. */
  readonly capacityPerSecond: number
  /**
   * The rate that a closed loop reaches after all other measurements, on a store that has grown. Null if requests
   * failed.
   */
  readonly capacityAtEndPerSecond: number | null
  readonly cpuMicrosPerCall: number
  readonly rates: readonly OverloadFigures[]
  /** At five times the capacity, if each client waits as long as a rejection asks. */
  readonly patient: OverloadFigures
  readonly neighbors: readonly NeighborFigures[]
}

interface Setting {
  readonly options: Options
  readonly plan: Plan
  readonly folder: string
  readonly progress: (text: string) => void
}

export async function measureOverloads(direct: Target, setting: Setting): Promise<Overload[]> {
  const { engine } = setting.options
  const overloads: Overload[] = []
  if (engine !== 'postgres') overloads.push(await measureOverload(direct, setting, 'embedded'))
  if (engine === 'postgres' && !hasPostgres) throw new Error('there is no PostgreSQL on this machine')
  if (engine !== 'embedded' && hasPostgres) {
    await withDatabase(async ({ url }) => {
      overloads.push(await measureOverload(direct, setting, 'postgres', url))
    })
  }
  return overloads
}

async function measureOverload(
  direct: Target,
  { folder, options, plan, progress }: Setting,
  engine: Overload['engine'],
  databaseUrl?: string,
): Promise<Overload> {
  const own = join(folder, `overload-${engine}`)
  mkdirSync(own)
  progress(`overload: ${engine}, setting up ${plan.people} people`)
  const gateway = await startTollgate({
    folder: own,
    providerUrl: direct.url,
    people: plan.people,
    scenarios: [jsonCall, heldStream],
    writer: options.writer,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  })
  const { target } = gateway
  const { overload, saturationConnections: connections, settleMs } = plan
  const timing = {
    connections,
    staggerMs: 0,
    settleMs: settleMs + plan.warmUpMs,
    windowMs: overload.windowMs,
  }
  progress(`overload: ${engine}, capacity`)
  const { callsPerSecond, ...closed } = await measureCapacity(
    { target, scenario: jsonCall, ...timing },
    progress,
  )
  const cpuMicrosPerCall = closed.cpuMicros / closed.calls
  const residentBefore = residentBytes(gateway.child.pid)
  const measure = async (multiple: number, isPatient: boolean): Promise<OverloadFigures> => {
    const clients = isPatient ? ', clients that obey retry-after-ms' : ''
    progress(
      `overload: ${engine}, ${multiple} times ${Math.round(callsPerSecond)} requests a second${clients}`,
    )
    await wait(overload.restMs)
    const perSecond = callsPerSecond * multiple
    const known = { cpuMicrosPerCall, residentBefore }
    const rate = await measureRate(gateway, { ...overload, ...known, isPatient, multiple, perSecond })
    // Print the figures now, so that a failure of a later step does not lose them.
    progress(`overload: ${engine}, ${JSON.stringify(rate)}`)
    return rate
  }
  const rates: OverloadFigures[] = []
  for (const multiple of overload.multiples) rates.push(await measure(multiple, false))
  const patient = await measure(patientMultiple, true)
  progress(`overload: ${engine}, another application`)
  const neighbors = await measureNeighbors(gateway, overload, callsPerSecond)
  progress(`overload: ${engine}, ${JSON.stringify(neighbors)}`)
  progress(`overload: ${engine}, capacity at the end`)
  await wait(overload.restMs)
  const atEnd = await measureCapacity({ target, scenario: jsonCall, ...timing, settleMs }, progress).catch(
    () => null,
  )
  const { calls: booked } = await gateway.usage()
  // Interrupted requests have no response, but are also on the books.
  if (booked < target.answered.calls)
    throw new Error(`${target.answered.calls} calls were answered, ${booked} are on the books`)
  await gateway.child.stop()
  return {
    engine,
    capacityPerSecond: rounded(callsPerSecond),
    capacityAtEndPerSecond: atEnd && rounded(atEnd.callsPerSecond),
    cpuMicrosPerCall: rounded(cpuMicrosPerCall),
    rates,
    patient,
    neighbors,
  }
}

/**
 * Repeats a window in which requests failed. On a busy machine, a gateway that has just started may reject requests
 * because of overload.
 */
async function measureCapacity(
  window: Parameters<typeof measureWindow>[0],
  progress: Setting['progress'],
): ReturnType<typeof measureWindow> {
  for (let failures = 0; ; failures++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one window after the other
      return await measureWindow(window)
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : error
      progress(`overload: a request failed during the capacity: ${String(reason)}`)
      if (failures === 2) throw error
    }
  }
}

const patientMultiple = 5

interface Rate extends OverloadPlan {
  readonly isPatient: boolean
  readonly multiple: number
  readonly perSecond: number
  readonly cpuMicrosPerCall: number
  readonly residentBefore: number
}

async function measureRate(
  { tail, target }: Tollgate,
  { connections, cpuMicrosPerCall, isPatient, multiple, perSecond, residentBefore, streams, windowMs }: Rate,
): Promise<OverloadFigures> {
  const { pid } = target
  assert(pid !== null)
  const open = await openStreams(target, streams)
  const calmMs = percentile(await calls(target, calmCalls), 99)
  const arrivals = await Arrivals.open(target, connections, isPatient)
  let resident = 0
  const health = new ReadTimes(healthPauseMs, () => readHealth(tail.url))
  const onTick = (): void => void (resident = Math.max(resident, residentBytes(pid)))
  const startedMs = performance.now()
  const cpuBefore = { server: cpuMicros(pid), driver: cpuMicros(process.pid) }
  const otherWork = watchOtherWork(() => cpuMicros(process.pid) + cpuMicros(pid))
  const arrivalsPerSecond = await sendAtRate(arrivals, { perSecond, windowMs, onTick })
  const elapsedMs = performance.now() - startedMs
  const goodput = (arrivals.admittedMs.length * 1000) / elapsedMs
  const serverMicros = cpuMicros(pid) - cpuBefore.server
  const driverMicros = cpuMicros(process.pid) - cpuBefore.driver
  const rejectionMicros = serverMicros - arrivals.admittedMs.length * cpuMicrosPerCall
  const cores = {
    server: rounded(serverMicros / 1000 / elapsedMs),
    driver: rounded(driverMicros / 1000 / elapsedMs),
    others: otherWork().cores,
  }
  const rejected = arrivals.refusedMs.length
  const [normalAfterMs] = await Promise.all([timeToNormal(target, calmMs), arrivals.ended()])
  onTick()
  const healthMs = await health.ended()
  const streamsCut = open.filter(({ isOpen }) => !isOpen).length
  const streamPauseMaxMs = rounded(Math.max(...open.map((stream) => stream.longestPauseMs())))
  for (const { socket } of open) socket.destroy()
  return {
    multiple,
    arrivalsPerSecond: rounded(arrivalsPerSecond),
    goodputPerSecond: rounded(goodput),
    admittedP99Ms: percentileOrNull(arrivals.admittedMs, 99),
    refused: arrivals.refusedMs.length,
    refusedP99Ms: percentileOrNull(arrivals.refusedMs, 99),
    healthP99Ms: percentileOrNull(healthMs, 99),
    healthMaxMs: rounded(Math.max(...healthMs)),
    failed: arrivals.failed,
    unsent: arrivals.unsent,
    streamsCut,
    streamPauseMaxMs,
    residentGrowthBytes: resident - residentBefore,
    normalAfterMs,
    cores,
    cpuMicrosPerRejection: rejected === 0 ? null : rounded(Math.max(0, rejectionMicros) / rejected),
  }
}

const healthPauseMs = 20
const calmCalls = 100
const callEveryMs = 20

/**
 * Sends calls one after the other.
 * @returns the duration of each call; Infinity if the call was not successful
 */
async function calls(target: Target, count: number): Promise<number[]> {
  const arrivals = await Arrivals.open(target, 1)
  const tookMs: number[] = []
  while (tookMs.length < count) {
    tookMs.push(await arrivals.one())
    await wait(callEveryMs)
  }
  await arrivals.ended()
  return tookMs
}

const normalCalls = 5
const normalWithinMs = 10_000

async function timeToNormal(target: Target, calmMs: number): Promise<number | null> {
  const startedMs = performance.now()
  const arrivals = await Arrivals.open(target, 1)
  let inRow = 0
  let firstMs = 0
  let found: number | null = null
  while (found === null && performance.now() - startedMs < normalWithinMs) {
    const sentMs = performance.now() - startedMs
    const isNormal = (await arrivals.one()) <= 2 * calmMs
    if (isNormal && inRow === 0) firstMs = sentMs
    inRow = isNormal ? inRow + 1 : 0
    if (inRow === normalCalls) found = rounded(firstMs)
    await wait(callEveryMs)
  }
  await arrivals.ended()
  return found
}
