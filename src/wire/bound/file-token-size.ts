import type { ByteText } from '#wire/text/byte-text.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { tokensOfCitations } from './citation-tokens.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { documentTokens, plainTextTokens, readDocument } from './document-bounds.ts'
import { imageSizeOfFile, type ImageSize } from './image-size.ts'
import { isPdf } from './pdf-size.ts'
import { isArchive } from './office-file-tokens.ts'

export interface FileSize {
  /** Maximum tokens if the file is sent as a document without citations. */
  readonly tokens: number
  /** Maximum tokens if the file is sent as a document with citations. */
  readonly citedTokens: number
  /** Null for a file that is not an image, and for an image that cannot be read. */
  readonly pixels: ImageSize | null
}

/** Reads the size of a file (docs/reference/tokens.md "Uploaded files"), with a pause after each megabyte. */
export function* fileSize(file: ByteText): Steps<FileSize> {
  const bytes = Buffer.from(file, 'latin1')
  // The pixels are unknown if the file is both a PDF and an image, because a vendor may read the file as either.
  const pixels = isPdf(bytes) ? null : imageSizeOfFile(file)
  const isDocument = isPdf(bytes) || isArchive(bytes)
  if (!isDocument && bytes.length > contextTokensMax)
    return limited(contextTokensMax, contextTokensMax, pixels)
  const tokens = plainTextTokens(bytes, file, false)
  if (tokens !== null) return limited(tokens, tokens + tokensOfCitations(file), pixels)
  const read = yield* readDocument(bytes, file, { bytesLeft: inflatedBytesMax })
  const tokensOf = (isCited: boolean): number => documentTokens(read, bytes.length, isCited)
  return limited(tokensOf(false), tokensOf(true), pixels)
}

function limited(tokens: number, citedTokens: number, pixels: ImageSize | null): FileSize {
  return {
    tokens: Math.min(tokens, contextTokensMax),
    citedTokens: Math.min(citedTokens, contextTokensMax),
    pixels,
  }
}

/** An uploaded file is read only once, and may be larger than the documents of one request (document-bounds.ts). */
const inflatedBytesMax = 8 * 1024 * 1024
