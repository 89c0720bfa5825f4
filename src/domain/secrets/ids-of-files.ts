import type { Account } from '#domain/billing/money-account-key.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'
import { OwnedIds } from './ids-that-only-owner-can-use.ts'

export interface FileState {
  /** Hash of the account that stores the file (`Plan.files`). */
  readonly origin: string
  /** The provider's ID of the file. */
  readonly id: string
  /** Maximum number of tokens of the file if a request sends the file as a document without citations. */
  readonly tokens: number
  /** Maximum number of tokens of the file if a request sends the file as a document with citations. */
  readonly citedTokens: number
  /** Null for files that are not images, and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
  /**
   * The kind of content of a file at Google, according to the media type that the upload stated. Absent for files in
   * other formats.
   */
  readonly medium?: FileMedium
  /**
   * Maximum tokens of the sound in a file. Null if a sound or video has an unknown length. Absent if the file has no
   * sound.
   */
  readonly soundTokens?: number | null
}

type FileMedium = 'image' | 'audio' | 'video' | 'document'

/** An upload that has been started, but whose content has not been received. */
export interface UploadState {
  readonly origin: string
  readonly mediaType: string
  readonly filename: string
  readonly startedAtMs: number
  /** Absent if the client sends the content in one request. */
  readonly pieces?: UploadInPieces
}

export interface UploadInPieces {
  /** The provider's ID of the upload. */
  readonly id: string
  /** The size of the file, as the client stated it. */
  readonly bytes: number
}

/**
 * Creates the IDs that clients receive for files, and reads the state that an ID contains. An ID contains the size of
 * the file. The hold of a request with the file can therefore be computed without a read of the store.
 */
export class FileTags {
  readonly #ids: OwnedIds
  readonly #googleIds: OwnedIds
  readonly #uploads: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'stored files')
    this.#googleIds = new OwnedIds(ring, 'stored files of Google')
    this.#uploads = new OwnedIds(ring, 'uploads of files')
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, format: FileFormat, stated: FileState): string {
    const { citedTokens, id, medium, origin, pixels, soundTokens, tokens } = stated
    const state: Stored = [origin, tokens, citedTokens, pixels?.width ?? 0, pixels?.height ?? 0, id]
    if (format !== 'google') return this.#ids.idOf(owner, prefixes[format], JSON.stringify(state))
    const text = JSON.stringify([
      ...state,
      medium ?? 'document',
      soundTokens ?? (soundTokens === null ? -1 : 0),
    ])
    // Google's clients accept only IDs of lower-case letters and digits.
    return Buffer.from(this.#googleIds.idOf(owner, '', text), 'base64url').toString('hex')
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, format: FileFormat, text: string): FileState | null {
    const state =
      format === 'google'
        ? this.#googleIds.stateOf(owner, '', base64Of(text))
        : this.#ids.stateOf(owner, prefixes[format], text)
    if (state === null) return null
    // The cast is safe, because the HMAC is valid, so `tagOf` wrote the text.
    const [origin, tokens, citedTokens, width, height, id, medium, soundTokens] = JSON.parse(state) as Stored
    return {
      origin,
      tokens,
      citedTokens,
      pixels: width === 0 ? null : { width, height },
      id,
      ...(medium !== undefined && { medium }),
      ...(soundTokens !== undefined &&
        soundTokens !== 0 && { soundTokens: soundTokens < 0 ? null : soundTokens }),
    }
  }

  /** Only this owner can finish the upload. */
  uploadTagOf(owner: Account, { filename, mediaType, origin, pieces, startedAtMs }: UploadState): string {
    const state: Upload = [origin, mediaType, startedAtMs, filename]
    if (pieces !== undefined) state.push(pieces.id, pieces.bytes)
    return this.#uploads.idOf(owner, '', JSON.stringify(state))
  }

  /** Returns null for any text that is not the ID of an upload of this owner. */
  openUpload(owner: Account, text: string): UploadState | null {
    const state = this.#uploads.stateOf(owner, '', text)
    if (state === null) return null
    // The cast is safe, because the HMAC is valid, so `uploadTagOf` wrote the text.
    const [origin, mediaType, startedAtMs, filename, id, bytes = 0] = JSON.parse(state) as Upload
    return { origin, mediaType, startedAtMs, filename, ...(id !== undefined && { pieces: { id, bytes } }) }
  }
}

type Stored = [
  origin: string,
  tokens: number,
  citedTokens: number,
  width: number,
  height: number,
  id: string,
  medium?: FileMedium,
  /** -1 means that the length of the sound is unknown. */
  soundTokens?: number,
]
type Upload = [
  origin: string,
  mediaType: string,
  startedAtMs: number,
  filename: string,
  pieces?: string,
  bytes?: number,
]

/** Some clients recognize an ID by the prefix of the vendor's IDs. */
const prefixes = { openai: 'file-', anthropic: 'file_' } as const

/**
 * Returns the base64url of an ID in hexadecimal digits. If the text has characters other than hexadecimal digits, the
 * result is not a valid ID.
 */
function base64Of(text: string): string {
  const isHex = /^(?:[0-9a-f]{2})+$/.test(text)
  return isHex ? Buffer.from(text, 'hex').toString('base64url') : `${text}.`
}
