import { byteOrderMark, withoutByteOrderMark, type ByteText } from './byte-text.ts'

/**
 * A server-sent event, whose end is found without parsing the event.
 *
 * A network chunk may end anywhere, even inside a character (docs/reference/wires.md "Line ends and characters"). Lines
 * end with LF, CRLF or CR, and an empty line ends an event, as in the HTML standard. The bytes of an event are
 * forwarded as received, with the position of the event's data, so no copy is needed.
 */
export interface SseEvent {
  /** A network chunk, or the joined chunks of an event that arrived in several chunks. */
  readonly text: ByteText
  /** Includes the empty line that ends the event. */
  readonly start: number
  readonly end: number
  /** Equals `dataEnd` if the event has no data (a comment, or only an event name). */
  readonly dataStart: number
  readonly dataEnd: number
}

/**
 * An event may contain a whole image. Without a limit, a line that never ends would be buffered forever
 * (docs/reference/wires.md "Size of a frame", docs/reference/threats.md "Frames that never end").
 */
const eventBytesMax = 16 * 1024 * 1024

const lf = 0x0a
const cr = 0x0d

export class SseSplitter {
  /** Joined only once, when the unfinished event ends. */
  #pieces: ByteText[] = []
  #length = 0
  #isLineEmpty = true
  #isAfterCr = false
  /** Whether the event has ended with a CR that an LF can still follow. */
  #isEnded = false
  /** The first bytes of the stream, while they may be an incomplete byte order mark. Null after this is decided. */
  #head: ByteText | null = ''

  /** Whether the next byte begins an event, so that the caller may read the event without the splitter. */
  get isBetweenEvents(): boolean {
    return this.#length === 0 && !this.#isEnded && this.#head === null
  }

  /**
   * Passes complete events to `onEvent`, in order.
   * @returns false once an event is larger than 16 MiB; the stream is then unusable
   */
  push(chunk: ByteText, onEvent: (event: SseEvent) => void): boolean {
    return this.#head === null ? this.#split(chunk, onEvent) : this.#pushFirst(chunk, onEvent)
  }

  /** Removes one byte order mark, as the HTML standard requires, even if it arrives in several pieces. */
  #pushFirst(chunk: ByteText, onEvent: (event: SseEvent) => void): boolean {
    const head = this.#head + chunk
    if (head.length < byteOrderMark.length && byteOrderMark.startsWith(head)) {
      this.#head = head
      return true
    }
    this.#head = null
    return this.#split(withoutByteOrderMark(head), onEvent)
  }

  #split(chunk: ByteText, onEvent: (event: SseEvent) => void): boolean {
    // Most streams use only LF, so that a search in native code finds the end of an event.
    const isPlain = !chunk.includes('\r')
    let at = 0
    while (at < chunk.length) {
      const isFresh = this.#length === 0 && !this.#isEnded
      if (isPlain && isFresh && chunk.charCodeAt(at) !== lf) {
        const end = chunk.indexOf('\n\n', at)
        if (end < 0) {
          this.#isLineEmpty = chunk.charCodeAt(chunk.length - 1) === lf
          this.#keep(chunk, at)
          break
        }
        onEvent(eventOf(chunk, at, end + 2))
        at = end + 2
      } else if (isFresh && isLineOfCrlf(chunk, at)) {
        const end = chunk.indexOf('\r', at) + 4
        onEvent({ text: chunk, start: at, end, dataStart: dataStartOf(chunk, at, end - 4), dataEnd: end - 4 })
        at = end
      } else at = this.#walk(chunk, at, onEvent)
    }
    return this.#length <= eventBytesMax
  }

  /**
   * Reads to the end of one event or of the chunk.
   * @returns the index after the last byte that was read
   */
  #walk(chunk: ByteText, start: number, onEvent: (event: SseEvent) => void): number {
    if (this.#isEnded) {
      const end = chunk.charCodeAt(start) === lf ? start + 1 : start
      this.#hand(chunk, start, end, onEvent)
      return end
    }
    for (let at = start; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      if (code !== lf && code !== cr) {
        this.#isLineEmpty = false
        this.#isAfterCr = false
        continue
      }
      const isSecondHalf = code === lf && this.#isAfterCr
      this.#isAfterCr = code === cr
      if (isSecondHalf) continue
      if (!this.#isLineEmpty) {
        this.#isLineEmpty = true
        continue
      }
      if (code === cr && at + 1 === chunk.length) {
        this.#isEnded = true
        break
      }
      const end = code === cr && chunk.charCodeAt(at + 1) === lf ? at + 2 : at + 1
      this.#hand(chunk, start, end, onEvent)
      return end
    }
    this.#keep(chunk, start)
    return chunk.length
  }

  /**
   * Forwards an event that lacks only its empty line, because some servers omit this line at the end of a stream.
   * @param lineEnd the line ending of the stream
   */
  end(onEvent: (event: SseEvent) => void, lineEnd: '\n' | '\r\n' = '\n'): void {
    if (this.#head !== null) {
      const head = this.#head
      this.#head = null
      this.#split(head, onEvent)
    }
    if (this.#isEnded) this.#hand('', 0, 0, onEvent)
    if (this.#length === 0) return
    const rest = this.#isAfterCr ? '\n' : this.#isLineEmpty ? '' : lineEnd
    this.push(rest + lineEnd, onEvent)
  }

  #hand(chunk: ByteText, start: number, end: number, onEvent: (event: SseEvent) => void): void {
    this.#isEnded = false
    this.#isLineEmpty = true
    this.#isAfterCr = false
    if (this.#length === 0) {
      onEvent(eventOfLines(chunk, start, end))
      return
    }
    const text = this.#pieces.join('') + chunk.slice(start, end)
    this.#pieces = []
    this.#length = 0
    onEvent(text.includes('\r') ? eventOfLines(text, 0, text.length) : eventOf(text, 0, text.length))
  }

  #keep(chunk: ByteText, start: number): void {
    this.#pieces.push(start === 0 ? chunk : chunk.slice(start))
    this.#length += chunk.length - start
  }
}

