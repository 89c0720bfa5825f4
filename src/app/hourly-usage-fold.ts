import type { Logger } from '#domain/log.ts'
import type { Database } from '#store/sql/database.ts'
import { foldCallHours } from '#store/call-fold.ts'
import { foldUsageDays } from '#store/usage-fold.ts'

const everyMs = 3_600_000

/**
 * Sums up days and hours that are over, now and every hour. @returns a function that ends it and waits for work under way
 */
export function foldHourly(database: Database, log: Logger): () => Promise<void> {
  let running = Promise.resolve()
  const fold = async (): Promise<void> => {
    try {
      await foldUsageDays(database, Date.now())
      await foldCallHours(database, Date.now())
    } catch (err) {
      log.warn({ err }, 'could not sum up days and hours that are over; trying again in an hour')
    }
  }
  const run = (): void => {
    running = running.then(fold)
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return running
  }
}
