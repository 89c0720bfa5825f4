import type { Account } from '#domain/accounts/account.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { KeyRing } from './encryption.ts'
import { OwnedIds } from './owned-ids.ts'

/** The state of a file that a provider stores. */
export interface FileState {
  /** Hash of the account that stores the file (`Plan.files`). */
  readonly origin: string
  /** The provider's ID of the file. */
  readonly id: string
  /** Maximum number of tokens of the file as a document, and with citations. */
  readonly tokens: number
  readonly citedTokens: number
  /** Size of an image. Null for other files and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
}

/**
 * Creates and opens the IDs that clients receive for files. An ID contains the size of the file, so that the hold for a
 * request that uses the file can be computed without a read of the store.
 */
export class FileTags {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'stored files')
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, format: FileFormat, { citedTokens, id, origin, pixels, tokens }: FileState): string {
    const state = [origin, tokens, citedTokens, pixels?.width ?? 0, pixels?.height ?? 0, id]
    return this.#ids.idOf(owner, prefixes[format], JSON.stringify(state))
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, format: FileFormat, text: string): FileState | null {
    const state = this.#ids.stateOf(owner, prefixes[format], text)
    if (state === null) return null
    // The HMAC is valid, so `tagOf` wrote the text.
    const [origin, tokens, citedTokens, width, height, id] = JSON.parse(state) as Stored
    return { origin, tokens, citedTokens, pixels: width === 0 ? null : { width, height }, id }
  }
}

type Stored = [origin: string, tokens: number, citedTokens: number, width: number, height: number, id: string]

/** Some clients recognize an ID by the prefix of its vendor. */
const prefixes: Readonly<Record<FileFormat, string>> = { openai: 'file-', anthropic: 'file_' }