/**
 * Whether an empty line follows a data line that ends with CRLF. Every event of the generate wire consists of such a
 * line (docs/reference/wires.md "Line ends and characters").
 */
function isLineOfCrlf(text: ByteText, start: number): boolean {
  if (!text.startsWith('data:', start)) return false
  const end = text.indexOf('\r', start)
  return end >= 0 && text.indexOf('\n', start) === end + 1 && text.startsWith('\r\n', end + 2)
}

function dataStartOf(text: ByteText, line: number, lineEnd: number): number {
  const isSpaced = line + 5 < lineEnd && text.charCodeAt(line + 5) === 0x20
  return isSpaced ? line + 6 : line + 5
}

/**
 * Reads a complete event whose lines end with LF. A usual event has only a data line and possibly a name. Two searches
 * for a line end find its data.
 */
export function eventOf(text: ByteText, start: number, end: number): SseEvent {
  const line = text.startsWith('event:', start) ? text.indexOf('\n', start) + 1 : start
  if (text.startsWith('data:', line) && text.indexOf('\n', line) === end - 2) {
    const dataStart = text.charCodeAt(line + 5) === 0x20 ? line + 6 : line + 5
    return { text, start, end, dataStart: Math.min(dataStart, end - 2), dataEnd: end - 2 }
  }
  return eventOfLines(text, start, end)
}

function eventOfLines(text: ByteText, start: number, end: number): SseEvent {
  let dataStart = -1
  let dataEnd = -1
  let joined: string[] | null = null
  let others = ''
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
    } else if (lineEnd > at) others += `${text.slice(at, lineEnd)}\n`
    at = lineEnd + 1
  }
  // Data in several lines is one value with line feeds between them, which JSON treats like spaces. Join the lines with
  // spaces into one data line, after the other lines of the event.
  if (joined) {
    const whole = `${others}data: ${joined.join(' ')}\n\n`
    const from = others.length + 6
    return { text: whole, start: 0, end: whole.length, dataStart: from, dataEnd: whole.length - 2 }
  }
  return { text, start, end, dataStart: Math.max(dataStart, start), dataEnd: Math.max(dataEnd, start) }
}

function isData(text: ByteText, start: number, end: number): boolean {
  return (
    text.charCodeAt(start) === 0x64 &&
    text.charCodeAt(start + 1) === 0x61 &&
    text.charCodeAt(start + 2) === 0x74 &&
    text.charCodeAt(start + 3) === 0x61 &&
    (start + 4 === end || text.charCodeAt(start + 4) === 0x3a)
  )
}
