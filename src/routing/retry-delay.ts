/**
 * How long to wait before the same target is tried again, in milliseconds; null: not before the call's deadline.
 *
 * Anything from nothing to a bound that doubles with each retry ("full jitter": those who failed together do not come
 * back together; Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015), and no less than what the
 * provider asks for.
 */
export function retryDelayMs(wait: {
  /** Retries of this target before this one. */
  readonly retriesMade: number
  /** Null: the provider says nothing. */
  readonly retryAfterMs: number | null
  /** Until no attempt may begin any more. */
  readonly leftMs: number
  /** From 0 to below 1. */
  readonly random: () => number
}): number | null {
  const jitterMs = Math.floor(wait.random() * Math.min(capMs, baseMs * 2 ** wait.retriesMade))
  const delayMs = Math.max(jitterMs, wait.retryAfterMs ?? 0)
  return delayMs < wait.leftMs ? delayMs : null
}

const baseMs = 250
const capMs = 8_000
