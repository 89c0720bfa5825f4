import { ratios, type Compared } from './cost-of-non-streaming-calls.ts'
import { inRounds, measureWindow, type Timing, type Window } from './measure-in-rounds.ts'
import { rounded, spread, type Spread } from './statistics.ts'
import { streamCall, type Scenario } from './targets-and-scenarios.ts'

/** 200 chunks, 5 ms apart. Each chunk arrives at the proxy separately, as from a real model. */
export const pacedStream = streamCall({ chunks: 200, delayMs: 5 })
/** 200 chunks that are sent together, which shows the cost of parsing when the socket is full. */
export const burstStream = streamCall({ chunks: 200, delayMs: 0 })
/** Almost no data after the first byte. With one connection, this stream measures only the time to the first byte. */
export const shortStream = streamCall({ chunks: 4, delayMs: 0 })

export interface StreamFigures {
  readonly streams: number
  readonly chunksPerStream: number
  readonly delayMs: number
  readonly floor: StreamProxyFigures
  readonly subject: StreamProxyFigures
  /** CPU time of the measured server per chunk, divided by that of the minimal proxy in the same round. */
  readonly cpuRatio: Spread
  /** Null if the measured server is compared with another checkout. */
  readonly netFloor: StreamProxyFigures | null
  /** CPU time of the measured server, divided by that of the minimal proxy on node:net in the same round. */
  readonly cpuRatioToNetFloor: Spread | null
}

const cpuPerChunk = (window: Window): number => window.cpuMicros / window.events

interface StreamProxyFigures {
  readonly chunks: number
  readonly cpuMicrosPerChunk: Spread
  readonly chunksPerSecond: Spread
}

export interface FirstByteFigures {
  readonly streams: number
  readonly direct: FirstByte
  readonly floor: FirstByte
  readonly subject: FirstByte
  readonly addedP50Ms: number
  readonly addedP99Ms: number
  readonly addedByFloorP50Ms: number
}

interface FirstByte {
  readonly p50Ms: Spread
  readonly p99Ms: Spread
}

export async function measureStreams(
  { direct, floor, netFloor, subject }: Compared,
  { scenario, delayMs, streams, rounds, ...timing }: StreamOptions & Timing,
): Promise<{ streams: StreamFigures; firstByte: FirstByteFigures }> {
  const chunksPerStream = scenario.chunks
  const targets = [direct, floor, ...(netFloor === null ? [] : [netFloor]), subject]
  const staggerMs = (chunksPerStream * delayMs) / streams
  const windows = await inRounds(rounds, targets, (target) =>
    measureWindow({ target, scenario, connections: streams, staggerMs, ...timing }),
  )
  const floorWindows = windows.get(floor) ?? []
  const subjectWindows = windows.get(subject) ?? []
  const netWindows = netFloor === null ? [] : (windows.get(netFloor) ?? [])
  return {
    streams: {
      streams,
      chunksPerStream,
      delayMs,
      floor: streamProxyFigures(floorWindows),
      subject: streamProxyFigures(subjectWindows),
      cpuRatio: spread(ratios(subjectWindows, floorWindows, cpuPerChunk)),
      netFloor: netFloor && streamProxyFigures(netWindows),
      cpuRatioToNetFloor: netFloor && spread(ratios(subjectWindows, netWindows, cpuPerChunk)),
    },
    firstByte: firstByteFigures(streams, {
      direct: firstByteOf(windows.get(direct) ?? []),
      floor: firstByteOf(floorWindows),
      subject: firstByteOf(subjectWindows),
    }),
  }
}

interface StreamOptions {
  readonly scenario: Scenario
  readonly delayMs: number
  readonly streams: number
  readonly rounds: number
}

function firstByteFigures(
  streams: number,
  { direct, floor, subject }: { direct: FirstByte; floor: FirstByte; subject: FirstByte },
): FirstByteFigures {
  return {
    streams,
    direct,
    floor,
    subject,
    addedP50Ms: rounded(subject.p50Ms.median - direct.p50Ms.median),
    addedP99Ms: rounded(subject.p99Ms.median - direct.p99Ms.median),
    addedByFloorP50Ms: rounded(floor.p50Ms.median - direct.p50Ms.median),
  }
}

function streamProxyFigures(windows: readonly Window[]): StreamProxyFigures {
  return {
    chunks: windows.reduce((sum, window) => sum + window.events, 0),
    cpuMicrosPerChunk: spread(windows.map((window) => window.cpuMicros / window.events)),
    chunksPerSecond: spread(windows.map((window) => window.eventsPerSecond)),
  }
}

function firstByteOf(windows: readonly Window[]): FirstByte {
  return {
    p50Ms: spread(windows.map((window) => window.firstByteP50Ms)),
    p99Ms: spread(windows.map((window) => window.firstByteP99Ms)),
  }
}
