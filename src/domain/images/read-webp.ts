/**
 * WebP (RFC 9649) is a RIFF file whose chunks contain the frame of a VP8 (lossy) or VP8L (lossless) image. The WebP
 * reader keeps the frame and its alpha plane, and removes Exif, XMP and color profiles.
 */
import { type FoundImage, isTextAt, sizeFault } from './image-reader-types.ts'

interface Size {
  readonly widthPx: number
  readonly heightPx: number
}

/** Bits of the header in the extended format (RFC 9649, section 2.7). */
const flags = { animation: 0x02, alpha: 0x10, reserved: 0xc1 } as const
/** Chunks of the extended format that contain no image data. */
const annexes = new Set(['ICCP', 'EXIF', 'XMP '])

export function readWebp(bytes: Uint8Array): FoundImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || !isTextAt(bytes, 0, 'RIFF') || !isTextAt(bytes, 8, 'WEBP')) {
    return 'it does not start like a WebP file'
  }
  if (view.getUint32(4, true) !== bytes.length - 8) return 'its size differs from the size in its header'
  let canvas: Size | null = null
  let alpha: Uint8Array | null = null
  let frame: { readonly chunk: Uint8Array; readonly size: Size; readonly isLossless: boolean } | null = null
  for (let at = 12; at < bytes.length;) {
    if (at + 8 > bytes.length) return 'it ends in the middle of a chunk'
    const type = Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')
    const length = view.getUint32(at + 4, true)
    const end = at + 8 + length + (length & 1)
    if (end > bytes.length) return 'it ends in the middle of a chunk'
    if (length % 2 === 1 && bytes[end - 1] !== 0) return 'it has data between its chunks'
    const data = bytes.subarray(at + 8, at + 8 + length)
    const chunk = bytes.subarray(at, end)
    if (at === 12 && type === 'VP8X') {
      const found = readCanvas(data)
      if (typeof found === 'string') return found
      canvas = found
    } else if (type === 'ANIM' || type === 'ANMF') return 'it is animated'
    else if (type === 'VP8 ' || type === 'VP8L') {
      if (frame !== null) return 'it contains two images'
      const isLossless = type === 'VP8L'
      if (isLossless && alpha !== null) return 'it has transparency data without an image'
      const size = isLossless ? readLossless(data) : readLossy(data)
      if (typeof size === 'string') return size
      frame = { chunk, size, isLossless }
    } else if (type === 'ALPH') {
      if (canvas === null || alpha !== null || frame !== null) return 'its transparency data is misplaced'
      if (!isAlpha(data, canvas)) return 'its transparency data is invalid'
      alpha = chunk
    } else if (canvas === null) return 'it has data after the image'
    else if (!annexes.has(type)) return 'it has a chunk of an unknown type'
    at = end
  }
  if (frame === null) return 'it contains no image'
  const { size } = frame
  if (canvas !== null && (canvas.widthPx !== size.widthPx || canvas.heightPx !== size.heightPx)) {
    return 'the size of its image differs from its header'
  }
  return { ...size, bytes: fileOf(frame.chunk, alpha, size) }
}

/** Writes the extended format if the image has an alpha plane, and otherwise the simple format. */
function fileOf(frame: Uint8Array, alpha: Uint8Array | null, { heightPx, widthPx }: Size): Uint8Array {
  const extended = Buffer.alloc(18)
  extended.write('VP8X', 'latin1')
  extended.writeUInt32LE(10, 4)
  extended.writeUInt8(flags.alpha, 8)
  extended.writeUIntLE(widthPx - 1, 12, 3)
  extended.writeUIntLE(heightPx - 1, 15, 3)
  const chunks = alpha === null ? [frame] : [extended, alpha, frame]
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + chunks.reduce((sum, { length }) => sum + length, 0), 4)
  return Buffer.concat([head, ...chunks])
}

function readCanvas(data: Uint8Array): Size | string {
  const flag = data[0] ?? 0
  if (data.length !== 10) return 'the size of its header is wrong'
  if ((flag & flags.animation) !== 0) return 'it is animated'
  if ((flag & flags.reserved) !== 0 || data[1] !== 0 || data[2] !== 0 || data[3] !== 0)
    return 'its header is invalid'
  const at = (from: number): number =>
    1 + ((data[from] ?? 0) | ((data[from + 1] ?? 0) << 8) | ((data[from + 2] ?? 0) << 16))
  const size = { widthPx: at(4), heightPx: at(7) }
  return sizeFault(size.widthPx, size.heightPx) ?? size
}

/** Reads the header of a visible key frame, the start code, the width and the height (RFC 6386 9.1). */
function readLossy(data: Uint8Array): Size | string {
  const [one = 0, two = 0, three = 0, start, of, frame, low = 0, high = 0, lower = 0, upper = 0] = data
  const tag = one | (two << 8) | (three << 16)
  const [isKey, version, isShown, partSize] = [
    (tag & 1) === 0,
    (tag >> 1) & 7,
    ((tag >> 4) & 1) === 1,
    tag >> 5,
  ]
  if (data.length < 10 || !isKey || version > 3 || !isShown || 10 + partSize > data.length) {
    return 'its image is invalid'
  }
  if (start !== 0x9d || of !== 0x01 || frame !== 0x2a) return 'its image is invalid'
  // Reject an image that requests scaling in the two highest bits of its width or height. Decoders ignore these bits.
  const [width, height] = [low | (high << 8), lower | (upper << 8)]
  if (width >> 14 !== 0 || height >> 14 !== 0) return 'its image is invalid'
  return sizeFault(width, height) ?? { widthPx: width, heightPx: height }
}

/** Reads a signature, 14 bits for each side (its length minus one), alpha, and version 0 (RFC 9649 3.4). */
function readLossless(data: Uint8Array): Size | string {
  const [signature, one = 0, two = 0, three = 0, four = 0] = data
  if (data.length < 6 || signature !== 0x2f || four >> 5 !== 0) return 'its image is invalid'
  const bits = one | (two << 8) | (three << 16) | (four << 24)
  const size = { widthPx: 1 + (bits & 0x3fff), heightPx: 1 + ((bits >>> 14) & 0x3fff) }
  return sizeFault(size.widthPx, size.heightPx) ?? size
}

/**
 * Checks reserved bits, preprocessing, filter and compression (RFC 9649 2.7.1.2). Uncompressed samples have one byte
 * per pixel.
 */
function isAlpha(data: Uint8Array, { heightPx, widthPx }: Size): boolean {
  const head = data[0] ?? 0xff
  const compression = head & 3
  if (head >> 6 !== 0 || ((head >> 4) & 3) > 1 || compression > 1) return false
  return compression === 1 ? data.length > 1 : data.length === 1 + widthPx * heightPx
}
