import { setTimeout as wait } from 'node:timers/promises'
import { Load } from './closed-loop-load-driver.ts'
import { residentBytes } from './process-cpu-and-memory.ts'
import { percentile } from './statistics.ts'
import { streamCall, type Target } from './targets-and-scenarios.ts'

/** Streams that a slow model keeps open: they send one chunk per second and last far longer than a measurement. */
export const heldStream = { ...streamCall({ chunks: 600, delayMs: 1000 }), isEndless: true }

export interface MemoryFigures {
  readonly streams: number
  readonly residentBeforeBytes: number
  readonly residentOpenBytes: number
  readonly residentPeakBytes: number
  /** `(open - before) / streams`. `open` is the median of the samples while the streams were open. */
  readonly bytesPerStream: number
  readonly peakBytesPerStream: number
}

export interface MemoryOptions {
  readonly streams: number
  readonly warmUpStreams: number
  readonly holdMs: number
}

/**
 * Returns the resident memory of a freshly started process before and while the streams are open. In an older process,
 * streams would reuse memory that an earlier load has allocated. The process is warmed up first, because the memory of
 * code that the first calls compile must not count for the streams.
 */
export async function measureMemory(
  target: Target,
  { streams, warmUpStreams, holdMs }: MemoryOptions,
): Promise<MemoryFigures> {
  const { pid } = target
  if (pid === null) throw new Error(`${target.name} has no process to look at`)
  const warmUp = await openStreams(target, warmUpStreams)
  await wait(holdMs / 4)
  warmUp.abandon()
  await wait(holdMs / 4)
  const before = percentile(await residentOver(pid, holdMs / 8), 50)

  const load = await openStreams(target, streams)
  const seen = await residentOver(pid, holdMs)
  const observed = load.end()
  load.abandon()
  if (observed.firstByteMs.length !== streams) {
    throw new Error(`${observed.firstByteMs.length} of ${streams} streams had begun on ${target.name}`)
  }
  const open = percentile(seen, 50)
  const peak = Math.max(...seen)
  return {
    streams,
    residentBeforeBytes: before,
    residentOpenBytes: open,
    residentPeakBytes: peak,
    bytesPerStream: Math.round((open - before) / streams),
    peakBytesPerStream: Math.round((peak - before) / streams),
  }
}

function openStreams(target: Target, streams: number): Promise<Load> {
  // Open the streams one after the other, so that they do not all arrive together.
  return Load.open({ target, scenario: heldStream, connections: streams, staggerMs: 1 })
}

async function residentOver(pid: number, durationMs: number): Promise<number[]> {
  const seen: number[] = []
  const endMs = performance.now() + durationMs
  do {
    seen.push(residentBytes(pid))
    await wait(100)
  } while (performance.now() < endMs)
  return seen
}
