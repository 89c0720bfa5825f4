/**
 * JPEG (ITU-T T.81, https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B) is a sequence of scans and of segments that
 * begin with markers. The JPEG reader keeps the tables, the frame, its scans and Adobe's segment. Without Adobe's
 * segment, CMYK images have wrong colors. All other application segments and comments are removed. Only baseline,
 * extended sequential and progressive frames are accepted, because browsers show no other frames.
 */
import { type FoundImage, isTextAt, sizeFault } from './image-reader-types.ts'

const marker = {
  startOfImage: 0xd8,
  endOfImage: 0xd9,
  huffmanTables: 0xc4,
  quantization: 0xdb,
  restartInterval: 0xdd,
  scan: 0xda,
  comment: 0xfe,
  adobe: 0xee,
} as const

/** The start markers of baseline, extended sequential and progressive frames with Huffman coding. */
const frameMarkers = new Set([0xc0, 0xc1, 0xc2])
const progressive = 0xc2

/** A decoder needs time for each scan, so a small file with many scans would be slow to display. */
const scansMax = 64

interface Component {
  readonly id: number
  readonly quantization: number
}

interface Frame {
  readonly widthPx: number
  readonly heightPx: number
  readonly isProgressive: boolean
  readonly components: readonly Component[]
}

export function readJpeg(bytes: Uint8Array): FoundImage {
  if (bytes[0] !== 0xff || bytes[1] !== marker.startOfImage) return 'it does not start like a JPEG file'
  const kept: Uint8Array[] = [bytes.subarray(0, 2)]
  const quantization = new Set<number>()
  const huffman = new Set<number>()
  const shown = new Set<number>()
  let frame: Frame | null = null
  let restartInterval = 0
  let scans = 0
  for (let at = 2; ;) {
    const kind = bytes[at + 1]
    if (bytes[at] !== 0xff || kind === undefined) return 'a required marker is missing'
    if (kind === marker.endOfImage) {
      if (at + 2 !== bytes.length) return 'it has data after the end of the image'
      if (frame === null || shown.size !== frame.components.length) return 'a color component is missing'
      kept.push(bytes.subarray(at))
      const { heightPx, widthPx } = frame
      return { widthPx, heightPx, bytes: Buffer.concat(kept) }
    }
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) return 'it ends in the middle of a segment'
    const data = bytes.subarray(at + 4, end)
    let next = end
    let isKept = true
    let fault: string | null = null
    if (kind === marker.quantization) fault = readQuantization(data, quantization)
    else if (kind === marker.huffmanTables) fault = readHuffman(data, huffman)
    else if (frameMarkers.has(kind)) {
      if (frame !== null) return 'it has two frames'
      const found = readFrame(data, kind === progressive)
      if (typeof found === 'string') return found
      frame = found
    } else if (kind === marker.restartInterval) {
      if (data.length !== 2) return 'the size of its restart interval is wrong'
      restartInterval = ((data[0] ?? 0) << 8) | (data[1] ?? 0)
    } else if (kind === marker.scan) {
      if (frame === null) return 'the image data comes before the image size'
      scans += 1
      if (scans > scansMax) return `it has more than ${scansMax} scans`
      fault = readScan(data, frame, { quantization, huffman, shown })
      if (fault === null) {
        next = endOfPixels(bytes, end, restartInterval > 0)
        if (next <= end) fault = 'it ends in the middle of the image data'
      }
    } else if (kind === marker.adobe && data.length === 12 && isTextAt(data, 0, 'Adobe')) isKept = true
    else if ((kind >= 0xe0 && kind <= 0xef) || kind === marker.comment) isKept = false
    else return `its compression (marker ${kind.toString(16)}) is not supported`
    if (fault !== null) return fault
    if (isKept) kept.push(bytes.subarray(at, next))
    at = next
  }
}

/** Quantization tables have 64 values, all above 0 (B.2.4.1). */
function readQuantization(data: Uint8Array, tables: Set<number>): string | null {
  for (let at = 0; at < data.length;) {
    const head = data[at] ?? 0
    const isWide = head >> 4 === 1
    const end = at + 1 + (isWide ? 128 : 64)
    if (head >> 4 > 1 || (head & 15) > 3 || end > data.length) return 'its quantization tables are invalid'
    for (let value = at + 1; value < end; value += isWide ? 2 : 1) {
      if (((isWide ? data[value] : 0) ?? 0) === 0 && data[isWide ? value + 1 : value] === 0) {
        return 'its quantization tables are invalid'
      }
    }
    tables.add(head & 15)
    at = end
  }
  return data.length === 0 ? 'its quantization tables are invalid' : null
}

