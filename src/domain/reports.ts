import type { Mode } from './application-config.ts'
import type { Money } from './figures.ts'
import type { FailureClass } from './failure-class.ts'
import type { Histogram } from './histogram.ts'
import type { Position } from './records.ts'

/** Whole days since 1970 (UTC): the first is included, the last is not. */
export interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/** Money of charged calls and of the attempts that failed, and of subscriptions. */
export interface MarginSums extends Readonly<Money> {
  readonly calls: number
  /** Subscriptions earned on these days (money/accrual.ts). Of groups, only end users, bundles and days have any. */
  readonly subscriptionMicros: bigint
  /** Invoices issued on these days that are not void. */
  readonly invoicedMicros: bigint
}

export interface MarginGroup extends MarginSums {
  /**
   * External ID, name, slug, ID of an account or key, number of the day, or a run; null: calls whose group is not
   * known, and subscriptions where no group has them.
   */
  readonly group: string | null
  /** The run, by run. */
  readonly run?: { readonly outcomeSlug: string; readonly runId: string; readonly externalId: string }
}

/** What calls of one name cost at assumed rates, as far as it was recorded. */
export interface AssumedCost {
  readonly alias: string
  readonly calls: number
  readonly assumedMicros: bigint
}

export type MarginBy = 'endUser' | 'model' | 'bundle' | 'provider' | 'day' | 'key' | 'run'

/** How calls went that ended in a span of time. */
export interface CallFigures {
  readonly calls: number
  readonly failed: Readonly<Record<FailureClass, number>>
  readonly latencyMs: Histogram
  readonly firstByteMs: Histogram
}

/** Figures of the calls of one account and one name. */
export interface HealthRow extends CallFigures {
  /** Null: no provider was called, or would have been. */
  readonly accountId: string | null
  /** Null: the name was not one of the application's. */
  readonly alias: string | null
}

/** Figures of what one account was asked for of one model: each attempt of a call is one. */
export interface TargetFigures extends CallFigures {
  readonly accountId: string
  readonly model: string
}

export interface HealthSpan {
  /** From when on calls are counted. */
  readonly fromMs: number
  /** False: there are too many calls to read them all, and only the newest are counted. */
  readonly isWhole: boolean
  readonly rows: readonly HealthRow[]
  readonly targets: readonly TargetFigures[]
  /** Answered 5xx and 4xx. */
  readonly failures: number
  readonly refusals: number
}

/** What the calls of an application add up to. */
export interface Reports {
  /**
   * Groups in their order (days newest first), `limit` at most; those with neither a charged call nor an invoice are
   * left out. All of them add up to `marginTotals`.
   */
  margin(
    applicationId: string,
    mode: Mode,
    by: MarginBy,
    days: DayRange,
    page: { readonly limit: number; readonly after: Position | null },
  ): Promise<{ readonly groups: readonly MarginGroup[]; readonly next: Position | null }>
  marginTotals(applicationId: string, mode: Mode, days: DayRange): Promise<MarginSums>
  /** The part of the cost of these days that was computed at assumed rates, by name. Names without any are absent. */
  assumedCosts(applicationId: string, mode: Mode, days: DayRange): Promise<readonly AssumedCost[]>
  /** The calls that ended in each of these spans up to now, which are at most a day. */
  health(
    applicationId: string,
    mode: Mode,
    nowMs: number,
    spansMs: readonly number[],
  ): Promise<readonly HealthSpan[]>
}
