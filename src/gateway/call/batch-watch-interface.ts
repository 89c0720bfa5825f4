import type { BackgroundCall, BatchKey } from '#domain/background/background-holds-interface.ts'
import type { BackgroundOrigin } from './background-watch-interface.ts'
import type { RequestsInCreation } from './batch-requests-in-creation.ts'

export interface SentRequest {
  readonly call: BackgroundCall
  readonly origin: BackgroundOrigin
}

export interface BatchWatch {
  readonly inCreation: RequestsInCreation
  /** Call this before `watch`. The calls then count as open even after the HTTP request has ended. */
  open(callIds: readonly string[]): void
  /** Call this instead of `watch` if the batch is not created. */
  close(callIds: readonly string[]): void
  /**
   * Resolves when the provider's ID of the batch is durable. From then on, another process can take over the holds. If
   * the store is unavailable, the promise rejects, and the watcher tries again.
   */
  watch(batch: BatchKey, requests: readonly SentRequest[]): Promise<void>
  /**
   * Safe to repeat, in any process.
   * @throws if the provider does not return the results of all requests
   */
  settle(batch: BatchKey): Promise<void>
}