/**
 * Huffman tables contain the number of codes of each length, and the values of the codes (B.2.4.2). `16 x class +
 * number` identifies a table.
 */
function readHuffman(data: Uint8Array, tables: Set<number>): string | null {
  for (let at = 0; at < data.length;) {
    const head = data[at] ?? 0
    if (head >> 4 > 1 || (head & 15) > 3 || at + 17 > data.length) return 'its Huffman tables are invalid'
    let codes = 0
    // At each length, the number of available codes is twice the number that the previous length left unused.
    let room = 1
    for (let length = 1; length <= 16; length++) {
      const count = data[at + length] ?? 0
      codes += count
      room = 2 * room - count
      if (room < 0) return 'its Huffman tables are invalid'
    }
    const end = at + 17 + codes
    if (codes > 256 || end > data.length) return 'its Huffman tables are invalid'
    tables.add(head)
    at = end
  }
  return data.length === 0 ? 'its Huffman tables are invalid' : null
}

/** Reads a frame header (B.2.2). */
function readFrame(data: Uint8Array, isProgressive: boolean): Frame | string {
  const [precision, high = 0, low = 0, wide = 0, narrow = 0, count = 0] = data
  if (precision !== 8) return 'its samples do not have 8 bits'
  const [heightPx, widthPx] = [(high << 8) | low, (wide << 8) | narrow]
  const fault = sizeFault(widthPx, heightPx)
  if (fault !== null) return fault
  if (![1, 3, 4].includes(count) || data.length !== 6 + 3 * count) return 'its color components are invalid'
  const components: Component[] = []
  for (let at = 6; at < data.length; at += 3) {
    const [id = 0, sampling = 0, quantization = 0] = data.subarray(at)
    const [across, down] = [sampling >> 4, sampling & 15]
    const isRight = across >= 1 && across <= 4 && down >= 1 && down <= 4 && quantization <= 3
    if (!isRight || components.some((other) => other.id === id)) return 'its color components are invalid'
    components.push({ id, quantization })
  }
  return { widthPx, heightPx, isProgressive, components }
}

interface Tables {
  readonly quantization: ReadonlySet<number>
  readonly huffman: ReadonlySet<number>
  /** IDs of the components that previous scans have contained. */
  readonly shown: Set<number>
}

/** Reads a scan header (B.2.3). */
function readScan(data: Uint8Array, frame: Frame, { huffman, quantization, shown }: Tables): string | null {
  const count = data[0] ?? 0
  const wrong = 'its scans are invalid'
  if (count < 1 || count > 4 || data.length !== 4 + 2 * count) return wrong
  const [first = 0, last = 0, bits = 0] = data.subarray(1 + 2 * count)
  const isWhole = first === 0 && last === 63 && bits === 0
  if (!frame.isProgressive && !isWhole) return wrong
  // A progressive scan contains the first coefficient of its components, or later coefficients of a single component.
  const isOfFirst = first === 0 && last === 0
  const isOfLater = first > 0 && first <= last && last <= 63 && count === 1
  const [before, after] = [bits >> 4, bits & 15]
  if (frame.isProgressive && !(isOfFirst || isOfLater)) return wrong
  if (before > 13 || after > 13 || (before > 0 && before !== after + 1)) return wrong
  const inScan = new Set<number>()
  for (let at = 1; at < 1 + 2 * count; at += 2) {
    const [id = 0, tables = 0] = data.subarray(at)
    const component = frame.components.find((known) => known.id === id)
    if (!component || inScan.has(id) || !quantization.has(component.quantization)) return wrong
    // Do not require Huffman codes for scans that refine the first coefficient, because such scans use plain bits.
    const needsFirst = first === 0 && before === 0
    if (needsFirst && !huffman.has(tables >> 4)) return wrong
    if (last > 0 && !huffman.has(0x10 | (tables & 15))) return wrong
    inScan.add(id)
    if (first === 0) shown.add(id)
  }
  return null
}

/**
 * Returns the position of the marker after the pixel data. Within pixel data, the byte `FF` is written as `FF 00`, and
 * restart markers may occur (B.1.1.5).
 */
function endOfPixels(bytes: Uint8Array, from: number, hasRestarts: boolean): number {
  for (let at = from; ; at += 1) {
    at = bytes.indexOf(0xff, at)
    const next = bytes[at + 1]
    if (at < 0 || next === undefined) return -1
    if (next === 0x00) continue
    if (next >= 0xd0 && next <= 0xd7 && hasRestarts) continue
    return at
  }
}
