import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { RouteAsk, RoutePlan, RoutePlanTarget, RouteSize } from '#domain/route-preview-interface.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { PlannedTarget } from '#routing/route-tree-types.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { isFault, type RequestPath, type WireRequest } from '#wire/wire-request.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { continuing } from '#wire/continued-stored-response.ts'
import { wires } from '#wire/table-of-wires.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import type { CallTargets } from '#gateway/call/health-budgets-of-targets.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { hoursFault, wireFault } from '#gateway/arrive/check-gateway-restrictions.ts'
import {
  expectedMicros,
  orderTargets,
  routeCall,
  type OrderedTargets,
  type Routable,
} from '#gateway/decide/order-targets-of-call.ts'
import type { RouteLeaf } from '#gateway/call/targets-of-model-name.ts'
import { boundOf } from '#gateway/decide/maximum-usage-of-call.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { offeredToolFault } from '#gateway/decide/choose-route-outcome-and-tags.ts'
import { keepOf } from '#gateway/arrive/parse-body.ts'
import type { AuthenticatedCall } from '#gateway/call/call-state-types.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { openedState } from '#gateway/call/use-of-stored-responses.ts'
import { continueConversation } from './continue-conversation.ts'
import { withOpenedIds } from './parse-request-with-tool-rules.ts'

export interface Previewing {
  readonly ports: GatewayPorts
  readonly configuration: Configuration
  readonly targets: CallTargets
}

/** Decides as for a call, but sends no request and holds no money. */
export async function previewRoute(
  { configuration, ports, targets }: Previewing,
  ask: RouteAsk,
): Promise<RoutePlan | Failure> {
  const config = await configuration.current(ask.applicationId)
  if (config === null) return new Failure('model_not_found', { model: ask.name }, { param: 'name' })
  const { applicationId, bundleId, endUserId, mode } = ask
  const key = {
    applicationId,
    bundleId,
    endUserId,
    mode,
    keyId: '',
    lineId: '',
    isPortalLine: false,
    tags: [],
    revokedAtMs: null,
    expiresAtMs: null,
    isFrozen: false,
  }
  const caller = { config, key, keyHash: '' }
  const request = await requestOf(ask, caller, { configuration, ports })
  if (request instanceof Failure) return request
  const name = configuration.served(caller, ask.name)
  if (name instanceof Failure) return name
  const nowMs = ports.clock.nowMs()
  const call: Routable = { id: 'preview', startedAtMs: nowMs, ports, targets }
  const ordered = orderTargets(call, caller, request, name)
  const routed = routeCall(call, caller, request, name)
  return {
    router: name.router === null ? null : name.name,
    policy: name.route.policy,
    inputTokens: request.inputEstimate,
    targets: ordered.order.map((target) => targetOf(target, ordered, request, { ports, targets, nowMs })),
    refusal: rulesFault(caller, request, nowMs) ?? (routed instanceof Failure ? routed : null),
  }
}

/**
 * Null if the application's rules allow the call. Skips the rule about client addresses, because no address is known.
 */
function rulesFault(
  caller: Pick<Caller, 'config' | 'key'>,
  request: WireRequest,
  nowMs: number,
): Failure | null {
  const { gateway } = caller.config
  const refused = gateway && (wireFault(request.wire, gateway) ?? hoursFault(nowMs, gateway))
  return refused ?? offeredToolFault(caller, request)
}

function targetOf(
  { leaf, path, skip }: PlannedTarget<RouteLeaf>,
  { ways }: OrderedTargets,
  request: WireRequest,
  { nowMs, ports, targets }: Pick<Previewing, 'ports' | 'targets'> & { readonly nowMs: number },
): RoutePlanTarget {
  const { plan, source } = leaf
  const way = ways.get(leaf)
  const { circuit, firstTokenMs, inFlight } = targets.health.of(leaf, nowMs)
  const dispatch = way === undefined || way instanceof Failure ? null : way.dispatch
  const bound = plan && boundOf(request, plan, request.textTokensMax, dispatch?.outputTokensRaised)
  return {
    path,
    accountId: source.account.id,
    model: source.model,
    skip,
    expectedMicros: plan && expectedMicros(plan, request),
    worstMicros: plan && bound && demandAt(worstCase(plan.quote, bound), bound.outputTokens).micros,
    circuit,
    inFlight,
    firstTokenMs,
    lost: dispatch?.lost ?? [],
    deadlines: { ...ports.limits.deadlines, ...plan?.deadlines },
  }
}

