import type { FileOwner } from '#domain/accounts/files-stored-at-providers.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import { idOf, type IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { Upstream } from '#domain/provider-upstream-interface.ts'
import { simulatorAccount } from '#gateway/call/targets-of-model-name.ts'
import { collectResponse, type Collected, type Collecting } from '#gateway/relay/collect-whole-response.ts'
import { storedObjectRequest, type AboutStoredObject } from '#gateway/relay/request-about-stored-object.ts'

export interface DeletionPorts {
  readonly store: Store
  readonly upstream: Upstream
  readonly log: Logger
  readonly nowMs: () => number
  readonly newId: IdSource
  /** Also the time before a failed deletion is repeated. */
  readonly everyMs: number
}

interface Removed<One> {
  readonly name: 'files' | 'batches'
  readonly list: (limit: number) => Promise<readonly One[]>
  /**
   * Deletes the object at its provider, then its row in the store. If the provider fails, the row is kept, and the
   * deletion is repeated later.
   */
  readonly delete: (one: One) => Promise<void>
}

/**
 * Deletes removed objects at their providers. A removed object stays in the store until its provider has deleted it.
 * Several processes may delete the same object, because the second deletion finds nothing.
 */
export class DeletionsAtProviders<One> {
  readonly #ports: DeletionPorts
  readonly #removed: Removed<One>
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> = Promise.resolve()
  readonly #open = new Set<Collecting>()
  #isClosed = false

  constructor(ports: DeletionPorts, removed: Removed<One>) {
    this.#ports = ports
    this.#removed = removed
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#deleteRemoved())
    }, this.#ports.everyMs).unref()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#isClosed = true
    for (const collecting of this.#open) collecting.abort()
    await this.#running
  }

  /** Null if the account was deleted. Its key was deleted too, so the object cannot be deleted. */
  async accountOf({
    accountId,
    mode,
    organizationId,
  }: FileOwner & { readonly accountId: string }): Promise<ProviderAccount | null> {
    if (mode === 'test') return simulatorAccount
    return this.#ports.store.read.providers.byId(organizationId, accountId)
  }

  async ask(
    account: ProviderAccount,
    format: FileFormat,
    about: AboutStoredObject,
  ): Promise<Extract<Collected, { kind: 'response' }> | null> {
    const { newId, upstream } = this.#ports
    const request = storedObjectRequest(account, format, about, { callId: idOf('req', newId()), deadlines })
    const collecting = collectResponse(upstream, request, responseBytesMax)
    this.#open.add(collecting)
    const collected = await collecting.response
    this.#open.delete(collecting)
    return collected.kind === 'response' ? collected : null
  }

  async #deleteRemoved(): Promise<void> {
    const { list, name } = this.#removed
    try {
      for (const one of await list(objectsAtOnce)) {
        if (this.#isClosed) return
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a provider is not flooded
        await this.#removed.delete(one)
      }
    } catch (err) {
      this.#ports.log.warn({ err }, `deleting the ${name} of deleted end users failed`)
    }
  }
}

/** @param status null if no response arrived */
export function isDeleted(status: number | null): boolean {
  return status === 404 || (status !== null && status >= 200 && status < 300)
}

/** Reads count toward the end user's share of the database capacity. */
export function readsOf(store: Store, { endUserId, organizationId }: FileOwner): Nouns {
  return store.readFor({ organizationId, callerId: endUserId, isEndUser: true, onCost: () => {} })
}

/** Short, because a provider that does not respond delays the deletions at other providers. */
const deadlines: Deadlines = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 10_000, totalMs: 30_000 }
const responseBytesMax = 64 * 1024
/** Per run. */
const objectsAtOnce = 100
