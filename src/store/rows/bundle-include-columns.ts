import type { Mode } from '#domain/application-config.ts'
import type { IncludeTerms, Rollover, TermsSpan } from '#money/plan-pools.ts'
import {
  bigintIn,
  bigintOrNullIn,
  flagIn,
  numberIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
  wordIn,
} from './read-row-strictly.ts'
import { stringsFromText } from './json-columns.ts'
import { type Columns, columnsOf } from '#store/sql/convert-records-and-rows.ts'

export function includeTermsOf(row: SqlRow): IncludeTerms {
  const models = textOrNullIn(row, 'models')
  return {
    slug: textIn(row, 'slug'),
    displayName: textIn(row, 'display_name'),
    unit: wordIn(row, 'unit', ['micros', 'credits']),
    amount: bigintIn(row, 'amount'),
    priceMicros: bigintOrNullIn(row, 'price_micros'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    recurring: flagIn(row, 'recurring'),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    models: models === null ? null : stringsFromText(models),
    memberCap: bigintOrNullIn(row, 'member_cap'),
    rollover: rolloverIn(row),
  }
}

/** By the clock of the mode. */
export function termsSpanOf(row: SqlRow, mode: Mode): TermsSpan {
  return {
    fromMs: numberIn(row, mode === 'live' ? 'since_ms' : 'since_test_ms'),
    untilMs: numberOrNullIn(row, mode === 'live' ? 'until_ms' : 'until_test_ms'),
    isUndated: flagIn(row, 'is_undated'),
  }
}

/** `rollover_percent` is null if unspent credit does not roll over. */
export function rolloverIn(row: SqlRow): Rollover | null {
  const percent = numberOrNullIn(row, 'rollover_percent')
  return percent === null ? null : { percent, periodsMax: numberIn(row, 'rollover_periods') }
}

export function columnsOfTerms({
  rollover,
  ...terms
}: IncludeTerms): Columns<Omit<IncludeTerms, 'rollover'>> & RolloverColumns {
  return {
    ...columnsOf(terms),
    rollover_percent: rollover?.percent ?? null,
    rollover_periods: rollover?.periodsMax ?? null,
  }
}

export interface RolloverColumns {
  rollover_percent: number | null
  rollover_periods: number | null
}
