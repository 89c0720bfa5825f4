import type { TestClock } from './test-clock.ts'

export interface Application extends TestClock {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  /** The part `<code>` in the application's keys (`ak_<code>_…`). */
  readonly code: string
  readonly name: string
  readonly configVersion: number
  readonly defaultBundleId: string | null
  readonly gatewayPort: number | null
  readonly portalPort: number | null
  readonly createdAtMs: number
  readonly archivedAtMs: number | null
}

export interface ApplicationContents {
  readonly endUsers: number
  /** Number of keys that are not revoked, in either mode. */
  readonly keys: number
  readonly bundles: readonly string[]
  readonly models: readonly string[]
  /** Provider cost of all settled calls in the mode, in micros. */
  readonly costMicros: bigint
}
