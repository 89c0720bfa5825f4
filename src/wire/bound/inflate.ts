/**
 * Decompresses DEFLATE (RFC 1951) with limited memory and time. The code for document bounds uses `inflate` to read a
 * few kilobytes of a document's structure. Node's own zlib is not available here, because this layer has no I/O.
 *
 * A Huffman code of at most `fastBits` bits is decoded with a single table look-up. A longer code is decoded bit by bit
 * from the number of codes of each length, as the RFC describes.
 */

/**
 * Decompresses the data that begins at a position. Ignores data after the end of the compressed data.
 * @returns the bytes, and whether they are complete; null if the data is not DEFLATE
 */
export function inflate(
  data: Uint8Array,
  start: number,
  bytesMax: number,
): { readonly bytes: Uint8Array; readonly isComplete: boolean } | null {
  const input = new Bits(data, start)
  const output = new Output(bytesMax)
  try {
    let isLast = false
    while (!isLast) {
      isLast = input.take(1) === 1
      const kind = input.take(2)
      if (kind === 0) copyStored(input, output)
      else if (kind === 1) copyCoded(input, output, fixed)
      else if (kind === 2) copyCoded(input, output, tablesIn(input))
      else return null
    }
    return { bytes: output.bytes, isComplete: true }
  } catch (cause) {
    if (cause === ended) return { bytes: output.bytes, isComplete: false }
    if (cause === broken) return null
    throw cause
  }
}

/** Returns where the DEFLATE data begins after a zlib header (RFC 1950). Null if the data has no zlib header. */
export function afterZlibHeader(data: Uint8Array, start: number): number | null {
  const [method = 0, flags = 0] = data.subarray(start, start + 2)
  const isHeader = (method & 0xf) === 8 && ((method << 8) | flags) % 31 === 0 && (flags & 0x20) === 0
  return isHeader ? start + 2 : null
}

/** Thrown if the input ends too early, or if the output is full. Invalid data throws `broken` instead. */
const ended = new Error('the data or the room ends')
const broken = new Error('the data is not DEFLATE')

class Bits {
  readonly data: Uint8Array
  #at: number
  #held = 0
  #count = 0

  constructor(data: Uint8Array, at: number) {
    this.data = data
    this.#at = at
  }

  /** Returns the next bits, at most 16. */
  take(count: number): number {
    const bits = this.peek(count)
    this.drop(count)
    return bits
  }

  /** Bits after the end of the data are 0. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#held |= (this.data[this.#at++] ?? 0) << this.#count
      this.#count += 8
    }
    return this.#held & ((1 << count) - 1)
  }

  drop(count: number): void {
    this.#held >>>= count
    this.#count -= count
    if (this.#at - (this.#count >> 3) > this.data.length) throw ended
  }

  takeBytes(length: number): number {
    const from = this.#at - (this.#count >> 3)
    this.#at = from + length
    this.#held = 0
    this.#count = 0
    return from
  }
}

class Output {
  readonly #max: number
  #data: Uint8Array
  #length = 0

  constructor(max: number) {
    this.#max = max
    this.#data = new Uint8Array(Math.min(max, 4096))
  }

  get bytes(): Uint8Array {
    return this.#data.subarray(0, this.#length)
  }

  add(byte: number): void {
    if (this.#length === this.#data.length) this.#grow()
    this.#data[this.#length++] = byte
  }

  addFrom(source: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) this.add(source[at] ?? 0)
  }

  repeat(distance: number, length: number): void {
    if (distance > this.#length) throw broken
    for (let left = length; left > 0; left--) this.add(this.#data[this.#length - distance] ?? 0)
  }

  #grow(): void {
    if (this.#length >= this.#max) throw ended
    const larger = new Uint8Array(Math.min(this.#max, this.#length * 2))
    larger.set(this.#data)
    this.#data = larger
  }
}

function copyStored(input: Bits, output: Output): void {
  const at = input.takeBytes(4)
  const [low = 0, high = 0, lowNot = 0, highNot = 0] = input.data.subarray(at, at + 4)
  if (at + 4 > input.data.length) throw ended
  if ((low ^ lowNot) !== 0xff || (high ^ highNot) !== 0xff) throw broken
  const length = low | (high << 8)
  const from = input.takeBytes(length)
  output.addFrom(input.data, from, Math.min(from + length, input.data.length))
  if (from + length > input.data.length) throw ended
}

function copyCoded(input: Bits, output: Output, { distances, symbols }: Tables): void {
  for (;;) {
    const symbol = symbols.next(input)
    if (symbol < 256) output.add(symbol)
    else if (symbol === 256) return
    else {
      const length = extended(input, lengthBases, lengthExtras, symbol - 257)
      output.repeat(extended(input, distanceBases, distanceExtras, distances.next(input)), length)
    }
  }
}

function extended(input: Bits, bases: readonly number[], extras: readonly number[], at: number): number {
  const base = bases[at]
  if (base === undefined) throw broken
  return base + input.take(extras[at] ?? 0)
}

const fastBits = 9
const codeBitsMax = 15

class Code {
  /**
   * The symbol and length of each code of at most `fastBits` bits, indexed by the next bits of the input. 0 if no code
   * of at most `fastBits` bits matches.
   */
  readonly #fast = new Uint16Array(1 << fastBits)
  /** The number of codes of each length. `#symbols` contains all symbols in the order of their codes. */
  readonly #counts = new Uint16Array(codeBitsMax + 1)
  readonly #symbols: Uint16Array

