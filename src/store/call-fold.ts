/**
 * Sums of the calls that ended in an hour, by account, name and bundle (`call_hours`). They are computed after the
 * hour, so that no call writes to a row that other calls also write to. `call_fold.through_hour` is the last summed
 * hour. A reader adds the calls since then (nouns/reports/reports.ts). A call whose end is stored later is included when the
 * hour is computed again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Mode } from '#domain/application-config.ts'
import { hourMs } from '#money/period.ts'
import type { Database, Query } from '#store/sql/database.ts'
import { type CallSum, CallSums } from '#store/rows/call-sums.ts'
import { type RunSum, RunSums } from '#store/rows/run-sums.ts'
import { TargetSums } from '#store/rows/target-sums.ts'
import { columnsOf } from '#store/sql/columns.ts'
import { columnsOfFailed, columnsOfMoney } from '#store/sql/figure-columns.ts'
import type { FigureColumns } from '#store/sql/schema.ts'
import type { CallFigures, TargetFigures } from '#domain/reports/reports.ts'
import { eachEndedCall } from '#store/rows/ended-calls.ts'
import { suffixMs } from '#domain/id.ts'
import { serverReader } from '#domain/store.ts'

/** The maximum delay, in milliseconds, after which the end of a call is certainly committed. */
const lateMs = 120_000
/** Number of earlier hours that are computed again, for ends that were kept while the store was away. */
const againHours = 3

/** Computes the missing hours, one per transaction. Repeating it is safe, also in several processes. */
export async function foldCallHours(database: Database, nowMs: number): Promise<void> {
  const last = Math.floor((nowMs - lateMs) / hourMs) - 1
  const read = database.readFor(serverReader)
  const { through_hour: through } = await read
    .selectFrom('call_fold')
    .select('through_hour')
    .executeTakeFirstOrThrow()
  if (through >= last) return
  const applications = await read.selectFrom('applications').select('id').execute()
  const first = through < 0 ? await firstHour(read, applications, last) : through - againHours + 1
  let made = through
  for (let hour = first; hour <= last; hour++) {
    const sums: HourSum[] = []
    const asked: TargetHour[] = []
    const runs: RunHour[] = []
    for (const { id } of applications)
      for (const mode of ['live', 'test'] as const) {
        const of = new CallSums()
        const targets = new TargetSums()
        const ofRuns = new RunSums()
        const span = { applicationId: id, mode, fromMs: hour * hourMs, toMs: (hour + 1) * hourMs }
        // oxlint-disable-next-line no-await-in-loop -- one hour of one application at a time
        await eachEndedCall(
          read,
          span,
          (call) => {
            of.add(call)
            targets.add(call)
            ofRuns.add(call)
          },
          { hasMoney: true, turn: nextTurn },
        )
        asked.push(...targets.all().map((sum) => ({ ...sum, applicationId: id, mode })))
        runs.push(...ofRuns.all().map((sum) => ({ ...sum, applicationId: id, mode })))
        sums.push(...of.all().map((sum) => ({ ...sum, applicationId: id, mode })))
      }
    // oxlint-disable-next-line no-await-in-loop -- see above
    const isMade = await database.transaction((tx) => writeHour(tx, hour, made, { sums, asked, runs }))
    if (!isMade) return
    made = Math.max(made, hour)
    // oxlint-disable-next-line no-await-in-loop -- see above
    await nextTurn()
  }
}

interface TargetHour extends TargetFigures {
  readonly applicationId: string
  readonly mode: Mode
}

interface RunHour extends RunSum {
  readonly applicationId: string
  readonly mode: Mode
}

interface HourSum extends CallSum {
  readonly applicationId: string
  readonly mode: Mode
}

/** Returns the hour of the oldest call, or the last hour if there is no call. */
async function firstHour(
  query: Query,
  applications: readonly { readonly id: string }[],
  last: number,
): Promise<number> {
  let first = last
  for (const { id } of applications)
    for (const table of ['usage_records', 'requests'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- runs once in the life of a store
      const row = await query
        .selectFrom(table)
        .select('call_id')
        .where('application_id', '=', id)
        .where('mode', 'in', ['live', 'test'])
        .orderBy('call_id')
        .limit(1)
        .executeTakeFirst()
      const ms = row ? suffixMs(row.call_id) : null
      if (ms !== null) first = Math.min(first, Math.floor(ms / hourMs))
    }
  return first
}

/** @returns false if another process has written the hour in the meantime; then nothing was done */
async function writeHour(
  tx: Query,
  hour: number,
  through: number,
  {
    asked,
    runs,
    sums,
  }: {
    readonly sums: readonly HourSum[]
    readonly asked: readonly TargetHour[]
    readonly runs: readonly RunHour[]
  },
): Promise<boolean> {
  const claimed = await tx
    .updateTable('call_fold')
    .set({ through_hour: Math.max(through, hour) })
    .where('id', '=', 1)
    .where('through_hour', '=', through)
    .executeTakeFirst()
  if (claimed.numUpdatedRows === 0n) return false
  await tx.deleteFrom('call_hours').where('hour', '=', hour).execute()
  await tx.deleteFrom('target_hours').where('hour', '=', hour).execute()
  await tx.deleteFrom('run_hours').where('hour', '=', hour).execute()
  for (const sum of sums) {
    // oxlint-disable-next-line no-await-in-loop -- few iterations
    await tx
      .insertInto('call_hours')
      .values({
        application_id: sum.applicationId,
        mode: sum.mode,
        hour,
        account_id: sum.accountId ?? '',
        alias: sum.alias ?? '',
        bundle: sum.bundle ?? '',
        charged: sum.charged,
        ...figureColumns(sum),
        ...columnsOfMoney(sum),
      })
      .execute()
  }
  for (const sum of asked) {
    const { accountId: account_id, applicationId: application_id, mode, model } = sum
    // oxlint-disable-next-line no-await-in-loop -- few iterations
    await tx
      .insertInto('target_hours')
      .values({ application_id, mode, hour, account_id, model, ...figureColumns(sum) })
      .execute()
  }
  for (const sum of runs) {
    const { applicationId: application_id, calls, mode, run } = sum
    // oxlint-disable-next-line no-await-in-loop -- few iterations
    await tx
      .insertInto('run_hours')
      .values({ application_id, mode, hour, ...columnsOf(run), calls, ...columnsOfMoney(sum) })
      .execute()
  }
  return true
}

function figureColumns({ calls, failed, firstByteMs, latencyMs }: CallFigures): FigureColumns {
  return {
    calls,
    ...columnsOfFailed(failed),
    latency: latencyMs.toText(),
    first_byte: firstByteMs.toText(),
  }
}
