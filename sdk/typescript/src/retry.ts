/**
 * Whether and when a try is repeated:
 *
 * 1. Only where a repeat is safe. A call without an Idempotency-Key that changes something is repeated only when the
 *    server says that it did nothing.
 * 2. Only where it may help: the server says so (`x-should-retry`), else the status does.
 * 3. When the server says (`retry-after-ms`, `retry-after`), if that is within a minute; else after a random part of
 *    a span that doubles (full jitter), so that clients do not come back together.
 * 4. Not beyond the total time of the call, and not when this client repeats more than a fifth of its calls.
 */
import { ApiError, ConnectionError, type TollgateError } from './errors.ts'
import type { Clock } from './settings.ts'

/** Of a request: `once` has nothing by which the server would know a repeat. */
export type Repeats = 'safe' | 'once'

const firstSpanMs = 500
const longestSpanMs = 8_000
/** Who is told to wait longer is told so by the error instead. */
const longestHintMs = 60_000

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
/** The statuses that say that nothing was begun. */
const refusing: ReadonlySet<number> = new Set([429, 503])

/**
 * @param retries how many there were already
 * @returns milliseconds to wait; null: it is not repeated
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
  const hintMs = hintedMs(error.headers, clock)
  if (hintMs === null) return backoffMs(retries, clock)
  return hintMs <= longestHintMs ? hintMs : null
}

function backoffMs(retries: number, { random }: Clock): number {
  return random() * Math.min(longestSpanMs, firstSpanMs * 2 ** retries)
}

/** Null: the server says nothing that can be understood. */
function hintedMs(headers: Headers, clock: Clock): number | null {
  const ms = headers.get('retry-after-ms') ?? ''
  if (isNumber(ms)) return Number(ms)
  const after = headers.get('retry-after') ?? ''
  if (isNumber(after)) return Number(after) * 1000
  const at = Date.parse(after)
  if (Number.isNaN(at)) return null
  // By the clock that the time was read from, where it is known.
  const date = Date.parse(headers.get('date') ?? '')
  return Math.max(0, at - (Number.isNaN(date) ? clock.now() : date))
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text)
}

/**
 * What keeps a client from doubling the load of a server that has trouble: twenty repeats, and one more for every
 * five calls that succeed.
 */
export class RetryBudget {
  #left = 20

  earn(): void {
    this.#left = Math.min(20, this.#left + 0.2)
  }

  /** @returns false when there is none left */
  take(): boolean {
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
