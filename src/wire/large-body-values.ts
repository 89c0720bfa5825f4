import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * A large body as values, for a conversion. Its media are replaced by short marks. After the conversion, the media
 * replace the marks again.
 */
export interface BodyValues {
  readonly body: JsonObject
  /** The replacement of a medium is this mark and six digits. */
  readonly mark: string
}
