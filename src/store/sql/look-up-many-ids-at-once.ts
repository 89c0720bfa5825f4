/** IDs without rows may be omitted from the result. */
export type LoadRows<Value, Scope extends string = string> = (
  scope: Scope,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Value>>

/**
 * Returns a function that looks up the value of one ID. All look-ups that begin before the first result share one
 * statement for each scope. A list therefore runs one statement for each kind of further data, not for each row.
 *
 * A scope, such as an application's ID, is a condition that all IDs of one statement have in common.
 */
export function lookUps<Value, Scope extends string>(
  load: LoadRows<Value, Scope>,
): (scope: Scope, id: string) => Promise<Value | undefined> {
  const waiting = new Map<Scope, { readonly ids: Set<string>; readonly found: ReturnType<LoadRows<Value>> }>()
  return async (scope, id) => {
    let batch = waiting.get(scope)
    if (batch === undefined) {
      const ids = new Set<string>()
      // Load in the next tick, because callbacks of resolved promises may begin further look-ups until then.
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
