/**
 * A request may offer tools that the provider itself runs. This file decides which of these tools are sent, and limits
 * how often the provider may use them (docs/reference/tokens.md "Tools that providers run"). Such a tool is sent only
 * to a provider of the request's own wire, and only if the price of a use is known.
 */
import { Failure } from '#domain/errors.ts'
import { kindFacts, modelFacts } from '#domain/accounts/provider-kinds.ts'
import type { SettleRequest } from '#domain/ledger-interface.ts'
import { toolRuleFor, toolRulesWithin, usesMaxFor, type ToolRules } from '#domain/provider-tool-rules.ts'
import type { CallBound, ToolBound } from '#money/decision-types.ts'
import type { Uses } from '#money/price.ts'
import type { Usage } from '#money/usage-counts.ts'
import { basisPrice } from '#money/worst-case.ts'
import type { KeepTools, KeptKinds } from '#wire/remove-provider-tools.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import type { RunTools, ToolKind, UseLimit } from '#wire/kinds-of-provider-tools.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { failureOfFault } from './failure-of-request-fault.ts'
import type { Caller } from './caller-of-request.ts'
import type { Configuration } from './configuration-cache.ts'
import { isExtendable } from './is-hold-extendable.ts'
import type { Plan, RouteLeaf } from './targets-of-model-name.ts'

/** Maximum number of tool uses if neither the client nor the application sets a maximum. */
const usesDefault = 5
/** Number of tool uses that the hold of a non-streaming response covers. */
const usesWhole = 2
/**
 * Anthropic pauses a response after this many steps with tools. No field of a request limits the uses of code and MCP
 * tools.
 */
const usesBeforePause = 10

/** The share of the held tokens that a tool use usually needs. About half of the recorded uses needed less. */
export const usualShare = 1 / 4

/** Input tokens to hold for one use, near the 95th percentile of recorded calls. */
const tokensOfUse: Readonly<Record<ToolKind, number>> = {
  webSearch: 33_000,
  webFetch: 26_000,
  mcp: 1_100,
  toolSearch: 0,
  codeExecution: 10_000,
  fileSearch: 2_000,
  imageGeneration: 4_000,
}

export function keepTools(configuration: Configuration, wire: FormatName, caller: Caller): KeepTools {
  return (model, offered, isLarge) => {
    const rules = rulesOfCaller(caller)
    const allowed = [...offered].filter((kind) => toolRuleFor(rules, kind) === 'bounded')
    if (allowed.length === 0) return none
    // Decide now, for all targets together, the tools of a large body, which is parsed only once, and tools for code,
    // images and files. Such a tool is kept only if every target accepts it. Otherwise, a target that rejects the tool
    // would get no tools at all.
    const isDecidedNow = (kind: ToolKind): boolean =>
      isLarge || needsSession(kind, wire) || billsFileSearch(kind, wire) || kind === 'imageGeneration'
    const served = allowed.some(isDecidedNow) ? configuration.served(caller, model) : null
    const takes = ({ plan }: RouteLeaf, kind: ToolKind): boolean =>
      plan === null || (speaks(plan, wire) ? isPriced(kind, wire, plan) : !isLarge)
    const isKept = (kind: ToolKind): boolean => {
      if (!isDecidedNow(kind)) return isBounded(kind, wire)
      return (
        served !== null && !(served instanceof Failure) && served.leaves.every((leaf) => takes(leaf, kind))
      )
    }
    return new Set(allowed.filter(isKept))
  }
}

const none: KeptKinds = new Set()

/** Undefined if neither the application nor the bundle of the key has rules. */
export function rulesOfCaller({ config, key }: Pick<Caller, 'config' | 'key'>): ToolRules | undefined {
  const bundle = key.bundleId === null ? undefined : config.bundles.get(key.bundleId)
  return toolRulesWithin(config.gateway?.providerTools, bundle?.toolRules)
}

