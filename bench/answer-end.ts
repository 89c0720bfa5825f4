/**
 * Finds the end of each HTTP/1.1 answer on a connection, by its length or its last chunk, and reads nothing else. The
 * reader of the load driver (answer-reader.ts) also counts events, which the floor does not need.
 */
export class AnswerEnd {
  #state: 'head' | 'fixed' | 'size' | 'data' | 'data_end' | 'trailer' = 'head'
  #head: Buffer | null = null
  #left = 0

  /** Prepares for the next answer on the same connection. */
  reset(): void {
    this.#state = 'head'
    this.#head = null
    this.#left = 0
  }

  /** @returns true when the answer is whole */
  push(bytes: Buffer): boolean {
    let at = 0
    let data = bytes
    if (this.#state === 'head') {
      if (this.#head !== null) data = Buffer.concat([this.#head, bytes])
      const headEnd = data.indexOf('\r\n\r\n')
      if (headEnd < 0) {
        this.#head = data
        return false
      }
      this.#readHead(data.toString('latin1', 0, headEnd))
      at = headEnd + 4
    }
    if (this.#state === 'fixed') {
      this.#left -= data.length - at
      return this.#left <= 0
    }
    return this.#readChunks(data, at)
  }

  #readHead(head: string): void {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    this.#state = length === undefined ? 'size' : 'fixed'
    this.#left = Number(length ?? 0)
  }

  #readChunks(data: Buffer, start: number): boolean {
    let at = start
    while (at < data.length) {
      if (this.#state === 'data') {
        const taken = Math.min(this.#left, data.length - at)
        this.#left -= taken
        at += taken
        if (this.#left === 0) this.#state = 'data_end'
        continue
      }
      const byte = data[at] ?? 0
      at += 1
      if (this.#state === 'size') this.#readSize(byte)
      else if (byte === 10 && this.#state === 'trailer') return true
      else if (byte === 10) this.#state = 'size'
    }
    return false
  }

  #readSize(byte: number): void {
    if (byte === 13) return
    if (byte === 10) this.#state = this.#left === 0 ? 'trailer' : 'data'
    else this.#left = this.#left * 16 + Number.parseInt(String.fromCharCode(byte), 16)
  }
}
