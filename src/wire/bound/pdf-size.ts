/**
 * Computes the size of a PDF from the PDF's own structure. Vendors count tokens by pages, not by the size of the file.
 *
 * A PDF reader counts pages by the page tree, by the tree's `/Count`, or by the page objects if the tree is damaged.
 * The three counts may contradict each other, and a file may contain earlier versions of itself. The result is the
 * largest of these counts. Comments, strings and streams are also searched, because a file may name any position as the
 * start of an object. Object streams are decompressed and also searched.
 *
 * The result is null if the file cannot be read with certainty. Examples are encrypted files and large object streams.
 */
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { afterZlibHeader, inflate } from './inflate.ts'
import { shortContentBytesMax, shownCodes, type PdfStream } from './pdf-shown-text.ts'

export interface PdfSize {
  readonly pages: number
  /**
   * Bytes of the streams that may contain the text of the pages. Images, fonts, metadata, object streams and
   * cross-reference streams are not included.
   */
  readonly contentBytes: number
  /** Number of character codes that the only page shows (pdf-shown-text.ts). Null if the number is not known. */
  readonly codes: number | null
}

/** Number of bytes that the documents of one request may still decompress to. */
export interface InflateBudget {
  bytesLeft: number
}

/** A step that decompresses this much data takes up to 20 ms. */
export const inflatedStepBytes = 1024 * 1024

/** Readers search only the beginning of the data for the mark of a PDF. */
export function isPdf(data: Buffer): boolean {
  return data.subarray(0, 1024).includes('%PDF-')
}

/** The generator pauses after each megabyte. */
export function* pdfSize(data: Buffer, text: ByteText, budget: InflateBudget): Steps<PdfSize | null> {
  const pages = new PageCount()
  if (text.includes('/Encrypt')) return null
  for (let from = 0; from < text.length;) {
    if (from > 0) yield
    const to = stepEnd(text, from)
    if (to === null || !pages.add(text.slice(from, to))) return null
    from = to
  }
  const streams = yield* streamsIn(data, text, budget)
  if (streams === null || !streams.objects.every((objects) => pages.add(objects))) return null
  const most = pages.most()
  if (most === null) return null
  const { contentBytes, contents, objects } = streams
  const isShort = most === 1 && contentBytes <= shortContentBytesMax && text.length <= stepBytes
  return { pages: most, contentBytes, codes: isShort ? shownCodes(data, [text, ...objects], contents) : null }
}

const stepBytes = 1024 * 1024

/**
 * Returns a position at which a step may end, because no pattern below matches text across this position. Null if none
 * is near.
 */
function stepEnd(text: ByteText, from: number): number | null {
  if (text.length - from <= stepBytes) return text.length
  separator.lastIndex = from + stepBytes
  const end = separator.exec(text.slice(0, from + 4 * stepBytes))
  return end === null ? null : end.index + 1
}

/** A step can end after one of these bytes, because no pattern below matches the byte. */
const separator = /[()<>\x80-\x9f\xa1-\xff]/g

class PageCount {
  #pages = 0
  #countMax = 0
  #nodes = 0
  #kids = 0
  #isKidRepeated = false
  readonly #seen = new Set<number>()

