import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { Account } from '#domain/billing/money-account-key.ts'

/**
 * A file or a conversation that a provider stores for an end user. The gateway stores only the row, and not the content
 * of the file or conversation.
 */
export interface StoredFileRecord extends Account {
  /** The ID that the client uses (secrets/ids-of-files.ts). */
  readonly id: string
  readonly organizationId: string
  /** In test mode, the simulator stores all files, whatever the account is. */
  readonly accountId: string
  readonly format: FileFormat
  /**
   * Empty while the gateway creates the file. In the meantime, the provider may have the file under an ID that the
   * gateway does not know.
   */
  readonly providerId: string
  readonly filename: string
  /** The purpose of a file in OpenAI's format, or the media type of a file in another format. */
  readonly kind: string
  readonly bytes: number
  readonly createdAtMs: number
  /** Null if the provider keeps the file until a client deletes it. */
  readonly expiresAtMs: number | null
  /**
   * When the file was removed, or when the provider last failed to delete the file. The row of a removed file is kept
   * until the provider has deleted the file.
   */
  readonly removedAtMs: number | null
  /** For a conversation, the facts that limit its length (stored-conversation-lengths.ts). */
  readonly lengthState?: string | null
}

/**
 * The purpose of files with the results of batches. Providers create these files, so the files do not count toward
 * limits.
 */
export const outputPurpose = 'batch_output'

/** Conversations are in the list of files, so that the conversations of a deleted end user are deleted too. */
export const conversationKind = 'conversation'

/** Per end user and mode. */
export const conversationsMax = 1_000

/**
 * The value of `kind` in the rows of files that code created while the code ran in a provider's container. These files
 * are in the list only so that the files of a deleted end user are deleted too. Clients do not see these files in
 * lists, and the files do not count toward limits.
 */
export const createdKind = 'created_by_code'

/** Rows of the same file have the same ID. */
export function createdFile(
  { applicationId, endUserId, mode, organizationId }: FileOwner,
  { accountId, createdAtMs, providerId }: Pick<StoredFileRecord, 'accountId' | 'createdAtMs' | 'providerId'>,
): StoredFileRecord {
  return {
    applicationId,
    endUserId,
    mode,
    organizationId,
    id: createdFileId(accountId, providerId),
    accountId,
    format: 'anthropic',
    providerId,
    filename: '',
    kind: createdKind,
    bytes: 0,
    createdAtMs,
    expiresAtMs: null,
    removedAtMs: null,
  }
}

export function createdFileId(accountId: string, providerId: string): string {
  return `created_${accountId}_${providerId}`
}

/** The list of files also contains cached content. */
export const cachePurpose = 'cached_content'

/** Per end user and mode. */
export const cachesMax = 1_000

/** Per end user and mode. */
export interface FileLimits {
  readonly filesMax: number
  readonly fileBytesMax: number
}

/** Each kind has separate limits. */
export type StoredKind = 'files' | 'conversations' | 'caches'

export function storedKindOf({ kind }: Pick<StoredFileRecord, 'kind'>): StoredKind {
  if (kind === cachePurpose) return 'caches'
  return kind === conversationKind ? 'conversations' : 'files'
}

/** Methods that take an owner return only the owner's files that are not removed. */
export interface StoredFiles {
  /**
   * In a transaction, adds the row of a file that the gateway is about to create. The row counts toward the limits.
   * @returns false, without adding a row, if the file would exceed the limits
   */
  begin(file: StoredFileRecord, limits: FileLimits): Promise<boolean>
  /**
   * Adds a file, in a transaction. If the file exceeds the limits or the end user was deleted, the file's row is marked
   * as removed. The provider's copy is then deleted. A second call with the same file changes nothing.
   * @param begunId the ID of the row from `begin`, which the file replaces
   * @returns true if the file is stored for the end user, false if its row was marked as removed
   */
  add(file: StoredFileRecord, limits: FileLimits, begunId?: string): Promise<boolean>
  byId(owner: Account, id: string): Promise<StoredFileRecord | null>
  /** Expired files and conversations are omitted. The newest file comes first. */
  of(owner: Account, format: FileFormat, nowMs: number): Promise<readonly StoredFileRecord[]>
  /** Returns the number and the total size of the owner's uploaded files, or of the owner's objects of another kind. */
  sums(
    owner: Account,
    nowMs: number,
    what: StoredKind,
  ): Promise<{ readonly files: number; readonly bytes: number }>
  /**
   * In a transaction, replaces the stored text from which a conversation's length is computed.
   * @returns false, without a change, if the stored text is no longer `from`
   */
  replaceLengthState(owner: Account, id: string, from: string | null, to: string): Promise<boolean>
  remove(owner: Account, id: string, atMs: number): Promise<void>
  /**
   * Sets when the provider deletes the cached content, in a transaction. If the row is missing, adds the row. An
   * expired row may have been deleted while the provider extended the content. Removed content remains removed.
   */
  extend(file: StoredFileRecord): Promise<void>
  /** Returns removed files of any owner, in the order of their removal. */
  removed(limit: number): Promise<readonly StoredFileRecord[]>
  /**
   * Deletes the rows of expired files, which the providers delete themselves.
   * @returns the deleted rows of files whose IDs at the provider the gateway never learned
   */
  forgetExpired(nowMs: number): Promise<readonly StoredFileRecord[]>
  /**
   * Moves a removed file to the end of the list that `removed` returns. A failing provider account therefore does not
   * delay deletions at other accounts.
   */
  postpone(id: string, nowMs: number): Promise<void>
  /** Sets the expiry of a file whose creation has begun, so that `forgetExpired` returns the file. */
  expire(id: string, nowMs: number): Promise<void>
  forget(id: string): Promise<void>
}

export type BegunFile = Omit<
  StoredFileRecord,
  'id' | 'providerId' | 'createdAtMs' | 'expiresAtMs' | 'removedAtMs'
>

export interface OwnedFiles {
  byId(owner: FileOwner, id: string): Promise<StoredFileRecord | null>
  of(owner: FileOwner, format: FileFormat): Promise<readonly StoredFileRecord[]>
  hasRoom(owner: FileOwner, bytes: number, limits: FileLimits, what?: StoredKind): Promise<boolean>
  /**
   * Records that a provider is about to create a file. If the process dies before `add`, the row remains, and the
   * operator is informed of the file at the provider.
   * @returns the ID of the row, for `add` or `abandon`; null if the owner has no room for the file
   */
  begin(file: BegunFile, limits: FileLimits): Promise<string | null>
  /** @param mayExist whether the provider may nevertheless have created the file */
  abandon(begunId: string, mayExist: boolean): Promise<void>
  /** If the file exceeds the limits, returns false and deletes the file at the provider. */
  add(file: StoredFileRecord, limits: FileLimits, begunId?: string): Promise<boolean>
  /** Sets when the provider deletes cached content. */
  extend(file: StoredFileRecord): Promise<void>
  /**
   * If the store fails, the files are added as soon as the store works again. A second call with the same files changes
   * nothing.
   */
  addCreated(owner: FileOwner, accountId: string, providerIds: Iterable<string>): Promise<void>
  /** Deletes the row of a file that code created in a container, after the provider has deleted the file. */
  forgetCreated(accountId: string, providerId: string): Promise<void>
  /** If the provider cannot delete the file now, the deletion is retried until it succeeds. */
  remove(owner: FileOwner, file: StoredFileRecord): Promise<void>
}

/** A read of the store waits for this owner's turn (docs/decisions/2026-11-23-reads-in-shares.md). */
export interface FileOwner extends Account {
  readonly organizationId: string
}
