import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * A large body as JavaScript values, for a conversion. Short marks replace the media in the values of the body. After
 * the conversion, the media replace the marks again.
 */
export interface BodyValues {
  readonly body: JsonObject
  /** In the values, this mark and six digits replace each medium. */
  readonly mark: string
}
