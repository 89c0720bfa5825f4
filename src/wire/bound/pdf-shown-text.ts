/**
 * Counts the codes of characters that a PDF of one page shows. A page with a few words has far less text than the usual
 * maximum of a page.
 *
 * The result is null unless the file is as simple as a short letter. Such a file has one page whose text is all in one
 * stream of content, and the fonts map each code to a single character. The strings of all streams count, including the
 * maps from codes to characters, so no string is missed.
 */
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { afterZlibHeader, inflate } from './inflate.ts'
import { countsOf } from './bound-tokens-of-any-text.ts'

export interface PdfStream {
  readonly dictionary: string
  readonly start: number
  readonly end: number
}

/** Maximum compressed size of all streams. The text of longer streams usually reaches the maximum for a page. */
export const shortContentBytesMax = 2_000

/**
 * Returns the number of codes that the only page of a PDF shows, or null if the number is not certain.
 * @param text the file and its object streams
 * @param streams all streams that may contain text
 */
export function shownCodes(
  data: Buffer,
  text: readonly ByteText[],
  streams: readonly PdfStream[],
): number | null {
  if (text.some((part) => otherText.test(part))) return null
  const contents = text.flatMap((part) => [
    ...part.matchAll(/\/Contents(?![A-Za-z])([\0\s]*\d+[\0\s]+\d+[\0\s]+R)?/g),
  ])
  if (contents.length !== 1 || contents[0]?.[1] === undefined) return null
  let codes = 0
  let bytesLeft = inflatedBytesMax
  for (const stream of streams) {
    const read = readStream(data, stream, bytesLeft)
    if (read === null || (read.includes('beginbf') && !mapsToSingleCharacters(read))) return null
    // An image in the content may show text that a vendor recognizes.
    if (/\bBI\b/.test(read)) return null
    bytesLeft -= read.length
    codes += codesIn(read)
  }
  return codes
}

/** Names of objects that add text to the page, show content again, or map a code to several characters. */
const otherText = /\/(?:ActualText|AcroForm|Alt|Annots|Differences|EmbeddedFile|Form|Image|Type3)(?![A-Za-z])/

const inflatedBytesMax = 64 * 1024

function readStream(data: Buffer, { dictionary, end, start }: PdfStream, bytesMax: number): string | null {
  if (!dictionary.includes('/Filter')) return data.toString('latin1', start, Math.min(end, start + bytesMax))
  if (!onlyFlate.test(dictionary) || parameters.test(dictionary)) return null
  const from = afterZlibHeader(data, start)
  const read = from === null ? null : inflate(data, from, bytesMax)
  return read?.isComplete === true ? Buffer.from(read.bytes).toString('latin1') : null
}

const onlyFlate = /\/Filter[\0\s]*(?:\[[\0\s]*\/(?:FlateDecode|Fl)[\0\s]*\]|\/(?:FlateDecode|Fl)(?![A-Za-z]))/
const parameters = /\/(?:DecodeParms|DP)(?![A-Za-z])/

/** Whether all characters in a map are single characters of the basic plane that normalization does not expand. */
function mapsToSingleCharacters(map: string): boolean {
  return [...map.matchAll(/<([\dA-Fa-f\s]*)>/g)].every(([, digits = '']) => {
    const hex = digits.replaceAll(/\s/g, '')
    const character = String.fromCharCode(Number.parseInt(hex, 16) || 0)
    return hex.length <= 4 && countsOf(byteTextOf(character)).boundBytes <= bytesPerCode
  })
}

/** A character of Unicode's basic plane has at most three bytes, so a code has at most three tokens. */
export const bytesPerCode = 3

/** Parentheses in comments may begin a string too early, which only adds bytes. */
function codesIn(content: string): number {
  let codes = 0
  let depth = 0
  for (let at = 0; at < content.length; at++) {
    const char = content[at]
    if (depth > 0) {
      codes++
      if (char === '\\') at++
      else if (char === '(') depth++
      else if (char === ')') depth--
    } else if (char === '(') depth = 1
    else if (char === '<') {
      const end = content.indexOf('>', at)
      const digits = (end < 0 ? content.length : end) - at - 1
      if (content[at + 1] === '<') continue
      codes += Math.ceil(digits / 2)
      at += digits
    }
  }
  return codes
}
