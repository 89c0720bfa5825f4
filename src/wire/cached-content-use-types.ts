/** A request that creates cached content, or that changes when cached content expires. */
export interface Caching {
  /** The client's ID of the content whose expiry changes. Null if the request creates content. */
  readonly id: string | null
  /** An expiry is either a duration or a time, in milliseconds. */
  readonly lifetime: { readonly ttlMs: number } | { readonly expiresAtMs: number }
  /** Absent until the gateway has computed the expiry and decrypted the ID. */
  readonly opened?: OpenedCaching
}

export interface OpenedCaching {
  readonly paidMs: number
  readonly expiresAtMs: number
  /** Null if the request creates cached content. */
  readonly stored: StoredCache | null
}

export interface CacheUse {
  readonly id: string
  /** Position of the cached content's name, which contains the ID. */
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredCache
}

export interface StoredCache {
  readonly name: string
  /** Identifies the account and the model that store the content. */
  readonly origin: string
  readonly tokens: number
  readonly audioTokens: number
  readonly imageTokens: number
}

export interface CachedContent {
  readonly id: string
  readonly name: string
  readonly displayName: string
}

export function tokenHours(tokens: number, storedMs: number): number {
  return Math.ceil((tokens * storedMs) / hourMs)
}

const hourMs = 3_600_000
