import type { Answer } from './attempt.ts'

/** The data of a response, together with its status and headers. */
export interface WithResponse<T> {
  readonly data: T
  /** The response with its status and headers. The body of the response can still be read. */
  readonly response: Response
  /** ID of the request. Include the ID when you report a problem. */
  readonly requestId: string | null
  /** ETag of the resource, for `ifMatch`. Null if the resource has no ETag. */
  readonly etag: string | null
}

/** A running call: a promise of the data, with methods that also return the response. */
export class Call<T> extends Promise<T> {
  /** `then` and `finally` return plain promises, not calls. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  override readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer>
  readonly #read: (answer: Answer) => T

  constructor(answer: Promise<Answer>, read: (answer: Answer) => T) {
    // The promise of the base class is never used, because awaiting the call invokes `then`, which reads the response.
    super((resolve) => resolve(undefined as never))
    this.#answer = answer
    this.#read = read
  }

  /** Returns the data together with the response. */
  async withResponse(): Promise<WithResponse<T>> {
    const answer = await this.#answer
    return {
      data: this.#read(answer),
      response: responseOf(answer),
      requestId: answer.requestId,
      etag: answer.headers.get('etag'),
    }
  }

  /** Returns the response without reading its body. If the response is an error, the promise rejects as usual. */
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

/** Responses with these statuses have no body, and `Response` accepts no body for them. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

export function responseOf({ bytes, headers, status, stream }: Answer): Response {
  return new Response(bodiless.has(status) ? null : (stream ?? bytes), { status, headers })
}
