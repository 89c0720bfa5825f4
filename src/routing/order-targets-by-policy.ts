import { rendezvousDraw } from './rendezvous-hash.ts'
import type { Branch, Leaf, LeafHealth, Policy, RouteNode, RoutedCall, Skip } from './route-tree-types.ts'

export interface Candidate<L extends Leaf> {
  readonly leaf: L
  readonly path: readonly string[]
  readonly skip: Skip | null
  readonly expectedMicros: number
  readonly health: LeafHealth
  /** Calls in flight, divided by the number that counts as full load. */
  readonly load: number
}

export interface Option<L extends Leaf> {
  readonly branch: Branch<L>
  readonly candidates: readonly Candidate<L>[]
}

/**
 * For this share of calls, `fastest` picks a random target. Without these calls, a slow target that has become fast
 * would never be detected. The share is small, because each of these calls may be slow.
 */
const explorationShare = 0.03

/** The first branch serves the call, and all other branches are fallbacks. */
export function orderBranches<L extends Leaf>(
  node: RouteNode<L>,
  options: readonly Option<L>[],
  call: RoutedCall,
  random: () => number,
): readonly Option<L>[] {
  const { policy } = node
  if (options.length < 2 || policy === 'priority') return options
  const scored = options.map((option) => ({ option, ...scores[policy](option, node, call, random) }))
  scored.sort((one, other) => one.score - other.score || one.tie - other.tie || 0)
  const ordered = scored.map(({ option }) => option)
  return policy === 'fastest' ? withChance(ordered, random) : ordered
}

type Score = <L extends Leaf>(
  option: Option<L>,
  node: RouteNode<L>,
  call: RoutedCall,
  random: () => number,
) => { readonly score: number; readonly tie: number }

/** Lowest score first, then lowest `tie`, then the listed order. */
const scores: Readonly<Record<Exclude<Policy, 'priority'>, Score>> = {
  // An exponential race draws all branches by weight without replacement (Efraimidis and Spirakis 2006). If a branch
  // fails, the other branches share its calls by weight. A branch with weight 0 comes last.
  weighted: ({ branch }, _node, _call, random) => ({
    score: branch.weight > 0 ? -Math.log(1 - random()) / branch.weight : Infinity,
    tie: 0,
  }),
  sticky: ({ branch }, node, call) => ({
    score: rendezvousDraw(personOf(node, call), identityOf(branch), branch.weight),
    tie: 0,
  }),
  cheapest: ({ candidates }) => ({ score: best(candidates, ({ expectedMicros }) => expectedMicros), tie: 0 }),
  fastest: ({ candidates }) => ({ score: best(candidates, ({ health }) => slowness(health)), tie: 0 }),
  // Break ties by chance, so that the first of several idle targets does not get every call.
  leastBusy: ({ candidates }, _node, _call, random) => ({
    score: best(candidates, ({ load }) => load),
    tie: random(),
  }),
}

/** Ranks a node by its best available target. If none is available, ranks the node by its best target. */
function best<L extends Leaf>(
  candidates: readonly Candidate<L>[],
  scoreOf: (candidate: Candidate<L>) => number,
): number {
  let least = Infinity
  let leastTakeable = Infinity
  let isTakeable = false
  for (const candidate of candidates) {
    const score = scoreOf(candidate)
    if (score < least) least = score
    if (candidate.skip !== null) continue
    isTakeable = true
    if (score < leastTakeable) leastTakeable = score
  }
  return isTakeable ? leastTakeable : least
}

/**
 * A target without measurements comes first, so that a call measures it. While that call is in flight, the target comes
 * last.
 */
function slowness({ firstTokenMs, inFlight }: LeafHealth): number {
  if (firstTokenMs !== null) return firstTokenMs
  return inFlight === 0 ? -1 : Infinity
}

/**
 * Puts the faster of two random targets first. If all calls went to the fastest target, each new measurement would move
 * all calls and overload the next target (Mitzenmacher, "How Useful Is Old Information?", 2000).
 */
function withChance<L extends Leaf>(
  ordered: readonly Option<L>[],
  random: () => number,
): readonly Option<L>[] {
  const takeable = ordered.filter(({ candidates }) => candidates.some(({ skip }) => skip === null))
  const [fastest] = takeable
  if (takeable.length < 2 || fastest === undefined) return ordered
  if (best(fastest.candidates, ({ health }) => slowness(health)) < 0) return ordered
  const one = Math.floor(random() * takeable.length)
  const isExploring = random() < explorationShare
  const step = 1 + Math.floor(random() * (takeable.length - 1))
  const first = takeable[isExploring ? one : Math.min(one, (one + step) % takeable.length)] ?? fastest
  return [first, ...ordered.filter((option) => option !== first)]
}

/** The end user's ID is part of the key, because two end users may use the same session name. */
function personOf<L extends Leaf>(node: RouteNode<L>, call: RoutedCall): string {
  if (node.stickyBy === 'end_user' || call.session === null) return call.endUserId
  return `${call.endUserId}\n${call.session}`
}

function identityOf<L extends Leaf>({ to }: Branch<L>): string {
  return to.kind === 'leaf' ? to.key : to.name
}
