/**
 * Checks images that customers upload and that browsers of end users and of team members display. A strict reader takes
 * the file apart and rebuilds it from the parts that make up the image. The reader removes text, Exif data and color
 * profiles. The reader rejects animated images, and files with bytes after the end (docs/reference/threats.md "Images
 * that customers upload"). The pixels are not encoded again, because that would require a codec library.
 */
import { logoTypes, type LogoType } from '#domain/portal-brand.ts'
import type { FoundImage, Picture } from './image-reader-types.ts'
import { readJpeg } from './read-jpeg.ts'
import { readPng } from './read-png.ts'
import { readWebp } from './read-webp.ts'

export interface CleanImage extends Picture {
  readonly mediaType: LogoType
}

export interface ImageFault {
  /** Describes the fault as the end of a sentence, such as "it is animated". */
  readonly fault: string
}

/**
 * Never throws, even if the bytes are invalid.
 * @param mediaType the declared media type of the file; the content must have this type
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
