import type { ByteText } from '#wire/text/byte-text.ts'
import { after, inside, kindOf, kinds, member, startOf, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import {
  countAt,
  countFault,
  detours,
  fault,
  flagAt,
  isFault,
  isNull,
  knownKeys,
  modelAt,
  outcomeAt,
  outputTokensLimit,
  spanOf,
  textAt,
  unboundable,
} from '#wire/request.ts'
import type { RequestBody, RequestFault, WireRequest } from '#wire/request.ts'
import { boundMessages } from './content-bound.ts'
import { faultOfTools, withoutProviderTools } from './offered-tools.ts'
import { foreignSignatures } from './foreign-signatures.ts'

/** A messages request (wire.md 2.1). */
export function parseMessagesRequest(body: RequestBody): WireRequest | RequestFault {
  return readWithoutOffers(body, (json) => parse(json, 'answer'), withoutProviderTools)
}

/** The body of `count_tokens`: the same without what an answer needs (wire.md 2.6). */
export function parseCountRequest(body: RequestBody): WireRequest | RequestFault {
  return readWithoutOffers(body, (json) => parse(json, 'count'), withoutProviderTools)
}

/** The answer of `count_tokens`. */
export function countAnswer(inputTokens: number): ByteText {
  return JSON.stringify({ input_tokens: inputTokens })
}

function parse(json: Json, purpose: 'answer' | 'count'): WireRequest | RequestFault {
  const keys = knownKeys(json, known, refusedUnlessNull)
  if (isFault(keys)) return keys
  const valueAt = (name: string): Node => {
    const key = keys.get(name)
    return key === undefined ? -1 : valueOf(key)
  }

  const model = modelAt(json, valueAt('model'))
  if (typeof model !== 'string') return model
  const isStream = flagAt(json, valueAt('stream'))
  if (isStream === null) return fault('invalid_request', 'stream', 'The field stream must be true or false.')
  const max = valueAt('max_tokens')
  const maxTokens = countAt(json, max, outputTokensLimit, 0)
  if (maxTokens === 'wrong' || (maxTokens === null && purpose === 'answer'))
    return countFault('max_tokens', outputTokensLimit, 0)
  const outcome = outcomeAt(json, valueAt('svc'))
  if (outcome !== null && isFault(outcome)) return outcome
  const refused =
    faultOfThread(json, valueAt('thread')) ??
    faultOfOptions(json, valueAt) ??
    faultOfTools(json, valueAt('tools'))
  if (refused) return refused
  const input = boundMessages(json, {
    messages: valueAt('messages'),
    system: valueAt('system'),
    tools: valueAt('tools'),
    hasSchema: hasSchema(json, valueAt),
  })
  if (isFault(input)) return input

  const svc = keys.get('svc')
  return {
    wire: 'messages',
    text: json.text,
    model,
    isStream,
    wantsUsage: true,
    isJsonArray: false,
    // 0 asks for nothing but a warm cache; the smallest bound there is covers it.
    outputTokensMax: maxTokens === null ? null : Math.max(maxTokens, 1),
    choices: 1,
    serviceTier: tierAsked(json, valueAt),
    asksForAudio: null,
    asksForImages: null,
    outcome,
    ...input,
    places: {
      model: spanOf(json, valueAt('model')),
      maxima: max >= 0 ? [spanOf(json, max)] : [],
      newMaximum: { at: startOf(json, 0) + 1, before: '"max_tokens":', after: ',' },
      always: [
        ...(svc === undefined ? [] : removals(json, 0, [svc])),
        ...foreignSignatures(json, valueAt('messages')),
      ],
    },
  }
}

const known: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'tools',
  'output_config',
  'output_format',
  'context_management',
  'service_tier',
  'speed',
  'inference_geo',
  'thread',
  'svc',
])

const refusedUnlessNull: ReadonlyMap<string, string> = new Map([
  ['mcp_servers', `${unboundable}; leave it out`],
  ['container', `${unboundable}; leave it out`],
  ['fallbacks', 'another model would answer at a price that is not held for; leave it out'],
  ['compaction', 'what summarising costs cannot be bounded before the call; leave it out'],
  ['billing_policy', 'who is billed is decided here; leave it out'],
  ...detours.map((name) => [name, `${unboundable}; leave it out`] as const),
])

/** The tool runners of the vendor's clients ask for a thread unasked, and go on without one at this code. */
function faultOfThread(json: Json, thread: Node): RequestFault | null {
  if (thread < 0 || isNull(json, thread)) return null
  const reason = 'what the provider has stored of it cannot be bounded before the call'
  return fault('thread_unsupported_request', 'thread', reason)
}

/** Values of known fields that make a call cost what nobody can foresee. */
function faultOfOptions(json: Json, valueAt: (name: string) => Node): RequestFault | null {
  const geo = textAt(json, valueAt('inference_geo'))
  if (geo !== null && geo !== 'global')
    return fault(
      'unsupported_for_route',
      'inference_geo',
      'a region of its own has a price of its own, which is not held for; leave it out',
    )
  const management = valueAt('context_management')
  const edits = management < 0 ? -1 : member(json, management, 'edits')
  if (edits < 0 || kindOf(json, edits) !== kinds.array) return null
  let i = 0
  for (let edit = inside(edits), end = after(json, edits); edit < end; edit = after(json, edit), i++) {
    const type = textAt(json, member(json, edit, 'type')) ?? ''
    // What is cleared costs nothing; what is summarised is another call.
    if (!type.startsWith('clear_'))
      return fault(
        'unsupported_for_route',
        `context_management.edits.${i}`,
        `what ${type || 'it'} costs cannot be bounded before the call`,
      )
  }
  return null
}

/** The tier that the price may depend on. What is not said is `auto` to the provider, so that says nothing either. */
function tierAsked(json: Json, valueAt: (name: string) => Node): string | null {
  if (textAt(json, valueAt('speed')) === 'fast') return 'fast'
  const tier = textAt(json, valueAt('service_tier'))
  return tier === 'auto' || tier === 'standard_only' ? null : tier
}

function hasSchema(json: Json, valueAt: (name: string) => Node): boolean {
  const config = valueAt('output_config')
  return valueAt('output_format') >= 0 || (config >= 0 && member(json, config, 'format') >= 0)
}
