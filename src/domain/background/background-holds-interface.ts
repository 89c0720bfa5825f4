import type { Hold } from '#money/decision-types.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { Target } from '#domain/ledger-interface.ts'
import type { BackgroundResponse } from './background-response-record.ts'

/** A call in flight whose response a provider generates in the background. */
export interface BackgroundCall extends Account, Pick<Hold, 'bound' | 'callId' | 'quote'> {
  readonly response: BackgroundResponse
  readonly keyId: string
  readonly target: Target
  readonly reservedAtMs: number
  readonly inputEstimate: number
  /** If the response was streamed, the usage that was certainly delivered to the client. */
  readonly checkpoint: Usage | null
}

export interface BackgroundHolds {
  /** Returns null if the call has ended, or if its response is not generated in the background. */
  find(owner: Account, callId: string): Promise<BackgroundCall | null>
  account(accountId: string): Promise<ProviderAccount | null>
  /**
   * Returns the calls whose responses are generated in the background and whose holds belong to this process. The
   * result does not contain requests of batches.
   */
  own(): Promise<readonly BackgroundCall[]>
  /** Returns all batches with requests whose holds belong to this process. */
  ownBatches(): Promise<readonly OpenBatch[]>
  /** Returns the requests of a batch that have not ended, whichever process holds the money for the requests. */
  ofBatch(batch: BatchKey): Promise<readonly BackgroundCall[]>
  /** Returns how many requests in the end user's batches have not ended. */
  batched(owner: Account): Promise<number>
}

/** The hold of each request in the batch stores these fields. */
export interface BatchKey extends Account {
  /** The simulator's ID in test mode. */
  readonly accountId: string
  readonly format: BatchFormat
  readonly providerId: string
}

export interface OpenBatch extends BatchKey {
  readonly deadlineMs: number
  readonly callIds: readonly string[]
}
