import type { BackgroundCall, BatchKey } from '#domain/background/background-holds-interface.ts'
import type { BackgroundOrigin } from './background-watch-interface.ts'
import type { RequestsInCreation } from './batch-requests-in-creation.ts'

/** A request of a batch that this process has sent. */
export interface SentRequest {
  readonly call: BackgroundCall
  readonly origin: BackgroundOrigin
}

/** The batches that providers run for calls of this process (gateway/background). */
export interface BatchWatch {
  readonly inCreation: RequestsInCreation
  /** Counts the calls of a new batch as open before `watch` is called, even after the HTTP request has ended. */
  open(callIds: readonly string[]): void
  /**
   * Stops counting these calls as open. Call this function if the batch is not created, so that `watch` is never
   * called.
   */
  close(callIds: readonly string[]): void
  /**
   * Stores the provider's ID of the batch with the holds of its calls, and starts to watch the batch. Resolves when the
   * ID is durable. Once the ID is durable, the holds outlive this process. If the store is unavailable, the promise
   * rejects, and the watcher tries again to store the ID.
   */
  watch(batch: BatchKey, requests: readonly SentRequest[]): Promise<void>
  /**
   * Settles all requests of a batch that has ended. Does nothing if the requests are already settled. Running the
   * function again, in any process, is safe.
   * @throws if the provider does not return the results of all requests
   */
  settle(batch: BatchKey): Promise<void>
}
