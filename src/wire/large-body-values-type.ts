import type { JsonObject } from '#wire/text/json-values.ts'

/** A large body as JavaScript values, for a conversion. Short marks replace the media during the conversion. */
export interface BodyValues {
  readonly body: JsonObject
  /** This mark and six digits replace each medium. */
  readonly mark: string
}
