import type { JsonObject } from '#wire/text/json-values.ts'

/** Every wire writes this content in its own format. */
export interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  /** Why the spending limit has interrupted a stream. */
  readonly reason?: string
  /** Machine-readable fields of a refusal (limit, used, held, ...). */
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  /**
   * The provider's own error, cleaned, if the provider uses the client's wire. The members of this error are kept, and
   * missing members are added.
   */
  readonly own?: JsonObject | null
}
