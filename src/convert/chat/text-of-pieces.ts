import { listOf, objectOf, textOrNull, type JsonValue } from '#wire/text/json-values.ts'

/** Returns the text of a list of objects with the field `text`. Other values have no text. */
export function textOfPieces(pieces: JsonValue): string {
  return listOf(pieces)
    .map((piece) => textOrNull(objectOf(piece).text) ?? '')
    .join('')
}