export function requestAt(request: WireRequest, plan: Plan): WireRequest | Failure {
  const { run } = request
  if (run === undefined) return request
  if (isSent(request, run, plan)) return withMaxima(request, run, plan)
  return isFault(run.dropped) ? failureOfFault(run.dropped) : run.dropped
}

function withMaxima(request: WireRequest, run: NonNullable<WireRequest['run']>, plan: Plan): WireRequest {
  const maxima = run.limits.map((limit) => maximumOf(limit, run, plan))
  if (maxima.every((most) => most === null)) return request
  const limits = run.limits.map((limit, i) => ({ ...limit, ...(maxima[i] !== null && { most: maxima[i] }) }))
  return { ...request, run: { ...run, limits } }
}

/** The request without provider-run tools. Null if it has no such tools, or requires them. */
export function withoutTools({ run }: WireRequest): WireRequest | null {
  return run === undefined || isFault(run.dropped) ? null : run.dropped
}

/**
 * Returns the tool uses that the first hold covers at a target. Undefined if no provider-run tool costs anything.
 * @param promptTokens maximum number of tokens of the request itself
 */
export function toolBoundOf(request: WireRequest, plan: Plan, promptTokens: number): ToolBound | undefined {
  const asked = askedToolBound(request, plan, promptTokens)
  const own = ownSearchBound(request, plan)
  if (asked === undefined || own === undefined) return asked ?? own
  return {
    uses: Math.max(asked.uses, own.uses),
    usesMax: Math.max(asked.usesMax, own.usesMax),
    tokensPerUse: asked.tokensPerUse + own.tokensPerUse,
    searchesPerUse: asked.searchesPerUse + own.searchesPerUse,
  }
}

/**
 * The searches that the hold covers for a model that searches the web by itself. No field of a request limits these
 * searches, so the provider may make more. The searches appear only in the final usage, so the hold of a stream is
 * extended at its end.
 */
function ownSearchBound(
  request: WireRequest,
  { contextTokens, ownSearches, toolRules }: Plan,
): ToolBound | undefined {
  if (ownSearches === null) return undefined
  const usesMax = usesMaxFor(toolRules, 'webSearch') ?? ownSearches.usesMax ?? usesDefault
  return {
    uses: isExtendable(request) ? 1 : Math.min(usesMax, ownSearches.isSingle ? usesWhole : usesMax),
    usesMax,
    tokensPerUse: Math.min(tokensOfUse.webSearch, contextTokens ?? Infinity),
    searchesPerUse: 1,
  }
}

/**
 * Fails if the model searches by itself although the application allows no web searches. A request cannot turn off such
 * searches, so it is rejected even under the rule `drop`.
 */
export function ownSearchFault({ ownSearches, toolRules, name }: Plan): Failure | null {
  if (ownSearches === null || toolRuleFor(toolRules, 'webSearch') === 'bounded') return null
  const reason = `${name} searches the web by itself, and this application or plan does not allow web searches of providers. Choose another model, or set the rule webSearch of providerTools to bounded`
  return new Failure('unsupported_for_route', { reason }, { param: 'model' })
}

/**
 * Fails if the request asks for searches that the target's price does not cover. The rate `webSearch` is the price of
 * the smallest search.
 */
export function searchOptionsFault(
  options: NonNullable<WireRequest['searchOptions']>,
  { name, ownSearches }: Plan,
): Failure | null {
  if (ownSearches === null) {
    const reason = `${name} does not search the web by itself. Omit the field, or choose a model that does`
    return new Failure('unsupported_for_route', { reason }, { param: 'web_search_options' })
  }
  if (options.isSmallest || !ownSearches.isPricedBySize) return null
  const reason = `searches of ${name} cost more with more text, and its price has a single rate for searches. Set the field to low, or omit it`
  return new Failure('unsupported_for_route', { reason }, { param: 'web_search_options.search_context_size' })
}

