import type { Account } from '#domain/billing/money-account-key.ts'
import type { BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { FileOwner, StoredFileRecord } from './files-stored-at-providers.ts'

/** Only the provider stores the requests and the results. */
export interface BatchRecord extends Account {
  /** The ID that the client uses (secrets/ids-of-batches.ts). */
  readonly id: string
  readonly organizationId: string
  /** In test mode, the simulator runs all batches, whatever the account is. */
  readonly accountId: string
  readonly format: BatchFormat
  readonly providerId: string
  /**
   * A flat list of pairs: the provider's ID of a model, then the first model name that the client requested for this
   * model.
   */
  readonly models: readonly string[]
  readonly createdAtMs: number
  /** When the end user was deleted, or when the provider last failed to delete the batch. */
  readonly removedAtMs: number | null
  /** The provider's IDs of result files that were added to the end user's files. */
  readonly addedFiles: readonly string[]
}

export interface BatchPage {
  readonly limit: number
  readonly after: BatchRecord | null
  readonly before: BatchRecord | null
}

/** Methods that take an owner return only the owner's batches that are not removed. */
export interface Batches {
  /** If the end user was deleted, the batch is marked as removed, so that the provider's copy is deleted. */
  add(batch: BatchRecord): Promise<void>
  byId(owner: Account, id: string): Promise<BatchRecord | null>
  /** If only `before` is set, `hasMore` refers to newer batches, and otherwise to older batches. */
  of(
    owner: Account,
    format: BatchFormat,
    page: BatchPage,
  ): Promise<{ readonly batches: readonly BatchRecord[]; readonly hasMore: boolean }>
  /**
   * Adds files with results of a batch to the files of the batch's owner, in a transaction. Each file is added only
   * once, so that a file that the end user has deleted is not added again. Does nothing if the batch was removed.
   */
  addFiles(batch: BatchRecord, files: readonly StoredFileRecord[]): Promise<void>
  /** Returns removed batches of any owner, in the order of their removal. */
  removed(limit: number): Promise<readonly BatchRecord[]>
  /**
   * Moves a removed batch to the end of the list that `removed` returns. A failing provider account therefore does not
   * delay deletions at other accounts.
   */
  postpone(id: string, nowMs: number): Promise<void>
  forget(id: string): Promise<void>
}

export interface OwnedBatches extends Pick<Batches, 'add' | 'addFiles' | 'forget'> {
  byId(owner: FileOwner, id: string): Promise<BatchRecord | null>
  of(owner: FileOwner, format: BatchFormat, page: BatchPage): ReturnType<Batches['of']>
}
