/**
 * Server-sent events, split where they end and not looked into.
 *
 * Works on bytes: a chunk of the network may end anywhere, inside a character too (wire.md 0.11). Lines
 * end with LF, CRLF or CR and an empty line ends an event, as the HTML standard has it. An event is
 * handed on as the bytes it came in, with the place of its data, so that passing it on costs no copy.
 */
export interface SseEvent {
  readonly bytes: Uint8Array
  /** The whole event in `bytes`, with the empty line that ends it. */
  readonly start: number
  readonly end: number
  /** Its one `data` line's value. Equal when it has no data (a comment, a lone event name). */
  readonly dataStart: number
  readonly dataEnd: number
  /** True when it had several data lines: then `bytes` are a copy with the data joined by LF. */
  readonly isJoined: boolean
}

/** What one event may be, its data unlimited otherwise (threats.md 45: a line that never ends). */
const eventBytesMax = 1024 * 1024

const empty = new Uint8Array(0)

export class SseSplitter {
  /** Bytes of an event that has not ended, at the front of a buffer that doubles: fed a byte at a time,
   * a large event must not be copied or scanned again for each of them. */
  #buffer = empty
  #filled = 0
  /** Where scanning goes on, and what is known of the unfinished event; offsets from its first byte. */
  #at = 0
  #lineStart = 0
  #dataStart = -1
  #dataEnd = -1
  #dataLines: { start: number; end: number }[] | null = null

  /**
   * Hands each event that is complete to `onEvent`, in order.
   * @returns false once an event is larger than 1 MiB; the stream is then of no use
   */
  push(chunk: Uint8Array, onEvent: (event: SseEvent) => void): boolean {
    const bytes = this.#filled === 0 ? chunk : this.#append(chunk)
    const end = this.#filled === 0 ? chunk.length : this.#filled
    let eventStart = 0
    let at = this.#at
    let lineStart = this.#lineStart
    while (at < end) {
      const byte = bytes[at]
      if (byte !== 0x0a && byte !== 0x0d) {
        at++
        continue
      }
      const lineEnd = at
      // A CR at the very end may be the first half of CRLF: wait for the next byte.
      if (byte === 0x0d && at + 1 === end) break
      at += byte === 0x0d && bytes[at + 1] === 0x0a ? 2 : 1
      if (lineEnd > lineStart) this.#noteLine(bytes, lineStart, lineEnd)
      else {
        onEvent(this.#event(bytes, eventStart, at))
        this.#dataStart = -1
        this.#dataEnd = -1
        this.#dataLines = null
        eventStart = at
      }
      lineStart = at
    }
    this.#keep(bytes, eventStart, end)
    this.#at = at - eventStart
    this.#lineStart = lineStart - eventStart
    if (eventStart > 0 && this.#dataStart >= 0) {
      this.#dataStart -= eventStart
      this.#dataEnd -= eventStart
      this.#dataLines =
        this.#dataLines?.map((line) => ({ start: line.start - eventStart, end: line.end - eventStart })) ??
        null
    }
    return this.#filled <= eventBytesMax
  }

  /**
   * Ends the input: an event that only lacks its empty line is handed on as if it had it, since some
   * servers end that way.
   */
  end(onEvent: (event: SseEvent) => void): void {
    if (this.#filled > 0) this.push(newlines, onEvent)
  }

  #noteLine(bytes: Uint8Array, start: number, end: number): void {
    if (!isData(bytes, start, end)) return
    const value = valueStart(bytes, start, end)
    if (this.#dataStart < 0) {
      this.#dataStart = value
      this.#dataEnd = end
      return
    }
    this.#dataLines ??= [{ start: this.#dataStart, end: this.#dataEnd }]
    this.#dataLines.push({ start: value, end })
  }

  #event(bytes: Uint8Array, start: number, end: number): SseEvent {
    if (this.#dataLines) return joinedEvent(bytes, this.#dataLines)
    const hasData = this.#dataStart >= 0
    return {
      bytes,
      start,
      end,
      dataStart: hasData ? this.#dataStart : start,
      dataEnd: hasData ? this.#dataEnd : start,
      isJoined: false,
    }
  }

  #append(chunk: Uint8Array): Uint8Array {
    const length = this.#filled + chunk.length
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, this.#buffer.length * 2, 1024))
      larger.set(this.#buffer.subarray(0, this.#filled))
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#filled)
    this.#filled = length
    return this.#buffer
  }

  /** Keeps what follows the last whole event; an idle stream keeps no buffer. */
  #keep(bytes: Uint8Array, eventStart: number, end: number): void {
    if (eventStart === end) {
      this.#buffer = empty
      this.#filled = 0
    } else if (bytes !== this.#buffer || eventStart > 0) {
      this.#buffer = bytes.slice(eventStart, end)
      this.#filled = end - eventStart
    }
  }
}

const newlines = new Uint8Array([0x0a, 0x0a])

/** `data:` or a lone `data`. */
function isData(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    bytes[start] === 0x64 &&
    bytes[start + 1] === 0x61 &&
    bytes[start + 2] === 0x74 &&
    bytes[start + 3] === 0x61 &&
    (bytes[start + 4] === 0x3a || start + 4 === end)
  )
}

function valueStart(bytes: Uint8Array, start: number, end: number): number {
  const value = Math.min(start + 5, end)
  return bytes[value] === 0x20 && value < end ? value + 1 : value
}

function joinedEvent(bytes: Uint8Array, lines: readonly { start: number; end: number }[]): SseEvent {
  const length = lines.reduce((sum, line) => sum + line.end - line.start + 1, 0)
  // `data: ` + the lines joined by LF cannot be one line again; JSON may have a space there instead.
  const out = new Uint8Array(6 + length + 1)
  out.set([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20])
  let at = 6
  for (const line of lines) {
    out.set(bytes.subarray(line.start, line.end), at)
    at += line.end - line.start
    out[at++] = 0x20
  }
  out[at - 1] = 0x0a
  out[at] = 0x0a
  return { bytes: out, start: 0, end: out.length, dataStart: 6, dataEnd: at - 1, isJoined: true }
}
