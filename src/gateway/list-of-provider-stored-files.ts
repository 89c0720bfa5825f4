import type { ProviderAccount } from '#domain/application-config.ts'
import {
  cachePurpose,
  conversationKind,
  createdFile,
  createdFileId,
  storedKindOf,
  type OwnedFiles,
  type StoredFileRecord,
} from '#domain/accounts/files-stored-at-providers.ts'
import type { AboutStoredObject } from '#gateway/relay/request-about-stored-object.ts'
import { DeletionsAtProviders, isDeleted, readsOf, type DeletionPorts } from './deletions-at-providers.ts'

/** Also deletes removed files at providers. */
export class FileList implements OwnedFiles {
  readonly #ports: DeletionPorts
  readonly #deletions: DeletionsAtProviders<StoredFileRecord>
  /**
   * Files at providers that the store has not accepted yet. There are few, because every upload and every call uses the
   * store before a file is created.
   */
  readonly #unstored: { readonly file: StoredFileRecord; readonly begunId: string | undefined }[] = []

  constructor(ports: DeletionPorts) {
    this.#ports = ports
    this.#deletions = new DeletionsAtProviders(ports, {
      name: 'files',
      list: async (limit) => {
        await this.#addUnstored()
        const lost = await ports.store.transaction(({ storedFiles }) =>
          storedFiles.forgetExpired(ports.nowMs()),
        )
        for (const file of lost) this.#warnOfLost(file)
        return ports.store.read.storedFiles.removed(limit)
      },
      delete: (file) => this.#delete(file),
    })
  }

  start(): void {
    this.#deletions.start()
  }

  close(): Promise<void> {
    return this.#deletions.close()
  }

  byId: OwnedFiles['byId'] = (owner, id) => readsOf(this.#ports.store, owner).storedFiles.byId(owner, id)

  of: OwnedFiles['of'] = (owner, format) =>
    readsOf(this.#ports.store, owner).storedFiles.of(owner, format, this.#ports.nowMs())

  hasRoom: OwnedFiles['hasRoom'] = async (owner, added, { fileBytesMax, filesMax }, what = 'files') => {
    const { bytes, files } = await readsOf(this.#ports.store, owner).storedFiles.sums(
      owner,
      this.#ports.nowMs(),
      what,
    )
    return files < filesMax && bytes + added <= fileBytesMax
  }

  begin: OwnedFiles['begin'] = async (file, limits) => {
    const { newId, nowMs, store } = this.#ports
    const id = `begun_${newId()}`
    const createdAtMs = nowMs()
    const times = { createdAtMs, expiresAtMs: createdAtMs + begunMsMax, removedAtMs: null }
    const begun = { ...file, id, providerId: '', ...times }
    return (await store.transaction(({ storedFiles }) => storedFiles.begin(begun, limits))) ? id : null
  }

  abandon: OwnedFiles['abandon'] = async (begunId, mayExist) => {
    const { log, nowMs, store } = this.#ports
    const end = store.transaction(({ storedFiles }) =>
      mayExist ? storedFiles.expire(begunId, nowMs()) : storedFiles.forget(begunId),
    )
    // The row expires later. The caller of this function reports why the file could not be created.
    await end.catch((err: unknown) => log.warn({ err }, 'the end of an upload could not be stored'))
  }

  add: OwnedFiles['add'] = async (file, limits, begunId) => {
    const { log, nowMs, store } = this.#ports
    if (!isStorable(file)) {
      log.warn({ account: file.accountId }, unstorable)
      throw new Error(unstorable)
    }
    try {
      const isAdded = await store.transaction(({ storedFiles }) => storedFiles.add(file, limits, begunId))
      if (!isAdded) await this.#delete(file)
      return isAdded
    } catch (cause) {
      // The connection may have failed after the commit, so the row may be stored.
      const kept = await this.byId(file, file.id).catch(() => null)
      if (kept !== null) return true
      // No client knows the ID of this file, so delete the file as soon as the store works again.
      this.#unstored.push({ file: { ...file, filename: '', removedAtMs: nowMs() }, begunId })
      log.warn({ account: file.accountId }, 'a file was uploaded but could not be added')
      throw cause
    }
  }

  extend: OwnedFiles['extend'] = (file) =>
    this.#ports.store.transaction(({ storedFiles }) => storedFiles.extend(file))

  addCreated: OwnedFiles['addCreated'] = async (owner, accountId, providerIds) => {
    const { log, nowMs } = this.#ports
    for (const providerId of providerIds) {
      const file = createdFile(owner, { accountId, createdAtMs: nowMs(), providerId })
      if (!isStorable(file)) {
        log.warn({ account: accountId }, unstorable)
        continue
      }
      this.#unstored.push({ file, begunId: undefined })
    }
    await this.#addUnstored().catch((err: unknown) =>
      log.warn({ account: accountId, err }, 'files that code has created could not be added; retrying'),
    )
  }

  forgetCreated: OwnedFiles['forgetCreated'] = (accountId, providerId) =>
    this.#ports.store.transaction(({ storedFiles }) =>
      storedFiles.forget(createdFileId(accountId, providerId)),
    )

  remove: OwnedFiles['remove'] = async (owner, file) => {
    const { log, nowMs, store } = this.#ports
    await store.transaction(({ storedFiles }) => storedFiles.remove(owner, file.id, nowMs()))
    // The removal is stored, so a failure here only delays the deletion at the provider.
    await this.#delete(file).catch((err: unknown) =>
      log.warn({ account: file.accountId, err }, 'deleting a file at the provider failed'),
    )
  }

  async #addUnstored(): Promise<void> {
    const adding = this.#unstored.splice(0)
    if (adding.length === 0) return
    // Adding a row locks its end user. A common order of locks prevents deadlocks.
    adding.sort((one, other) => (one.file.endUserId < other.file.endUserId ? -1 : 1))
    try {
      await this.#ports.store.transaction(async ({ storedFiles }) => {
        // oxlint-disable no-await-in-loop -- one transaction has one connection
        for (const { begunId, file } of adding) {
          await storedFiles.add(file, unlimited, begunId)
          // The client received an error for this file, so remove its row even if an earlier attempt stored the row.
          if (file.removedAtMs !== null) await storedFiles.remove(file, file.id, file.removedAtMs)
        }
        // oxlint-enable no-await-in-loop
      })
    } catch (cause) {
      this.#unstored.push(...adding)
      throw cause
    }
  }

  /** The gateway cannot delete a file whose ID it never learned. */
  #warnOfLost({ accountId, createdAtMs, format, id, mode, ...file }: StoredFileRecord): void {
    const begunAt = new Date(createdAtMs).toISOString()
    this.#ports.log.warn(
      { account: accountId, format, mode, kind: storedKindOf(file), begunAt, row: id },
      'the creation of an object at a provider never ended, so an object without an owner may remain there',
    )
  }

  /** Deletes a file at its provider, then its row in the store. If the provider fails, the file is deleted later. */
  async #delete(file: StoredFileRecord): Promise<void> {
    const { log, nowMs, store } = this.#ports
    const { accountId, expiresAtMs, format, id } = file
    const account = await this.#deletions.accountOf(file)
    const isExpired = expiresAtMs !== null && expiresAtMs <= nowMs()
    // The key of a deleted account is deleted too, so its files cannot be deleted.
    const status = account === null || isExpired ? 404 : await this.#deleteAt(file, account)
    // Google returns 403 for a file that it no longer has. A 403 for a rejected credential does no harm, because Google
    // deletes every file after two days.
    const isGone = isDeleted(status) || (status === 403 && format === 'google')
    if (!isGone) log.warn({ account: accountId, status }, 'deleting a file at the provider failed')
    await store.transaction(({ storedFiles }) =>
      isGone ? storedFiles.forget(id) : storedFiles.postpone(id, nowMs()),
    )
  }

  /** Returns the HTTP status, or null if no response arrives. */
  async #deleteAt(
    { format, kind, providerId }: StoredFileRecord,
    account: ProviderAccount,
  ): Promise<number | null> {
    const about = deletionOf(kind, providerId)
    return (await this.#deletions.ask(account, format, about))?.status ?? null
  }
}

/** An index of PostgreSQL accepts at most 2,704 bytes. */
const idBytesMax = 2_048
const unstorable =
  'a provider returned a file ID that cannot be stored, so a file without an owner may remain there'

/** The provider chooses the ID. A file that the store never accepts would block all other files in `#unstored`. */
function isStorable({ id, kind, providerId }: StoredFileRecord): boolean {
  // PostgreSQL cannot store U+0000 in text.
  return Buffer.byteLength(id) <= idBytesMax && ![id, kind, providerId].some((text) => text.includes('\0'))
}

const unlimited = { filesMax: Infinity, fileBytesMax: Infinity }

/**
 * No request to a provider takes this long. A file that is still being created after this time belongs to a dead
 * process.
 */
const begunMsMax = 60 * 60 * 1000

function deletionOf(kind: string, id: string): AboutStoredObject {
  if (kind === cachePurpose) return { cached: { method: 'DELETE', name: id } }
  const request = { method: 'DELETE', id, part: '' } as const
  return kind === conversationKind ? { conversation: request } : { file: request }
}