  constructor(lengths: Uint8Array) {
    for (const length of lengths) this.#counts[length] = (this.#counts[length] ?? 0) + 1
    this.#counts[0] = 0
    const nextCode = new Uint16Array(codeBitsMax + 2)
    const nextPlace = new Uint16Array(codeBitsMax + 2)
    let left = 1
    for (let length = 1; length <= codeBitsMax; length++) {
      const count = this.#counts[length] ?? 0
      left = left * 2 - count
      if (left < 0) throw broken
      nextCode[length + 1] = ((nextCode[length] ?? 0) + count) << 1
      nextPlace[length + 1] = (nextPlace[length] ?? 0) + count
    }
    this.#symbols = new Uint16Array(nextPlace[codeBitsMax + 1] ?? 0)
    for (const [symbol, length] of lengths.entries()) {
      if (length === 0) continue
      const place = nextPlace[length] ?? 0
      const code = nextCode[length] ?? 0
      nextPlace[length] = place + 1
      nextCode[length] = code + 1
      this.#symbols[place] = symbol
      if (length > fastBits) continue
      for (let bits = reversed(code, length); bits < 1 << fastBits; bits += 1 << length)
        this.#fast[bits] = (symbol << 4) | length
    }
  }

  next(input: Bits): number {
    const found = this.#fast[input.peek(fastBits)] ?? 0
    if (found > 0) {
      input.drop(found & 0xf)
      return found >> 4
    }
    let code = 0
    let first = 0
    let place = 0
    for (let length = 1; length <= codeBitsMax; length++) {
      code |= input.take(1)
      const count = this.#counts[length] ?? 0
      if (code - first < count) return this.#symbols[place + code - first] ?? 0
      place += count
      first = (first + count) << 1
      code <<= 1
    }
    throw broken
  }
}

interface Tables {
  readonly symbols: Code
  readonly distances: Code
}

/** Reads the two Huffman codes of a block, whose code lengths are also Huffman-coded. */
function tablesIn(input: Bits): Tables {
  const symbols = input.take(5) + 257
  const distances = input.take(5) + 1
  const codes = input.take(4) + 4
  const own = new Uint8Array(19)
  for (let i = 0; i < codes; i++) own[codeOrder[i] ?? 0] = input.take(3)
  const code = new Code(own)
  const lengths = new Uint8Array(symbols + distances)
  for (let at = 0; at < lengths.length;) {
    const symbol = code.next(input)
    if (symbol < 16) {
      lengths[at++] = symbol
      continue
    }
    if (symbol === 16 && at === 0) throw broken
    const length = symbol === 16 ? (lengths[at - 1] ?? 0) : 0
    const times = symbol === 16 ? 3 + input.take(2) : symbol === 17 ? 3 + input.take(3) : 11 + input.take(7)
    if (at + times > lengths.length) throw broken
    lengths.fill(length, at, at + times)
    at += times
  }
  return { symbols: new Code(lengths.subarray(0, symbols)), distances: new Code(lengths.subarray(symbols)) }
}

function reversed(code: number, length: number): number {
  let bits = 0
  for (let i = 0; i < length; i++) bits |= ((code >> i) & 1) << (length - 1 - i)
  return bits
}

const codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const lengthExtras = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
]
const distanceExtras = Array.from({ length: 30 }, (_, i) => (i < 4 ? 0 : (i >> 1) - 1))
const distanceBases = distanceExtras.map(
  (_, i) => 1 + distanceExtras.slice(0, i).reduce((sum, bits) => sum + (1 << bits), 0),
)

const fixed: Tables = {
  symbols: new Code(
    Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
  ),
  distances: new Code(new Uint8Array(30).fill(5)),
}