/**
 * Decrypts the IDs of stored objects in the request. The content of a past call is not stored, so a request of the same
 * size replaces it.
 */
async function requestOf(
  { body, isStream, name, size, wire }: RouteAsk,
  caller: Caller,
  { configuration, ports }: Pick<Previewing, 'configuration' | 'ports'>,
): Promise<WireRequest | Failure> {
  const isModelInPath = modelInPath.has(wire)
  const asked = {
    ...(body ?? smallest[wire]),
    ...(isModelInPath ? {} : { model: name, stream: isStream }),
  }
  const text: ByteText = byteTextOf(JSON.stringify(asked))
  const path: RequestPath = isModelInPath ? { model: name, isStream, isJsonArray: false } : factsInBody
  const request = wires[wire].parseRequest(text, path, keepOf(configuration, wire, caller))
  if (isFault(request)) return failureOfFault(request)
  if (body === null) return size === null ? request : ofSize(request, size)
  try {
    return await withStoredObjects({ caller, ports }, request)
  } catch (cause) {
    if (cause instanceof Failure) return cause
    throw cause
  }
}

/**
 * Replaces the IDs of stored objects with the provider's IDs, and adds their lengths to the maximum input. Only the
 * provider knows the length of a streamed response, and a preview calls no provider. A request that continues such a
 * response therefore counts as the whole context window.
 * @throws Failure as for a call
 */
async function withStoredObjects(
  call: Pick<AuthenticatedCall, 'caller' | 'ports'>,
  parsed: WireRequest,
): Promise<WireRequest> {
  const opened = withOpenedIds(call, call.caller, parsed)
  const { conversation, previous } = opened
  if (conversation !== undefined) return continueConversation(call, opened, conversation)
  if (previous === undefined) return opened
  const state = openedState(call, call.caller, previous.id, 'previous_response_id')
  const { alias, id, origin, tokens } = state
  const continued = continuing(opened, { alias, id, origin, tokens: tokens ?? 0 })
  return tokens === null ? { ...continued, fetched: 'document' } : continued
}

function ofSize(request: WireRequest, size: RouteSize): WireRequest {
  const { choices, inputTokens, outputTokensMax, textTokensMax } = size
  return { ...request, inputEstimate: inputTokens, textTokensMax, outputTokensMax, choices }
}

const modelInPath: ReadonlySet<FormatName> = new Set([
  'generate',
  'converse',
  'embed_content',
  'batch_embed_contents',
  'invoke_embeddings',
])

const smallest: Readonly<Record<FormatName, object>> = {
  chat: { messages: [{ role: 'user', content: '.' }] },
  messages: { max_tokens: 1, messages: [{ role: 'user', content: '.' }] },
  responses: { input: '.' },
  generate: { contents: [{ role: 'user', parts: [{ text: '.' }] }] },
  converse: { messages: [{ role: 'user', content: [{ text: '.' }] }] },
  cohere: { messages: [{ role: 'user', content: '.' }] },
  embeddings: { input: '.' },
  moderations: { input: '.' },
  completions: { prompt: '.' },
  rerank: { query: '.', documents: ['.'] },
  images: { prompt: '.' },
  image_edits: { prompt: '.' },
  speech: { input: '.', voice: 'alloy' },
  transcriptions: {},
  translations: {},
  compact: { input: '.' },
  embed_content: { content: { parts: [{ text: '.' }] } },
  invoke_embeddings: { inputText: '.' },
  cohere_embed: { texts: ['.'] },
  batch_embed_contents: { requests: [{ content: { parts: [{ text: '.' }] } }] },
}
