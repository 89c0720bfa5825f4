import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

/** Returns the maximum number of file descriptors of this process. Null if it is unlimited or unknown. */
export function descriptorsMax(): number | null {
  return descriptorsIn(limitsOfProcess())
}

/** @param limits the text of `/proc/self/limits` */
export function descriptorsIn(limits: string): number | null {
  const descriptors = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return descriptors === undefined ? null : Number(descriptors)
}

/**
 * Returns the maximum number of clients' connections: half of the descriptors. The other half is for connections to
 * providers, the store and the log. Null if the descriptors are not limited.
 */
export function connectionsMaxOf(descriptors: number | null): number | null {
  return descriptors === null ? null : Math.max(1, Math.floor(descriptors / 2))
}

/** Returns the part of the JavaScript heap in use, from 0 to 1. Garbage that is not collected yet counts. */
export function heapShare(): number {
  const { heap_size_limit: most, used_heap_size: used } = getHeapStatistics()
  return used / most
}

/** Returns the number of the event loop's turn. */
export function loopTurn(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}

/** Empty on systems without the file. */
function limitsOfProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
