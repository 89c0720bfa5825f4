import type { StoredCache } from './cached-content-use-types.ts'

/** Replaces IDs of stored state with IDs that the client may use. */
export interface ProviderIds {
  /** Absent if the account stores no responses. */
  readonly responses?: ResponseIds
  /** Absent if the response names no containers. */
  readonly containers?: ContainerIds
  /** Absent if the response belongs to no conversation. */
  readonly conversations?: ObjectIds
  /** Absent if the request does not create cached content. */
  readonly caches?: CacheIds
}

export interface CacheIds {
  /** Whether the charged price is higher for sound than for images. */
  readonly isSoundDearer: boolean
  idOf(cache: Omit<StoredCache, 'origin'>): string
}

export interface ObjectIds {
  idOf(id: string): string
}

/** Replaces IDs of containers, and of files in containers. */
export interface ContainerIds extends ObjectIds {
  fileIdOf(id: string): string
}

export interface ResponseIds {
  /** @param tokens input and output of the response; null in a stream, so that all events have the same ID */
  idOf(id: string, tokens: number | null): string
  previousIdOf(id: string): string
}

/** A stored response whose conversation the request continues. */
export interface PreviousResponse {
  /** The ID that the client sent. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredResponse
}

export interface StoredResponse {
  /** The ID that the provider gave to the response. */
  readonly id: string
  /** Identifies the account and the model that store the response. */
  readonly origin: string
  /** The model name that the client requested for the response. */
  readonly alias: string
  readonly tokens: number
}
