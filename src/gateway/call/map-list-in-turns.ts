import { setImmediate as nextTurn } from 'node:timers/promises'

const perTurn = 64

/**
 * Returns the results in the order of the items. After every 64 items, other calls are served. `work` runs on at most
 * 64 items at a time, so a batch cannot fill the queue of the ledger. If `work` fails, the items of later turns are not
 * started.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Result | Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += perTurn) {
    const some = items.slice(from, from + perTurn)
    // oxlint-disable-next-line no-await-in-loop -- other calls are served between two turns
    results.push(...(await Promise.all(some.map((item, at) => work(item, from + at)))))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await nextTurn()
  }
  return results
}
