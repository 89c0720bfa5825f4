/** A statement lists a month from its opening balance to its closing balance. */
import type { types } from '#sdk/portal.ts'
import { csvLine } from '#safe-text/csv.ts'
import type { Known } from '#web/ui/known-words.ts'
import { dollarsCell } from '#web/portal/csv-amounts.ts'

type Entry = Pick<
  types.LedgerEntry,
  'id' | 'kind' | 'amountUnits' | 'balanceAfterUnits' | 'createdAt' | 'reason' | 'requestId'
>

export function before({ amountUnits, balanceAfterUnits }: Entry): bigint {
  return BigInt(balanceAfterUnits) - BigInt(amountUnits)
}

/** Such as `2026-11` and the twelve months before, newest first, in UTC. */
export function monthsBack(nowMs: number): string[] {
  const now = new Date(nowMs)
  return Array.from({ length: 13 }, (_, by) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - by, 1)).toISOString().slice(0, 7),
  )
}

export interface Statement {
  readonly openingMicros: bigint
  readonly closingMicros: bigint
  /** Oldest first. */
  readonly entries: readonly Entry[]
}

/** @param entries newest first, at least from the end of the month back to the last entry before the month */
export function statementOf(entries: readonly Entry[], month: string): Statement {
  const upTo = entries.filter(({ createdAt }) => createdAt.slice(0, 7) <= month)
  const own = upTo.filter(({ createdAt }) => createdAt.slice(0, 7) === month).toReversed()
  const older = upTo.find(({ createdAt }) => createdAt.slice(0, 7) < month)
  const [first] = own
  const openingMicros = first ? before(first) : BigInt(older?.balanceAfterUnits ?? 0)
  return {
    openingMicros,
    closingMicros: BigInt(own.at(-1)?.balanceAfterUnits ?? openingMicros),
    entries: own,
  }
}

export function statementCsv({ closingMicros, entries, openingMicros }: Statement, month: string): string {
  return [
    ['time (UTC)', 'type', 'amount (USD)', 'balance after (USD)', 'reason', 'request', 'entry'],
    [`${month}-01T00:00:00.000Z`, 'opening balance', null, dollarsCell(openingMicros), null, null, null],
    ...entries.map(({ amountUnits, balanceAfterUnits, createdAt, id, kind, reason, requestId }) => [
      createdAt,
      kindWords(kind),
      dollarsCell(amountUnits),
      dollarsCell(balanceAfterUnits),
      reason,
      requestId,
      id,
    ]),
    [null, 'closing balance', null, dollarsCell(closingMicros), null, null, null],
  ]
    .map(csvLine)
    .join('')
}

export function kindWords(kind: string): string {
  return kinds[kind] ?? kind
}

const kinds: Readonly<Record<string, string>> = {
  topup: 'Top-up',
  grant: 'Credit added',
  usage_debit: 'Request',
  refund: 'Refund',
  reversal: 'Credit reversed',
  adjustment: 'Correction',
} satisfies Readonly<Record<Known<types.LedgerEntry['kind']>, string>>
