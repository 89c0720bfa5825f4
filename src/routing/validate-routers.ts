/** What of a router matters for where it leads; the customer's definition has these fields. */
export interface RouterLinks {
  readonly name: string
  readonly targets: readonly {
    readonly to:
      | { readonly kind: 'alias' | 'router'; readonly name: string }
      /** An account with a model: the end of a way. */
      | { readonly kind: 'source' }
  }[]
}

export type RouterFault =
  /** `a -> b -> a` as its names. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  /** Routers in a row: one more than may be. */
  | { readonly kind: 'too_deep'; readonly path: readonly string[] }
  | { readonly kind: 'unknown_target'; readonly router: string; readonly target: string }
  /** Each call looks at all of them. */
  | { readonly kind: 'too_many_targets'; readonly router: string; readonly targets: number }

export const routerLimits = { depthMax: 4, targetsMax: 64 }

/**
 * Whether every router of an application leads to an end, given all of them as they would be after a save. Null: yes;
 * otherwise the first fault in the order of the routers.
 *
 * @param sourcesOf How many sources an alias has; null: there is no alias of that name.
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

/** What is below a router that has no fault. */
interface Extent {
  /** The longest row of routers, itself first. */
  readonly path: readonly string[]
  /** Accounts with a model, however often each. */
  readonly targets: number
}

interface Examination {
  readonly byName: ReadonlyMap<string, RouterLinks>
  readonly sourcesOf: (alias: string) => number | null
  /** Each router is examined once, however many ways lead to it. */
  readonly examined: Map<string, Extent>
}

/** `path`: the routers from where the examination began to this one, both included. */
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
