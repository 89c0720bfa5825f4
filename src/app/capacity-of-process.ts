import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** Null if unlimited or unknown. */
export function descriptorsMax(): number | null {
  return descriptorsIn(limitsOfProcess())
}

/** @param limits the text of `/proc/self/limits` */
export function descriptorsIn(limits: string): number | null {
  const descriptors = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return descriptors === undefined ? null : Number(descriptors)
}

/**
 * Returns the maximum number of connections from clients: half of the file descriptors. The other half is for
 * connections to providers, for the store and for the log. Null if the number of descriptors is not limited.
 */
export function connectionsMaxOf(descriptors: number | null): number | null {
  return descriptors === null ? null : Math.max(1, Math.floor(descriptors / 2))
}

/**
 * Returns a function that returns the used part of the JavaScript heap, from 0 to 1, including garbage that is not
 * collected yet. The heap is read at most once a second, because each read makes the engine begin a new allocation
 * buffer.
 */
export function heapShare(monotonicMs: () => number): () => number {
  let readAtMs = -Infinity
  let share = 0
  return () => {
    const nowMs = monotonicMs()
    if (nowMs - readAtMs < 1_000) return share
    readAtMs = nowMs
    const { heap_size_limit: most, used_heap_size: used } = getHeapStatistics()
    share = used / most
    return share
  }
}

export function loopTurn(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}

function limitsOfProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
