import { timeIn } from '#domain/test-clock.ts'
import type { ApplicationConfig, KeyRecord } from '#domain/application-config.ts'

/** The end user who makes the request, identified by the key, and the application's configuration read with the key. */
export interface Caller {
  readonly config: ApplicationConfig
  readonly key: KeyRecord
  /** SHA-256 of the whole key. The caches use it as the index of the caller. */
  readonly keyHash: string
}

/**
 * Converts a real time to the time in the mode of the caller's key. A call keeps the test clock of the configuration
 * that it was decided on.
 */
export function timeOf({ config, key }: Caller, realMs: number): number {
  return timeIn(key.mode, config, realMs)
}
