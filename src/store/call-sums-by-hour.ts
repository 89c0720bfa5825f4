/**
 * Adds up the calls that ended in each hour, by account, model name and bundle (`call_hours`). Also by target
 * (`target_hours`), by run (`run_hours`), and by tag or team (`tag_hours`). The sums of an hour are written only after
 * the hour has ended. Otherwise, concurrent calls would write to the same row. `call_fold.through_hour` is the last
 * hour with stored sums. Reports add the calls that ended later (nouns/reports/reports-of-store.ts).
 *
 * The process adds up its calls in memory as they end (ledger/hour-sums-of-ended-calls.ts). It reads rows only for
 * calls that are missing in memory (docs/decisions/2026-11-28-sums-for-reports.md):
 *
 * - calls of hours that began before the process started, or while other processes used the database
 * - calls whose end was stored late
 * - calls of test mode, if the test clock is ahead
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Mode } from '#domain/application-config.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import type { Database, Query } from '#store/sql/database-interface.ts'
import { noEndBeforeMs } from '#store/rows/first-end-of-calls.ts'
import { eachEndedCall } from '#store/rows/read-ended-calls-by-time.ts'
import { HourSums } from '#store/rows/sums-of-one-hour.ts'
import type { HourPart, HourRows, HourSource, TakenHours } from '#store/sql/hour-sums-interface.ts'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import { serverReader } from '#domain/store-interface.ts'

/** Maximum time from the end of a call to its commit. */
const lateMs = 120_000
/** Number of past hours that the job computes again from rows, if memory may lack calls of these hours. */
const againHours = 3
/**
 * A call whose end is stored more hours late is not added to the sums. The hour's failed calls may already be pruned,
 * so its sums can no longer be computed.
 */
const lateHoursMax = 48

/**
 * Writes the missing hours, one per transaction. Consecutive hours without calls share a transaction, for example after
 * a month without a server. Repeated runs are safe, even in several processes.
 * @param memory the sums in this process's memory; null means that all calls are read from rows
 * @param ending if this signal is aborted, no further hour is written; the next run writes the remaining hours
 */
export async function foldCallHours(
  database: Database,
  nowMs: number,
  memory: HourSource | null = null,
  ending: AbortSignal | null = null,
): Promise<void> {
  if (ending?.aborted) return
  const last = Math.floor((nowMs - lateMs) / hourMs) - 1
  const read = database.readFor(serverReader)
  const { through_hour: through } = await read
    .selectFrom('call_fold')
    .select('through_hour')
    .executeTakeFirstOrThrow()
  const taken = memory === null ? null : await memory.take({ lastHour: last, throughHour: through })
  let isDone = false
  try {
    isDone = await new Fold(database, read, taken ?? unseen, ending).run(through, last)
  } finally {
    if (!isDone) memory?.reset()
  }
}

const unseen: TakenHours = { parts: [], fromHour: Infinity, isNew: true }

interface Place {
  readonly applicationId: string
  readonly mode: Mode
  /** Whether a call's recorded end can be later than the real time, as with a test clock. */
  readonly isAhead: boolean
}

class Fold {
  readonly #database: Database
  readonly #read: Query
  readonly #taken: TakenHours
  readonly #ending: AbortSignal | null
  readonly #parts: ReadonlyMap<string, HourPart>

  constructor(database: Database, read: Query, taken: TakenHours, ending: AbortSignal | null) {
    this.#database = database
    this.#read = read
    this.#taken = taken
    this.#ending = ending
    this.#parts = new Map(taken.parts.map((part) => [nameOf(part, part.hour), part]))
  }

