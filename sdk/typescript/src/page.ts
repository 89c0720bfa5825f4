import type { Call, WithResponse } from './call.ts'
import { TollgateError } from './errors.ts'

/** A page of a list, as the server returned it, with access to the next page. */
export type Page<Item, Whole extends Listed<Item>> = Whole & {
  /** Returns a call for the next page. Null if the page is the last page. */
  nextPage(): PageCall<Item, Whole> | null
}

interface Listed<Item> {
  data: Item[]
  nextCursor: string | null
}

/**
 * A call that lists resources. Awaiting the call returns the first page, and `for await` iterates over all rows, page
 * by page.
 *
 *   const { data } = await client.keys.list()
 *   for await (const key of client.keys.list()) …
 */
export class PageCall<Item, Whole extends Listed<Item>>
  extends Promise<Page<Item, Whole>>
  implements AsyncIterable<Item>
{
  /** `then` and `finally` return plain promises, not calls. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  override readonly [Symbol.toStringTag] = 'PageCall'
  readonly #id: string
  readonly #ask: (cursor: string | null) => Call<Whole>
  readonly #first: Call<Whole>

  /** @param cursor null means the page that the input names, by default the first page */
  constructor(id: string, ask: (cursor: string | null) => Call<Whole>, cursor: string | null = null) {
    // The promise of the base class is never used, because awaiting the list invokes `then`, as in `Call`.
    super((resolve) => resolve(undefined as never))
    this.#id = id
    this.#ask = ask
    this.#first = ask(cursor)
  }

  /** Returns the page of this call and all following pages. */
  async *pages(): AsyncGenerator<Page<Item, Whole>, void, undefined> {
    const cursors = new Set<string>()
    let page: Page<Item, Whole> | null = await this
    while (page) {
      yield page
      const { nextCursor } = page
      if (nextCursor !== null && cursors.has(nextCursor)) {
        throw new TollgateError(
          `${this.#id}: the server returned the same cursor twice, so the pages would repeat endlessly.`,
        )
      }
      if (nextCursor !== null) cursors.add(nextCursor)
      page = (await page.nextPage()) ?? null
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  /** Returns the page of this call together with its response. */
  withResponse(): Promise<WithResponse<Whole>> {
    return this.#first.withResponse()
  }

  asResponse(): Promise<Response> {
    return this.#first.asResponse()
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = Page<Item, Whole>, B = never>(
    done?: ((page: Page<Item, Whole>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const page = this.#first.then((answer) => this.#pageOf(answer))
    // oxlint-disable-next-line promise/no-callback-in-promise -- what `then` is
    return page.then(done, failed)
  }

  override catch<B = never>(
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Page<Item, Whole> | B> {
    return this.then(null, failed)
  }

  override finally(ended?: (() => void) | null): Promise<Page<Item, Whole>> {
    return this.then((page) => page).finally(ended)
  }

  /** `nextPage` is not enumerable, so that the JSON of a page and comparisons of pages do not include it. */
  #pageOf(answer: Whole): Page<Item, Whole> {
    const nextPage = (): PageCall<Item, Whole> | null => {
      const { nextCursor } = answer
      if (nextCursor === null || nextCursor === undefined) return null
      return new PageCall(this.#id, this.#ask, nextCursor)
    }
    return Object.defineProperty({ ...answer }, 'nextPage', { value: nextPage }) as Page<Item, Whole>
  }
}
