/** Answers that go on: events and lines, each a JSON document, read as they come. */
import type { Answer } from './attempt.ts'
import { cancelled } from './attempt.ts'
import { responseOf } from './call.ts'
import { AnswerError, ConnectionError } from './errors.ts'

/** One event of `text/event-stream`, or one line. */
export interface Streamed<T> {
  readonly data: T
  /** Kind of the event; null: it has none. */
  readonly event: string | null
  /** Id of the event, from which a later call can go on; null: it has none. */
  readonly id: string | null
}

interface Piece {
  readonly text: string
  readonly event: string | null
  readonly id: string | null
}

type Split = (chunks: AsyncIterable<string>) => AsyncIterable<Piece>

/**
 * A stream that is on its way. `for await` gives its documents; leaving the loop ends it. A stream that breaks throws
 * ConnectionError, and is not begun again.
 */
export class StreamCall<T> implements AsyncIterable<T> {
  readonly #id: string
  readonly #answer: Promise<Answer>
  readonly #signal: AbortSignal | undefined
  readonly #split: Split

  constructor(id: string, answer: Promise<Answer>, signal: AbortSignal | undefined, split: Split) {
    this.#id = id
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

  /** With the kind and the id of each event. */
  async *entries(): AsyncGenerator<Streamed<T>, void, undefined> {
    const answer = await this.#answer
    for await (const { event, id, text } of this.#split(this.#textOf(answer))) {
      yield { data: this.#parsed(text, answer), event, id }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.entries()) yield data
  }

  async *#textOf({ bytes, stream }: Answer): AsyncGenerator<string, void, undefined> {
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
      // Whoever leaves the loop wants no more of it; what has ended cannot be cancelled, and needs not be.
      await reader.cancel().catch(() => {})
    }
  }

  #parsed(text: string, { headers, requestId, status }: Answer): T {
    try {
      const document: T = JSON.parse(text)
      return document
    } catch (cause) {
      const facts = { status, headers, requestId, body: text }
      throw new AnswerError(`${this.#id}: a part of the stream is no JSON.`, facts, { cause })
    }
  }
}

/** `text/event-stream`, as the HTML standard reads it ("Interpreting an event stream"). */
export async function* eventsOf(chunks: AsyncIterable<string>): AsyncGenerator<Piece, void, undefined> {
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

export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Piece, void, undefined> {
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
