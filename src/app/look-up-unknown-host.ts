/**
 * Other processes create applications too, so a host that is not in the table is looked up before it is rejected.
 * Waiting requests share one look-up, and at most four look-ups run per second. Requests for invented hosts therefore
 * cause little work for the store.
 */
import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 250

/** @param load reads the hosts again; its error is thrown to all waiting requests */
export function reloadForUnknownHost(load: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | null = null
  let startedMs = -Infinity
  const begin = async (): Promise<void> => {
    const waitMs = startedMs + everyMs - performance.now()
    await (waitMs > 0 ? delay(waitMs) : null)
    // A look-up in progress may miss the host of a later request, so later requests share the next look-up.
    next = null
    startedMs = performance.now()
    await load()
  }
  return () => (next ??= begin())
}
