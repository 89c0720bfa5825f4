import { setTimeout as wait } from 'node:timers/promises'
import { Load, type LoadOptions, type Observation } from './closed-loop-load-driver.ts'
import { cpuMicros, cpuMicrosByThread } from './process-cpu-and-memory.ts'
import { percentile } from './statistics.ts'

/** Times are in milliseconds, and CPU time is in microseconds. */
export interface Window {
  readonly calls: number
  readonly events: number
  readonly callsPerSecond: number
  readonly eventsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly firstByteP50Ms: number
  readonly firstByteP99Ms: number
  /** NaN if the target is the provider. */
  readonly cpuMicros: number
  readonly cpuMicrosByThread: ReadonlyMap<string, number>
  /** By the monotonic clock that V8's profiles use. */
  readonly startMicros: number
  readonly endMicros: number
}

export interface Timing {
  /** Duration of the load before the window begins, in which connections are opened and caches fill. */
  readonly settleMs: number
  readonly windowMs: number
}

/** Also waits for the calls in flight. */
export async function measureWindow(options: LoadOptions & Timing): Promise<Window> {
  const { pid } = options.target
  const load = await Load.open(options)
  await wait(options.settleMs)
  load.begin()
  const startMicros = monotonicMicros()
  const cpuBefore = pid === null ? Number.NaN : cpuMicros(pid)
  const threadsBefore = pid === null ? new Map<string, number>() : cpuMicrosByThread(pid)
  await wait(options.windowMs)
  const observation = load.end()
  const cpu = pid === null ? Number.NaN : cpuMicros(pid) - cpuBefore
  const threads = pid === null ? new Map<string, number>() : cpuMicrosByThread(pid)
  // The end of the calls in flight would add observations.
  const window: Window = {
    ...whatWasSeen(observation, (monotonicMicros() - startMicros) / 1e6),
    cpuMicros: cpu,
    cpuMicrosByThread: difference(threads, threadsBefore),
    startMicros,
    endMicros: monotonicMicros(),
  }
  await load.close()
  return window
}

/**
 * Every second round uses the reverse order. Disturbances of the machine (other work, heat, a growing file) therefore
 * affect all targets in the same way.
 */
export async function inRounds<T, W>(
  rounds: number,
  targets: readonly T[],
  measureOne: (target: T) => Promise<W>,
): Promise<Map<T, W[]>> {
  const windows = new Map<T, W[]>(targets.map((target) => [target, []]))
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? targets : targets.toReversed()
    for (const target of order) windows.get(target)?.push(await measureOne(target))
  }
  return windows
}

function whatWasSeen({ calls, events, latenciesMs, firstByteMs }: Observation, elapsedSeconds: number) {
  return {
    calls,
    events,
    callsPerSecond: calls / elapsedSeconds,
    eventsPerSecond: events / elapsedSeconds,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    firstByteP50Ms: percentile(firstByteMs, 50),
    firstByteP99Ms: percentile(firstByteMs, 99),
  }
}

function difference(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]))
}

function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
