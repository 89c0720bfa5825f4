/**
 * Reads HTTP/1.1 answers from a socket, one after the other, counting instead of keeping: status, body
 * bytes and events (blank lines of an event stream). Hand-written because the load driver shares two
 * cores with what it measures, and node:http costs as much as the proxy under test.
 */
export class AnswerReader {
  status = 0
  bodyBytes = 0
  events = 0

  #state: 'head' | 'fixed' | 'size' | 'data' | 'data_end' | 'trailer' | 'done' = 'head'
  #head: Buffer | null = null
  #left = 0
  #endsWithNewline = false

  /** Makes ready for the next answer on the same connection. */
  reset(): void {
    this.status = 0
    this.bodyBytes = 0
    this.events = 0
    this.#state = 'head'
    this.#head = null
    this.#left = 0
    this.#endsWithNewline = false
  }

  /**
   * @returns true when the answer is whole
   * @throws on anything that is not one well-framed answer, bytes after its end included
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
        this.#countEvents(data, at, end)
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

  #countEvents(data: Buffer, start: number, end: number): void {
    let at = start
    if (this.#endsWithNewline && data[at] === 10) {
      this.events += 1
      at += 1
    }
    for (;;) {
      const blank = data.indexOf('\n\n', at)
      if (blank < 0 || blank + 2 > end) break
      this.events += 1
      at = blank + 2
    }
    this.#endsWithNewline = at < end && data[end - 1] === 10
  }
}
