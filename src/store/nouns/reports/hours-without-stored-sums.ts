/**
 * Sums of the hours that have no stored sums yet (call-sums-by-hour.ts). The process keeps the sums of calls that it
 * ends in memory, and reads the calls of other hours. Memory may not cover an hour after a recent start, or while other
 * processes use the database. A test clock that is ahead has the same effect (ledger/track-complete-hours.ts).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hourMs } from '#money/periods-and-windows.ts'
import {
  clockAheadMs,
  eachEndedCall,
  type EndedSpan,
  startOfNewest,
} from '#store/rows/read-ended-calls-by-time.ts'
import { HourSums } from '#store/rows/sums-of-one-hour.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { HourRows, HourSource, SeenHours } from '#store/sql/hour-sums-interface.ts'

/** The sums in memory. Null means that all calls are read. */
export type Memory = Pick<HourSource, 'peek'> | null

export interface UnstoredHours {
  /** The first hour without stored sums. Stored sums of earlier hours do not change when later hours are stored. */
  readonly openHour: number
  readonly sums: readonly HourRows[]
  /** Whether the sums contain all calls, and not only the newest. */
  readonly isWhole: boolean
}

export interface OpenAsked extends EndedSpan {
  readonly kind: keyof HourRows
  /** Approximate maximum number of calls to read, newest first. Null means no limit. */
  readonly callsMax: number | null
}

/** @param asked the time range begins and ends at full hours */
export async function unstoredHours(query: Query, memory: Memory, asked: OpenAsked): Promise<UnstoredHours> {
  const openHour = await firstUnstoredHour(query)
  const first = Math.max(openHour, asked.fromMs / hourMs)
  const end = asked.toMs / hourMs
  if (first >= end) return { openHour, sums: [], isWhole: true }
  const { fromHour, parts } = await seenHours(query, memory, { ...asked, throughHour: openHour - 1 })
  const seen = parts.filter(({ hour }) => hour >= Math.max(first, fromHour) && hour < end)
  const unseen = seen.filter(({ rows }) => rows === null).map(({ hour }) => spanOf(asked, hour, hour + 1))
  if (fromHour > first) unseen.push(spanOf(asked, first, Math.min(fromHour, end)))
  const { isWhole, sums } = await readHours(query, unseen, asked)
  return { openHour, sums: [...seen.flatMap(({ rows }) => rows ?? []), ...sums], isWhole }
}

export async function firstUnstoredHour(query: Query): Promise<number> {
  const fold = await query.selectFrom('call_fold').select('through_hour').executeTakeFirstOrThrow()
  return fold.through_hour + 1
}

const nothingSeen: SeenHours = { parts: [], fromHour: Infinity }

async function seenHours(
  query: Query,
  memory: Memory,
  asked: Parameters<HourSource['peek']>[0],
): Promise<SeenHours> {
  const { applicationId, kind, mode, throughHour } = asked
  // Memory is incomplete if a test clock is ahead. Calls then end in hours that have not begun, and an earlier process
  // may have ended some of these calls.
  if (memory === null || (await clockAheadMs(query, applicationId, mode)) > 0) return nothingSeen
  return memory.peek({ applicationId, mode, kind, throughHour })
}

function spanOf(asked: EndedSpan, fromHour: number, toHour: number): EndedSpan {
  return { ...asked, fromMs: fromHour * hourMs, toMs: toHour * hourMs }
}

async function readHours(
  query: Query,
  spans: readonly EndedSpan[],
  { applicationId, callsMax, kind, mode }: OpenAsked,
): Promise<Pick<UnstoredHours, 'sums' | 'isWhole'>> {
  if (spans.length === 0) return { sums: [], isWhole: true }
  const fromMs = Math.min(...spans.map((span) => span.fromMs))
  const toMs = Math.max(...spans.map((span) => span.toMs))
  const whole = { applicationId, mode, fromMs, toMs }
  const readFromMs = callsMax === null ? fromMs : await startOfNewest(query, whole, callsMax)
  const byHour = new Map<number, HourSums>()
  for (const span of spans) {
    if (span.toMs <= readFromMs) continue
    // oxlint-disable-next-line no-await-in-loop -- nearly always one time range
    await eachEndedCall(
      query,
      { ...span, fromMs: Math.max(span.fromMs, readFromMs) },
      (call) => {
        const hour = Math.floor(call.endedAtMs / hourMs)
        let sums = byHour.get(hour)
        if (sums === undefined) byHour.set(hour, (sums = new HourSums()))
        sums[kind].add(call)
      },
      { hasMoney: true, turn: nextTurn },
    )
  }
  const sums = [...byHour].map(([hour, of]) => of.rows({ applicationId, mode, hour }, kind))
  return { sums, isWhole: readFromMs <= fromMs }
}
