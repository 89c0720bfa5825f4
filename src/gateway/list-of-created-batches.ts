import type { ProviderAccount } from '#domain/application-config.ts'
import type { BatchRecord, OwnedBatches } from '#domain/accounts/batches-at-providers.ts'
import type { BackgroundHolds } from '#domain/background/background-holds-interface.ts'
import { batchProtocols } from '#wire/batch-readers-by-vendor.ts'
import { DeletionsAtProviders, isDeleted, readsOf, type DeletionPorts } from './deletions-at-providers.ts'

interface Ports extends DeletionPorts {
  readonly background: BackgroundHolds
}

/**
 * Also deletes the batches of deleted end users at providers. A batch that has not ended is first canceled, and its
 * requests are settled.
 */
export class BatchList implements OwnedBatches {
  readonly #ports: Ports
  readonly #deletions: DeletionsAtProviders<BatchRecord>

  constructor(ports: Ports) {
    this.#ports = ports
    this.#deletions = new DeletionsAtProviders(ports, {
      name: 'batches',
      list: (limit) => ports.store.read.batches.removed(limit),
      delete: (batch) => this.#delete(batch),
    })
  }

  start(): void {
    this.#deletions.start()
  }

  close(): Promise<void> {
    return this.#deletions.close()
  }

  byId: OwnedBatches['byId'] = (owner, id) => readsOf(this.#ports.store, owner).batches.byId(owner, id)

  of: OwnedBatches['of'] = (owner, format, page) =>
    readsOf(this.#ports.store, owner).batches.of(owner, format, page)

  add: OwnedBatches['add'] = (batch) => this.#ports.store.transaction(({ batches }) => batches.add(batch))

  addFiles: OwnedBatches['addFiles'] = (batch, files) =>
    this.#ports.store.transaction(({ batches }) => batches.addFiles(batch, files))

  forget: OwnedBatches['forget'] = (id) => this.#ports.store.transaction(({ batches }) => batches.forget(id))

  async #delete(batch: BatchRecord): Promise<void> {
    const { nowMs, store } = this.#ports
    const account = await this.#deletions.accountOf(batch)
    const isGone = account === null || (await this.#deleteAt(account, batch))
    await store.transaction(({ batches }) =>
      isGone ? batches.forget(batch.id) : batches.postpone(batch.id, nowMs()),
    )
  }

  /** Cancels the batch instead if it still has holds. Returns whether the batch is deleted. */
  async #deleteAt(account: ProviderAccount, batch: BatchRecord): Promise<boolean> {
    const { format, providerId: id } = batch
    const ask = (method: 'GET' | 'POST' | 'DELETE', part: '' | '/cancel') =>
      this.#deletions.ask(account, format, { batch: { method, id, part } })
    if ((await this.#ports.background.ofBatch({ ...batch, accountId: account.id })).length > 0) {
      await ask('POST', '/cancel')
      return false
    }
    if (format === 'anthropic') return isDeleted((await ask('DELETE', ''))?.status ?? null)
    // OpenAI does not delete batches, but can delete the files with their results.
    const found = await ask('GET', '')
    const { resultFiles } = (found && batchProtocols[format].stateOf(found.text)) ?? {}
    if (!resultFiles) return found?.status === 404
    const deleted = await Promise.all(
      resultFiles.map((file) =>
        this.#deletions.ask(account, format, { file: { method: 'DELETE', id: file, part: '' } }),
      ),
    )
    return deleted.every((response) => isDeleted(response?.status ?? null))
  }
}
