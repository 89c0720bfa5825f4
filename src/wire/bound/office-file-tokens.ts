/**
 * The maximum tokens of the text in an Office file (docx, pptx, xlsx), which is an archive of XML. Vendors extract the
 * text of the file, and ignore pictures and formats.
 *
 * All XML files in the archive count, regardless of their names. Each byte of text counts as one token. Each element
 * that may become a mark or a line break also counts as one token. A cell may refer to a shared text by number, so each
 * number in a cell also counts as the shared text with that number.
 *
 * The result is null if the archive cannot be read with certainty, for example an encrypted or too large archive.
 */
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { inflate } from './inflate.ts'
import { inflatedStepBytes, type InflateBudget } from './pdf-size.ts'
import { countsOf } from './bound-tokens-of-any-text.ts'

export function isArchive(data: Buffer): boolean {
  return data.length > 4 && data.readUInt32LE(0) === localMark
}

export function* officeTokens(data: Buffer, budget: InflateBudget): Steps<number | null> {
  const read = yield* partsOf(data, budget)
  if (read === null) return null
  const { otherBytes, parts } = read
  const shared: number[] = []
  for (const xml of parts) {
    yield
    for (const length of sharedTexts(xml)) shared.push(length)
  }
  const isOnlyText = parts.some((xml) => textRoot.test(xml)) && !parts.some((xml) => sheetRoot.test(xml))
  let tokens = (isOnlyText ? textFileTokens : fileTokens) + otherBytes
  for (const xml of parts) {
    yield
    if (xml.includes('<!')) return null
    // Attributes may contain text, such as descriptions of pictures and names of sheets.
    const found = xml.matchAll(/>([^<]+)|(?:descr|title|name)\s*=\s*["']([^"']*)/g)
    for (const [, text, attribute] of found) tokens += countsOf(text ?? attribute ?? '').boundBytes
    tokens += xml.match(/<(?:[^\s<>:/]+:)?(?:p|br|tab|tr|tc|row|c|v|sp|sheet|sldId)[\s/>]/g)?.length ?? 0
    for (const [, value] of xml.matchAll(/<(?:[^\s<>:/]+:)?v(?:\s[^<>]*)?>\s*(\d+)/g))
      tokens += (shared[Number(value)] ?? 0) + valueTokens
    tokens += emptyCellTokens * areaOf(xml) + referenceTokens * (xml.split('&#').length - 1)
  }
  return tokens
}

/** Maximum tokens of the summary that OpenAI adds to a spreadsheet. */
const fileTokens = 1_024
/** Tokens of the marks around the text of a document or a presentation, to which OpenAI adds no summary. */
const textFileTokens = 128
const textRoot = /<(?:[^\s<>:/]+:)?(?:document|presentation)[\s/>]/
const sheetRoot = /<(?:[^\s<>:/]+:)?(?:workbook|worksheet|sheetData|spreadsheet)[\s/>]/
/** Maximum tokens of a number, which a vendor may write as a date. */
const valueTokens = 16
/** Tokens of an empty cell, because vendors also write the empty cells of a row. */
const emptyCellTokens = 2
/** Maximum tokens of a character reference, because normalization may expand the character to many characters. */
const referenceTokens = 32

function areaOf(xml: string): number {
  let columns = 0
  for (const [, letters = ''] of xml.matchAll(/\sr\s*=\s*["']([A-Z]{1,3})\d+["']/g)) {
    let column = 0
    for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
    columns = Math.max(columns, column)
  }
  return columns === 0 ? 0 : columns * (xml.split(/<(?:[^\s<>:/]+:)?row(?=[\s/>])/).length - 1)
}

function sharedTexts(xml: string): number[] {
  const items = xml.split(/<(?:[^\s<>:/]+:)?si(?=[\s/>])/).slice(1)
  return items.map((item) => {
    let length = 0
    for (const [, text] of item.matchAll(/>([^<]+)/g)) length += countsOf(text ?? '').boundBytes
    return length
  })
}

interface Parts {
  readonly parts: readonly string[]
  /** Bytes of the parts that are neither XML nor pictures, such as settings of a printer. */
  readonly otherBytes: number
}

function* partsOf(data: Buffer, budget: InflateBudget): Steps<Parts | null> {
  const end = data.lastIndexOf(endMark)
  if (end < 0 || end !== data.indexOf(endMark) || end + 22 > data.length) return null
  const count = data.readUInt16LE(end + 10)
  let at = data.readUInt32LE(end + 16)
  const parts: string[] = []
  let otherBytes = 0
  for (let i = 0; i < count; i++) {
    if (at + 46 > data.length || data.readUInt32LE(at) !== entryMark) return null
    const isEncrypted = (data.readUInt16LE(at + 8) & 1) === 1
    const content = isEncrypted ? null : contentOf(data, at, budget)
    if (content === null) return null
    if (content.length > pictureBytes) yield
    if (!isXml(content)) otherBytes += isPicture(content) ? 0 : content.length
    else if (/^[^>]*\sencoding\s*=(?!\s*["']utf-8)/i.test(content)) return null
    else parts.push(content)
    at += 46 + data.readUInt16LE(at + 28) + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32)
  }
  // Reject the archive if data follows the directory, because other programs may find another directory in that data.
  return at === end ? { parts, otherBytes } : null
}

/** Only the first bytes of a picture are read. */
function contentOf(data: Buffer, entry: number, budget: InflateBudget): string | null {
  const method = data.readUInt16LE(entry + 10)
  const size = data.readUInt32LE(entry + 20)
  const local = data.readUInt32LE(entry + 42)
  if (local + 30 > data.length || data.readUInt32LE(local) !== localMark) return null
  const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28)
  if (start + size > data.length) return null
  if (method === 0) {
    const first = data.toString('latin1', start, start + Math.min(size, pictureBytes))
    if (!isXml(first) && isPicture(first)) return first
    const stored = data.toString('latin1', start, start + size)
    budget.bytesLeft -= stored.length
    return budget.bytesLeft < 0 ? null : stored
  }
  if (method !== 8) return null
  const beginning = inflate(data, start, pictureBytes)
  if (beginning === null) return null
  const head = Buffer.from(beginning.bytes).toString('latin1')
  if (!isXml(head) && isPicture(head)) return head
  const whole = inflate(data, start, Math.min(budget.bytesLeft, inflatedStepBytes))
  if (whole === null || !whole.isComplete) return null
  budget.bytesLeft -= whole.bytes.length
  return Buffer.from(whole.bytes).toString('latin1')
}

function isXml(content: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*</.test(content)
}

function isPicture(content: string): boolean {
  return content === '' || pictureMarks.some((mark) => content.startsWith(mark))
}

const pictureMarks = [
  '\u0089PNG',
  '\u00ff\u00d8\u00ff',
  'GIF8',
  'II*\0',
  'MM\0*',
  '\u0001\0\0\0',
  '\u00d7\u00cd\u00c6\u009a',
]
const pictureBytes = 8
const localMark = 0x04034b50
const entryMark = 0x02014b50
const endMark = Buffer.from('PK\u0005\u0006')
