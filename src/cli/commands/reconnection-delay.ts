import { ApiError, ConnectionError } from '#sdk/errors.ts'
import { requestedWaitMs } from '#sdk/retry.ts'
import type { Terminal } from '#cli/terminal-interface.ts'

/** A day. A timer with a delay of more than 24 days would end immediately. */
const longestWaitMs = 86_400_000

/**
 * Returns how long a command that reads a stream waits before it sends the request again: at least `waitMs`, and as
 * long as the response requests (`retry-after`). Null if another request can't help.
 */
export function reconnectionDelayMs(error: unknown, waitMs: number, clock: Terminal['clock']): number | null {
  if (error instanceof ConnectionError) return waitMs
  if (!(error instanceof ApiError) || (error.status !== 429 && error.status < 500)) return null
  return Math.min(Math.max(waitMs, requestedWaitMs(error.headers, clock) ?? 0), longestWaitMs)
}

/** Empty for a short wait. */
export function inSeconds(delayMs: number): string {
  return delayMs > shortWaitMs ? ` in ${Math.ceil(delayMs / 1000)} s` : ''
}

const shortWaitMs = 10_000
