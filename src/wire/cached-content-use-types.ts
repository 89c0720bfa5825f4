/** A request that creates cached content, or that changes when cached content expires. */
export interface Caching {
  /** The ID that the client sent. Null if the request creates cached content. */
  readonly id: string | null
  /** When the content expires: after `ttlMs` milliseconds, or at a time in milliseconds. */
  readonly lifetime: { readonly ttlMs: number } | { readonly expiresAtMs: number }
  /** Absent until the gateway has computed the time of expiry and decrypted the ID. */
  readonly opened?: OpenedCaching
}

export interface OpenedCaching {
  /** The milliseconds of storage to charge. */
  readonly paidMs: number
  readonly expiresAtMs: number
  /** The cached content whose expiry changes. Null if the request creates cached content. */
  readonly stored: StoredCache | null
}

/** The cached content that a request uses, and where the request names it. */
export interface CacheUse {
  /** The ID that the client sent. */
  readonly id: string
  /** The position, in the request, of the cached content's name, which contains the ID. */
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredCache
}

export interface StoredCache {
  /** The name that the provider gave to the content. */
  readonly name: string
  /** Identifies the account and the model that store the content. */
  readonly origin: string
  /** Number of tokens of the cached content. */
  readonly tokens: number
  /** Maximum tokens of the sound in the cached content. */
  readonly audioTokens: number
  /** Maximum tokens of the images in the cached content. */
  readonly imageTokens: number
}

/** Cached content that a provider has created or changed. */
export interface CachedContent {
  /** The ID that the client may use. */
  readonly id: string
  /** The name that the provider gave to the content. */
  readonly name: string
  readonly displayName: string
}

/** Returns the stored tokens multiplied by the hours of their storage. */
export function tokenHours(tokens: number, storedMs: number): number {
  return Math.ceil((tokens * storedMs) / hourMs)
}

const hourMs = 3_600_000
