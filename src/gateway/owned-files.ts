import type { ProviderAccount } from '#domain/application-config.ts'
import type { Deadlines } from '#domain/deadlines.ts'
import type { FileOwner, OwnedFiles, StoredFileRecord } from '#domain/accounts/stored-files.ts'
import { idOf, type IdSource } from '#domain/id.ts'
import type { Logger } from '#domain/log.ts'
import type { Nouns, Store } from '#domain/store.ts'
import type { Upstream } from '#domain/upstream.ts'
import { simulatorAccount } from './call/model-name-targets.ts'
import { collectResponse, type Collecting } from './relay/collect-response.ts'
import { filesBeta } from './relay/provider-headers.ts'

interface Ports {
  readonly store: Store
  readonly upstream: Upstream
  readonly log: Logger
  readonly nowMs: () => number
  readonly newId: IdSource
  /** How often files are deleted whose deletion failed, or whose end user was deleted. */
  readonly everyMs: number
}

/**
 * The list of files, and the deletion of removed files at providers. A removed file stays in the store until its
 * provider has deleted it, so a deletion survives a failed provider and a killed process. Several processes may delete
 * the same file, because the second deletion finds nothing.
 */
export class FileList implements OwnedFiles {
  readonly #ports: Ports
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()
  readonly #open = new Set<Collecting>()
  #isClosed = false

  constructor(ports: Ports) {
    this.#ports = ports
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#deleteEnded())
    }, this.#ports.everyMs).unref()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#isClosed = true
    for (const collecting of this.#open) collecting.abort()
    await this.#running
  }

  byId: OwnedFiles['byId'] = (owner, id) => this.#readFor(owner).storedFiles.byId(owner, id)

  of: OwnedFiles['of'] = (owner, format) =>
    this.#readFor(owner).storedFiles.of(owner, format, this.#ports.nowMs())

  hasRoom: OwnedFiles['hasRoom'] = async (owner, added, { fileBytesMax, filesMax }) => {
    const { bytes, files } = await this.#readFor(owner).storedFiles.sums(owner, this.#ports.nowMs())
    return files < filesMax && bytes + added <= fileBytesMax
  }

  add: OwnedFiles['add'] = async (file, limits) => {
    const { log, store } = this.#ports
    try {
      const isAdded = await store.transaction(({ storedFiles }) => storedFiles.add(file, limits))
      if (!isAdded) await this.#delete(file)
      return isAdded
    } catch (cause) {
      // Without a row, no one can use the file, and no later run would delete it.
      const account = await this.#accountOf(file).catch(() => null)
      const status = account && (await this.#deleteAt(account, file))
      log.warn({ account: file.accountId, status }, 'a file was uploaded but could not be added')
      throw cause
    }
  }

  remove: OwnedFiles['remove'] = async (owner, file) => {
    const { nowMs, store } = this.#ports
    await store.transaction(({ storedFiles }) => storedFiles.remove(owner, file.id, nowMs()))
    await this.#delete(file)
  }

  #readFor({ endUserId, organizationId }: FileOwner): Nouns {
    return this.#ports.store.readFor({
      organizationId,
      callerId: endUserId,
      isEndUser: true,
      onCost: () => {},
    })
  }

  async #deleteEnded(): Promise<void> {
    const { log, nowMs, store } = this.#ports
    try {
      const ended = await store.read.storedFiles.ended(nowMs(), filesAtOnce)
      for (const file of ended) {
        if (this.#isClosed) return
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a provider is not flooded
        await this.#delete(file)
      }
    } catch (err) {
      log.warn({ err }, 'deleting the files of deleted end users failed')
    }
  }

  /** Deletes a file at its provider, and then its row. If the provider fails, the file is deleted later. */
  async #delete(file: StoredFileRecord): Promise<void> {
    const { log, nowMs, store } = this.#ports
    const { accountId, expiresAtMs, id } = file
    const account = await this.#accountOf(file)
    const isExpired = expiresAtMs !== null && expiresAtMs <= nowMs()
    // Without the account, there is no key with which the file could be deleted.
    const status = account === null || isExpired ? 404 : await this.#deleteAt(account, file)
    const isGone = status === 404 || (status !== null && status >= 200 && status < 300)
    if (!isGone) log.warn({ account: accountId, status }, 'deleting a file at the provider failed')
    await store.transaction(({ storedFiles }) =>
      isGone ? storedFiles.forget(id) : storedFiles.postpone(id, nowMs()),
    )
  }

  async #accountOf({ accountId, mode, organizationId }: StoredFileRecord): Promise<ProviderAccount | null> {
    if (mode === 'test') return simulatorAccount
    return this.#ports.store.read.providers.byId(organizationId, accountId)
  }

  /** Returns the status of the response. Null without a response. */
  async #deleteAt(
    account: ProviderAccount,
    { format, providerId }: StoredFileRecord,
  ): Promise<number | null> {
    const { newId, upstream } = this.#ports
    const request = {
      account,
      model: '',
      wire: format === 'anthropic' ? 'messages' : 'chat',
      purpose: 'count',
      file: { method: 'DELETE', id: providerId, part: '' },
      body: new Uint8Array(),
      isStream: false,
      headers: format === 'anthropic' ? filesBeta : [],
      query: '',
      callId: idOf('req', newId()),
      deadlines,
    } as const
    const collecting = collectResponse(upstream, request, responseBytesMax)
    this.#open.add(collecting)
    const collected = await collecting.response
    this.#open.delete(collecting)
    return collected.kind === 'response' ? collected.status : null
  }
}

/** Short deadlines, because a provider that hangs delays the deletions at other providers. */
const deadlines: Deadlines = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 10_000, totalMs: 30_000 }
const responseBytesMax = 64 * 1024
/** Maximum number of files that are deleted in one run. */
const filesAtOnce = 100
