/**
 * Pictures of customers, which are served to browsers of other people. A file is taken apart by a strict reader
 * of its format and put together again from the parts that make the picture: no text, no Exif, no colour
 * profile, no bytes after the end, no animation (docs/reference/threats.md "Pictures of customers"). The pixels
 * are not encoded again: that would take a library of codecs.
 */
import { logoTypes, type LogoType } from '#domain/brand.ts'
import type { FoundImage, Picture } from './found-image.ts'
import { readJpeg } from './jpeg.ts'
import { readPng } from './png.ts'
import { readWebp } from './webp.ts'

export interface CleanImage extends Picture {
  readonly mediaType: LogoType
}

export interface ImageFault {
  /** What is wrong, as the end of a sentence. */
  readonly fault: string
}

/**
 * Reads a picture. It never throws, whatever the bytes are.
 * @param mediaType what the file is said to be; it must be that
 */
export async function readImage(mediaType: string, bytes: Uint8Array): Promise<CleanImage | ImageFault> {
  const type = logoTypes.find((known) => known === mediaType)
  if (type === undefined)
    return { fault: `its type is ${mediaType}, and the accepted types are ${logoTypes.join(', ')}` }
  const found = await readers[type](bytes)
  return typeof found === 'string' ? { fault: found } : { mediaType: type, ...found }
}

const readers: Record<LogoType, (bytes: Uint8Array) => FoundImage | Promise<FoundImage>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}
