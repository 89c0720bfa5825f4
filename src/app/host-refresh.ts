/**
 * Other processes make applications too. A host that is not in the table is looked up before it is refused.
 * Requests that wait share one look-up, and there are at most four a second, so that made-up hosts cost the
 * store next to nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 250

/** @param load reads the hosts again; its error goes to all that wait */
export function hostRefresh(load: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | null = null
  let startedMs = -Infinity
  const begin = async (): Promise<void> => {
    const waitMs = startedMs + everyMs - performance.now()
    await (waitMs > 0 ? delay(waitMs) : null)
    // This look-up may miss the host of a later request: later requests share the next one.
    next = null
    startedMs = performance.now()
    await load()
  }
  return () => (next ??= begin())
}
