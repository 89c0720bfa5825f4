import { pruneStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface PruneOptions {
  readonly requestsOlderThan: number
  readonly data?: string
}

/**
 * `tollgate prune --requests-older-than 30d`: deletes records of requests that were not charged. Works while servers
 * run, and can be repeated after an interruption. Exits 2 if the store cannot be used.
 */
export function prune({ data, requestsOlderThan }: PruneOptions): Promise<void> {
  return runOnStore('prune', data, async (location) => {
    const beforeMs = Date.now() - requestsOlderThan
    const { months, rows } = await pruneStore(location, beforeMs)
    const whole =
      months.length === 0
        ? ''
        : `, including ${months.length} complete ${months.length === 1 ? 'month' : 'months'}`
    console.log(
      `Removed ${rows} ${rows === 1 ? 'record' : 'records'} of uncharged requests before ${new Date(beforeMs).toISOString()}${whole}. Charged requests and the ledger are unchanged.`,
    )
  })
}
