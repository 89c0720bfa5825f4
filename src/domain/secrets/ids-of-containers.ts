import type { Account } from '#domain/billing/money-account-key.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import { AccountObjectIds, type AccountObject } from './ids-of-objects-at-accounts.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'

/**
 * Creates the IDs that clients receive for containers, and for files that code in a container creates. Reads the state
 * that an ID contains.
 */
export class ContainerTags {
  readonly #ids: AccountObjectIds
  readonly #fileIds: AccountObjectIds

  constructor(ring: KeyRing) {
    this.#ids = new AccountObjectIds(ring, 'containers')
    this.#fileIds = new AccountObjectIds(ring, 'files of containers')
  }

  tagOf(owner: Account, format: FileFormat, container: AccountObject): string {
    return this.#ids.tagOf(owner, prefixOf(format), container)
  }

  open(owner: Account, format: FileFormat, text: string): AccountObject | null {
    return this.#ids.open(owner, prefixOf(format), text)
  }

  /** Repeated calls with the same file and owner return the same ID. */
  fileTagOf(owner: Account, file: AccountObject): string {
    return this.#fileIds.tagOf(owner, filePrefix, file)
  }

  openFile(owner: Account, text: string): AccountObject | null {
    return this.#fileIds.open(owner, filePrefix, text)
  }
}

/**
 * Some clients recognize an ID by the prefix of the vendor's IDs. Google has no containers, and therefore no IDs of
 * containers.
 */
function prefixOf(format: FileFormat): string {
  return format === 'openai' ? 'cntr_' : 'container_'
}

/** The prefix that Anthropic uses for the IDs of all files. */
const filePrefix = 'file_'
