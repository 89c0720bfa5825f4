/**
 * On PostgreSQL, every batch of every process writes the kinds in this order, so that two batches never deadlock. The
 * row that all end users of an application share is locked last.
 */
import type { WritePoint } from './faults-injected-by-tests.ts'
import {
  columnsOf,
  correctionRow,
  dayRow,
  entryRow,
  grantRow,
  lineRateUseRow,
  type NewRow,
  quoteRow,
  rateUseRow,
  requestRow,
  reversalRow,
  runRow,
  sourceRow,
  usageRow,
} from './rows-that-batch-inserts.ts'

/** The columns to set, then the columns that select the row. Values are bound in this order. */
export interface Change {
  readonly table: string
  readonly set: string
  readonly by: string
}

export const writes = {
  quote: { point: 'quote', adds: quoteRow },
  grant: { point: 'grant', adds: grantRow },
  grant_stepped: { point: 'grant', sets: { table: 'grants', set: 'done+', by: 'application_id id' } },
  grant_finished: {
    point: 'grant',
    sets: { table: 'grants', set: 'pending done+', by: 'application_id id' },
  },
  reversal: { point: 'grant', adds: reversalRow },
  source: { point: 'source', adds: sourceRow },
  source_changed: {
    point: 'source',
    sets: { table: 'sources', set: 'posted+ held+ last_entry+', by: 'end_user_id mode id' },
  },
  wallet_changed: {
    point: 'source',
    sets: { table: 'sources', set: 'posted+ held+ last_entry+ given+', by: 'end_user_id mode id' },
  },
  pool_changed: {
    point: 'source',
    sets: {
      table: 'sources',
      set: 'posted+ held+ last_entry+ withheld+ expired+',
      by: 'end_user_id mode id',
    },
  },
  ledger: { point: 'ledger', adds: entryRow },
  month_cleared: {
    point: 'ledger',
    sets: { table: 'on_demand_months', set: 'entry+', by: 'end_user_id mode source_id' },
  },
  usage: { point: 'usage', adds: usageRow },
  correction: { point: 'usage', adds: correctionRow },
  request: { point: 'request', adds: requestRow },
  day: { point: 'day', adds: dayRow },
  run: { point: 'run', adds: runRow },
  run_changed: {
    point: 'run',
    sets: {
      table: 'outcome_runs',
      set: 'status capped_at_micros+ spent_micros+ calls+ last_call_at_ms+',
      by: 'end_user_id mode outcome_slug run_id',
    },
  },
  rate_use: { point: 'rate', adds: rateUseRow },
  line_rate_use: { point: 'rate', adds: lineRateUseRow },
  key_used: { point: 'key', sets: { table: 'keys', set: 'last_used_at_ms+', by: 'end_user_id id' } },
  /**
   * Marks the application's sums since that day as outdated, so that they are computed again (usage-sums-by-day.ts).
   */
  unfold: { point: 'day' },
} as const satisfies Record<string, Write>

export type WriteKind = keyof typeof writes

export interface Write {
  readonly point: WritePoint
  readonly adds?: NewRow<never>
  readonly sets?: Change
}

export function namesOf(columns: string): string[] {
  return columnsOf(columns).map(({ name }) => name)
}
