import type { ByteText } from '#wire/text/byte-text.ts'
import type { FileMedium } from '#wire/file-use-types.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { fileSize, type FileSize } from './file-token-size.ts'
import { imageSizeOfFile } from './image-size.ts'
import { SoundBounds } from './sound-bounds.ts'
import { googleFrames, VideoBounds } from './video-bounds.ts'

/** Size of a file that Google stores, which depends on the media type that the upload stated. */
export interface GoogleFileSize extends FileSize {
  readonly medium: FileMedium
  /** Null if the length of the sound or video is unknown. */
  readonly soundTokens: number | null
}

/** Reads the size of a file at Google in steps (docs/reference/tokens.md "Uploaded files"). */
export function* googleFileSize(file: ByteText, mediaType: string): Steps<GoogleFileSize> {
  const medium = mediumOf(mediaType)
  const sizeOf = (tokens: number, soundTokens: number | null): GoogleFileSize => ({
    tokens,
    citedTokens: tokens,
    pixels: medium === 'image' ? imageSizeOfFile(file) : null,
    medium,
    soundTokens,
  })
  switch (medium) {
    case 'image':
      return sizeOf(0, 0)
    case 'audio': {
      const sounds = new SoundBounds()
      sounds.add(() => base64Of(file), file.length, mediaType)
      return sizeOf(0, sounds.total())
    }
    case 'video': {
      const videos = new VideoBounds()
      const isKnown = videos.add(base64Of(file), mediaType, googleFrames)
      return isKnown ? sizeOf(videos.frameTokens(), videos.soundTokens()) : sizeOf(0, null)
    }
    case 'document':
      return { ...(yield* fileSize(file)), pixels: null, medium, soundTokens: 0 }
    default:
      return medium satisfies never
  }
}

/**
 * Returns the size of a file whose content the gateway does not receive in one piece. If a request has a file of
 * unknown size, its hold covers the model's context window.
 */
export function unknownFileSize(mediaType: string): GoogleFileSize {
  return { tokens: 0, citedTokens: 0, pixels: null, medium: mediumOf(mediaType), soundTokens: null }
}

/** Files that are not an image, sound or video are read as documents. */
export function mediumOf(mediaType: string): FileMedium {
  const [kind = ''] = mediaType.toLowerCase().trim().split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

function base64Of(file: ByteText): string {
  return Buffer.from(file, 'latin1').toString('base64')
}
