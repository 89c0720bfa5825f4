/**
 * Returns the delay before the same target is tried again, in milliseconds. Null if the delay would exceed the call's
 * deadline.
 *
 * The delay is random between zero and a limit that doubles with each retry ("full jitter"). So calls that failed
 * together do not retry together (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015). It is at
 * least the wait that the provider requests.
 */
export function retryDelayMs(wait: {
  /** Retries at this target before this one. */
  readonly retriesMade: number
  /** Null if the provider states no wait. */
  readonly retryAfterMs: number | null
  /** Time until no further attempt may begin. */
  readonly leftMs: number
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
}): number | null {
  const jitterMs = Math.floor(wait.random() * Math.min(capMs, baseMs * 2 ** wait.retriesMade))
  const delayMs = Math.max(jitterMs, wait.retryAfterMs ?? 0)
  return delayMs < wait.leftMs ? delayMs : null
}

const baseMs = 250
const capMs = 8_000
