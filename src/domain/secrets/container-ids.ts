import type { Account } from '#domain/accounts/account.ts'
import type { KeyRing } from './encryption.ts'
import { OwnedIds } from './owned-ids.ts'

/** The state of a container in which a provider runs code. */
export interface ContainerState {
  /** Hash of the account that runs the container (`Plan.fileOrigin`). */
  readonly origin: string
  /** The provider's ID of the container. */
  readonly id: string
}

/** Creates and opens the IDs that clients receive for containers. */
export class ContainerTags {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'containers')
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, { id, origin }: ContainerState): string {
    return this.#ids.idOf(owner, prefix, JSON.stringify([origin, id]))
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, text: string): ContainerState | null {
    const state = this.#ids.stateOf(owner, prefix, text)
    if (state === null) return null
    // The HMAC is valid, so `tagOf` wrote the text.
    const [origin, id] = JSON.parse(state) as [origin: string, id: string]
    return { origin, id }
  }
}

const prefix = 'container_'
