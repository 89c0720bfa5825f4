/**
 * Pictures of customers, which are served to browsers of other people. A file is taken apart by a strict reader
 * of its format and put together again from the parts that make the picture: no text, no Exif, no colour
 * profile, no bytes after the end, no animation (docs/reference/threats.md "Pictures of customers"). The pixels
 * are not encoded again: that would take a library of codecs.
 */
import { logoTypes, type LogoType } from '#domain/brand.ts'
import { readJpeg } from './jpeg.ts'
import { readPng } from './png.ts'
import { readWebp } from './webp.ts'

export interface CleanImage {
  readonly mediaType: LogoType
  readonly widthPx: number
  readonly heightPx: number
  /** The file again, with nothing but the picture. */
  readonly bytes: Uint8Array
}

export interface ImageFault {
  /** What is wrong, as the end of a sentence. */
  readonly fault: string
}

/** What a reader of a format finds: the picture, or the fault as the end of a sentence. */
export type Found = Omit<CleanImage, 'mediaType'> | string

/** Pixels of the longer side. */
export const sidePxMax = 2000

/**
 * Reads a picture. It never throws, whatever the bytes are.
 * @param mediaType what the file is said to be; it must be that
 */
export async function readImage(mediaType: string, bytes: Uint8Array): Promise<CleanImage | ImageFault> {
  const type = logoTypes.find((known) => known === mediaType)
  if (type === undefined) return { fault: `${mediaType} is none of ${logoTypes.join(', ')}` }
  const found = await readers[type](bytes)
  return typeof found === 'string' ? { fault: found } : { mediaType: type, ...found }
}

const readers: Record<LogoType, (bytes: Uint8Array) => Found | Promise<Found>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

/** The fault of a size; null: it may be so. */
export function sizeFault(widthPx: number, heightPx: number): string | null {
  if (widthPx === 0 || heightPx === 0) return 'it has no pixels'
  if (widthPx <= sidePxMax && heightPx <= sidePxMax) return null
  return `it is ${widthPx} x ${heightPx} pixels, and may have ${sidePxMax} a side`
}

/** Whether the bytes at `at` are these characters. */
export function isTextAt(bytes: Uint8Array, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
