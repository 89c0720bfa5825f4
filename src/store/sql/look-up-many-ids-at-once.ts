/** Finds the rows of several IDs with one SQL statement. IDs without rows may be omitted from the result. */
export type LoadRows<Value, Scope extends string = string> = (
  scope: Scope,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Value>>

/**
 * Returns a function that looks up the value of one ID. All look-ups that have begun before the first result share one
 * SQL statement for each scope. A list that reads further data for its rows therefore runs one SQL statement for each
 * kind of data, not for each row.
 *
 * A scope, such as the ID of an application, is a condition that all IDs of one SQL statement have in common.
 */
export function lookUps<Value, Scope extends string>(
  load: LoadRows<Value, Scope>,
): (scope: Scope, id: string) => Promise<Value | undefined> {
  const waiting = new Map<Scope, { readonly ids: Set<string>; readonly found: ReturnType<LoadRows<Value>> }>()
  return async (scope, id) => {
    let batch = waiting.get(scope)
    if (batch === undefined) {
      const ids = new Set<string>()
      // Load the IDs in the next tick. Until then, the callbacks of all resolved promises run, and these callbacks may
      // begin further look-ups.
      const { promise, resolve } = Promise.withResolvers<void>()
      void Promise.resolve().then(() => process.nextTick(resolve))
      const found = promise.then(() => {
        waiting.delete(scope)
        return load(scope, [...ids])
      })
      waiting.set(scope, (batch = { ids, found }))
    }
    batch.ids.add(id)
    const found = await batch.found
    return found.get(id)
  }
}

/** Groups rows by the ID that they were found by. */
export function grouped<Row, Item>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const row of rows) {
    const id = idOf(row)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [itemOf(row)])
    else group.push(itemOf(row))
  }
  return groups
}
