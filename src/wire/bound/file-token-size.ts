import type { ByteText } from '#wire/text/byte-text.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { tokensOfCitations } from './citation-tokens.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { documentTokens, plainTextTokens, readDocument } from './document-bounds.ts'
import { imageSizeOfFile, type ImageSize } from './image-size.ts'
import { isPdf } from './pdf-size.ts'
import { isArchive } from './office-file-tokens.ts'

/** The size of a file to which requests refer by ID. */
export interface FileSize {
  /** Maximum tokens of the file as a document without citations. */
  readonly tokens: number
  /** Maximum tokens of the file as a document with citations. */
  readonly citedTokens: number
  /** Null for a file that is not an image, and for an image that cannot be read. */
  readonly pixels: ImageSize | null
}

/**
 * Reads the size of a file (docs/reference/tokens.md "Uploaded files"), with a pause after each megabyte. The size of
 * an image is based on its pixels. The size of a PDF is based on its pages. The size of an Office file or a plain text
 * is based on its text. The size of any other file is based on its bytes.
 */
export function* fileSize(file: ByteText): Steps<FileSize> {
  const bytes = Buffer.from(file, 'latin1')
  // A vendor may read a file that is both a valid PDF and a valid image as either. Treat the pixels of such an image as
  // unknown.
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

/**
 * This maximum is higher than the maximum for the documents in one request (document-bounds.ts). An uploaded file may
 * be larger, and is read only once.
 */
const inflatedBytesMax = 8 * 1024 * 1024
