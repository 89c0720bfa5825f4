import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * A large body as JavaScript values, for a conversion. Short marks replace the media in the values of the body. After
 * the conversion, the media replace the marks again.
 */
export interface BodyValues {
  readonly body: JsonObject
  /** The replacement of a medium consists of this mark and six digits. */
  readonly mark: string
}
