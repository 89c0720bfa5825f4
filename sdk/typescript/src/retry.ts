/**
 * Decides whether and when to retry a request, by these rules:
 *
 * 1. Retry only if a retry is safe. A change without an Idempotency-Key is retried only if the server reports that it
 *    did nothing.
 * 2. Retry only if a retry can help. The header `x-should-retry` states whether a retry can help. Without this header,
 *    the status decides.
 * 3. Wait as long as the server requests (`retry-after-ms`, `retry-after`), up to one minute. Without such a header,
 *    wait a random part of a delay that doubles (full jitter), so that clients do not retry at the same time.
 * 4. Do not exceed the total time of the call. Stop retrying when more than a fifth of this client's calls need a
 *    retry.
 */
import { ApiError, ConnectionError, type TollgateError } from './errors.ts'
import type { Clock } from './settings.ts'

/**
 * `safe` if a repeated request is harmless. `once` if a repeated request may make the change a second time, because the
 * server cannot recognize the retry.
 */
export type Repeats = 'safe' | 'once'

const firstSpanMs = 500
const longestSpanMs = 8_000
/**
 * Maximum wait before a retry. If the server requests a longer wait, the call fails, and the error contains the
 * requested wait.
 */
const longestHintMs = 60_000

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
/** With one of these statuses, the server reports that it did not start the operation. */
const refusing: ReadonlySet<number> = new Set([429, 503])

/**
 * @param retries number of retries so far
 * @returns milliseconds to wait; null if the request is not retried
 */
export function retryWaitMs(
  error: TollgateError,
  retries: number,
  repeats: Repeats,
  clock: Clock,
): number | null {
  if (error instanceof ConnectionError) return repeats === 'safe' ? backoffMs(retries, clock) : null
  if (!(error instanceof ApiError)) return null
  const told = error.headers.get('x-should-retry')
  const may = told === 'true' || (told !== 'false' && passing.has(error.status))
  if (!may || (repeats === 'once' && !(told === 'true' && refusing.has(error.status)))) return null
  const hintMs = requestedWaitMs(error.headers, clock)
  if (hintMs === null) return backoffMs(retries, clock)
  return hintMs <= longestHintMs ? hintMs : null
}

function backoffMs(retries: number, { random }: Clock): number {
  return random() * Math.min(longestSpanMs, firstSpanMs * 2 ** retries)
}

/** Returns the delay that the server requests, in milliseconds. Null if the headers contain no valid delay. */
export function requestedWaitMs(headers: Headers, clock: Pick<Clock, 'now'>): number | null {
  const ms = headers.get('retry-after-ms') ?? ''
  if (isNumber(ms)) return Number(ms)
  const after = headers.get('retry-after') ?? ''
  if (isNumber(after)) return Number(after) * 1000
  const at = Date.parse(after)
  if (Number.isNaN(at)) return null
  // If the response contains the time of the server's clock, use it.
  const date = Date.parse(headers.get('date') ?? '')
  return Math.max(0, at - (Number.isNaN(date) ? clock.now() : date))
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text)
}

/**
 * Limits retries, so that clients do not double the load of an overloaded server. The budget allows twenty retries, and
 * one more for every five successful calls.
 */
export class RetryBudget {
  #left = 20

  earn(): void {
    this.#left = Math.min(20, this.#left + 0.2)
  }

  /** @returns false if no further retry is allowed */
  take(): boolean {
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