/**
 * Adds searches to the usage if a model searches by itself and its provider reports no searches. Adds 1 if a request
 * can have only one search, and otherwise the number that the hold covers. If the provider lists every search, an empty
 * list means no search, so nothing is added.
 */
export function withOwnSearches(
  { tokenSource, usage }: Pick<SettleRequest, 'tokenSource' | 'usage'>,
  { account, ownSearches }: Plan,
  { tools }: Pick<CallBound, 'tools'>,
): Usage {
  if (ownSearches === null || tools === undefined || usage.webSearches > 0) return usage
  if (kindFacts(account.kind).listsSearches === true && tokenSource === 'provider_reported') return usage
  return { ...usage, webSearches: ownSearches.isSingle ? 1 : tools.usesMax }
}

/** The estimated input of the searches that the model makes by itself. Some providers report no input. */
export function ownSearchTokens({ ownSearches }: Plan, { tools }: Pick<CallBound, 'tools'>): number {
  return ownSearches === null || tools === undefined ? 0 : Math.ceil(tools.tokensPerUse * usualShare)
}

function askedToolBound(request: WireRequest, plan: Plan, promptTokens: number): ToolBound | undefined {
  const { run } = request
  if (run === undefined || run.limits.length === 0 || !isSent(request, run, plan)) return undefined
  const usesMax = Math.max(...run.limits.map((limit) => usesOf(limit, request, run, plan)))
  const window = plan.contextTokens ?? Infinity
  const read = tokensReadAgain(request, promptTokens)
  const tokens = run.kinds.map((kind) =>
    kind === 'toolSearch' ? 0 : Math.min(tokensOfUse[kind] + read, window),
  )
  return {
    uses: isExtendable(request) && showsUses(request, run) ? 1 : usesOfWhole(request, run, plan),
    usesMax,
    // Each tool has its own limit, so one counted use includes one use of every tool.
    tokensPerUse: run.isShared ? Math.max(...tokens) : tokens.reduce((sum, each) => sum + each, 0),
    searchesPerUse: run.kinds.includes('webSearch') ? 1 : 0,
  }
}

/** OpenRouter's searches and Google's file searches do not appear in streams. */
function showsUses({ wire }: WireRequest, { kinds }: Pick<RunTools<unknown>, 'kinds'>): boolean {
  return wire !== 'chat' && !(wire === 'generate' && kinds.includes('fileSearch'))
}

/** The file searches that the first hold covers: all that the limit allows. Undefined if no search is billed. */
export function fileSearchesOf(
  request: WireRequest,
  plan: Plan,
  { usesMax }: Pick<ToolBound, 'usesMax'>,
): Uses | undefined {
  const { run, wire } = request
  const isBilled = run?.kinds.some((kind) => billsFileSearch(kind, wire)) === true
  return isBilled && isSent(request, run, plan) ? { fileSearches: usesMax } : undefined
}

/** The client's limit or the default, but at most the application's maximum. */
function usesOf(
  limit: UseLimit,
  request: WireRequest,
  run: Pick<RunTools<unknown>, 'kinds'>,
  plan: Plan,
): number {
  const most = maximumOf(limit, run, plan)
  const isPaused = request.wire === 'messages' && limit.place === null && isExtendable(request)
  const usual = isPaused ? usesBeforePause : usesDefault
  const asked =
    limit.asked ?? Math.min(...kindsOf(limit, run).map((kind) => usesMaxFor(plan.toolRules, kind) ?? usual))
  return Math.min(asked, most ?? asked)
}

/**
 * If several tools share one limit, their lowest maximum applies, because one tool may make all the uses. Null if the
 * application sets no maximum.
 */
function maximumOf(
  limit: UseLimit,
  run: Pick<RunTools<unknown>, 'kinds'>,
  { toolRules }: Plan,
): number | null {
  const maxima = kindsOf(limit, run).map((kind) => usesMaxFor(toolRules, kind) ?? Infinity)
  const most = Math.min(...maxima)
  return most === Infinity ? null : most
}

