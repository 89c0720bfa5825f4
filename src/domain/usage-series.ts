import type { Money } from './figures.ts'
import type { Mode } from './application-config.ts'
import type { FailureClass } from './failure-class.ts'
import type { Histogram } from './histogram.ts'

export type SeriesBucket = 'minute' | 'hour' | 'day'
export type SeriesBy = 'model' | 'provider' | 'bundle' | 'endUser' | 'key'
/** By which the groups that are shown are chosen. */
export type SeriesOrder = 'chargeMicros' | 'billedMicros' | 'costMicros' | 'calls'

export interface SeriesAsked {
  readonly applicationId: string
  readonly mode: Mode
  readonly bucket: SeriesBucket
  /** Null: everything together. By end user and by key there are only days. */
  readonly by: SeriesBy | null
  /** Ends of buckets, milliseconds since 1970: the first is included, the last is not. */
  readonly fromMs: number
  readonly toMs: number
  /** Null: any. Person and key have only days, and go with a name alone. */
  readonly alias: string | null
  readonly accountId: string | null
  readonly bundle: string | null
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly hasLatency: boolean
  readonly groupsMax: number
  readonly order: SeriesOrder
}

/** What the calls add up to that ended in a span. */
export interface SeriesFigures extends Readonly<Money> {
  /** Charged or not; null: days of people and keys count those that were charged alone. */
  readonly calls: number | null
  readonly charged: number
  /** As `calls`. */
  readonly failed: Readonly<Record<FailureClass, number>> | null
  /** Null: only days by name, person and key have tokens. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Null: not asked for, or not of a group. */
  readonly latencyMs: Histogram | null
  readonly firstByteMs: Histogram | null
}

export interface SeriesPoint extends SeriesFigures {
  /** The beginning of the bucket. */
  readonly atMs: number
}

export interface UsageSeries {
  /** From when on is counted: later than asked where there is too much to read. */
  readonly fromMs: number
  /** False: there is too much to read, and only the newest is counted. */
  readonly isWhole: boolean
  /** In order of time; a bucket without a call is left out. */
  readonly all: readonly SeriesPoint[]
  /** Those with the most, most first. Null: external id, name, slug, account or key are not known. */
  readonly groups: readonly { readonly group: string | null; readonly points: readonly SeriesPoint[] }[]
}
