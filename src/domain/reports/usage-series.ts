import type { Money, TokenName } from '#domain/figure-sums.ts'
import type { Mode } from '#domain/application-config.ts'
import type { FailureClass } from '#domain/health/failure-class.ts'
import type { Histogram } from './histogram.ts'

export type SeriesBucket = 'minute' | 'hour' | 'day'
export type SeriesBy = 'model' | 'provider' | 'bundle' | 'endUser' | 'key'
/** The figure that decides which groups are shown. */
export type SeriesOrder = 'chargeMicros' | 'billedMicros' | 'costMicros' | 'calls'

export interface SeriesAsked {
  readonly applicationId: string
  readonly mode: Mode
  readonly bucket: SeriesBucket
  /** Null means one group with everything. By end user and by key, only days are available. */
  readonly by: SeriesBy | null
  /** Ends of buckets, in milliseconds since 1970. `fromMs` is inclusive and `toMs` is exclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** Null means any. For an end user or a key, only days are available, and only the name can be combined with them. */
  readonly alias: string | null
  readonly accountId: string | null
  readonly bundle: string | null
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly hasLatency: boolean
  readonly groupsMax: number
  readonly order: SeriesOrder
}

/** Sums of the calls that ended in a time range. Tokens are null except for days by name, end user and key. */
export interface SeriesFigures extends Readonly<Money>, Readonly<Record<TokenName, number | null>> {
  /** Number of calls, charged or not. Null for days of end users and keys, which count only charged calls. */
  readonly calls: number | null
  readonly charged: number
  /** Null in the same cases as `calls`. */
  readonly failed: Readonly<Record<FailureClass, number>> | null
  /** Null if not requested, or if this is a group. */
  readonly latencyMs: Histogram | null
  readonly firstByteMs: Histogram | null
}

export interface SeriesPoint extends SeriesFigures {
  /** The start of the bucket. */
  readonly atMs: number
}

export interface UsageSeries {
  /** The time since which calls are counted. It is later than requested if there is too much to read. */
  readonly fromMs: number
  /** False if there is too much to read, so that only the newest part is counted. */
  readonly isWhole: boolean
  /** In order of time. Buckets without a call are omitted. */
  readonly all: readonly SeriesPoint[]
  /** The groups with the highest figure, highest first. Null if external ID, name, slug, account or key is unknown. */
  readonly groups: readonly { readonly group: string | null; readonly points: readonly SeriesPoint[] }[]
}
