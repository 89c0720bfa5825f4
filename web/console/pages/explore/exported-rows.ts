/**
 * What has come of an export, cut at its last whole row: an answer that broke off goes on behind that one, and the
 * file has every row once.
 */

/** Pieces are given to the browser from here on, which may keep them on its disk. */
const heldBytesMax = 8_000_000
const newline = 0x0a
const quote = 0x22

export class ExportedRows {
  readonly #isCsv: boolean
  readonly #blobs: Blob[] = []
  #held: Uint8Array<ArrayBuffer>[] = []
  #heldBytes = 0
  /** Of a row that has only begun. */
  #begun = new Uint8Array()
  #isQuoted = false
  #lastRow: Uint8Array | null = null
  #heads: readonly string[] | null = null
  #bytes = 0
  #rows = 0

  constructor(format: 'csv' | 'ndjson') {
    this.#isCsv = format === 'csv'
  }

  /** Whole ones, without the line of heads. */
  get rows(): number {
    return this.#rows
  }

  /** All that came. */
  get bytes(): number {
    return this.#bytes + this.#begun.length
  }

  /** Id of the last whole row, for `after`; null: there is none, so it begins anew. */
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
        // Nothing goes on behind the heads: the row after them begins here.
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

  /** The answer ended in the middle: what it had begun comes again. */
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

/** Of a row of RFC 4180. */
function cellsOf(row: string): readonly string[] {
  return [...row.replace(/\r?\n$/, '').matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,"]*))(?=,|$)/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  )
}
