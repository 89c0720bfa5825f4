import type { Mode } from '#domain/application-config.ts'
import type { Figures, MoneyName } from '#domain/sums-of-request-figures.ts'
import type { FailureClass } from '#domain/health/class-of-failure.ts'
import type { Histogram } from './duration-histogram.ts'
import type { Position } from '#domain/list-page.ts'

/** Range of whole days, counted from January 1, 1970 (UTC). `fromDay` is inclusive and `toDay` is exclusive. */
export interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/**
 * Amounts and counts of charged calls, of failed attempts and of subscriptions.
 *
 * - `subscriptionMicros`: subscription revenue of the days in the range (money/earned-revenue.ts). `subscriptionMicros`
 *   is set only in groups by end user, bundle and day.
 * - `invoicedMicros`: invoices that were issued on the days in the range and are not void.
 */
export type MarginSums = Readonly<
  Figures<'calls' | MoneyName> & Record<'subscriptionMicros' | 'invoicedMicros', bigint>
>

export type MarginGroup = MarginSums & {
  /**
   * The value is an external ID, a model name, a slug, an account ID, a key ID, a day number, a run, a tag, or the
   * payer of a team. Null for calls that belong to no known group. Also null for subscriptions that cannot be assigned
   * to a group of this kind.
   */
  readonly group: string | null
  readonly run?: { readonly outcomeSlug: string; readonly runId: string; readonly externalId: string }
}

/** For one model name, the part of the recorded cost that was computed at assumed rates. */
export interface AssumedCost {
  readonly alias: string
  readonly calls: number
  readonly assumedMicros: bigint
}

export type MarginBy = 'endUser' | 'model' | 'bundle' | 'provider' | 'day' | 'key' | 'run' | 'tag' | 'team'

export interface CallFigures {
  readonly calls: number
  readonly failed: Readonly<Record<FailureClass, number>>
  readonly latencyMs: Histogram
  readonly firstByteMs: Histogram
}

export interface HealthRow extends CallFigures {
  /** Null if no provider was called or chosen. */
  readonly accountId: string | null
  /** Null if the name is not one of the application's names. */
  readonly alias: string | null
}

export interface TargetFigures extends CallFigures {
  readonly accountId: string
  readonly model: string
}

export interface HealthSpan {
  /** Time from which calls are counted. */
  readonly fromMs: number
  /** False if there are so many calls that only the newest are counted. */
  readonly isWhole: boolean
  readonly rows: readonly HealthRow[]
  readonly targets: readonly TargetFigures[]
  /** Number of calls with a 5xx response. */
  readonly failures: number
  /** Number of calls with a 4xx response. */
  readonly refusals: number
}

export interface Reports {
  /**
   * Returns at most `limit` groups. Each grouping has a fixed order. Groups with neither a charged call nor an invoice
   * are omitted. All groups together add up to `marginTotals`.
   */
  margin(
    applicationId: string,
    mode: Mode,
    by: MarginBy,
    days: DayRange,
    page: { readonly limit: number; readonly after: Position | null },
  ): Promise<{ readonly groups: readonly MarginGroup[]; readonly next: Position | null }>
  marginTotals(applicationId: string, mode: Mode, days: DayRange): Promise<MarginSums>
  /** Returns, by model name, the part of the cost in the range that was computed at assumed rates. */
  assumedCosts(applicationId: string, mode: Mode, days: DayRange): Promise<readonly AssumedCost[]>
  /** Each range ends at `nowMs`, is at most a day long, and covers the calls that ended within the range. */
  health(
    applicationId: string,
    mode: Mode,
    nowMs: number,
    spansMs: readonly number[],
  ): Promise<readonly HealthSpan[]>
}
