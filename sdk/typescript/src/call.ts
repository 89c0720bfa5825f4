import type { Answer } from './attempt.ts'

/** What came, and how. */
export interface WithResponse<T> {
  readonly data: T
  /** Status and headers; its body can still be read. */
  readonly response: Response
  /** Quote it when you report a problem. */
  readonly requestId: string | null
  /** What the configuration is now, for `ifMatch`; null: it has none. */
  readonly etag: string | null
}

/** A call that is on its way: a promise of what is answered, and of more for those who ask. */
export class Call<T> extends Promise<T> {
  /** `then` and `finally` make plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  override readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer>
  readonly #read: (answer: Answer) => T

  constructor(answer: Promise<Answer>, read: (answer: Answer) => T) {
    // Nobody sees the value of the base class: whoever waits calls `then`, which reads the answer.
    super((resolve) => resolve(undefined as never))
    this.#answer = answer
    this.#read = read
  }

  /** What is answered, beside the response that it came in. */
  async withResponse(): Promise<WithResponse<T>> {
    const answer = await this.#answer
    return {
      data: this.#read(answer),
      response: responseOf(answer),
      requestId: answer.requestId,
      etag: answer.headers.get('etag'),
    }
  }

  /** The response, unread. Refusals and failures throw all the same. */
  async asResponse(): Promise<Response> {
    return responseOf(await this.#answer)
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const data = this.#answer.then(this.#read)
    // oxlint-disable-next-line promise/no-callback-in-promise -- what `then` is
    return data.then(done, failed)
  }

  override catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, failed)
  }

  override finally(ended?: (() => void) | null): Promise<T> {
    return this.then((data) => data).finally(ended)
  }
}

/** These statuses have no body, and `Response` takes none for them. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

export function responseOf({ bytes, headers, status, stream }: Answer): Response {
  return new Response(bodiless.has(status) ? null : (stream ?? bytes), { status, headers })
}
