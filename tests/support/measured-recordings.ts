import { modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { isBounded } from '#gateway/call/apply-provider-tool-rules.ts'
import { boundOf } from '#gateway/decide/maximum-usage-of-call.ts'
import { tokenizerBound } from '#gateway/decide/input-bound-by-tokenizer.ts'
import { countAtMost } from '#app/tokenizer.ts'
import { toolTokensOf } from '#money/cost.ts'
import type { CallBound } from '#money/decision-types.ts'
import { totalInput, type Usage } from '#money/usage-counts.ts'
import type { KeepTools } from '#wire/remove-provider-tools.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wireNames, type FormatName, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { recordingsOf, type Recording } from './read-recordings.ts'

const kinds: Readonly<Record<WireName, ProviderKind>> = {
  chat: 'openai_compatible',
  messages: 'anthropic',
  generate: 'google',
  responses: 'openai',
  converse: 'bedrock',
  cohere: 'cohere',
}

/** Keeps the provider's tools whose number of uses is limited. The prices of these tools are assumed to be known. */
export function keepBounded(wire: FormatName): KeepTools {
  return (_, offered) => new Set([...offered].filter((kind) => isBounded(kind, wire)))
}

export interface Measured {
  readonly name: string
  /** The maximum input tokens that the hold covers, including the uses of the provider's tools. */
  readonly boundTokens: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Maximum over all choices. Null if the request states no maximum. */
  readonly outputTokensMax: number | null
  readonly isStream: boolean
  readonly isShortChat: boolean
  readonly group: InputGroup
  /** Null if a tokenizer would not reduce the maximum. */
  readonly countedTokens: () => Promise<number | null>
  /**
   * Whether the provider searched more often than the gateway would allow. The gateway sends a limit for searches, and
   * the recorded request has none.
   */
  readonly exceedsLimit: boolean
}

/**
 * The kind of content in a request's input. For `fetched`, `tools` and `compaction`, the provider adds input, so the
 * request does not show its size.
 */
export type InputGroup = 'text' | 'media' | 'fetched' | 'tools' | 'compaction'

function groupOf(request: WireRequest): InputGroup {
  if (request.fetched !== undefined) return 'fetched'
  if (request.compactsAbove !== undefined) return 'compaction'
  if (request.run !== undefined) return 'tools'
  const { audioTokensMax, documents, files = [], images } = request
  const isText = images === null && documents === null && audioTokensMax === 0 && files.length === 0
  return isText ? 'text' : 'media'
}

/** Counts tokens like a server's tokenizer. */
const tokenizer = { count: (text: string) => Promise.resolve(countAtMost(text)) }

function planOf(kind: ProviderKind, model: string): Plan {
  return {
    account: { kind },
    source: { account: { kind } },
    target: { model },
    contextTokens: null,
    quote: {
      basis: 'cost',
      cost: { input: 1n, imageOutput: 1n, webSearch: 1n, codeSession: 1n, fileSearch: 1n },
    },
    outputTokensDefault: 0,
    toolRules: { fileSearch: 'bounded' },
    ownSearches: null,
  } as unknown as Plan
}

export function boundOfTask(request: WireRequest): number {
  const plan = planOf('openai_compatible', request.model)
  const { audioTokens, imageTokens, textTokens } = boundOf(request, plan, request.textTokensMax)
  return textTokens + audioTokens + imageTokens
}

/**
 * Returns the kind of account that would serve the request without a conversion. If accounts of the vendor's own kind
 * do not accept the wire, the general kind for the wire is returned.
 */
function kindFor(wire: WireName, runsTools: boolean, { kind, model }: RecordedTarget): ProviderKind {
  if (kind !== null && modelFacts(kind, model ?? '').wires.includes(wire)) return kind
  return wire === 'chat' && runsTools ? 'openrouter' : kinds[wire]
}

/** Empty if there are no recordings. */
export function measuredRecordings(): readonly Measured[] {
  return wireNames
    .flatMap((wire) => recordingsOf(wire).map((recording) => measured(recording)))
    .filter((call) => call !== null)
}

export interface RecordedTarget {
  readonly kind: ProviderKind | null
  readonly model: string | null
}

/** Null if the call was rejected, has no usage, or has no recorded request. */
export function measured(
  { wire, requestBody, isStream, bytes, name, status }: Recording,
  target: RecordedTarget = { kind: null, model: null },
): Measured | null {
  if (status !== 200 || typeof requestBody !== 'object' || requestBody === null) return null
  const path = { model: 'm', isStream, isJsonArray: false }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(requestBody)), path, keepBounded(wire))
  if ('kind' in request) return null
  const usage = isStream ? usageOfStream() : (wires[wire].readAnswer(bytes, request)?.usage ?? null)
  if (usage === null) return null
  const model = 'model' in requestBody ? String(requestBody.model) : (target.model ?? 'gemini')
  const plan = planOf(kindFor(wire, request.run !== undefined, { ...target, model }), model)
  const { hasSchema, hasTools, outputTokensMax, textTokensMax } = request
  const tokensAt = (textTokens: number): number => {
    const bound = boundOf(request, plan, textTokens)
    return bound.textTokens + bound.audioTokens + bound.imageTokens + toolTokensOf(atItsEnd(bound))
  }
  const usesMax = boundOf(request, plan, textTokensMax).tools?.usesMax ?? Infinity
  return {
    name,
    boundTokens: tokensAt(textTokensMax),
    countedTokens: () =>
      tokenizerBound(request, [plan], tokenizer, () => true).then((counted) =>
        counted === null ? null : tokensAt(counted),
      ),
    group: groupOf(request),
    exceedsLimit: usage.webSearches > usesMax,
    inputTokens: totalInput(usage),
    outputTokens: usage.output,
    outputTokensMax: outputTokensMax === null ? null : outputTokensMax * request.choices,
    isStream,
    isShortChat: !hasTools && !hasSchema && request.text.length < 1000,
  }

  /** The hold of a stream grows with each use of a tool, so the maximum number of uses counts. */
  function atItsEnd({ tools }: CallBound): Pick<CallBound, 'tools'> {
    return tools === undefined || !isStream
      ? { ...(tools && { tools }) }
      : { tools: { ...tools, uses: tools.usesMax } }
  }

  function usageOfStream(): Usage | null {
    if ('kind' in request) return null
    const stream = wires[wire].openStream(request)
    stream.push(bytes)
    stream.end()
    return stream.usage
  }
}
