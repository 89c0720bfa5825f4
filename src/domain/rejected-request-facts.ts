import type { ErrorCode } from './errors.ts'

/**
 * A request that was rejected with 401, 403 or 429, because of an attack, a mistake or a limit. The record contains no
 * secret and no content.
 */
export interface Refusal {
  readonly plane: 'control' | 'portal' | 'gateway'
  /**
   * ID of the operation. For a request to the gateway, the name of the wire (API format). `none` if the path matches no
   * operation.
   */
  readonly operation: string
  readonly status: number
  readonly code: ErrorCode
  readonly address: string | null
  /** ID of the token, session or key. Null if the credential was wrong or missing. */
  readonly credentialId: string | null
  readonly requestId: string
}

/** This function never throws. */
export type NoteRefusal = (refusal: Refusal) => void

export function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}
