/**
 * The size of a PDF, from its own structure. Vendors count tokens by pages, so the bytes of a file say little about
 * them.
 *
 * A reader of PDF counts pages by the page tree, by the tree's `/Count`, or by the page objects if the tree is damaged.
 * The three may contradict each other, and a file may contain earlier versions of itself. The result is the largest
 * count that any of them allows. Comments, strings and streams are searched like everything else, because a file may
 * name any position as the start of an object. Object streams are decompressed and searched too.
 *
 * The result is null for everything that cannot be read with certainty: encrypted files, escaped names, indirect kids
 * and counts, and trees that share a branch. Object streams of another compression and large ones are not read either.
 */
import { afterZlibHeader, inflate } from './inflate.ts'

export interface PdfSize {
  /** Maximum number of pages, at least 1. */
  readonly pages: number
  /** Bytes of the file's streams, except images, fonts and the structure itself. They contain the pages' text. */
  readonly contentBytes: number
}

/** The amount of decompressed data that the documents of one request may still need. */
export interface InflateBudget {
  bytesLeft: number
}

/** Whether readers accept the data as a PDF. They search its beginning for the mark. */
export function isPdf(data: Buffer): boolean {
  return data.subarray(0, 1024).includes('%PDF-')
}

/** Returns null if the size cannot be read. */
export function pdfSize(data: Buffer, budget: InflateBudget): PdfSize | null {
  const text = data.toString('latin1')
  const pages = new PageCount()
  if (text.includes('/Encrypt') || !pages.add(text)) return null
  const streams = streamsIn(data, text, budget)
  if (streams === null || !streams.objects.every((objects) => pages.add(objects))) return null
  const most = pages.most()
  return most === null ? null : { pages: most, contentBytes: streams.contentBytes }
}

/** Counts pages in every way that a reader may count them. */
class PageCount {
  #pages = 0
  #countMax = 0
  /** Number of nodes with kids, and of references to their kids. */
  #nodes = 0
  #kids = 0
  #isKidRepeated = false
  readonly #seen = new Set<number>()

  /** @returns whether everything that concerns pages was understood */
  add(text: string): boolean {
    if (indirect.test(text) || hasEscapedName(text)) return false
    for (const _ of text.matchAll(/\/Page(?![A-Za-z])/g)) this.#pages++
    for (const [, count] of text.matchAll(/\/Count[\0\s]*\+?(\d+)/g))
      this.#countMax = Math.max(this.#countMax, Number(count))
    for (const { index } of text.matchAll(/\/Kids(?![A-Za-z])/g)) {
      kidsList.lastIndex = index
      const list = kidsList.exec(text)?.[1]
      if (list === undefined) return false
      // A node without kids would make the count smaller.
      if (/\d/.test(list)) this.#nodes++
      if (this.#nodes > nodesMax) return false
      for (const [, object] of list.matchAll(/(\d+)[\0\s]+\d+[\0\s]+R/g)) this.#addKid(Number(object))
    }
    return true
  }

  /** Returns null if the number is not limited. A branch that occurs twice may itself repeat branches. */
  most(): number | null {
    if (this.#isKidRepeated && this.#nodes > 1) return null
    // Each node except the root is one of the kids.
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

/** The kids of a node, if they are a plain list of references. */
const kidsList = /\/Kids[\0\s]*\[((?:[\0\s]*\d+[\0\s]+\d+[\0\s]+R)*)[\0\s]*\]/y

/** A value that is defined elsewhere in the file, or that follows a comment. */
const indirect = /\/(?:Type|Count)[\0\s]*(?:%|\d+[\0\s]+\d+[\0\s]+R)/

/** PDF names that must not be hidden by an escape. */
const structural: ReadonlySet<string> = new Set(
  'Type Page Pages Kids Count ObjStm First N Filter FlateDecode Fl Encrypt DecodeParms DP'.split(' '),
)

/** Whether a name that this file searches for is written with escapes (`/P#61ge`). */
function hasEscapedName(text: string): boolean {
  let escapes = 0
  for (const [escaped] of text.matchAll(/\/[A-Za-z]{0,12}#[0-9A-Fa-f]{2}[A-Za-z0-9#]{0,40}/g)) {
    // Programs rarely escape names, but binary data contains a few such escapes by chance.
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
  /** The text of each compressed object stream. */
  readonly objects: readonly string[]
  readonly contentBytes: number
}

/** Reads the object streams, and measures the others. Null if an object stream cannot be read. */
function streamsIn(data: Buffer, text: string, budget: InflateBudget): Streams | null {
  const objects: string[] = []
  let contentBytes = 0
  let objectStreams = 0
  let count = 0
  let end = 0
  for (const { 0: keyword, index } of text.matchAll(/(?<!end)stream(?:\r\n|\n|\r)/g)) {
    const start = index + keyword.length
    // Stream data may contain the word `stream` again. The end of that stream is already known.
    if (start > end) {
      const found = text.indexOf('endstream', start)
      end = found < 0 ? text.length : found
    }
    if (++count > streamsMax) return null
    const dictionary = dictionaryBefore(text, index)
    const isOfObjects =
      dictionary.includes('/ObjStm') || (firstName.test(dictionary) && numberName.test(dictionary))
    if (!isOfObjects) {
      if (!notText.test(dictionary)) contentBytes += end - start
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
  // A dictionary that is too long to be searched may belong to an object stream.
  const named = text.split('/ObjStm').length - 1
  return named > objectStreams ? null : { objects, contentBytes }
}

function inflated(data: Buffer, start: number, budget: InflateBudget): string | null {
  const from = afterZlibHeader(data, start)
  const read = from === null ? null : inflate(data, from, budget.bytesLeft)
  if (read === null || !read.isComplete) return null
  budget.bytesLeft -= read.bytes.length
  return Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.length).toString('latin1')
}

function dictionaryBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - dictionaryBytesMax), at)
  return before.slice(before.lastIndexOf(' obj') + 1)
}

const streamsMax = 4_000
const dictionaryBytesMax = 2048
/** Readers accept an object stream without its type. It always has these two numbers. */
const firstName = /\/First[\0\s]*\d/
const numberName = /\/N[\0\s]*\d/
const isFlate = /\/Filter[\0\s]*(?:\[[\0\s]*)?\/(?:FlateDecode|Fl)[\0\s]*(?:\]|\/|>)/
const notText = /\/(?:Image|XRef|Length1|Type1C|CIDFontType0C|OpenType|Metadata|Alternate)(?![A-Za-z])/
