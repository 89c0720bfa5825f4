import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SeriesAsked } from '#domain/reports/usage-series-interface.ts'
import { isLabelKind, labelAsked, namesOf } from '#store/rows/labels-of-calls.ts'
import { eachEndedGroup, type GroupColumn } from '#store/rows/group-ended-calls.ts'
import {
  type CallPart,
  eachEndedCall,
  type EndedCall,
  type EndedCalls,
  partsOf,
  startOfNewest,
} from '#store/rows/read-ended-calls-by-time.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { Cells } from './sums-by-group-and-time.ts'

const minuteMs = 60_000

/** @returns the start of the first minute for which all calls were read */
export async function addMinutes(
  query: Query,
  asked: SeriesAsked,
  callsMax: number,
  cells: Cells,
): Promise<{ readonly wholeFromMs: number; readonly isWhole: boolean }> {
  const { applicationId, fromMs, hasLatency, mode, toMs } = asked
  const span = { applicationId, mode, fromMs, toMs }
  const readFromMs = await startOfNewest(query, span, callsMax)
  const read = { ...span, fromMs: readFromMs }
  const by = groupColumnsFor(asked)
  const add = (calls: EndedCalls, count: number, timed: EndedCall | null): void => {
    const atMs = floorOf(calls.endedAtMs)
    for (const part of partsOf(calls)) {
      if (!isAsked(asked, calls, part)) continue
      for (const group of groupsOf(asked, calls, part)) cells.addPart(atMs, group, { calls, count, part })
      if (part.isCall && timed !== null) cells.addLatencyOf(atMs, timed)
    }
  }
  await (hasLatency
    ? eachEndedCall(query, read, (call) => add(call, 1, call), { hasMoney: true, turn: nextTurn })
    : eachEndedGroup(query, read, (group) => add(group, group.count, null), {
        by,
        figure: 'money',
        period: sql`ended_at_ms / ${sql.lit(minuteMs)}`,
        startOf: (minute) => minute * minuteMs,
        turn: nextTurn,
      }))
  const isWhole = readFromMs <= fromMs
  return { isWhole, wholeFromMs: isWhole ? fromMs : floorOf(readFromMs - 1) + minuteMs }
}

/** The columns that filter or group the calls of a series. The database adds up calls with equal columns. */
function groupColumnsFor(asked: SeriesAsked): GroupColumn[] {
  const { accountId, alias, bundle, by } = asked
  return [
    ...(by === 'provider' || accountId !== null ? (['account'] as const) : []),
    ...(by === 'model' || alias !== null ? (['alias'] as const) : []),
    ...(by === 'bundle' || bundle !== null ? (['bundle'] as const) : []),
    ...(isLabelKind(by) || labelAsked(asked) !== null ? (['tags'] as const) : []),
  ]
}

function isAsked(asked: SeriesAsked, call: EndedCalls, part: CallPart): boolean {
  const { accountId, alias, bundle } = asked
  const label = labelAsked(asked)
  return (
    (alias === null || call.alias === alias) &&
    (accountId === null || part.accountId === accountId) &&
    (bundle === null || part.bundle === bundle) &&
    (label === null || call.labels.includes(label))
  )
}

function groupsOf(
  { by }: SeriesAsked,
  { alias, labels }: EndedCalls,
  { accountId, bundle }: CallPart,
): readonly (string | null)[] {
  if (isLabelKind(by)) return namesOf(by, labels)
  if (by === 'model') return [alias]
  if (by === 'provider') return [accountId]
  return [by === 'bundle' ? bundle : null]
}

function floorOf(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs
}
