import { Failure } from '#domain/errors.ts'
import { modelLimits } from '#domain/accounts/published-model-limits.ts'
import { costOf } from '#money/cost.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { planRoute } from '#routing/plan-route.ts'
import type {
  Feature,
  HealthTarget,
  LeafFacts,
  LeafHealth,
  PlannedTarget,
  RoutedCall,
  RouteNode,
  Skip,
} from '#routing/route-tree-types.ts'
import { isTask } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import type { CallTargets } from '#gateway/call/health-budgets-of-targets.ts'
import type { Plan, RouteLeaf, ServedName } from '#gateway/call/targets-of-model-name.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import type { Routed, Way } from '#gateway/call/routed-target-types.ts'
import { dispatchOf } from './forward-or-convert-request.ts'
import { unpricedImagesFault } from './reject-unpriced-gemini-images.ts'
import { unpricedTierFault } from './reject-unpriced-service-tier.ts'

export interface Routable {
  readonly id: string
  readonly startedAtMs: number
  readonly targets: CallTargets
  readonly ports: Pick<
    GatewayPorts,
    'cacheTags' | 'clock' | 'containerTags' | 'conversationTags' | 'random' | 'stateTags'
  >
}

/**
 * If no target can serve the call, the failure has the first target's reason, or states that no target is available
 * now.
 */
export function routeCall(
  call: Routable,
  caller: Pick<Caller, 'config' | 'key'>,
  request: WireRequest,
  name: ServedName,
): Routed | Failure {
  if (name.isSingle) {
    const way = wayOf(call, caller, request, name.first)
    return way instanceof Failure ? way : { name, ways: [way], order: null }
  }
  const { order, ways } = orderTargets(call, caller, request, name)
  const taken = order.flatMap(({ leaf, skip }): Way[] => {
    const way = ways.get(leaf)
    return skip === null && way !== undefined && !(way instanceof Failure) ? [way] : []
  })
  const [first, ...rest] = taken
  if (first === undefined) return noTarget(name, order, ways)
  return { name, ways: [first, ...rest], order }
}

function wayOf(
  call: Routable,
  caller: Pick<Caller, 'config' | 'key'>,
  request: WireRequest,
  plan: Plan,
): Way | Failure {
  const dispatch = dispatchOf(call, caller, request, plan)
  if (dispatch instanceof Failure) return dispatch
  return unpricedTierFault(request, plan) ?? unpricedImagesFault(request, plan) ?? { plan, dispatch }
}

export interface OrderedTargets {
  readonly order: readonly PlannedTarget<RouteLeaf>[]
  /** How the request is sent to each leaf with a plan, or why it cannot be sent. */
  readonly ways: ReadonlyMap<RouteLeaf, Way | Failure>
}

export function orderTargets(
  call: Routable,
  caller: Pick<Caller, 'config' | 'key'>,
  request: WireRequest,
  name: ServedName,
): OrderedTargets {
  const nowMs = call.ports.clock.nowMs()
  const ways = new Map<RouteLeaf, Way | Failure>()
  for (const leaf of name.leaves) if (leaf.plan) ways.set(leaf, wayOf(call, caller, request, leaf.plan))
  const isCostAsked = asksForCost(name.route)
  const factsOf = (leaf: RouteLeaf): LeafFacts => {
    const way = ways.get(leaf)
    return {
      skip: leaf.skip ?? (way instanceof Failure ? unsupported(way) : tooLarge(leaf, request, nowMs)),
      expectedMicros: leaf.plan !== null && isCostAsked ? expectedMicros(leaf.plan, request) : 0n,
    }
  }
  const asked: RoutedCall = {
    bundle: name.bundle.slug,
    mode: caller.key.mode,
    features: name.asksForFeatures ? featuresOf(request) : noFeatures,
    inputTokens: request.inputEstimate,
    endUserId: caller.key.endUserId,
    session: request.session,
  }
  const healthOf = (target: HealthTarget): LeafHealth => call.targets.health.of(target, nowMs)
  const order = planRoute(name.route, asked, factsOf, healthOf, call.ports.random, nowMs)
  return { order: withOneThatCounts(order), ways }
}

/**
 * If the input is too long for every target only by the gateway's estimate, the first target is called anyway. The
 * provider counts exactly, and rejects a request that is too long. If a target with a larger context is busy, no target
 * is called.
 */
