import type { Account } from '#domain/accounts/account.ts'
import type { KeyRing } from './encryption.ts'
import { OwnedIds } from './owned-ids.ts'

/** The state of a container in which a provider runs code, or of a file that this code has created. */
export interface ContainerState {
  /** Hash of the account (`Plan.fileOrigin`). */
  readonly origin: string
  /** The provider's ID. */
  readonly id: string
}

/** Creates and opens the IDs that clients receive for containers, and for files that code in a container creates. */
export class ContainerTags {
  readonly #ids: OwnedIds
  readonly #fileIds: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'containers')
    this.#fileIds = new OwnedIds(ring, 'files of containers')
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, { id, origin }: ContainerState): string {
    return this.#ids.idOf(owner, prefix, JSON.stringify([origin, id]))
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, text: string): ContainerState | null {
    return stateIn(this.#ids.stateOf(owner, prefix, text))
  }

  /** Returns the ID of a file that code has created. The same state and owner always have the same ID. */
  fileTagOf(owner: Account, { id, origin }: ContainerState): string {
    return this.#fileIds.idOf(owner, filePrefix, JSON.stringify([origin, id]))
  }

  /** Returns null for any text that is not the ID of such a file of this owner. */
  openFile(owner: Account, text: string): ContainerState | null {
    return stateIn(this.#fileIds.stateOf(owner, filePrefix, text))
  }
}

function stateIn(state: string | null): ContainerState | null {
  if (state === null) return null
  // The HMAC is valid, so the text is the one that was written.
  const [origin, id] = JSON.parse(state) as [origin: string, id: string]
  return { origin, id }
}

const prefix = 'container_'
/** Anthropic's prefix of all files. */
const filePrefix = 'file_'
