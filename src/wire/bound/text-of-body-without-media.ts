import { countsOf } from './bound-tokens-of-any-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Counts, Json } from '#wire/text/json-tape.ts'
import { dataBytesMin } from '#wire/text/find-base64-media-strings.ts'
import { splice } from '#wire/text/apply-edits.ts'
import type { Span } from '#wire/wire-request.ts'

/** Excludes all base64 data, including base64 data that is not media. */
export function countsBeside(json: Json, counted: Counts, media: readonly Span[]): Counts {
  let { boundBytes, thirds } = counted
  const add = (start: number, end: number, sign: 1 | -1): void => {
    // Data after the first `dataBytesMin` bytes is certainly ASCII.
    const head = Math.min(end, start + dataBytesMin)
    const counts = countsOf(json.text.slice(start, head))
    boundBytes += sign * (counts.boundBytes + end - head)
    thirds += sign * (counts.thirds + end - head)
  }
  // Data that is not an image, audio or another media file counts as text.
  for (let i = 0; i < json.data.length; i += 2) add(json.data[i] ?? 0, json.data[i + 1] ?? 0, 1)
  for (const { start, end } of media) add(start, end, -1)
  return { boundBytes, thirds }
}

/** Replaces each medium with an empty string, so that the search for words and letter pairs skips the base64. */
export function withoutMedia(text: ByteText, media: readonly Span[]): ByteText {
  return media.length === 0
    ? text
    : splice(
        text,
        media.map((span) => ({ ...span, text: emptyString })),
      )
}

/** Must be valid JSON, because it replaces a medium in the text. */
export const emptyString = '""'
