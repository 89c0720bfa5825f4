/** Sends a call with all its retries. */
import { attempt, cancelled, jsonOf, type Answer } from './attempt.ts'
import { Call } from './call.ts'
import { TollgateError } from './errors.ts'
import { PageCall } from './page.ts'
import { prepare, type Input, type Prepared, type Route } from './request.ts'
import { RetryBudget, retryWaitMs } from './retry.ts'
import { nonNegative, settingsOf, type CallOptions, type ClientOptions, type Settings } from './settings.ts'

export class Sender {
  readonly #settings: Settings
  readonly #budget = new RetryBudget()
  readonly #headersNow: () => Readonly<Record<string, string>>

  /** @param headersNow returns additional headers; called for each call */
  constructor(options: ClientOptions, headersNow: () => Readonly<Record<string, string>> = () => ({})) {
    this.#settings = settingsOf(options)
    this.#headersNow = headersNow
  }

  /** Slug of the client's application. */
  get app(): string | undefined {
    return this.#settings.app
  }

  /** Calls an operation that returns one document. */
  call<T>(route: Route, input: object = {}, options: CallOptions = {}): Call<T> {
    // The cast is safe, because the SDK and the API are generated from the same table.
    return new Call(this.#send(route, input, options, false), (answer) => jsonOf(route.id, answer) as T)
  }

  /** Calls an operation that returns a page of a list. */
  page<Item, Whole extends ListAnswer<Item>>(
    route: Route,
    input: object = {},
    options: CallOptions = {},
  ): PageCall<Item, Whole> {
    const { id } = route
    return new PageCall(id, (cursor) =>
      this.call<Whole>(route, cursor === null ? input : { ...input, cursor }, options),
    )
  }

  /** Returns the response as soon as its body begins. `stream-calls.ts` reads the body. */
  stream(route: Route, input: object, options: CallOptions): Promise<Answer> {
    return this.#send(route, input, options, true)
  }

  async #send(route: Route, input: object, options: CallOptions, isStreamed: boolean): Promise<Answer> {
    const headers = { ...this.#settings.headers, ...this.#headersNow() }
    const prepared = prepare(route, input as Input, options, { ...this.#settings, headers })
    const maxRetries = nonNegative('maxRetries', options.maxRetries ?? this.#settings.maxRetries)
    const timeoutMs = nonNegative('timeoutMs', options.timeoutMs ?? this.#settings.timeoutMs)
    const totalMs = nonNegative('totalTimeoutMs', options.totalTimeoutMs ?? this.#settings.totalTimeoutMs)
    const { clock, fetch } = this.#settings
    const { signal } = options
    const endsAt = clock.now() + totalMs
    for (let retries = 0; ; retries++) {
      const limits = { signal, timeoutMs: Math.min(timeoutMs, endsAt - clock.now()) }
      try {
        const answer = await attempt(numbered(prepared, retries), limits, fetch, isStreamed)
        this.#budget.earn()
        return answer
      } catch (error) {
        const mayRetry = error instanceof TollgateError && retries < maxRetries
        const waitMs = mayRetry ? retryWaitMs(error, retries, prepared.repeats, clock) : null
        if (waitMs === null || clock.now() + waitMs >= endsAt || !this.#budget.take()) throw error
        await pause(prepared.id, waitMs, signal, clock)
      }
    }
  }
}

/** The fields that every response with a list has. */
export interface ListAnswer<Item> {
  data: Item[]
  nextCursor: string | null
}

async function pause(
  id: string,
  ms: number,
  signal: AbortSignal | undefined,
  clock: Settings['clock'],
): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    throw signal?.aborted ? cancelled(id, signal) : error
  }
}

function numbered(prepared: Prepared, retries: number): Prepared {
  if (retries === 0) return prepared
  return { ...prepared, headers: { ...prepared.headers, 'x-retry-count': String(retries) } }
}
