import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { tokensOfCitations } from './cited-text.ts'
import { contextTokensMax } from './context-tokens.ts'
import { documentTokens, inflatedBytesMax, readDocument } from './document-bounds.ts'
import { imageSizeOfFile, type ImageSize } from './image-size.ts'
import { isPdf } from './pdf-size.ts'
import { isArchive } from './office-text.ts'
import { countsOf } from './token-count.ts'

/** The size of a file that requests use by its ID. */
export interface FileSize {
  /** Maximum tokens of the file as a document, and with citations. */
  readonly tokens: number
  readonly citedTokens: number
  /** Null for a file that is not an image, and for an image that cannot be read. */
  readonly pixels: ImageSize | null
}

/**
 * Reads the size of a file (docs/reference/tokens.md "Uploaded files"). An image counts by its pixels, a PDF by its pages,
 * an Office file and a plain text by their text, and everything else by its bytes.
 */
export function fileSize(file: ByteText): FileSize {
  const bytes = Buffer.from(file, 'latin1')
  // If a file is valid as two kinds, a vendor may read it as the other kind.
  const pixels = isPdf(bytes) ? null : imageSizeOfFile(file)
  if (bytes.length > readBytesMax) return limited(contextTokensMax, contextTokensMax, pixels)
  if (!isPdf(bytes) && !isArchive(bytes) && isText(file)) {
    const tokens = countsOf(file).boundBytes
    return limited(tokens, tokens + tokensOfCitations(file), pixels)
  }
  const read = readDocument(bytes, { bytesLeft: inflatedBytesMax })
  const tokensOf = (isCited: boolean): number => documentTokens(read, bytes.length, isCited)
  return limited(tokensOf(false), tokensOf(true), pixels)
}

/** Whether the file is UTF-8. Other bytes do not survive being decoded. */
function isText(file: ByteText): boolean {
  return !file.includes('\0') && byteTextOf(textOf(file)) === file
}

function limited(tokens: number, citedTokens: number, pixels: ImageSize | null): FileSize {
  return {
    tokens: Math.min(tokens, contextTokensMax),
    citedTokens: Math.min(citedTokens, contextTokensMax),
    pixels,
  }
}

/** Reading takes up to 10 ms for a megabyte, or 100 ms at worst. Larger files count as the largest context. */
const readBytesMax = 4 * 1024 * 1024
