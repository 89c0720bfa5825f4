import type { JsonObject } from '#wire/text/json-values.ts'

/** What an error says on any wire; the codes and sentences come from the one table. */
export interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  /** Why, beside the code: of a stream that spend has cut. */
  readonly reason?: string
  /** Machine fields of a refusal (limit, used, held, ...), shown beside the code. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  /**
   * The provider's own error, cleaned, where it speaks the client's wire: what stands in it stays as it is,
   * and what it lacks is added.
   */
  readonly own?: JsonObject | null
}
