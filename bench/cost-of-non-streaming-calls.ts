import { inRounds, measureWindow, type Timing, type Window } from './measure-in-rounds.ts'
import { rounded, spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'

export interface CallFigures {
  readonly connections: number
  readonly direct: Latency
  readonly floor: ProxyFigures
  readonly subject: ProxyFigures
  /** CPU time of the measured server, divided by that of the minimal proxy (the floor) in the same round. */
  readonly cpuRatio: Spread
  /** Null if the measured server is compared with another checkout. */
  readonly netFloor: ProxyFigures | null
  /** CPU time of the measured server, divided by that of the minimal proxy on node:net in the same round. */
  readonly cpuRatioToNetFloor: Spread | null
  /** In microseconds per call. */
  readonly cpuMicrosByThread: Record<string, number>
}

interface Latency {
  readonly p50Ms: Spread
  readonly p99Ms: Spread
  readonly callsPerSecond: Spread
}

interface ProxyFigures extends Latency {
  readonly calls: number
  readonly cpuMicrosPerCall: Spread
  /** Latency in addition to the provider's own, with the same number of connections. */
  readonly addedP50Ms: number
  readonly addedP99Ms: number
}

export interface Compared {
  readonly direct: Target
  readonly floor: Target
  /** Null if the measured server is compared with another checkout. */
  readonly netFloor: Target | null
  /** The server that is compared with the minimal proxy: the gateway, or a second copy of the minimal proxy. */
  readonly subject: Target
}

export async function measureCalls(
  { direct, floor, netFloor, subject }: Compared,
  { connections, rounds, ...timing }: { connections: number; rounds: number } & Timing,
): Promise<CallFigures> {
  const targets = [direct, floor, ...(netFloor === null ? [] : [netFloor]), subject]
  const windows = await inRounds(rounds, targets, (target) =>
    measureWindow({ target, scenario: jsonCall, connections, staggerMs: 0, ...timing }),
  )
  const directLatency = latencyOf(windows.get(direct) ?? [])
  const floorWindows = windows.get(floor) ?? []
  const subjectWindows = windows.get(subject) ?? []
  const netWindows = netFloor === null ? [] : (windows.get(netFloor) ?? [])
  return {
    connections,
    direct: directLatency,
    floor: proxyFigures(floorWindows, directLatency),
    subject: proxyFigures(subjectWindows, directLatency),
    cpuRatio: spread(ratios(subjectWindows, floorWindows, cpuPerCall)),
    cpuMicrosByThread: threadsPerCall(subjectWindows),
    netFloor: netFloor && proxyFigures(netWindows, directLatency),
    cpuRatioToNetFloor: netFloor && spread(ratios(subjectWindows, netWindows, cpuPerCall)),
  }
}

export const cpuPerCall = (window: Window): number => window.cpuMicros / window.calls

export function ratios(
  windows: readonly Window[],
  others: readonly Window[],
  figure: (window: Window) => number,
): number[] {
  return windows.map((window, round) => {
    const other = others[round]
    return other ? figure(window) / figure(other) : Number.NaN
  })
}

function proxyFigures(windows: readonly Window[], direct: Latency): ProxyFigures {
  const latency = latencyOf(windows)
  return {
    calls: windows.reduce((sum, window) => sum + window.calls, 0),
    cpuMicrosPerCall: spread(windows.map((window) => window.cpuMicros / window.calls)),
    ...latency,
    addedP50Ms: rounded(latency.p50Ms.median - direct.p50Ms.median),
    addedP99Ms: rounded(latency.p99Ms.median - direct.p99Ms.median),
  }
}

function latencyOf(windows: readonly Window[]): Latency {
  return {
    p50Ms: spread(windows.map((window) => window.p50Ms)),
    p99Ms: spread(windows.map((window) => window.p99Ms)),
    callsPerSecond: spread(windows.map((window) => window.callsPerSecond)),
  }
}

function threadsPerCall(windows: readonly Window[]): Record<string, number> {
  const calls = windows.reduce((sum, window) => sum + window.calls, 0)
  const sums = new Map<string, number>()
  for (const window of windows) {
    for (const [name, micros] of window.cpuMicrosByThread) sums.set(name, (sums.get(name) ?? 0) + micros)
  }
  return Object.fromEntries([...sums].map(([name, micros]) => [name, rounded(micros / calls)]))
}
