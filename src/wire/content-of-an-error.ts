import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * The content of an error, which every wire writes in its own format. The codes and messages of all errors come from
 * one table.
 */
export interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  /** The reason why the spending limit has interrupted a stream, in addition to the code. */
  readonly reason?: string
  /** Machine-readable fields of a refusal (limit, used, held, ...), in addition to the code. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  /**
   * The provider's own error, cleaned, if the provider uses the client's wire. The members of the provider's error are
   * kept, and missing members are added.
   */
  readonly own?: JsonObject | null
}
