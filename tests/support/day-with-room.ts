import { setTimeout as delay } from 'node:timers/promises'

const dayMs = 86_400_000
/** Longer than the caller takes on a slow machine. */
const roomMs = 100_000

/**
 * Resolves once the day, and with it the month, does not end within the next minutes. It is for tests of counts that a
 * server makes by its own clock. It waits only in the last minutes of a day.
 */
export async function dayWithRoom(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < roomMs) await delay(leftMs)
}
