/**
 * Reads groups of equal calls. The database adds up the calls faster than this process reads their rows. Most reports
 * use few columns, and most calls have the same values in these columns.
 */
import { type RawBuilder, sql } from 'kysely'
import { moneyColumns, summed } from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import {
  type CommonColumns,
  decoder,
  eachRow,
  type EndedCalls,
  type EndedSpan,
  isOfCharges,
  type List,
} from './read-ended-calls-by-time.ts'

/** `money` adds the sums of money. `durations` adds the durations of each call. */
type GroupFigure = 'money' | 'durations'
/** `account` also separates calls with failed attempts, whose money is divided among their providers. */
export type GroupColumn = 'account' | 'alias' | 'bundle' | 'tags'

interface EndedGrouping {
  readonly by: readonly GroupColumn[]
  readonly figure: GroupFigure
  /** SQL for the period of a call that ended at `ended_at_ms`: an integer. */
  readonly period: RawBuilder<unknown>
  /** Returns the start of a period. */
  readonly startOf: (period: number) => number
  /** Maximum number of calls that a statement reads. */
  readonly rowsMax?: number
  readonly turn?: (() => Promise<unknown>) | undefined
}

export interface EndedGroup extends EndedCalls {
  readonly count: number
  /** Empty if durations were not read. In no particular order. */
  readonly latenciesMs: readonly number[]
  /** Calls without a first byte have none. */
  readonly firstBytesMs: readonly number[]
}

/** The database adds up this many calls in a few milliseconds. */
const groupedRowsAtOnce = 5_000

/**
 * Passes calls as one if they ended in the same period with the same result, and have equal `by`. Columns that are not
 * in `by` are passed as null or empty. Their money is a sum. Groups come in the order of `eachEndedCall`, by the newest
 * call of each group.
 */
export async function eachEndedGroup(
  query: Query,
  span: EndedSpan,
  each: (group: EndedGroup) => void,
  { by, figure, period, rowsMax = groupedRowsAtOnce, startOf, turn }: EndedGrouping,
): Promise<void> {
  const hasMoney = figure === 'money'
  const decode = decoder(hasMoney)
  await eachRow<GroupRow>(query, span, {
    hasMoney,
    turn,
    rowsMax,
    grouped: (rows, list) => grouped(rows, list, { by, figure, period }),
    take(row, isCharged) {
      each({
        ...decode({ ...row, ended_at_ms: startOf(row.period) }, isCharged),
        count: row.calls,
        latenciesMs: numbersIn(row.latencies),
        firstBytesMs: numbersIn(row.first_bytes),
      })
      return row.calls
    },
  })
}

/**
 * The money of a charge includes the costs of its failed attempts. The attempts of charged calls therefore matter only
 * if calls are grouped by account, or if durations are counted. Uncharged calls have no other money.
 */
function grouped(
  rows: RawBuilder<unknown>,
  list: List,
  { by, figure, period }: Pick<EndedGrouping, 'by' | 'figure' | 'period'>,
): RawBuilder<unknown> {
  const hasAttempts = by.includes('account') || figure === 'durations' || !isOfCharges(list)
  const names = [
    ...(by.includes('account') ? ['target'] : []),
    ...(by.includes('alias') ? ['alias'] : []),
    ...(by.includes('bundle') ? ['bundle'] : []),
    ...(by.includes('tags') ? ['tags'] : []),
    ...(hasAttempts ? ['attempts'] : []),
    'http_status',
    'error_code',
  ]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const single = hasAttempts ? sql`, CASE WHEN attempts IS NULL THEN '' ELSE call_id END` : sql``
  const sums = figure === 'durations' ? durations : isOfCharges(list) ? summedMoney : sql``
  return sql`SELECT min(call_id) AS call_id, ${period} AS period, count(*) AS calls, ${columns}${sums}
    FROM (${rows}) AS calls GROUP BY 2, ${columns}${single} ORDER BY max(call_id) DESC`
}

const durations = sql`, string_agg(CAST(latency_ms AS TEXT), ',') AS latencies,
  string_agg(CAST(first_byte_ms AS TEXT), ',') AS first_bytes`

function numbersIn(text: string | null | undefined): readonly number[] {
  return text ? text.split(',').map(Number) : noNumbers
}

const noNumbers: readonly number[] = []

const summedMoney = sql.raw(`, ${summed(moneyColumns)}`)

interface GroupRow extends Omit<CommonColumns, 'ended_at_ms'> {
  readonly period: number
  readonly calls: number
  /** Null if no call has the duration. */
  readonly latencies?: string | null
  readonly first_bytes?: string | null
}
