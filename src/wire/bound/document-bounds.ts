import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { resultOf, type Steps } from '#wire/text/computation-with-pauses.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import type { DocumentTokens } from '#wire/media-token-types.ts'
import { citationTokens, tokensOfCitations } from './citation-tokens.ts'
import { isArchive, officeTokens } from './office-file-tokens.ts'
import { isPdf, pdfSize, type InflateBudget, type PdfSize } from './pdf-size.ts'
import { bytesPerCode } from './pdf-shown-text.ts'
import { countsOf } from './bound-tokens-of-any-text.ts'

/**
 * Adds up the maximum tokens of the documents of a request (docs/reference/tokens.md "Documents"). The bound of a PDF
 * is based on its pages, and the bound of an Office file or a plain text on its text. The bound of any other file is
 * based on its bytes, which is also the maximum for every file.
 */
export class DocumentBounds {
  #tokens = 0
  #pages = 0
  #otherTokens = 0
  #imagedPages = 0
  #isNextCited = false
  #bytesLeft = examinedBytesMax
  readonly #budget: InflateBudget = { bytesLeft: inflatedBytesMax }

  /**
   * Call this function before a document with citations: the provider adds instructions, and may count the text twice.
   */
  citeNext(): void {
    this.#isNextCited = true
  }

  add(data: () => string | null, bytes: number): void {
    const isCited = this.#isNextCited
    this.#isNextCited = false
    const read = this.#read(data, bytes, isCited)
    const tokens = documentTokens(read, bytes, isCited)
    this.#tokens += tokens
    if (read === null || typeof read === 'number')
      this.#otherTokens += isCited ? tokens - citationTokens : tokens
    else {
      this.#pages += read.pages
      if (tokens < tokensByBytes(bytes, isCited)) this.#imagedPages += read.pages
    }
  }

  /** @param hasLargePages whether the request may raise the resolution of its pages at Google */
  total(hasLargePages: boolean): DocumentTokens {
    // Google does not bill the text of pages.
    const pages = this.#pages * (hasLargePages ? largePageTokens : usualPageTokens)
    return {
      tokensMax: Math.min(this.#tokens, contextTokensMax),
      googleTokensMax: Math.min(this.#tokens, this.#otherTokens + pages, contextTokensMax),
      imagedPages: this.#tokens > contextTokensMax ? 0 : this.#imagedPages,
    }
  }

  #read(data: () => string | null, bytes: number, isCited: boolean): ReadDocument {
    if (bytes > this.#bytesLeft) return null
    this.#bytesLeft -= bytes
    const url = data() ?? ''
    // Trim the end first, because a pattern with white space at its end would search each run of spaces repeatedly.
    const base64 = url.slice(url.indexOf(',') + 1).trimEnd()
    // If the data is not plain base64, count its bytes, because a vendor's decoder may read more of the data than this
    // decoder.
    if (!onlyBase64.test(base64)) return null
    const file = Buffer.from(base64, 'base64')
    const text = file.toString('latin1')
    return plainTextTokens(file, text, isCited) ?? resultOf(readDocument(file, text, this.#budget))
  }
}

type ReadDocument = PdfSize | number | null

/**
 * Returns the maximum tokens of a document that is plain text: UTF-8 without zero bytes. Null for any other file, and
 * for a file that a vendor may read as a PDF or an archive.
 */
export function plainTextTokens(file: Buffer, text: ByteText, isCited: boolean): number | null {
  // A vendor may read this text as a PDF, because some PDF readers search a whole file for `%PDF-` or `startxref`.
  if (text.includes('%PDF-') || text.includes('startxref')) return null
  // If decoding the file changes its bytes, the file is not UTF-8.
  if (isPdf(file) || isArchive(file) || text.includes('\0') || byteTextOf(textOf(text)) !== text) return null
  return countsOf(text).boundBytes + (isCited ? tokensOfCitations(text) : 0)
}

export function* readDocument(file: Buffer, text: ByteText, budget: InflateBudget): Steps<ReadDocument> {
  if (!isPdf(file)) return isArchive(file) ? yield* officeTokens(file, budget) : null
  // A vendor may read a file that is both a PDF and an archive as either, so the size of this file is unknown.
  const size = file.includes(archiveEnd) ? null : yield* pdfSize(file, text, budget)
  return size === null ? null : { ...size, pages: Math.min(size.pages, pagesMax) }
}

/**
 * @param bytes size of the file, which limits the tokens of every document
 * @param isCited whether citations are enabled; the text may then count twice, and the provider adds instructions
 */
export function documentTokens(read: ReadDocument, bytes: number, isCited: boolean): number {
  const most = tokensByBytes(bytes, isCited)
  const instructions = isCited ? citationTokens : 0
  if (read === null || typeof read === 'number') return Math.min(most, instructions + (read ?? most))
  const textTokens = textTokensOf(read) * (isCited ? 2 : 1)
  const { pages } = read
  return Math.min(most, instructions + pages * pageImageTokens + textTokens)
}

function textTokensOf({ codes, contentBytes, pages }: PdfSize): number {
  if (codes !== null) return Math.min(pageTextTokens, headTokens + codes * bytesPerCode)
  return Math.max(pages * pageTextTokens, contentBytes)
}

function tokensByBytes(bytes: number, isCited: boolean): number {
  const pageTokens = pageImageTokens + (isCited ? 2 : 1) * pageTextTokens
  return Math.ceil(bytes / pdfBytesPerPage) * pageTokens + (isCited ? citationTokens : 0)
}

const onlyBase64 = /^[A-Za-z0-9+/_\s-]*={0,2}$/

/**
 * Larger documents are counted by their bytes, because reading a document takes 4 ms per megabyte, or 100 ms at worst.
 */
const examinedBytesMax = 4 * 1024 * 1024
const inflatedBytesMax = 1024 * 1024
const archiveEnd = Buffer.from('PK\u0005\u0006')

/** The maximum tokens that any vendor counts for the image of a PDF page (docs/reference/tokens.md "Documents"). */
export const pageImageTokens = 4_800
/**
 * The maximum tokens that any vendor counts for the text of a usual PDF page. The text may be longer, so each byte of
 * the PDF's compressed contents counts as one token if that number is higher.
 */
const pageTextTokens = 3_000
/** A vendor may add the title and the author before the text of a short PDF. */
const headTokens = 256
/** An empty PDF page may have only 200 bytes. */
const pdfBytesPerPage = 200
/** Google accepts 1,000 pages, and Anthropic 600. */
const pagesMax = 1_000
/** The maximum tokens that Google counts for one page if the request sets no resolution. */
const usualPageTokens = 1_290
/** The maximum tokens that Google counts for one page at any resolution. */
const largePageTokens = 2_240
