import type { ByteText } from './byte-text.ts'

/** A shorter string is text whatever is in it. */
export const dataBytesMin = 4096
/** Some write `/` as `\/` in it, or break its lines; what is mostly escapes is text. */
export const bytesPerEscape = 32
/** Where media stand. Base64 under any other name is text: somebody may read it as such. */
const mediaKeys = [
  'data',
  'url',
  'image_url',
  'file_data',
  'document_url',
  'file_url',
  'input_audio',
  'result',
] as const

/** Whether it is a name that media have. */
export function isMediaName(text: ByteText, start: number, end: number): boolean {
  return mediaKeys.some((name) => name.length === end - start && text.startsWith(name, start))
}

/** Ends a run of base64, of either alphabet. */
const dataBreak = /[^A-Za-z0-9+/=_-]/g

/** Where base64 ends between the two, of either alphabet; `to` where it does not. */
export function dataEnd(text: ByteText, from: number, to: number): number {
  const at = from + decodableBytes(text, from, to)
  dataBreak.lastIndex = 0
  return dataBreak.test(text.slice(at, to)) ? at + dataBreak.lastIndex - 1 : to
}

const decoded = Buffer.allocUnsafeSlow(48 * 1024)
/** Four of them are three bytes. */
const decodedBytesMax = (decoded.length / 3) * 4

/**
 * How far there is base64 between the two, at least, found by decoding it: a twentieth of what a search costs.
 * What is none is passed over by the decoder, and makes fewer bytes of as many characters.
 */
function decodableBytes(text: ByteText, from: number, to: number): number {
  let at = from
  while (to - at >= decodedBytesMax) {
    if (decoded.write(text.slice(at, at + decodedBytesMax), 'base64') < decoded.length) break
    at += decodedBytesMax
  }
  return at - from
}
