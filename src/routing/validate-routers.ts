/** Routers one behind the other, the one that is asked for included. */
const depthMax = 4

export type RoutersFault =
  | { readonly kind: 'cycle'; readonly path: string[] }
  | { readonly kind: 'too_deep'; readonly path: string[] }

/**
 * Looks for a path that comes back to where it was, or that leads through too many routers.
 * @param routers each by its name, with the names of those that it leads to
 */
export function validateRouters(routers: ReadonlyMap<string, readonly string[]>): RoutersFault | null {
  for (const name of routers.keys()) {
    const fault = faultFrom([name], routers)
    if (fault) return fault
  }
  return null
}

function faultFrom(path: string[], routers: ReadonlyMap<string, readonly string[]>): RoutersFault | null {
  for (const next of routers.get(path.at(-1) ?? '') ?? []) {
    const longer = [...path, next]
    if (path.includes(next)) return { kind: 'cycle', path: longer.slice(path.indexOf(next)) }
    if (longer.length > depthMax) return { kind: 'too_deep', path: longer }
    const fault = faultFrom(longer, routers)
    if (fault) return fault
  }
  return null
}