  /** @returns false if the work ended early, or if another process stores the sums of an hour at the same time */
  async run(through: number, last: number): Promise<boolean> {
    const { isNew, parts } = this.#taken
    const isDue = through < last
    if (!isDue && parts.length === 0) return true
    const places = await this.#places()
    const again = through < 0 ? await firstHour(this.#read, places, last) : through - againHours + 1
    const first = !isDue ? last + 1 : isNew || through < 0 ? again : through + 1
    let made = through
    for (let hour = first; hour <= last;) {
      if (this.#ending?.aborted) return false
      // oxlint-disable-next-line no-await-in-loop -- one hour at a time
      const rows = await this.#rowsOf(places, hour)
      // oxlint-disable-next-line no-await-in-loop -- see above
      const next = rows.every(isEmpty) ? await this.#nextHour(places, hour + 1, last) : hour + 1
      const hours = { from: hour, to: next - 1, through: made, rows }
      // oxlint-disable-next-line no-await-in-loop -- see above
      const isMade = await this.#database.transaction((tx) => writeHours(tx, hours))
      if (!isMade) return false
      made = Math.max(made, hours.to)
      hour = next
      // oxlint-disable-next-line no-await-in-loop -- see above
      await nextTurn()
    }
    for (const part of parts) {
      if (part.hour >= first || part.hour <= last - lateHoursMax) continue
      if (this.#ending?.aborted) return false
      // oxlint-disable-next-line no-await-in-loop -- late ends are rare
      const rows = await readHour(this.#read, part, part.hour)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await this.#database.transaction((tx) => writePart(tx, part, rows))
    }
    return true
  }

  async #places(): Promise<Place[]> {
    const applications = await this.#read
      .selectFrom('applications')
      .select(['id', 'test_clock_offset_ms'])
      .execute()
    return applications.flatMap(({ id: applicationId, test_clock_offset_ms: offsetMs }) => [
      { applicationId, mode: 'live' as const, isAhead: false },
      { applicationId, mode: 'test' as const, isAhead: (offsetMs ?? 0) > 0 },
    ])
  }

  async #rowsOf(places: readonly Place[], hour: number): Promise<HourRows[]> {
    const found: HourRows[] = []
    for (const place of places) {
      const part = this.#parts.get(nameOf(place, hour))
      const isSeen = hour >= this.#taken.fromHour && !place.isAhead
      if (isSeen && part === undefined) continue
      const known = isSeen && part !== undefined ? part.rows : null
      // oxlint-disable-next-line no-await-in-loop -- one application at a time
      found.push(known ?? (await readHour(this.#read, place, hour)))
    }
    return found
  }

  /** The first hour that may contain calls. `last + 1` if no hour may contain calls. */
  async #nextHour(places: readonly Place[], from: number, last: number): Promise<number> {
    let next = last + 1
    for (const { hour } of this.#taken.parts) if (hour >= from) next = Math.min(next, hour)
    for (const place of places) {
      if (from >= next || (from >= this.#taken.fromHour && !place.isAhead)) continue
      // oxlint-disable-next-line no-await-in-loop -- one application at a time
      const endMs = await noEndBeforeMs(this.#read, place, from * hourMs)
      next = Math.min(next, Math.floor(endMs / hourMs))
    }
    return next
  }
}

function isEmpty({ calls, runs, tags, targets }: HourRows): boolean {
  return calls.length + runs.length + tags.length + targets.length === 0
}

function nameOf({ applicationId, mode }: Pick<HourPart, 'applicationId' | 'mode'>, hour: number): string {
  return `${hour} ${mode} ${applicationId}`
}

async function readHour(
  read: Query,
  { applicationId, mode }: Pick<HourPart, 'applicationId' | 'mode'>,
  hour: number,
): Promise<HourRows> {
  const sums = new HourSums()
  const span = { applicationId, mode, fromMs: hour * hourMs, toMs: (hour + 1) * hourMs }
  await eachEndedCall(read, span, (call) => sums.add(call), { hasMoney: true, turn: nextTurn })
  return sums.rows({ applicationId, mode, hour })
}

/** `last` if the store has no calls. */
async function firstHour(query: Query, places: readonly Place[], last: number): Promise<number> {
  let first = last
  for (const { applicationId, mode } of places)
    for (const table of ['usage_records', 'requests'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- runs once in the life of a store
      const row = await query
        .selectFrom(table)
        .select('call_id')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .orderBy('call_id')
        .limit(1)
        .executeTakeFirst()
      const ms = row ? suffixMs(row.call_id) : null
      if (ms !== null) first = Math.min(first, Math.floor(ms / hourMs))
    }
  return first
}

interface Hours {
  readonly from: number
  /** The last hour, inclusive. */
  readonly to: number
  readonly through: number
  /** The sums of the hour `from`. The hours after it, up to `to`, contain no calls. */
  readonly rows: readonly HourRows[]
}

/** @returns false, and writes nothing, if another process has already stored the sums of these hours */
async function writeHours(tx: Query, { from, rows, through, to }: Hours): Promise<boolean> {
  const claimed = await tx
    .updateTable('call_fold')
    .set({ through_hour: Math.max(through, to) })
    .where('id', '=', 1)
    .where('through_hour', '=', through)
    .executeTakeFirst()
  if (claimed.numUpdatedRows === 0n) return false
  for (const table of tables) {
    // oxlint-disable-next-line no-await-in-loop -- four tables
    await tx.deleteFrom(table).where('hour', '>=', from).where('hour', '<=', to).execute()
  }
  for (const of of rows) {
    // oxlint-disable-next-line no-await-in-loop -- few iterations
    await insert(tx, of)
  }
  return true
}

const tables = ['call_hours', 'target_hours', 'run_hours', 'tag_hours'] as const

async function writePart(tx: Query, { applicationId, hour, mode }: HourPart, rows: HourRows): Promise<void> {
  for (const table of tables) {
    // oxlint-disable-next-line no-await-in-loop -- four tables
    await tx
      .deleteFrom(table)
      .where('application_id', '=', applicationId)
      .where('mode', '=', mode)
      .where('hour', '=', hour)
      .execute()
  }
  await insert(tx, rows)
}

async function insert(tx: Query, { calls, runs, tags, targets }: HourRows): Promise<void> {
  // oxlint-disable no-await-in-loop -- few rows
  for (const row of calls) await tx.insertInto('call_hours').values(row).execute()
  for (const row of targets) await tx.insertInto('target_hours').values(row).execute()
  for (const row of runs) await tx.insertInto('run_hours').values(row).execute()
  for (const row of tags) await tx.insertInto('tag_hours').values(row).execute()
  // oxlint-enable no-await-in-loop
}
