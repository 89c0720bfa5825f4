import { setTimeout as delay } from 'node:timers/promises'

const dayMs = 86_400_000
/** A test that calls `dayWithRoom` takes less than this time, even on a slow machine. */
const roomMs = 100_000

/**
 * Call this before counts are checked that depend on a server's own day or month. Waits only in the last minutes of a
 * day.
 */
export async function dayWithRoom(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < roomMs) await delay(leftMs)
}
