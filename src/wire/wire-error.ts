import type { JsonObject } from '#wire/text/json-values.ts'

/** The content of an error on any wire. The codes and sentences come from one table. */
export interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  /** The reason in addition to the code, for a stream that its spending limit has interrupted. */
  readonly reason?: string
  /** Machine-readable fields of a refusal (limit, used, held, ...), in addition to the code. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  /**
   * The provider's own error, cleaned, if the provider uses the client's wire. Its members are kept, and missing
   * members are added.
   */
  readonly own?: JsonObject | null
}
