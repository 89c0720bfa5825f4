/** Answers that go on: events and lines, each a JSON document, read as they come. */
import type { Answer } from './attempt.ts'
import { cancelled } from './attempt.ts'
import { responseOf } from './call.ts'
import { AnswerError, ConnectionError, StreamEndedError } from './errors.ts'
import type { Route } from './request.ts'

/** One event of `text/event-stream`, or one line. */
export type Streamed<T> = Piece &
  /** One of the documents that the operation is asked for. */
  (
    | { readonly isDocument: true; readonly data: T }
    /** What the server says of the stream itself. */
    | { readonly isDocument: false; readonly data: unknown }
  )

interface Piece {
  /** Kind of the event; null: it has none. */
  readonly event: string | null
  /** Id of the last event that had one, from which a later call can go on (`lastEventId`); null: none had. */
  readonly id: string | null
}

interface TextPiece extends Piece {
  readonly text: string
}

type Split = (chunks: AsyncIterable<string>) => AsyncIterable<TextPiece>

/**
 * A stream that is on its way. `for await` gives its documents; leaving the loop ends it. A stream that breaks throws
 * ConnectionError, one that the server ends with a reason StreamEndedError, and none is begun again: `lastEventId`
 * says where to go on.
 */
export class StreamCall<T> implements AsyncIterable<T> {
  readonly #id: string
  readonly #accept: string
  readonly #event: string | undefined
  readonly #answer: Promise<Answer>
  readonly #signal: AbortSignal | undefined
  readonly #split: Split

  #lastEventId: string | null = null

  constructor(
    { accept, event, id }: Pick<Route, 'event' | 'id'> & { readonly accept: string },
    answer: Promise<Answer>,
    signal: AbortSignal | undefined,
    split: Split,
  ) {
    this.#id = id
    this.#accept = accept
    this.#event = event
    this.#answer = answer
    this.#signal = signal
    this.#split = split
  }

  /** Waits until the server has begun to answer; refusals throw. */
  async opened(): Promise<{ readonly requestId: string | null; readonly headers: Headers }> {
    const { headers, requestId } = await this.#answer
    return { requestId, headers }
  }

  /** The response, unread. */
  async asResponse(): Promise<Response> {
    return responseOf(await this.#answer)
  }

  /** Of the last event that was read and had one, for the option of that name; null: none had. */
  get lastEventId(): string | null {
    return this.#lastEventId
  }

  /** Everything that comes, with its kind and its id. */
  async *entries(): AsyncGenerator<Streamed<T>, void, undefined> {
    const answer = await this.#answer
    const type = answer.headers.get('content-type') ?? 'of no type'
    if (!type.startsWith(this.#accept)) {
      const { headers, requestId, status } = answer
      await answer.stream?.cancel()
      throw new AnswerError(`${this.#id}: the answer is ${type} and not ${this.#accept}.`, {
        status,
        headers,
        requestId,
        body: '',
      })
    }
    for await (const { event, id, text } of this.#split(this.#textOf(answer))) {
      this.#lastEventId = id
      const data = this.#parsed(text, answer)
      yield this.#event === undefined || event === this.#event
        ? // The server sends what its table says of that kind.
          { isDocument: true, data: data as T, event, id }
        : { isDocument: false, data, event, id }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let last: Streamed<T> | null = null
    for await (const entry of this.entries()) {
      last = entry
      if (entry.isDocument) yield entry.data
    }
    if (last?.isDocument === false) throw new StreamEndedError(this.#id, last)
  }

  async *#textOf({ bytes, release, stream }: Answer): AsyncGenerator<string, void, undefined> {
    const reader = (stream ?? new Blob([bytes]).stream()).getReader()
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        yield decoder.decode(value, { stream: true })
      }
      yield decoder.decode()
    } catch (cause) {
      if (this.#signal?.aborted) throw cancelled(this.#id, this.#signal)
      throw new ConnectionError(`${this.#id}: the stream broke.`, { cause })
    } finally {
      release()
      // Whoever leaves the loop wants no more of it; what has ended cannot be cancelled, and needs not be.
      await reader.cancel().catch(() => {})
    }
  }

  #parsed(text: string, { headers, requestId, status }: Answer): unknown {
    try {
      const document: unknown = JSON.parse(text)
      return document
    } catch (cause) {
      const facts = { status, headers, requestId, body: text }
      throw new AnswerError(`${this.#id}: a part of the stream is no JSON.`, facts, { cause })
    }
  }
}

/** `text/event-stream`, as the HTML standard reads it ("Interpreting an event stream"). */
export async function* eventsOf(chunks: AsyncIterable<string>): AsyncGenerator<TextPiece, void, undefined> {
  let data: string[] = []
  let event: string | null = null
  let id: string | null = null
  for await (const line of splitLines(chunks, /\r\n|\n|\r(?!$)/)) {
    if (line === '') {
      if (data.length > 0) yield { text: data.join('\n'), event, id }
      data = []
      event = null
      continue
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
  }
}

export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<TextPiece, void, undefined> {
  for await (const line of splitLines(chunks, /\r?\n/)) {
    if (line.trim() !== '') yield { text: line, event: null, id: null }
  }
}

/** What follows the last line end is a line of its own. A carriage return may be half of a line end, until no more comes. */
async function* splitLines(
  chunks: AsyncIterable<string>,
  end: RegExp,
): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(end)
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}
