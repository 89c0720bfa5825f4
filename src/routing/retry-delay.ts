/**
 * Returns the delay before the same target is tried again. Null if the delay would exceed the call's deadline.
 *
 * The delay is random up to a limit that doubles with each retry ("full jitter"). Calls that failed together then do
 * not retry together (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015). The delay is at least
 * the wait that the provider requests.
 */
export function retryDelayMs(wait: {
  readonly retriesMade: number
  readonly retryAfterMs: number | null
  /** Remaining time in which another attempt may begin. */
  readonly leftMs: number
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
}): number | null {
  const jitterMs = Math.floor(wait.random() * Math.min(capMs, baseMs * 2 ** wait.retriesMade))
  const delayMs = Math.max(jitterMs, wait.retryAfterMs ?? 0)
  return delayMs < wait.leftMs ? delayMs : null
}

const baseMs = 250
const capMs = 8_000
