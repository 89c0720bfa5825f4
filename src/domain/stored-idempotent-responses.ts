import type { Mode } from './application-config.ts'

/** The same Idempotency-Key in another scope is another key. */
export interface IdempotencyScope {
  readonly organizationId: string
  /** The application of the request, selected by header or token. */
  readonly applicationId: string | null
  readonly mode: Mode
  readonly operationId: string
  readonly key: string
}

export interface IdempotencyAnswer extends IdempotencyScope {
  /** SHA-256 of the request. */
  readonly requestHash: string
  readonly status: number
  /**
   * The JSON body of the response. If the body contained a secret, only its `id` is stored, because secrets are never
   * stored.
   */
  readonly response: string
  /**
   * The first external ID in the response, or null. If the response can contain several external IDs, the ID of their
   * application.
   */
  readonly externalId: string | null
  readonly createdAtMs: number
}

export interface IdempotencyAnswers {
  find(scope: IdempotencyScope): Promise<IdempotencyAnswer | null>
  /**
   * Stores the response, and replaces a response with the same key that is older than `expiredMs`.
   * @returns false if another request has stored a response in the meantime; the transaction of this request must then
   * be rolled back
   */
  put(answer: IdempotencyAnswer, expiredMs: number): Promise<boolean>
  /**
   * Returns the stored responses that can contain the external ID of this application's end user. Some of them belong
   * to requests without an application.
   */
  naming(applicationId: string, externalId: string): Promise<readonly IdempotencyAnswer[]>
  /**
   * Replaces the body of a stored response and the external ID that the row contains. Use this method only to delete an
   * end user's data.
   */
  rewrite(answer: IdempotencyAnswer): Promise<void>
  prune(beforeMs: number): Promise<void>
}
