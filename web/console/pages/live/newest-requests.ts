import type { Request } from '#sdk/generated/types.ts'

export const ringMax = 200

export interface Ring {
  readonly rows: readonly Request[]
  /** Newest first, and at most as many requests as will be shown. */
  readonly waiting: readonly Request[]
  /** Includes requests that were dropped. */
  readonly waitingCount: number
}

export const emptyRing: Ring = { rows: [], waiting: [], waitingCount: 0 }

/**
 * Skips requests that the ring already contains, for example after a reconnection.
 * @param calls in the order in which they finished
 */
export function withCalls(ring: Ring, calls: readonly Request[], isPaused: boolean): Ring {
  const known = new Set([...ring.rows, ...ring.waiting].map(({ id }) => id))
  const fresh: Request[] = []
  for (const call of calls) {
    if (known.has(call.id)) continue
    known.add(call.id)
    fresh.unshift(call)
  }
  if (isPaused) {
    if (fresh.length === 0) return ring
    return {
      rows: ring.rows,
      waiting: [...fresh, ...ring.waiting].slice(0, ringMax),
      waitingCount: ring.waitingCount + fresh.length,
    }
  }
  if (fresh.length === 0 && ring.waiting.length === 0) return ring
  return { rows: [...fresh, ...ring.waiting, ...ring.rows].slice(0, ringMax), waiting: [], waitingCount: 0 }
}
