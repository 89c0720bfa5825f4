/** Routers one behind the other, the one that is asked for included. */
const depthMax = 4

/** Routers that one leads to, by each way that leads there: every call looks at the targets of all of them. */
const routersMax = 32

export type RoutersFault =
  /** The names from one to itself: `a`, `b`, `a`. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  /** The first names of a row that has more than four. */
  | { readonly kind: 'too_deep'; readonly path: readonly string[] }
  /** `path` is the one router that leads to too many. */
  | { readonly kind: 'too_many'; readonly path: readonly string[]; readonly routers: number }

/**
 * Whether every router leads to an end within what a call can look at, given all routers of an application as they
 * would be after a save. Null: yes; otherwise the first fault in their order.
 *
 * @param routers each by its name, with the names of those that it leads to; one that is not there leads nowhere
 */
export function validateRouters(routers: ReadonlyMap<string, readonly string[]>): RoutersFault | null {
  const extents = new Map<string, Extent>()
  for (const name of routers.keys()) {
    const extent = extentOf([name], routers, extents)
    if ('kind' in extent) return extent
  }
  return null
}

/** What a router without a fault leads to. */
interface Extent {
  /** The longest row of routers, itself first. */
  readonly row: readonly string[]
  readonly routers: number
}

/** Each router is examined once, however many ways lead to it. `path`: from where this began to the router. */
function extentOf(
  path: readonly string[],
  routers: ReadonlyMap<string, readonly string[]>,
  extents: Map<string, Extent>,
): Extent | RoutersFault {
  const name = path.at(-1) ?? ''
  const known = extents.get(name)
  if (known !== undefined) return known
  let longest: readonly string[] = []
  let count = 0
  for (const next of routers.get(name) ?? []) {
    const longer = [...path, next]
    if (path.includes(next)) return { kind: 'cycle', path: longer.slice(path.indexOf(next)) }
    const below = extentOf(longer, routers, extents)
    if ('kind' in below) return below
    count += 1 + below.routers
    if (below.row.length > longest.length) longest = below.row
  }
  const row = [name, ...longest]
  if (row.length > depthMax) return { kind: 'too_deep', path: row }
  if (count > routersMax) return { kind: 'too_many', path: [name], routers: count }
  const extent = { row, routers: count }
  extents.set(name, extent)
  return extent
}