function kindsOf({ kind }: UseLimit, { kinds }: Pick<RunTools<unknown>, 'kinds'>): readonly ToolKind[] {
  return kind === null ? kinds.filter((each) => each !== 'toolSearch') : [kind]
}

/**
 * If a field of the wire limits the provider's uses, the hold of a non-streaming response covers at most `usesWhole`
 * uses. Without such a field, or for a background response, the hold covers all uses that the limit allows.
 */
function usesOfWhole(
  request: WireRequest,
  run: Pick<RunTools<unknown>, 'kinds' | 'limits'>,
  plan: Plan,
): number {
  const uses = run.limits.map((limit) => {
    const most = usesOf(limit, request, run, plan)
    return request.isBackground === true || limit.place === null ? most : Math.min(most, usesWhole)
  })
  return Math.max(...uses)
}

/**
 * Number of prompt tokens that are billed again for each tool use. Anthropic, on the messages wire, and OpenRouter bill
 * the whole prompt after each use. OpenAI does so only after code, images and file searches. The maximum of a long
 * prompt is several times its likely number of tokens. Without a stored conversation, the result is therefore at most
 * the estimated input plus an allowance for tool definitions.
 */
function tokensReadAgain(
  { conversation, inputEstimate, run, wire }: WireRequest,
  promptTokens: number,
): number {
  const isReadAgain =
    wire === 'messages' ||
    wire === 'chat' ||
    (wire === 'responses' && run?.kinds.some((kind) => readAgainAfter.has(kind)) === true)
  if (isReadAgain && conversation !== undefined) return promptTokens
  return isReadAgain ? Math.min(promptTokens, inputEstimate + definitionTokens) : 0
}

const definitionTokens = 8_192

const readAgainAfter: ReadonlySet<ToolKind> = new Set(['codeExecution', 'imageGeneration', 'fileSearch'])

function isSent(
  { wire }: WireRequest,
  { kinds }: Pick<NonNullable<WireRequest['run']>, 'kinds'>,
  plan: Plan,
): boolean {
  // The rules may have changed since the request was parsed.
  const isAllowed = (kind: ToolKind): boolean => toolRuleFor(plan.toolRules, kind) === 'bounded'
  return speaks(plan, wire) && kinds.every((kind) => isAllowed(kind) && isPriced(kind, wire, plan))
}

function speaks({ account, target }: Plan, wire: WireRequest['wire']): boolean {
  return modelFacts(account.kind, target.model).wires.some((spoken) => spoken === wire)
}

function isPriced(kind: ToolKind, wire: WireRequest['wire'], { account, quote }: Plan): boolean {
  if (!isBounded(kind, wire)) return false
  if (wire === 'chat' && kindFacts(account.kind).searchesInChat !== true) return false
  const { codeSession, fileSearch, imageOutput, webSearch } = basisPrice(quote)
  if (kind === 'webSearch') return webSearch !== undefined
  if (billsFileSearch(kind, wire)) return fileSearch !== undefined
  // Images cost several times as much as text, so require a separate rate.
  if (kind === 'imageGeneration') return imageOutput !== undefined && quote.cost.imageOutput !== undefined
  return !needsSession(kind, wire) || codeSession !== undefined
}

/** Code runs in a container, which has its own price. Google bills only the tokens of code. */
function needsSession(kind: ToolKind, wire: WireRequest['wire']): boolean {
  return kind === 'codeExecution' && (wire === 'messages' || wire === 'responses')
}

/** File searches have their own price. Google bills only the tokens of a search. */
function billsFileSearch(kind: ToolKind, wire: WireRequest['wire']): boolean {
  return kind === 'fileSearch' && wire === 'responses'
}

export function isBounded(kind: ToolKind, wire: WireRequest['wire']): boolean {
  if (kind === 'fileSearch') return wire === 'generate' || wire === 'responses'
  return kind !== 'codeExecution' || needsSession(kind, wire) || wire === 'generate'
}
