import type { FileOwner } from '#domain/accounts/files-stored-at-providers.ts'
import { timeIn } from '#domain/test-clock.ts'
import type { ApplicationConfig, KeyRecord } from '#domain/application-config.ts'

export interface Caller {
  readonly config: ApplicationConfig
  readonly key: KeyRecord
  /** SHA-256 of the whole key. */
  readonly keyHash: string
}

/** Test mode may have a test clock. A call keeps the test clock of the configuration with which it was reserved. */
export function timeOf({ config, key }: Caller, realMs: number): number {
  return timeIn(key.mode, config, realMs)
}

export function ownerOf({ config, key }: Caller): FileOwner {
  const { applicationId, endUserId, mode } = key
  return { applicationId, endUserId, mode, organizationId: config.organizationId }
}
