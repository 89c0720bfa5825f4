import type { ProviderAccount } from '#domain/application-config.ts'
import type { BatchRecord, OwnedBatches } from '#domain/accounts/batches.ts'
import type { BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { FileOwner } from '#domain/accounts/stored-files.ts'
import type { BackgroundHolds } from '#domain/background/background-calls.ts'
import { idOf, type IdSource } from '#domain/id.ts'
import type { Logger } from '#domain/log.ts'
import type { Nouns, Store } from '#domain/store.ts'
import type { BatchRequest, FileRequest, Upstream } from '#domain/upstream.ts'
import { simulatorAccount } from './call/model-name-targets.ts'
import { batchProtocols } from '#wire/batch-protocols.ts'
import { collectResponse, type Collected } from './relay/collect-response.ts'

interface Ports {
  readonly store: Store
  readonly upstream: Upstream
  readonly background: BackgroundHolds
  readonly log: Logger
  readonly nowMs: () => number
  readonly newId: IdSource
  /** How often the batches of deleted end users are deleted. */
  readonly everyMs: number
}

/**
 * The list of batches, and the deletion of the batches of deleted end users at providers. A removed batch stays in the
 * store until its provider has deleted it. A batch that has not ended is canceled first, and its requests are settled.
 */
export class BatchList implements OwnedBatches {
  readonly #ports: Ports
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(ports: Ports) {
    this.#ports = ports
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#deleteRemoved())
    }, this.#ports.everyMs).unref()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#isClosed = true
    await this.#running
  }

  byId: OwnedBatches['byId'] = (owner, id) => this.#readFor(owner).batches.byId(owner, id)

  of: OwnedBatches['of'] = (owner, format, page) => this.#readFor(owner).batches.of(owner, format, page)

  add: OwnedBatches['add'] = (batch) => this.#ports.store.transaction(({ batches }) => batches.add(batch))

  addFiles: OwnedBatches['addFiles'] = (batch, files) =>
    this.#ports.store.transaction(({ batches }) => batches.addFiles(batch, files))

  forget: OwnedBatches['forget'] = (id) => this.#ports.store.transaction(({ batches }) => batches.forget(id))

  #readFor({ endUserId, organizationId }: FileOwner): Nouns {
    return this.#ports.store.readFor({
      organizationId,
      callerId: endUserId,
      isEndUser: true,
      onCost: () => {},
    })
  }

  async #deleteRemoved(): Promise<void> {
    const { log, store } = this.#ports
    try {
      for (const batch of await store.read.batches.removed(batchesAtOnce)) {
        if (this.#isClosed) return
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a provider is not flooded
        await this.#delete(batch)
      }
    } catch (err) {
      log.warn({ err }, 'deleting the batches of deleted end users failed')
    }
  }

  async #delete(batch: BatchRecord): Promise<void> {
    const { nowMs, store } = this.#ports
    const { id, mode, organizationId } = batch
    const account =
      mode === 'test' ? simulatorAccount : await store.read.providers.byId(organizationId, batch.accountId)
    // Without the account, there is no key with which the batch could be deleted.
    const isGone = account === null || (await this.#deleteAt(account, batch))
    await store.transaction(({ batches }) => (isGone ? batches.forget(id) : batches.postpone(id, nowMs())))
  }

  /** Deletes the batch at its provider, or cancels it if it has not ended. Returns whether it is deleted. */
  async #deleteAt(account: ProviderAccount, batch: BatchRecord): Promise<boolean> {
    const { format, providerId: id } = batch
    if ((await this.#ports.background.ofBatch({ ...batch, accountId: account.id })).length > 0) {
      await this.#ask(account, format, { batch: { method: 'POST', id, part: '/cancel' } })
      return false
    }
    if (format === 'anthropic')
      return isDeleted(await this.#ask(account, format, { batch: { method: 'DELETE', id, part: '' } }))
    // OpenAI's batches cannot be deleted, but the files with their results can.
    const found = await this.#ask(account, format, { batch: { method: 'GET', id, part: '' } })
    const { resultFiles } = (found && batchProtocols[format].stateOf(found.text)) ?? {}
    if (!resultFiles) return found?.status === 404
    const deleted = await Promise.all(
      resultFiles.map((file) =>
        this.#ask(account, format, { file: { method: 'DELETE', id: file, part: '' } }),
      ),
    )
    return deleted.every(isDeleted)
  }

  /** Returns null without a response. */
  async #ask(
    account: ProviderAccount,
    format: BatchFormat,
    about: { readonly batch: BatchRequest } | { readonly file: FileRequest },
  ): Promise<Response | null> {
    const { newId, upstream } = this.#ports
    const request = {
      account,
      model: '',
      wire: format === 'anthropic' ? 'messages' : 'chat',
      purpose: 'count',
      ...about,
      body: new Uint8Array(),
      isStream: false,
      headers: [],
      query: '',
      callId: idOf('req', newId()),
      // Short deadlines, because a provider that hangs delays the deletions at other providers.
      deadlines: { connectMs: 5_000, firstByteMs: 20_000, idleMs: 10_000, totalMs: 30_000 },
    } as const
    const collected = await collectResponse(upstream, request, responseBytesMax).response
    return collected.kind === 'response' ? collected : null
  }
}

type Response = Extract<Collected, { kind: 'response' }>

function isDeleted(response: Response | null): boolean {
  return response !== null && (response.status === 404 || (response.status >= 200 && response.status < 300))
}

const responseBytesMax = 64 * 1024
/** Maximum number of batches that are deleted in one run. */
const batchesAtOnce = 100
