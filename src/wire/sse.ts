import type { ByteText } from './byte-text.ts'

/**
 * Server-sent events, split where they end and not looked into.
 *
 * A chunk of the network may end anywhere, inside a character too (wire.md 0.11). Lines end with LF,
 * CRLF or CR and an empty line ends an event, as the HTML standard has it. An event is handed on as the
 * bytes it came in, with the place of its data, so that passing it on costs no copy.
 */
export interface SseEvent {
  /** What the event is part of: a chunk of the network, or the pieces of one that came in several. */
  readonly text: ByteText
  /** The whole event in `text`, with the empty line that ends it. */
  readonly start: number
  readonly end: number
  /** Its data's value; equal when it has none (a comment, a lone event name). */
  readonly dataStart: number
  readonly dataEnd: number
}

/** What one event may be; without a bound a line that never ends would be kept for ever (threats.md 45). */
const eventBytesMax = 1024 * 1024

const lf = 0x0a
const cr = 0x0d

export class SseSplitter {
  /** The event that has not ended, in the pieces it came in: joined once, when it ends. */
  #pieces: ByteText[] = []
  #length = 0
  /** Of the unfinished event: its last line is empty so far; a CR came last; a CR has ended it, and
   * only an LF that belongs to that CR may still come. */
  #isLineEmpty = true
  #isAfterCr = false
  #isEnded = false

  /**
   * Hands each event that is complete to `onEvent`, in order.
   * @returns false once an event is larger than 1 MiB; the stream is then of no use
   */
  push(chunk: ByteText, onEvent: (event: SseEvent) => void): boolean {
    if (chunk.length === 0) return true
    let eventStart = 0
    if (this.#isEnded) {
      eventStart = chunk.charCodeAt(0) === lf ? 1 : 0
      this.#hand(chunk, 0, eventStart, onEvent)
    }
    let isLineEmpty = this.#isLineEmpty
    let isAfterCr = this.#isAfterCr
    for (let at = eventStart; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      if (code !== lf && code !== cr) {
        isLineEmpty = false
        isAfterCr = false
        continue
      }
      const isSecondHalf = code === lf && isAfterCr
      isAfterCr = code === cr
      if (isSecondHalf) continue
      if (!isLineEmpty) {
        isLineEmpty = true
        continue
      }
      if (code === cr && at + 1 === chunk.length) {
        this.#isEnded = true
        break
      }
      if (code === cr && chunk.charCodeAt(at + 1) === lf) at++
      this.#hand(chunk, eventStart, at + 1, onEvent)
      eventStart = at + 1
      isAfterCr = false
    }
    this.#isLineEmpty = isLineEmpty
    this.#isAfterCr = isAfterCr
    if (eventStart < chunk.length) {
      this.#pieces.push(eventStart === 0 ? chunk : chunk.slice(eventStart))
      this.#length += chunk.length - eventStart
    }
    return this.#length <= eventBytesMax
  }

  /**
   * Ends the input: an event that only lacks its empty line is handed on as if it had it, since some
   * servers end that way.
   */
  end(onEvent: (event: SseEvent) => void): void {
    if (this.#isEnded) this.#hand('', 0, 0, onEvent)
    else if (this.#length > 0) this.push('\n\n', onEvent)
  }

  #hand(chunk: ByteText, start: number, end: number, onEvent: (event: SseEvent) => void): void {
    this.#isEnded = false
    this.#isLineEmpty = true
    this.#isAfterCr = false
    if (this.#length === 0) {
      onEvent(eventOf(chunk, start, end))
      return
    }
    const text = this.#pieces.join('') + chunk.slice(0, end)
    this.#pieces = []
    this.#length = 0
    onEvent(eventOf(text, 0, text.length))
  }
}

/** Finds the data. The usual event is one line of it, so the first line is tried before all are walked. */
function eventOf(text: ByteText, start: number, end: number): SseEvent {
  let dataStart = -1
  let dataEnd = -1
  let joined: string[] | null = null
  for (let at = start; at < end;) {
    let lineEnd = at
    let code = text.charCodeAt(lineEnd)
    while (lineEnd < end && code !== lf && code !== cr) code = text.charCodeAt(++lineEnd)
    if (isData(text, at, lineEnd)) {
      const valueStart = Math.min(at + 5, lineEnd)
      const from = valueStart < lineEnd && text.charCodeAt(valueStart) === 0x20 ? valueStart + 1 : valueStart
      if (dataStart < 0) {
        dataStart = from
        dataEnd = lineEnd
      } else (joined ??= [text.slice(dataStart, dataEnd)]).push(text.slice(from, lineEnd))
    }
    at = lineEnd + 1
  }
  // Data in several lines is one value with line feeds between; in JSON a space means the same, and
  // then it is one line again.
  if (joined) {
    const whole = `data: ${joined.join(' ')}\n\n`
    return { text: whole, start: 0, end: whole.length, dataStart: 6, dataEnd: whole.length - 2 }
  }
  return { text, start, end, dataStart: Math.max(dataStart, start), dataEnd: Math.max(dataEnd, start) }
}

/** `data:` or a lone `data`. */
function isData(text: ByteText, start: number, end: number): boolean {
  return (
    text.charCodeAt(start) === 0x64 &&
    text.charCodeAt(start + 1) === 0x61 &&
    text.charCodeAt(start + 2) === 0x74 &&
    text.charCodeAt(start + 3) === 0x61 &&
    (start + 4 === end || text.charCodeAt(start + 4) === 0x3a)
  )
}
