/**
 * The reader stores no response, but counts the bytes of the body and the events (by the blank line that ends each
 * event). The load driver shares two cores with the proxy under test, and node:http would cost as much CPU time as the
 * proxy.
 */
export class AnswerReader {
  status = 0
  bodyBytes = 0
  events = 0
  /** 0 without the header. */
  retryAfterMs = 0

  #state: 'head' | 'fixed' | 'size' | 'data' | 'data_end' | 'trailer' | 'done' = 'head'
  #head: Buffer | null = null
  #left = 0
  /** Null if events are not counted. */
  readonly #blank: Buffer | null
  /** The end of the data that was received so far, because it may be the beginning of a blank line. */
  #tail: Buffer = nothing

  /**
   * @param blank the bytes that end an event, which are two line ends of the wire; null means that events are not
   * counted
   */
  constructor(blank: string | null = '\n\n') {
    this.#blank = blank === null ? null : Buffer.from(blank)
  }

  reset(): void {
    this.status = 0
    this.bodyBytes = 0
    this.events = 0
    this.retryAfterMs = 0
    this.#state = 'head'
    this.#head = null
    this.#left = 0
    this.#tail = nothing
  }

  /**
   * @returns true when the response is complete
   * @throws if the data is not exactly one well-formed response, for example if bytes follow its end
   */
  push(bytes: Buffer): boolean {
    let at = 0
    let data = bytes
    if (this.#state === 'head') {
      if (this.#head) data = Buffer.concat([this.#head, bytes])
      const headEnd = data.indexOf('\r\n\r\n')
      if (headEnd < 0) {
        this.#head = data
        return false
      }
      this.#readHead(data.toString('latin1', 0, headEnd))
      at = headEnd + 4
    }
    if (this.#state === 'fixed') at = this.#readFixed(data, at)
    else at = this.#readChunked(data, at)
    if (at < data.length) throw new Error(`${data.length - at} bytes follow the end of an answer`)
    return this.#state === 'done'
  }

  #readHead(head: string): void {
    this.status = Number(head.slice(9, 12))
    if (this.status !== 200) this.retryAfterMs = Number(/\r\nretry-after-ms: *(\d+)/i.exec(head)?.[1] ?? 0)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length !== undefined) {
      this.#left = Number(length)
      this.#state = this.#left === 0 ? 'done' : 'fixed'
      return
    }
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`an answer without a length: ${head}`)
    this.#state = 'size'
  }

  #readFixed(data: Buffer, start: number): number {
    const end = Math.min(data.length, start + this.#left)
    this.#left -= end - start
    this.bodyBytes += end - start
    if (this.#left === 0) this.#state = 'done'
    return end
  }

  #readChunked(data: Buffer, start: number): number {
    let at = start
    while (at < data.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(data.length, at + this.#left)
        if (this.#blank !== null) this.#countEvents(this.#blank, data, at, end)
        this.bodyBytes += end - at
        this.#left -= end - at
        at = end
        if (this.#left === 0) this.#state = 'data_end'
        continue
      }
      const byte = data[at] ?? 0
      at += 1
      if (this.#state === 'size') this.#readSize(byte)
      else if (this.#state === 'data_end' && byte === 10) this.#state = 'size'
      else if (this.#state === 'trailer' && byte === 10) this.#state = 'done'
    }
    return at
  }

  #readSize(byte: number): void {
    if (byte === 13) return
    if (byte === 10) {
      this.#state = this.#left === 0 ? 'trailer' : 'data'
      return
    }
    const digit = byte >= 97 ? byte - 87 : byte >= 65 ? byte - 55 : byte - 48
    if (digit < 0 || digit > 15) throw new Error(`byte ${byte} in the size of a chunk`)
    this.#left = this.#left * 16 + digit
  }

  #countEvents(blank: Buffer, data: Buffer, start: number, end: number): void {
    const { length } = blank
    // At most one blank line may have begun in the previous piece of data, and it ends within the first bytes of this
    // piece.
    const seam = Buffer.concat([this.#tail, data.subarray(start, Math.min(end, start + length - 1))])
    const across = this.#tail.length === 0 ? -1 : seam.indexOf(blank)
    let at = start
    if (across >= 0) {
      this.events += 1
      at = start + across + length - this.#tail.length
    }
    for (;;) {
      const found = data.indexOf(blank, at)
      if (found < 0 || found + length > end) break
      this.events += 1
      at = found + length
    }
    const rest = data.subarray(Math.max(at, end - length + 1), end)
    const isLonger = at > start || rest.length === length - 1
    this.#tail = isLonger ? Buffer.from(rest) : Buffer.concat([this.#tail, rest]).subarray(1 - length)
  }
}

const nothing = Buffer.alloc(0)
