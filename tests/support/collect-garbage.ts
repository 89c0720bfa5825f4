import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage in three collections, because the first collection keeps texts that were used in the current
 * turn of the event loop.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  for (let at = 0; at < 3; at++) runInNewContext('gc')()
}

export async function finalizeGarbage(): Promise<void> {
  for (let at = 0; at < 5; at++) {
    // oxlint-disable-next-line no-await-in-loop -- objects of one turn are collected in a later turn
    await nextTurn()
    collectGarbage()
  }
  await nextTurn()
}
