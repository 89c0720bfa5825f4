import type { ReserveRequest } from '#domain/ledger-interface.ts'
import { Failure } from '#domain/errors.ts'
import { toolRuleFor } from '#domain/provider-tool-rules.ts'
import { tagsMax } from '#money/decision-types.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { gatewayRulesFault } from '#gateway/arrive/check-gateway-restrictions.ts'
import type { ParsedCall } from '#gateway/call/call-state-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import type { Routed } from '#gateway/call/routed-target-types.ts'
import { rulesOfCaller } from '#gateway/call/apply-provider-tool-rules.ts'
import { routeCall } from './order-targets-of-call.ts'

export interface CallPlan {
  readonly routed: Routed
  /** Null if the call belongs to no outcome run. */
  readonly outcome: ReserveRequest['outcome']
  readonly tags: readonly string[]
}

export function planOf(call: ParsedCall): CallPlan | Failure {
  const { caller, request } = call
  // The application's rules may have changed since the request arrived.
  const format = call.route.kind === 'answer' ? request.wire : null
  const refused = gatewayRulesFault(call, caller, format) ?? offeredToolFault(caller, request)
  if (refused) return refused
  const name = call.configuration.served(caller, request.model)
  if (name instanceof Failure) return name
  // Route before the reserve, so that a request that no provider can serve causes no hold.
  const routed = routeCall(call, caller, request, name)
  if (routed instanceof Failure) return routed
  const tags = tagsOf(caller, request)
  if (tags instanceof Failure) return tags
  if (!request.outcome) return { routed, outcome: null, tags }
  const { slug, runId } = request.outcome
  const defined = caller.config.outcomes.get(slug)
  if (!defined) return new Failure('not_found', { resource: 'outcome', id: slug }, { param: 'svc.outcome' })
  if (defined.isArchived) return new Failure('outcome_archived', { outcome: slug }, { param: 'svc.outcome' })
  return { routed, outcome: { slug, runId, ceilingMicros: defined.ceilingMicros }, tags }
}

const namedMax = 20

/** Omits tags of the key that the application no longer declares. */
function tagsOf(
  { config, key }: Pick<Caller, 'config' | 'key'>,
  { tags }: Pick<WireRequest, 'tags'>,
): readonly string[] | Failure {
  if (tags.length === 0 && key.tags.length === 0) return tags
  const declared = config.gateway?.tags ?? noTags
  const unknown = tags.find((tag) => !declared.has(tag))
  if (unknown !== undefined)
    return tagFailure(`svc.tags contains the unknown tag ${unknown}. ${namesOf(declared)}`)
  const all = [...new Set([...key.tags.filter((tag) => declared.has(tag)), ...tags])]
  if (all.length <= tagsMax) return all
  return tagFailure(`The request and its key have ${all.length} tags. At most ${tagsMax} are allowed.`)
}

const noTags: ReadonlyMap<string, unknown> = new Map()

function tagFailure(reason: string): Failure {
  return new Failure('invalid_request', { reason }, { param: 'svc.tags' })
}

function namesOf(declared: ReadonlyMap<string, unknown>): string {
  if (declared.size === 0) return 'This application declares no tags.'
  const names = [...declared.keys()]
  const further = names.length > namedMax ? ` and ${names.length - namedMax} more` : ''
  return `This application declares the tags ${names.slice(0, namedMax).join(', ')}${further}.`
}

/** Fails if the application rejects tools that the gateway would otherwise remove. */
export function offeredToolFault(
  caller: Pick<Caller, 'config' | 'key'>,
  { lost = [], lostKinds = [], run }: WireRequest,
): Failure | null {
  if (lost.length === 0 && run === undefined) return null
  const rules = rulesOfCaller(caller)
  const isRefused = (kind: ToolKind | null): boolean => toolRuleFor(rules, kind) === 'refuse'
  // If the request was parsed with older rules, some of the kept tools may be rejected now.
  const kept = run?.kinds.filter(isRefused).map((kind) => `tools.${kind}`) ?? []
  const refused = [...kept, ...lost.filter((_, at) => isRefused(lostKinds[at] ?? null))]
  const [first] = refused
  if (first === undefined) return null
  const reason = `the provider of this model would run the tool at a cost that is not known before the request, and this application or plan does not remove such tools. Omit ${refused.join(', ')}`
  return new Failure('unsupported_for_route', { reason }, { param: first })
}
