/** An interrupted export continues after the last complete row, so that the file has every row once. */

/** Beyond this number of bytes in memory, bytes move to a `Blob`, which the browser may store on disk. */
const heldBytesMax = 8_000_000
const newline = 0x0a
const quote = 0x22

export class ExportedRows {
  readonly #isCsv: boolean
  readonly #blobs: Blob[] = []
  #held: Uint8Array<ArrayBuffer>[] = []
  #heldBytes = 0
  #begun = new Uint8Array()
  #isQuoted = false
  #lastRow: Uint8Array | null = null
  #heads: readonly string[] | null = null
  #bytes = 0
  #rows = 0

  constructor(format: 'csv' | 'ndjson') {
    this.#isCsv = format === 'csv'
  }

  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    return this.#bytes + this.#begun.length
  }

  /** Null if no row is complete, so that the export restarts. */
  get lastId(): string | null {
    if (this.#lastRow === null) return null
    const line = new TextDecoder().decode(this.#lastRow)
    const row: Readonly<Record<string, unknown>> = this.#isCsv
      ? Object.fromEntries(cellsOf(line).map((cell, at) => [this.#heads?.[at] ?? '', cell]))
      : JSON.parse(line)
    const id = row['id'] ?? row['x_UsageRecordId']
    return typeof id === 'string' && id !== '' ? id : null
  }

  take(piece: Uint8Array<ArrayBuffer>): void {
    let end = 0
    let lastStart = 0
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]
      if (byte === quote && this.#isCsv) this.#isQuoted = !this.#isQuoted
      if (byte !== newline || this.#isQuoted) continue
      if (this.#isCsv && this.#heads === null) {
        this.#heads = cellsOf(new TextDecoder().decode(joined(this.#begun, piece.subarray(0, at + 1))))
        // An export cannot continue after the header row, which has no ID.
        lastStart = at + 1
      } else {
        this.#rows += 1
        lastStart = end
      }
      end = at + 1
    }
    if (end === 0) {
      this.#begun = joined(this.#begun, piece)
      return
    }
    if (lastStart < end) {
      const last = piece.slice(lastStart, end)
      this.#lastRow = lastStart === 0 ? joined(this.#begun, last) : last
    }
    this.#hold(this.#begun)
    this.#hold(piece.subarray(0, end))
    this.#begun = piece.slice(end)
  }

  /** Drops the incomplete row of an interrupted response, because the server will send it again. */
  breakOff(): void {
    this.#begun = new Uint8Array()
    this.#isQuoted = false
  }

  file(type: string): Blob {
    return new Blob([...this.#blobs, ...this.#held, this.#begun], { type })
  }

  #hold(piece: Uint8Array<ArrayBuffer>): void {
    if (piece.length === 0) return
    this.#held.push(piece)
    this.#bytes += piece.length
    this.#heldBytes += piece.length
    if (this.#heldBytes < heldBytesMax) return
    this.#blobs.push(new Blob(this.#held))
    this.#held = []
    this.#heldBytes = 0
  }
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(before.length + after.length)
  whole.set(before)
  whole.set(after, before.length)
  return whole
}

function cellsOf(row: string): readonly string[] {
  return [...row.replace(/\r?\n$/, '').matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,"]*))(?=,|$)/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  )
}
