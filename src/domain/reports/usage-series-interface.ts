import type { Money, TokenName } from '#domain/sums-of-request-figures.ts'
import type { Mode } from '#domain/application-config.ts'
import type { FailureClass } from '#domain/health/class-of-failure.ts'
import type { Histogram } from './duration-histogram.ts'

export type SeriesBucket = 'minute' | 'hour' | 'day'
export type SeriesBy = 'model' | 'provider' | 'bundle' | 'endUser' | 'key' | 'tag' | 'team'
/** The figure (such as cost) that decides which groups are shown. */
export type SeriesOrder = 'chargeMicros' | 'billedMicros' | 'costMicros' | 'calls'

export interface SeriesAsked {
  readonly applicationId: string
  readonly mode: Mode
  readonly bucket: SeriesBucket
  /** Null means one group with all calls. Groups by end user and by key are available only for days. */
  readonly by: SeriesBy | null
  /** The start and the end of the range are boundaries of buckets. `fromMs` is inclusive and `toMs` is exclusive. */
  readonly fromMs: number
  readonly toMs: number
  /**
   * Null means that the filter matches any call. If the filter is an end user or a key, only days are available, and
   * the model name is the only other filter.
   */
  readonly alias: string | null
  readonly accountId: string | null
  readonly bundle: string | null
  /**
   * At most one of these three is set: `tag`, `payerId`, or a grouping by tag or team. If one of the three is set,
   * `endUserId` and `keyId` are null.
   */
  readonly tag: string | null
  readonly payerId: string | null
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly hasLatency: boolean
  readonly groupsMax: number
  readonly order: SeriesOrder
}

/**
 * Sums of the calls that ended in a time range. Token counts are available only for days, and only by model name, end
 * user or key. In all other cases, token counts are null.
 */
export interface SeriesFigures extends Readonly<Money>, Readonly<Record<TokenName, number | null>> {
  /** Number of calls, charged or not. Null for end users and keys, whose daily figures contain only charged calls. */
  readonly calls: number | null
  readonly charged: number
  readonly failed: Readonly<Record<FailureClass, number>> | null
  /** Null if latencies were not requested. Always null in the points of groups. */
  readonly latencyMs: Histogram | null
  readonly firstByteMs: Histogram | null
}

export interface SeriesPoint extends SeriesFigures {
  readonly atMs: number
}

export interface UsageSeries {
  /**
   * Time from which calls are counted. This time is later than the requested start if the range has too many records to
   * read.
   */
  readonly fromMs: number
  /** False if only the newest part of the range is counted, because the range has too many records to read. */
  readonly isWhole: boolean
  /** The buckets in order of time. Buckets without calls are omitted. */
  readonly all: readonly SeriesPoint[]
  /**
   * The groups with the highest values of the figure that `order` names, highest first. If calls are grouped by tag, a
   * call counts in each of its tags. A call without a tag is in no group. If calls are grouped by team, `group` is the
   * ID of the payer. A call without a team is in no group. For other groupings, the group null contains calls with an
   * unknown external ID, model name, slug, account or key.
   */
  readonly groups: readonly { readonly group: string | null; readonly points: readonly SeriesPoint[] }[]
}
