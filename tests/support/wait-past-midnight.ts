import { setTimeout as delay } from 'node:timers/promises'

const dayMs = 86_400_000
/** Even on a slow machine, a test that calls `dayWithRoom` takes less than this time. */
const roomMs = 100_000

/**
 * Resolves when neither the day nor the month ends within the next minutes. Tests that check counts by a server's own
 * clock call `dayWithRoom` first. `dayWithRoom` waits only in the last minutes of a day.
 */
export async function dayWithRoom(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < roomMs) await delay(leftMs)
}
