/**
 * What a batch writes, as the engines bind it: rows that are added (new-rows.ts) and columns that are set.
 * The kinds stand in the order in which PostgreSQL writes them, the same in every batch of every process,
 * so that two of them cannot wait for each other. The one row that all people share is locked last.
 */
import type { WritePoint } from './injected-fault.ts'
import {
  columnsOf,
  dayRow,
  entryRow,
  grantRow,
  type NewRow,
  quoteRow,
  requestRow,
  runRow,
  sourceRow,
  usageRow,
} from './new-rows.ts'

/** Columns that are set, and those that the row is found by; values are bound in that order. */
export interface Change {
  readonly table: string
  readonly set: string
  readonly by: string
}

export const writes = {
  quote: { point: 'quote', adds: quoteRow },
  grant: { point: 'grant', adds: grantRow },
  grant_finished: { point: 'grant', sets: { table: 'grants', set: 'pending', by: 'application_id id' } },
  source: { point: 'source', adds: sourceRow },
  source_changed: {
    point: 'source',
    sets: { table: 'sources', set: 'posted+ held+ last_entry+', by: 'end_user_id mode id' },
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
  usage: { point: 'usage', adds: usageRow },
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
  key_used: { point: 'key', sets: { table: 'keys', set: 'last_used_at_ms+', by: 'id' } },
  /** From that day on the sums of everyone are not made any more (usage-fold.ts); each engine has its own SQL. */
  unfold: { point: 'day' },
} as const satisfies Record<string, Write>

export type WriteKind = keyof typeof writes

export interface Write {
  /** Where a test makes it fail. */
  readonly point: WritePoint
  readonly adds?: NewRow<never>
  readonly sets?: Change
}

export function namesOf(columns: string): string[] {
  return columnsOf(columns).map(({ name }) => name)
}
