import { setImmediate as nextTurn } from 'node:timers/promises'
import { hourMs } from '#money/periods-and-windows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { HourPart } from '#store/sql/hour-sums-interface.ts'
import { clockAheadMs, eachEndedCall } from './read-ended-calls-by-time.ts'
import { HourSums } from './sums-of-one-hour.ts'

/** A time that no clock shows, but that IDs can contain. */
const endOfTimeMs = 2 ** 49

/**
 * Adds up the calls of all applications that ended since the beginning of an hour. Calls of test mode are omitted if
 * the test clock is ahead, because sums in memory do not replace their rows (nouns/reports/hours-without-stored-sums.ts).
 * @param limits the maximum number of calls to read, and the maximum number of sums
 * @returns null if a limit is exceeded
 */
export async function sumsOfHoursSince(
  query: Query,
  fromHour: number,
  limits: { readonly callsMax: number; readonly sumsMax: number },
): Promise<readonly HourPart[] | null> {
  const applications = await query.selectFrom('applications').select('id').execute()
  const parts: HourPart[] = []
  let hours = new Map<number, HourSums>()
  let [calls, sumsBefore] = [0, 0]
  const isTooMuch = (): boolean => calls > limits.callsMax || sumsBefore + sizeOf(hours) > limits.sumsMax
  const turn = async (): Promise<void> => {
    if (isTooMuch()) throw new TooMuch()
    await nextTurn()
  }
  try {
    for (const { id: applicationId } of applications)
      for (const mode of ['live', 'test'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one application at a time
        if ((await clockAheadMs(query, applicationId, mode)) > 0) continue
        const span = { applicationId, mode, fromMs: fromHour * hourMs, toMs: endOfTimeMs }
        // oxlint-disable-next-line no-await-in-loop -- see above
        await eachEndedCall(
          query,
          span,
          (call) => {
            calls += 1
            const hour = Math.floor(call.endedAtMs / hourMs)
            let sums = hours.get(hour)
            if (sums === undefined) hours.set(hour, (sums = new HourSums()))
            sums.add(call)
          },
          { hasMoney: true, turn },
        )
        if (isTooMuch()) return null
        for (const [hour, sums] of hours)
          parts.push({ applicationId, mode, hour, rows: sums.rows({ applicationId, mode, hour }) })
        sumsBefore += sizeOf(hours)
        hours = new Map()
      }
  } catch (error) {
    if (error instanceof TooMuch) return null
    throw error
  }
  return parts
}

class TooMuch extends Error {}

function sizeOf(hours: ReadonlyMap<number, HourSums>): number {
  return hours.values().reduce((sum, { size }) => sum + size, 0)
}
