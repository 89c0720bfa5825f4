export interface Difference {
  /** Such as `price.input` or `sources.0.model`. */
  readonly path: string
  /** JSON. Null if the field did not exist. */
  readonly before: string | null
  readonly after: string | null
}

/** Keeps the field order of the older state. New fields follow. */
export function differencesOf(before: unknown, after: unknown): readonly Difference[] {
  const older = leavesOf(before, '')
  const newer = leavesOf(after, '')
  return [...new Set([...older.keys(), ...newer.keys()])].flatMap((path) => {
    const pair = { before: older.get(path) ?? null, after: newer.get(path) ?? null }
    return pair.before === pair.after ? [] : [{ path, ...pair }]
  })
}

function leavesOf(value: unknown, path: string): ReadonlyMap<string, string> {
  if (value === undefined || (value === null && path === '')) return new Map()
  const isHolder = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isHolder) return new Map([[path === '' ? 'value' : path, JSON.stringify(value)]])
  return new Map(
    Object.entries(value).flatMap(([name, one]) => [
      ...leavesOf(one, path === '' ? name : `${path}.${name}`),
    ]),
  )
}
