import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage in three collections, because the first collection keeps texts that were used in the current
 * turn of the event loop.
 */
export function collectGarbage(): void {
  for (let at = 0; at < 3; at++) collect()
}

/** Collects garbage in several turns of the event loop, until the functions for collected objects have run. */
export async function finalizeGarbage(): Promise<void> {
  for (let at = 0; at < 3; at++) {
    // oxlint-disable-next-line no-await-in-loop -- objects of one turn are collected in a later turn
    await nextTurn()
    collect()
  }
  await nextTurn()
}

function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
