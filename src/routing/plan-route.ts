import { orderBranches, type Candidate } from './order-targets-by-policy.ts'
import type {
  Branch,
  CircuitState,
  HealthTarget,
  Leaf,
  LeafFacts,
  LeafHealth,
  PlannedTarget,
  RouteNode,
  RoutedCall,
  Skip,
} from './route-tree-types.ts'
import { unmetCondition } from './explain-unmet-condition.ts'

/**
 * Returns all targets of a route in the order in which they are tried for one call. Each target is either taken, or
 * skipped with a reason. A skipped target keeps its position, so that the order shows what the policy prefers.
 *
 * Each node orders its branches by its own policy, starting with the nodes closest to the leaves. A branch to another
 * node is ranked by the best available leaf below that node. The same arguments and random numbers result in the same
 * plan.
 */
export function planRoute<L extends Leaf>(
  route: RouteNode<L>,
  call: RoutedCall,
  facts: (leaf: L) => LeafFacts,
  health: (target: HealthTarget) => LeafHealth,
  random: () => number,
  nowMs: number,
): PlannedTarget<L>[] {
  // Most model names have a single account. An only target is called regardless of its circuit (`reopensSoonest`
  // explains why).
  const [only] = route.branches
  if (
    route.branches.length === 1 &&
    only?.to.kind === 'leaf' &&
    only.when === null &&
    only.maxInFlight === null
  )
    return [{ leaf: only.to, path: [route.name], skip: facts(only.to).skip }]

  const walk: Walk<L> = { call, facts, health, random, nowMs }
  const candidates = candidatesBelow(route, { path: [], skip: null, capacity: null }, walk)
  const plan: PlannedTarget<L>[] = []
  const last = candidates.every(({ skip }) => skip !== null) ? reopensSoonest(candidates) : null
  const taken = new Map<string, PlannedTarget<L>>()
  for (const candidate of candidates) {
    const { leaf, path } = candidate
    const skip = candidate === last ? null : candidate.skip
    const earlier = taken.get(leaf.key)
    const target = { leaf, path, skip: earlier === undefined ? skip : repeatOf(earlier) }
    if (target.skip === null) taken.set(leaf.key, target)
    plan.push(target)
  }
  return plan
}

interface Walk<L extends Leaf> {
  readonly call: RoutedCall
  readonly facts: (leaf: L) => LeafFacts
  readonly health: (target: HealthTarget) => LeafHealth
  readonly random: () => number
  readonly nowMs: number
}

interface Above {
  readonly path: readonly string[]
  readonly skip: Skip | null
  /** The number of calls in flight that counts as full load, for a branch without a maximum. Null if unknown. */
  readonly capacity: number | null
}

function candidatesBelow<L extends Leaf>(
  node: RouteNode<L>,
  above: Above,
  walk: Walk<L>,
): readonly Candidate<L>[] {
  const path = [...above.path, node.name]
  let largest: number | null = null
  for (const { maxInFlight } of node.branches)
    if (maxInFlight !== null && (largest === null || maxInFlight > largest)) largest = maxInFlight
  const capacity = largest ?? above.capacity
  const options = node.branches.map((branch) => {
    const skip = above.skip ?? skipOfBranch(branch, walk)
    const below = { path, skip, capacity: branch.maxInFlight ?? capacity }
    const candidates =
      branch.to.kind === 'leaf'
        ? [candidateOf(branch.to, below, walk)]
        : candidatesBelow(branch.to, below, walk)
    return { branch, candidates }
  })
  const ordered = orderBranches(node, options, walk.call, walk.random)
  return ordered.flatMap(({ candidates }) => candidates)
}

function candidateOf<L extends Leaf>(leaf: L, { path, skip, capacity }: Above, walk: Walk<L>): Candidate<L> {
  const facts = walk.facts(leaf)
  const health = walk.health(leaf)
  return {
    leaf,
    path,
    // Check the circuit last. `reopensSoonest` may then use every target that is skipped because of its circuit.
    skip: skip ?? facts.skip ?? circuitSkip(health.circuit, leaf, walk.nowMs),
    // Micros in a `number` are exact up to 9 billion dollars.
    expectedMicros: Number(facts.expectedMicros),
    health,
    load: health.inFlight / (capacity ?? 1),
  }
}

/** A branch's condition and limit apply to all targets below it. */
function skipOfBranch<L extends Leaf>({ when, maxInFlight, to }: Branch<L>, walk: Walk<L>): Skip | null {
  const unmet = when && unmetCondition(when, walk.call)
  if (unmet !== null) return { code: 'condition', reason: unmet }
  if (maxInFlight === null) return null
  const inFlight = inFlightBelow(to, walk.health)
  if (inFlight < maxInFlight) return null
  return {
    code: 'max_in_flight',
    reason: `${inFlight} requests are in flight, and the maximum is ${maxInFlight}`,
  }
}

/** Includes calls for other model names. */
function inFlightBelow<L extends Leaf>(
  to: RouteNode<L> | L,
  health: (target: HealthTarget) => LeafHealth,
): number {
  if (to.kind === 'leaf') return health(to).inFlight
  const keys = new Set<string>()
  collectKeys(to, keys)
  let inFlight = 0
  for (const key of keys) inFlight += health({ key }).inFlight
  return inFlight
}

function collectKeys<L extends Leaf>(node: RouteNode<L>, keys: Set<string>): void {
  for (const { to } of node.branches) {
    if (to.kind === 'leaf') keys.add(to.key)
    else collectKeys(to, keys)
  }
}

function circuitSkip(circuit: CircuitState, { isProbeable = false }: Leaf, nowMs: number): Skip | null {
  if (circuit.kind === 'closed') return null
  if (circuit.kind === 'open') {
    if (circuit.untilMs <= nowMs) return null
    return {
      code: 'circuit_open',
      reason: `its circuit is open until ${timeOfDay(circuit.untilMs)} UTC: ${circuit.why}`,
    }
  }
  if (circuit.isProbed && isProbeable)
    return { code: 'circuit_open', reason: `probes are testing whether it responds again: ${circuit.why}` }
  if (!circuit.isTrying) return null
  return { code: 'circuit_open', reason: `one request is testing whether it responds again: ${circuit.why}` }
}

/** Such as `12:00:31`, in UTC. */
function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19)
}

/**
 * Returns the target to call although its circuit is open. Used if every remaining target is skipped only because of
 * its circuit. A few failed calls can open the circuit of a target that works, and the model name would then be
 * unavailable. Only one target with an open circuit gets calls at any time.
 */
function reopensSoonest<L extends Leaf>(candidates: readonly Candidate<L>[]): Candidate<L> | null {
  let soonest: Candidate<L> | null = null
  let soonestMs = Infinity
  for (const candidate of candidates) {
    if (candidate.skip?.code !== 'circuit_open') continue
    const { circuit } = candidate.health
    const reopensMs = circuit.kind === 'open' ? circuit.untilMs : -Infinity
    if (soonest !== null && reopensMs >= soonestMs) continue
    soonest = candidate
    soonestMs = reopensMs
  }
  return soonest
}

function repeatOf<L extends Leaf>({ path }: PlannedTarget<L>): Skip {
  return { code: 'repeated', reason: `it is earlier in the order, as ${path.join(' -> ')}` }
}
