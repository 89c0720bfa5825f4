/**
 * Reads streamed responses as they arrive. A response consists of events or lines, and each of them is a JSON document.
 */
import type { Answer } from './attempt.ts'
import { cancelled } from './attempt.ts'
import { responseOf } from './call.ts'
import { AnswerError, ConnectionError, StreamEndedError } from './errors.ts'
import type { Route } from './request.ts'

/** An event of `text/event-stream`, or one line. */
export type Streamed<T> = Piece &
  /** The data of the event or line is a document that the operation returns. */
  (
    | { readonly isDocument: true; readonly data: T }
    /** The data of the event is a message from the server about the stream. */
    | { readonly isDocument: false; readonly data: unknown }
  )

interface Piece {
  /** Kind of the event. Null if the event has no kind. */
  readonly event: string | null
  /**
   * ID of the last event with an ID. A later call can resume after this event (`lastEventId`). Null before the first
   * event with an ID.
   */
  readonly id: string | null
}

interface TextPiece extends Piece {
  readonly text: string
}

type Split = (chunks: AsyncIterable<string>) => AsyncIterable<TextPiece>

/**
 * A running stream. `for await` iterates over the documents of the stream, and leaving the loop ends the stream. If the
 * connection breaks, the stream throws ConnectionError. If the server ends the stream with a reason, the stream throws
 * StreamEndedError. A stream does not restart. To resume, call the operation again with `lastEventId`.
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

  /** Waits until the response has begun. If the response is an error, the promise rejects. */
  async opened(): Promise<{ readonly requestId: string | null; readonly headers: Headers }> {
    const { headers, requestId } = await this.#answer
    return { requestId, headers }
  }

  /** Returns the response without reading its body. */
  async asResponse(): Promise<Response> {
    return responseOf(await this.#answer)
  }

  /**
   * ID of the last event with an ID that was read, for the option `lastEventId`. Null before the first event with an
   * ID.
   */
  get lastEventId(): string | null {
    return this.#lastEventId
  }

  /** Iterates over all events, with their kinds and IDs. */
  async *entries(): AsyncGenerator<Streamed<T>, void, undefined> {
    const answer = await this.#answer
    const type = answer.headers.get('content-type') ?? 'of no type'
    if (!type.startsWith(this.#accept)) {
      const { headers, requestId, status } = answer
      await answer.stream?.cancel()
      throw new AnswerError(`${this.#id}: the response is ${type} and not ${this.#accept}.`, {
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
        ? // The cast is safe, because the server sends documents of the type that is declared for this kind of event.
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
      throw new ConnectionError(`${this.#id}: the connection of the stream broke.`, { cause })
    } finally {
      release()
      // Cancel when the caller leaves the loop. If the stream has already ended, canceling rejects, and the error is
      // ignored.
      await reader.cancel().catch(() => {})
    }
  }

  #parsed(text: string, { headers, requestId, status }: Answer): unknown {
    try {
      const document: unknown = JSON.parse(text)
      return document
    } catch (cause) {
      const facts = { status, headers, requestId, body: text }
      throw new AnswerError(`${this.#id}: a part of the stream is not JSON.`, facts, { cause })
    }
  }
}

/** Parses `text/event-stream` as the HTML standard defines it ("Interpreting an event stream"). */
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

/**
 * Splits text into lines. Text after the last line end also counts as a line. A carriage return at the end of a piece
 * may be the first half of a line end. The next piece shows whether a line feed follows the carriage return.
 */
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
