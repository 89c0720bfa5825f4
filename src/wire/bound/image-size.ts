/**
 * Reads the size of an image in pixels from the head of its file. Vendors count the tokens of an image by its pixels,
 * not by the size of its file.
 *
 * The result is null if decoders may read different sizes from the file. Decoders may disagree about JPEG files with
 * several frames, and about GIF files whose first frame exceeds the canvas.
 */
import type { ByteText } from '#wire/text/byte-text.ts'

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Decodes only the head of the file. @param base64 base64 or base64url, in which slashes may be escaped as in JSON */
export function imageSize(base64: string): ImageSize | null {
  return sizeByHead((bytes) => headOf(base64, bytes))
}

export function imageSizeOfFile(file: ByteText): ImageSize | null {
  return sizeByHead((bytes) => Buffer.from(file.slice(0, bytes), 'latin1'))
}

function sizeByHead(firstBytes: (bytes: number) => Buffer | null): ImageSize | null {
  const head = firstBytes(usualHeadBytes)
  if (head === null) return null
  // JPEG is the only format in which metadata precedes the size.
  const size = sizeIn(head) ?? (isJpeg(head) ? sizeIn(firstBytes(headBytesMax) ?? head) : null)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

/** Most cameras write fewer bytes of metadata, so these bytes are searched before the whole head. */
const usualHeadBytes = 48 * 1024
const headBytesMax = 1024 * 1024

function headOf(base64: string, bytes: number): Buffer | null {
  const start = base64.slice(0, Math.ceil(bytes / 3) * 4)
  const plain = start.includes('\\') ? start.replaceAll(String.raw`\/`, '/') : start
  // Reject anything but plain base64, because a vendor's decoder may read more of the data than this decoder.
  return onlyBase64.test(plain) ? Buffer.from(plain, 'base64') : null
}

const onlyBase64 = /^[A-Za-z0-9+/_-]*=*\\?$/

function sizeIn(file: Buffer): ImageSize | null {
  if (file.length < 30) return null
  if (isJpeg(file)) return jpegSize(file)
  switch (file.toString('latin1', 0, 4)) {
    case '\x89PNG':
      return pngSize(file)
    case 'GIF8':
      return gifSize(file)
    case 'RIFF':
      return webpSize(file)
    default:
      return null
  }
}

/** Returns the size in the header of a PNG (PNG, third edition, "11.2.1 IHDR image header"). */
function pngSize(file: Buffer): ImageSize | null {
  if (file.toString('latin1', 4, 8) !== '\r\n\x1a\n' || file.toString('latin1', 12, 16) !== 'IHDR')
    return null
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

/**
 * Returns the size of the canvas of a GIF (GIF89a specification, sections 18 and 20). Null if the first frame exceeds
 * the canvas.
 */
function gifSize(file: Buffer): ImageSize | null {
  const size = { width: file.readUInt16LE(6), height: file.readUInt16LE(8) }
  const flags = file[10] ?? 0
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 0x07) + 1) : 0)
  while (file[at] === 0x21) {
    at += 2
    for (let length = file[at]; length !== 0; length = file[at]) {
      if (length === undefined) return null
      at += length + 1
    }
    at++
  }
  if (file[at] !== 0x2c || at + 9 > file.length) return null
  const right = file.readUInt16LE(at + 1) + file.readUInt16LE(at + 5)
  const bottom = file.readUInt16LE(at + 3) + file.readUInt16LE(at + 7)
  return right <= size.width && bottom <= size.height ? size : null
}

/** Returns the size of a WebP image (RFC 9649). In the extended format, the canvas contains all frames. */
function webpSize(file: Buffer): ImageSize | null {
  if (file.toString('latin1', 8, 12) !== 'WEBP') return null
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = file.readUInt32LE(21)
      return file[20] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : null
    }
    case 'VP8 ':
      if (file.toString('latin1', 23, 26) !== '\x9d\x01\x2a') return null
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    default:
      return null
  }
}

function isJpeg(file: Buffer): boolean {
  return file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff
}

/** Returns the size of the only frame before the first scan of a JPEG (ITU-T T.81, annex B). */
function jpegSize(file: Buffer): ImageSize | null {
  let size: ImageSize | null = null
  for (let at = 2; at + 9 <= file.length;) {
    const marker = file[at + 1] ?? 0
    if (file[at] !== 0xff || marker === 0xff) return null
    if (marker === startOfScan) return size
    if (isFrame(marker)) {
      if (size !== null) return null
      size = { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) }
    }
    at += 2 + file.readUInt16BE(at + 2)
  }
  return null
}

const startOfScan = 0xda

/** Frame headers have the markers 0xC0 to 0xCF, except for the markers of code tables and extensions. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