function withOneThatCounts(order: readonly PlannedTarget<RouteLeaf>[]): readonly PlannedTarget<RouteLeaf>[] {
  if (order.some(({ skip }) => skip === null || skip.code === 'max_in_flight')) return order
  const first = order.find(({ skip }) => skip?.code === 'context_too_small')
  return first === undefined
    ? order
    : order.map((target) => (target === first ? { ...target, skip: null } : target))
}

function noTarget(
  { name }: ServedName,
  order: readonly PlannedTarget<RouteLeaf>[],
  ways: ReadonlyMap<RouteLeaf, Way | Failure>,
): Failure {
  const mayPass = order.some(({ skip }) => skip?.code === 'max_in_flight' || skip?.code === 'circuit_open')
  const faults = order.map(({ leaf }) => ways.get(leaf)).filter((way) => way instanceof Failure)
  if (!mayPass && faults[0] !== undefined) return faults[0]
  const reasons = order.map(({ leaf, skip }) => `${leaf.source.account.label}: ${skip?.reason ?? ''}`)
  return mayPass
    ? new Failure(
        'targets_busy',
        { model: name, retryAfterSeconds: 1 },
        { operatorDetails: { reason: reasons.join('; ') } },
      )
    : new Failure(
        'no_target',
        { model: name },
        { param: 'model', operatorDetails: { reason: reasons.join('; ') } },
      )
}

function unsupported({ details, message, param }: Failure): Skip {
  const reason = typeof details['reason'] === 'string' ? details['reason'] : message
  return { code: 'unsupported', reason: param === null ? reason : `${param}: ${reason}` }
}

function tooLarge({ source }: RouteLeaf, { inputEstimate, wire }: WireRequest, nowMs: number): Skip | null {
  // For a task such as embeddings, the context window limits each text separately, but the estimate is the sum of all
  // texts.
  if (isTask(wire)) return null
  const { contextTokens } = modelLimits(source.account, source.model, nowMs)
  if (contextTokens === null || inputEstimate <= contextTokens) return null
  const reason = `its context window has ${contextTokens} tokens, and the input has about ${inputEstimate}`
  return { code: 'context_too_small', reason }
}

function asksForCost(node: RouteNode<RouteLeaf>): boolean {
  return node.policy === 'cheapest' || node.branches.some(({ to }) => to.kind === 'node' && asksForCost(to))
}

/** About a page of text. If the request's maximum is lower, the maximum is used. */
const outputTokensExpected = 500

/** Includes price tiers. The estimate only compares targets and is never charged. */
export function expectedMicros(
  { quote }: Plan,
  { choices, inputEstimate, outputTokensMax, serviceTier }: WireRequest,
): bigint {
  const output = Math.min(outputTokensMax ?? outputTokensExpected, outputTokensExpected) * choices
  return costOf({ ...zeroUsage, input: inputEstimate, output, serviceTier }, quote.cost).amount
}

const noFeatures: ReadonlySet<Feature> = new Set()

/** Some features are found by searching the whole body, so text that only mentions the searched string also matches. */
function featuresOf(request: WireRequest): ReadonlySet<Feature> {
  const { audioTokensMax, hasSchema, hasTools, images, isStream, text } = request
  const needs: readonly (readonly [Feature, boolean])[] = [
    ['tools', hasTools],
    ['images', images !== null],
    ['audio', audioTokensMax > 0 || request.asksForAudio === true],
    ['documents', documents.test(text)],
    ['json', hasSchema || jsonAnswers.test(text)],
    ['reasoning', asksForReasoning(request)],
    ['stream', isStream],
  ]
  return new Set(needs.filter(([, isNeeded]) => isNeeded).map(([feature]) => feature))
}

export function asksForReasoning({ text }: WireRequest): boolean {
  return reasoning.test(text)
}

/** These strings mark a document in a request of any wire. */
const documents = /"(?:file|input_file|document)"|application\/pdf/
const jsonAnswers = /"(?:json_object|json_schema|responseSchema|responseJsonSchema)"|application\/json/
const reasoning =
  /"(?:reasoning|reasoning_effort|reasoning_config|reasoningConfig|thinking|thinkingConfig|thinking_config)"/
