/**
 * Applications are made on other processes too. A process learns of one when a request names its host: a host that
 * is not in the table is looked up before it is refused. Requests that wait share one look-up, and there are
 * at most four a second, so that made-up hosts cost the store next to nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 250

/** @param load reads the hosts anew; what it throws is told to all that wait */
export function hostRefresh(load: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | null = null
  let startedMs = -Infinity
  const begin = async (): Promise<void> => {
    const waitMs = startedMs + everyMs - performance.now()
    await (waitMs > 0 ? delay(waitMs) : null)
    // A request from here on may be about a host that this look-up does not see: it shares the next one.
    next = null
    startedMs = performance.now()
    await load()
  }
  return () => (next ??= begin())
}