  add(text: string): boolean {
    if (indirect.test(text) || hasEscapedName(text)) return false
    for (const _ of text.matchAll(/\/Page(?![A-Za-z])/g)) this.#pages++
    for (const [, count] of text.matchAll(/\/Count[\0\s]*\+?(\d+)/g))
      this.#countMax = Math.max(this.#countMax, Number(count))
    for (const { index } of text.matchAll(/\/Kids(?![A-Za-z])/g)) {
      kidsList.lastIndex = index
      const list = kidsList.exec(text)?.[1]
      if (list === undefined) return false
      // Each counted node lowers the result of `most`, so do not count a node without kids.
      if (/\d/.test(list)) this.#nodes++
      if (this.#nodes > nodesMax) return false
      for (const [, object] of list.matchAll(/(\d+)[\0\s]+\d+[\0\s]+R/g)) this.#addKid(Number(object))
    }
    return this.#kids <= kidsMax
  }

  /**
   * Null if the file has no pages, or does not limit their number. If a branch occurs twice in the tree, the number is
   * unlimited, because each level may repeat the level below.
   */
  most(): number | null {
    if (this.#isKidRepeated && this.#nodes > 1) return null
    // Each node except the root is one of its parent's kids.
    const most = Math.max(this.#pages, this.#countMax, this.#kids - Math.max(0, this.#nodes - 1))
    return most === 0 ? null : most
  }

  #addKid(object: number): void {
    this.#kids++
    if (this.#seen.has(object)) this.#isKidRepeated = true
    this.#seen.add(object)
  }
}

const nodesMax = 10_000
/** Prevents a file from using up the memory. No vendor accepts so many pages. */
const kidsMax = 200_000

const kidsList = /\/Kids[\0\s]*\[((?:[\0\s]*\d+[\0\s]+\d+[\0\s]+R)*)[\0\s]*\]/y

/** Matches a value that is defined elsewhere in the file, or that follows a comment. */
const indirect = /\/(?:Type|Count)[\0\s]*(?:%|\d+[\0\s]+\d+[\0\s]+R)/

/** If an escape hides one of these PDF names, the size is unknown. */
const structural: ReadonlySet<string> = new Set(
  'Type Page Pages Kids Count ObjStm First N Filter FlateDecode Fl Encrypt DecodeParms DP'.split(' '),
)

function hasEscapedName(text: string): boolean {
  let escapes = 0
  for (const [escaped] of text.matchAll(/\/[A-Za-z]{0,12}#[0-9A-Fa-f]{2}[A-Za-z0-9#]{0,40}/g)) {
    // Programs rarely escape names, and binary data contains few escapes by chance, so treat more escapes as an unknown
    // size.
    if (++escapes > escapesMax) return true
    const plain = escaped
      .slice(1)
      .replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (structural.has(plain)) return true
  }
  return false
}

const escapesMax = 1_000

interface Streams {
  readonly objects: readonly string[]
  readonly contentBytes: number
  /** The first streams that may contain text, up to `shortContentBytesMax`. */
  readonly contents: readonly PdfStream[]
}

/** Null if an object stream cannot be read. */
function* streamsIn(data: Buffer, text: string, budget: InflateBudget): Steps<Streams | null> {
  const objects: string[] = []
  const contents: PdfStream[] = []
  let contentBytes = 0
  let objectStreams = 0
  let count = 0
  let end = 0
  let pauseAt = stepBytes
  for (let index = streamAfter(text, 0); index >= 0; index = streamAfter(text, index + 1)) {
    if (index > pauseAt || count % stepStreams === stepStreams - 1) {
      yield
      pauseAt = index + stepBytes
    }
    const start = index + (text.startsWith('\r\n', index + 6) ? 8 : 7)
    // Skip the word `stream` inside the data of a stream whose end is already known.
    if (start > end) {
      const found = text.indexOf('endstream', start)
      end = found < 0 ? text.length : found
    }
    if (++count > Math.max(streamsMax, text.length / bytesPerStream)) return null
    const dictionary = dictionaryBefore(text, index)
    const isOfObjects =
      dictionary.includes('/ObjStm') || (firstName.test(dictionary) && numberName.test(dictionary))
    if (!isOfObjects) {
      if (notText.test(dictionary)) continue
      contentBytes += end - start
      if (contentBytes <= shortContentBytesMax) contents.push({ dictionary, start, end })
      continue
    }
    objectStreams++
    if (!dictionary.includes('/Filter')) continue
    const read =
      isFlate.test(dictionary) && !/\/(?:DecodeParms|DP)/.test(dictionary)
        ? inflated(data, start, budget)
        : null
    if (read === null) return null
    objects.push(read)
  }
  // Each `/ObjStm` should belong to an object stream that was found. Otherwise, the dictionary of an object stream may
  // be too long to be searched.
  let named = 0
  for (let at = text.indexOf('/ObjStm'); at >= 0; at = text.indexOf('/ObjStm', at + 1))
    if (++named > objectStreams) return null
  return { objects, contentBytes, contents }
}

/** Returns -1 if no word `stream` before a line break follows. */
function streamAfter(text: string, from: number): number {
  let at = text.indexOf('stream', from)
  while (at >= 0 && (!isLineBreak(text.charCodeAt(at + 6)) || text.startsWith('end', at - 3)))
    at = text.indexOf('stream', at + 6)
  return at
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d
}

function inflated(data: Buffer, start: number, budget: InflateBudget): string | null {
  const from = afterZlibHeader(data, start)
  const read = from === null ? null : inflate(data, from, Math.min(budget.bytesLeft, inflatedStepBytes))
  if (read === null || !read.isComplete) return null
  budget.bytesLeft -= read.bytes.length
  return Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.length).toString('latin1')
}

function dictionaryBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - dictionaryBytesMax), at)
  return before.slice(before.lastIndexOf(' obj') + 1)
}

const streamsMax = 4_000
/** A file may have `streamsMax` streams, or one stream for every `bytesPerStream` bytes if that number is higher. */
const bytesPerStream = 1024
const stepStreams = 1_000
const dictionaryBytesMax = 2048
/** `/First` and `/N` identify object streams, because readers also accept an object stream without its type. */
const firstName = /\/First[\0\s]*\d/
const numberName = /\/N[\0\s]*\d/
const isFlate = /\/Filter[\0\s]*(?:\[[\0\s]*)?\/(?:FlateDecode|Fl)[\0\s]*(?:\]|\/|>)/
const notText = /\/(?:Image|XRef|Length1|Type1C|CIDFontType0C|OpenType|Metadata|Alternate)(?![A-Za-z])/
