/**
 * PNG (Portable Network Graphics Specification, third edition, https://www.w3.org/TR/png-3/) consists of a signature
 * and chunks with a length, a type, data and a CRC. The PNG reader keeps IHDR, PLTE, tRNS, IDAT and IEND, and removes
 * all other ancillary chunks. The reader decompresses the pixels once, up to the size that the header states, to verify
 * that size.
 */
import { crc32, inflate } from 'node:zlib'
import { type FoundImage, sizeFault } from './image-reader-types.ts'

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** The allowed bit depths and the samples per pixel, for each color type ("11.2.1 IHDR image header"). */
const colorTypes = new Map([
  [0, { depths: [1, 2, 4, 8, 16], samples: 1 }],
  [2, { depths: [8, 16], samples: 3 }],
  [3, { depths: [1, 2, 4, 8], samples: 1 }],
  [4, { depths: [8, 16], samples: 2 }],
  [6, { depths: [8, 16], samples: 4 }],
])

interface Header {
  readonly widthPx: number
  readonly heightPx: number
  readonly depth: number
  readonly colorType: number
  readonly bitsPerPixel: number
  readonly isInterlaced: boolean
}

export async function readPng(bytes: Uint8Array): Promise<FoundImage> {
  if (!signature.every((byte, at) => bytes[at] === byte)) return 'it does not start like a PNG file'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept: Uint8Array[] = [bytes.subarray(0, signature.length)]
  const pixels: Uint8Array[] = []
  let header: Header | null = null
  let paletteSize: number | null = null
  let hasTransparency = false
  let previous = ''
  for (let at = signature.length; ;) {
    if (at + 12 > bytes.length) return 'it ends in the middle of a chunk'
    const length = view.getUint32(at)
    const end = at + 12 + length
    if (end > bytes.length) return 'it ends in the middle of a chunk'
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    if (!/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type)) return 'it has a chunk of an unknown type'
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) {
      return `the checksum of its chunk ${type} is wrong`
    }
    const data = bytes.subarray(at + 8, end - 4)
    if (header === null) {
      if (type !== 'IHDR') return 'its first chunk is not IHDR'
      const found = readHeader(data)
      if (typeof found === 'string') return found
      header = found
      kept.push(bytes.subarray(at, end))
    } else if (type === 'PLTE') {
      const size = data.length / 3
      const isNeeded = header.colorType === 3 || header.colorType === 2 || header.colorType === 6
      const sizeMax = header.colorType === 3 ? 2 ** header.depth : 256
      if (!isNeeded || paletteSize !== null || hasTransparency || pixels.length > 0)
        return 'its palette is misplaced'
      if (!Number.isInteger(size) || size === 0 || size > sizeMax) return 'the size of its palette is wrong'
      paletteSize = size
      kept.push(bytes.subarray(at, end))
    } else if (type === 'tRNS') {
      if (hasTransparency || pixels.length > 0) return 'its transparency chunk is misplaced'
      if (!isTransparency(data.length, header, paletteSize))
        return 'the size of its transparency chunk is wrong'
      hasTransparency = true
      kept.push(bytes.subarray(at, end))
    } else if (type === 'IDAT') {
      if (pixels.length > 0 && previous !== 'IDAT') return 'its image data is not contiguous'
      if (header.colorType === 3 && paletteSize === null) return 'it has no palette'
      pixels.push(data)
      kept.push(bytes.subarray(at, end))
    } else if (type === 'IEND') {
      if (data.length > 0) return 'its last chunk is not empty'
      if (end !== bytes.length) return 'it has data after the end of the image'
      if (pixels.length === 0) return 'it has a width or height of 0'
      kept.push(bytes.subarray(at, end))
      const fault = await pixelFault(Buffer.concat(pixels), header)
      const { heightPx, widthPx } = header
      return fault ?? { widthPx, heightPx, bytes: Buffer.concat(kept) }
    } else if (type === 'acTL' || type === 'fcTL' || type === 'fdAT') return 'it is animated'
    else if (/^[A-Z]/.test(type)) return `it has a chunk ${type}, which is not accepted`
    previous = type
    at = end
  }
}

function readHeader(data: Uint8Array): Header | string {
  if (data.length !== 13) return 'the size of its header is wrong'
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [widthPx, heightPx] = [view.getUint32(0), view.getUint32(4)]
  const [depth = 0, colorType = 0, compression, filter, interlace = 0] = data.subarray(8)
  const color = colorTypes.get(colorType)
  if (!color?.depths.includes(depth)) return 'the color type in its header is invalid'
  if (compression !== 0 || filter !== 0 || interlace > 1)
    return 'the compression, filter or interlace method in its header is invalid'
  const fault = sizeFault(widthPx, heightPx)
  if (fault !== null) return fault
  const bitsPerPixel = depth * color.samples
  return { widthPx, heightPx, depth, colorType, bitsPerPixel, isInterlaced: interlace === 1 }
}

function isTransparency(length: number, { colorType }: Header, paletteSize: number | null): boolean {
  if (colorType === 0) return length === 2
  if (colorType === 2) return length === 6
  return colorType === 3 && length > 0 && length <= (paletteSize ?? 0)
}

async function pixelFault(data: Uint8Array, header: Header): Promise<string | null> {
  const rows = rowsOf(header)
  const length = rows.reduce((sum, { count, sizeBytes }) => sum + count * sizeBytes, 0)
  const pixels = await inflated(data, length)
  if (pixels?.length !== length) return 'its image data does not match its header'
  let at = 0
  for (const { count, sizeBytes } of rows) {
    for (let row = 0; row < count; row++, at += sizeBytes) {
      // Each row of pixels begins with the number of its filter.
      if ((pixels[at] ?? 0) > 4) return 'its image data does not match its header'
    }
  }
  return null
}

/**
 * Returns the data of a zlib stream that ends exactly at the end of the input. Null if the stream is invalid or longer
 * than `lengthMax`.
 */
function inflated(data: Uint8Array, lengthMax: number): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    inflate(data, { maxOutputLength: lengthMax, info: true }, (error, result: unknown) => {
      resolve(error === null && isWhole(result, data.length) ? result.buffer : null)
    })
  })
}

/**
 * Returns whether zlib has read the whole input. With the option `info`, zlib returns an object with `buffer` and
 * `engine`, and `engine.bytesWritten` is the number of bytes read. `@types/node` does not declare this object.
 */
function isWhole(result: unknown, length: number): result is { readonly buffer: Uint8Array } {
  if (typeof result !== 'object' || result === null || !('buffer' in result) || !('engine' in result))
    return false
  const { engine } = result
  return (
    typeof engine === 'object' &&
    engine !== null &&
    'bytesWritten' in engine &&
    engine.bytesWritten === length
  )
}

/** First column and row of each interlace pass, and the steps to the next column and row ("8.1 Interlace method 1"). */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** Returns the number of rows of pixels, and the size of each row including the filter byte before it. */
function rowsOf({ bitsPerPixel, heightPx, isInterlaced, widthPx }: Header): readonly Rows[] {
  return (isInterlaced ? passes : ([[0, 0, 1, 1]] as const)).map(([left, top, across, down]) => {
    const columns = Math.ceil((widthPx - left) / across)
    const count = Math.ceil((heightPx - top) / down)
    // A pass without columns has no rows either.
    return columns <= 0 || count <= 0
      ? { count: 0, sizeBytes: 0 }
      : { count, sizeBytes: 1 + Math.ceil((columns * bitsPerPixel) / 8) }
  })
}

interface Rows {
  readonly count: number
  readonly sizeBytes: number
}
