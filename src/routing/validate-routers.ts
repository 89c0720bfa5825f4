export interface RouterLinks {
  readonly name: string
  readonly targets: readonly {
    readonly to:
      | { readonly kind: 'alias' | 'router'; readonly name: string }
      /** A pair of an account and a model. */
      | { readonly kind: 'source' }
  }[]
}

export type RouterFault =
  /** Such as `a -> b -> a`. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  /** The path is one router longer than allowed. */
  | { readonly kind: 'too_deep'; readonly path: readonly string[] }
  | { readonly kind: 'unknown_target'; readonly router: string; readonly target: string }
  /** Every call examines all targets, so their number is limited. */
  | { readonly kind: 'too_many_targets'; readonly router: string; readonly targets: number }

export const routerLimits = { depthMax: 4, targetsMax: 64 }

/**
 * Checks that every path through an application's routers ends at a source. Returns the fault of the first invalid
 * router, or null.
 *
 * @param routers all routers as they will be after the change
 * @param sourcesOf returns the number of sources of an alias; null if the alias does not exist
 */
export function validateRouters(
  routers: Iterable<RouterLinks>,
  sourcesOf: (alias: string) => number | null,
): RouterFault | null {
  const byName = new Map<string, RouterLinks>()
  for (const router of routers) byName.set(router.name, router)
  const examined = new Map<string, Extent>()
  for (const router of byName.values()) {
    const fault = examine(router, [router.name], { byName, sourcesOf, examined })
    if (fault !== null) return fault
  }
  return null
}

interface Extent {
  /** The longest chain of routers that starts with this router. */
  readonly path: readonly string[]
  /** Pairs of account and model below this router. A pair counts once for each path to it. */
  readonly targets: number
}

interface Examination {
  readonly byName: ReadonlyMap<string, RouterLinks>
  readonly sourcesOf: (alias: string) => number | null
  /** Each router is examined once, even if several paths reach it. */
  readonly examined: Map<string, Extent>
}

/** @param path from the first examined router to this router, including both */
function examine(router: RouterLinks, path: readonly string[], all: Examination): RouterFault | null {
  if (all.examined.has(router.name)) return null
  let longest: readonly string[] = []
  let targets = 0
  for (const { to } of router.targets) {
    if (to.kind === 'source') {
      targets++
      continue
    }
    const unknown: RouterFault = { kind: 'unknown_target', router: router.name, target: to.name }
    if (to.kind === 'alias') {
      const sources = all.sourcesOf(to.name)
      if (sources === null) return unknown
      targets += sources
      continue
    }
    const next = all.byName.get(to.name)
    if (next === undefined) return unknown
    const seenAt = path.indexOf(to.name)
    if (seenAt >= 0) return { kind: 'cycle', path: [...path.slice(seenAt), to.name] }
    const fault = examine(next, [...path, to.name], all)
    if (fault !== null) return fault
    const below = all.examined.get(to.name)
    if (below === undefined) continue
    targets += below.targets
    if (below.path.length > longest.length) longest = below.path
  }
  const extent = { path: [router.name, ...longest], targets }
  if (extent.path.length > routerLimits.depthMax) return { kind: 'too_deep', path: extent.path }
  if (targets > routerLimits.targetsMax) return { kind: 'too_many_targets', router: router.name, targets }
  all.examined.set(router.name, extent)
  return null
}
