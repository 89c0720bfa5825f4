import type { ProviderAccount } from '#domain/application-config.ts'
import {
  cachePurpose,
  conversationKind,
  type OwnedFiles,
  type StoredFileRecord,
} from '#domain/accounts/stored-files.ts'
import type { AboutStoredObject } from './relay/stored-object-request.ts'
import { DeletionsAtProviders, isDeleted, readsOf, type DeletionPorts } from './deletions-at-providers.ts'

/** The list of files. Also deletes removed files at providers. */
export class FileList implements OwnedFiles {
  readonly #ports: DeletionPorts
  readonly #deletions: DeletionsAtProviders<StoredFileRecord>

  constructor(ports: DeletionPorts) {
    this.#ports = ports
    this.#deletions = new DeletionsAtProviders(ports, {
      name: 'files',
      list: async (limit) => {
        await ports.store.transaction(({ storedFiles }) => storedFiles.forgetExpired(ports.nowMs()))
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

  add: OwnedFiles['add'] = async (file, limits) => {
    const { log, store } = this.#ports
    try {
      const isAdded = await store.transaction(({ storedFiles }) => storedFiles.add(file, limits))
      if (!isAdded) await this.#delete(file)
      return isAdded
    } catch (cause) {
      // The row may be stored although an error was thrown, because the connection may have failed after the commit.
      const kept = await this.byId(file, file.id).catch(() => null)
      if (kept !== null) return true
      // If the row cannot be stored, delete the file now: no one could use the file, and no later run would delete it.
      const account = await this.#deletions.accountOf(file).catch(() => null)
      const status = account && (await this.#deleteAt(file, account))
      log.warn({ account: file.accountId, status }, 'a file was uploaded but could not be added')
      throw cause
    }
  }

  extend: OwnedFiles['extend'] = (file) =>
    this.#ports.store.transaction(({ storedFiles }) => storedFiles.extend(file))

  remove: OwnedFiles['remove'] = async (owner, file) => {
    const { nowMs, store } = this.#ports
    await store.transaction(({ storedFiles }) => storedFiles.remove(owner, file.id, nowMs()))
    await this.#delete(file)
  }

  /** Deletes a file at its provider, and then its row. If the provider fails, the file is deleted later. */
  async #delete(file: StoredFileRecord): Promise<void> {
    const { log, nowMs, store } = this.#ports
    const { accountId, expiresAtMs, format, id } = file
    const account = await this.#deletions.accountOf(file)
    const isExpired = expiresAtMs !== null && expiresAtMs <= nowMs()
    // If the account was deleted, its key was deleted too, so the file cannot be deleted.
    const status = account === null || isExpired ? 404 : await this.#deleteAt(file, account)
    // Google returns 403 for a file that it no longer has. If the 403 means a rejected credential instead, Google still
    // deletes the file, as it deletes every file after two days.
    const isGone = isDeleted(status) || (status === 403 && format === 'google')
    if (!isGone) log.warn({ account: accountId, status }, 'deleting a file at the provider failed')
    await store.transaction(({ storedFiles }) =>
      isGone ? storedFiles.forget(id) : storedFiles.postpone(id, nowMs()),
    )
  }

  /** Returns the status of the response. Null if no response arrives. */
  async #deleteAt(
    { format, kind, providerId }: StoredFileRecord,
    account: ProviderAccount,
  ): Promise<number | null> {
    const about = deletionOf(kind, providerId)
    return (await this.#deletions.ask(account, format, about))?.status ?? null
  }
}

function deletionOf(kind: string, id: string): AboutStoredObject {
  if (kind === cachePurpose) return { cached: { method: 'DELETE', name: id } }
  const request = { method: 'DELETE', id, part: '' } as const
  return kind === conversationKind ? { conversation: request } : { file: request }
}
